use holdall_derive::{Decode, Encode};

#[derive(Encode, Decode)]
#[holdall(packed)]
enum Variants {
    A,
}

#[derive(Encode, Decode)]
#[holdall(packed, packed)]
struct Twice {
    a: f32,
}

#[derive(Encode, Decode)]
#[holdall(packed = true)]
struct WithValue {
    a: f32,
}

#[derive(Encode, Decode)]
#[holdall(packed, transparent)]
struct Transparent {
    a: f32,
}

#[derive(Encode, Decode)]
#[holdall(packed, into = "f32", from = "f32")]
struct Converted {
    a: f32,
}

#[derive(Encode, Decode)]
#[holdall(packed)]
struct Nothing;

#[derive(Encode, Decode)]
#[holdall(packed)]
struct AllSkipped {
    #[holdall(skip)]
    a: f32,
}

#[derive(Encode, Decode)]
#[holdall(packed)]
struct WithModule {
    #[holdall(with = "module")]
    a: f32,
}

#[derive(Encode, Decode)]
struct OfField {
    #[holdall(packed)]
    a: f32,
}

fn main() {}
