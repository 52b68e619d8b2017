use holdall_derive::{Decode, Encode};

#[derive(Encode, Decode)]
#[holdall(renameall = "camelCase")]
struct NearlyRenameAll {
    a: u8,
}

#[derive(Decode)]
#[holdall(deny_unknown_fields)]
struct OfSerde {
    a: u8,
}

#[derive(Encode)]
struct Fields {
    #[holdall(renamed = "x")]
    a: u8,
    #[holdall(flatten)]
    b: u8,
    #[holdall(some::path)]
    c: u8,
}

#[derive(Decode)]
enum Variants {
    #[holdall(aliases = "x")]
    A,
    #[holdall(untagged)]
    B,
}

fn main() {}
