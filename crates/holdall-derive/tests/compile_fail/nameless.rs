use holdall_derive::{Decode, Encode};

#[derive(Encode, Decode)]
#[holdall(rename_all = "camelCase", default)]
struct Pair(#[holdall(rename = "x")] u8, #[holdall(alias = "y")] u8);

#[derive(Encode, Decode)]
#[holdall(rename_all = "camelCase", default = "function")]
struct Unit;

#[derive(Encode, Decode)]
#[holdall(rename = "A", alias = "B", default, version = 2, upgrade(1 = "function"))]
enum Enum {
    #[holdall(rename_all = "camelCase")]
    Unit,
    #[holdall(rename_all = "camelCase")]
    One(#[holdall(rename = "x")] u8),
    Two(u8, #[holdall(default, alias = "y")] u8),
}

#[derive(Encode, Decode)]
union Union {
    a: u8,
    b: i8,
}

fn main() {}
