use holdall_derive::{Decode, Encode};

#[derive(Encode, Decode)]
#[holdall(rename = "A", rename = "B")]
struct Renamed {
    a: u8,
}

#[derive(Decode)]
#[holdall(crate = "a")]
#[holdall(crate = "b")]
struct Crate {
    a: u8,
}

#[derive(Decode)]
#[holdall(rename_all = "camelCase", rename_all = "snake_case")]
struct Spelled {
    a: u8,
}

#[derive(Decode)]
#[holdall(default, default = "function")]
struct Defaults {
    a: u8,
}

#[derive(Decode)]
#[holdall(transparent, transparent)]
struct Transparent {
    a: u8,
}

#[derive(Decode)]
#[holdall(from = "u8", from = "u16")]
struct From {
    a: u8,
}

#[derive(Decode)]
#[holdall(try_from = "u8", try_from = "u16")]
struct TryFrom {
    a: u8,
}

#[derive(Encode)]
#[holdall(into = "u8", into = "u16")]
struct Into {
    a: u8,
}

#[derive(Encode)]
#[holdall(bound = "T: Copy", bound = "T: Clone")]
struct Bound<T> {
    a: T,
}

#[derive(Decode)]
#[holdall(version = 2, version = 3)]
struct Version {
    a: u8,
}

#[derive(Decode)]
#[holdall(version = 2, upgrade(1 = "a"), upgrade(1 = "b"))]
struct Upgrade {
    a: u8,
}

#[derive(Decode)]
#[holdall(version = 3, upgrade(1 = "a", 2 = "b", 1 = "c"))]
struct SameVersion {
    a: u8,
}

#[derive(Decode)]
struct Fields {
    #[holdall(rename = "x", rename = "y")]
    a: u8,
    #[holdall(skip, skip)]
    b: u8,
    #[holdall(default, default)]
    c: u8,
    #[holdall(with = "a", with = "b")]
    d: u8,
}

#[derive(Decode)]
enum Variants {
    #[holdall(rename = "x", rename = "y")]
    A,
    #[holdall(rename_all = "camelCase", rename_all = "camelCase")]
    B { a: u8 },
    #[holdall(other, other)]
    C,
}

#[derive(Decode)]
enum Others {
    #[holdall(other)]
    A,
    #[holdall(other)]
    B,
}

fn main() {}
