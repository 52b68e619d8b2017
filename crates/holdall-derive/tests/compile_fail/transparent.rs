use holdall_derive::{Decode, Encode};

#[derive(Encode, Decode)]
#[holdall(transparent)]
struct Several {
    a: u8,
    b: u8,
}

#[derive(Encode, Decode)]
#[holdall(transparent)]
struct None {}

#[derive(Encode, Decode)]
#[holdall(transparent)]
struct AllSkipped {
    #[holdall(skip)]
    a: u8,
}

#[derive(Encode, Decode)]
#[holdall(transparent)]
struct SeveralWithoutNames(u8, u8);

#[derive(Encode, Decode)]
#[holdall(transparent)]
enum Enum {
    A(u8),
}

#[derive(Encode, Decode)]
#[holdall(transparent, rename = "A", rename_all = "camelCase", alias = "B", default, version = 2)]
struct Named {
    #[holdall(rename = "x", alias = "y", default)]
    a: u8,
    #[holdall(skip, default = "function")]
    b: u8,
}

#[derive(Decode)]
#[holdall(rename = "A", version = 2, upgrade(1 = "function"))]
struct Newtype(#[holdall(default)] u8);

fn main() {}
