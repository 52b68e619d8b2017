use holdall_derive::{Decode, Encode};

struct Record;

#[derive(Encode, Decode)]
struct Second {
    #[holdall(unknown)]
    a: Record,
    #[holdall(unknown)]
    b: Record,
}

#[derive(Encode, Decode)]
struct Nameless(u8, #[holdall(unknown)] Record);

#[derive(Encode, Decode)]
#[holdall(transparent)]
struct Transparent {
    a: u8,
    #[holdall(unknown)]
    rest: Record,
}

#[derive(Encode, Decode)]
#[holdall(packed)]
struct Packed {
    a: f32,
    #[holdall(unknown)]
    rest: Record,
}

#[derive(Encode, Decode)]
struct Others {
    #[holdall(unknown, rename = "more", default, with = "module", alias = "a")]
    rest: Record,
}

#[derive(Encode, Decode)]
struct Skipped {
    #[holdall(skip, unknown)]
    rest: Record,
}

#[derive(Encode, Decode)]
#[holdall(explicit)]
struct Kept {
    #[holdall(keep, unknown)]
    rest: Record,
}

#[derive(Encode, Decode)]
enum Variants {
    #[holdall(unknown)]
    A,
    B(u8, #[holdall(unknown)] Record),
    C {
        #[holdall(unknown = true)]
        rest: Record,
    },
}

#[derive(Encode, Decode)]
#[holdall(from = "u8", into = "u8")]
struct Converted {
    #[holdall(unknown)]
    rest: Record,
}

fn main() {}
