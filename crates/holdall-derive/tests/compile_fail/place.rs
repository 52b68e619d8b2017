use holdall_derive::{Decode, Encode};

#[derive(Encode, Decode)]
#[holdall(skip)]
struct SkippedType {
    a: u8,
}

#[derive(Decode)]
#[holdall(with = "module")]
struct TypeWith {
    a: u8,
}

#[derive(Decode)]
#[holdall(other)]
struct OtherStruct {
    a: u8,
}

#[derive(Decode)]
struct Fields {
    #[holdall(rename_all = "camelCase")]
    a: u8,
    #[holdall(transparent)]
    b: u8,
    #[holdall(from = "u8")]
    c: u8,
    #[holdall(try_from = "u8")]
    d: u8,
    #[holdall(into = "u8")]
    e: u8,
    #[holdall(bound = "T: Copy")]
    f: u8,
    #[holdall(crate = "holdall")]
    g: u8,
    #[holdall(version = 2)]
    h: u8,
    #[holdall(upgrade(1 = "function"))]
    i: u8,
    #[holdall(other)]
    j: u8,
}

#[derive(Decode)]
enum Variants {
    #[holdall(default)]
    A,
    #[holdall(skip)]
    B,
    #[holdall(with = "module")]
    C(u8),
    #[holdall(transparent)]
    D(u8),
    #[holdall(version = 2)]
    E {
        #[holdall(bound = "T: Copy")]
        a: u8,
    },
}

fn main() {}
