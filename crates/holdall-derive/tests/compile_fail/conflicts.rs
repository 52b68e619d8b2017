use holdall_derive::{Decode, Encode};

#[derive(Encode, Decode)]
#[holdall(from = "u8", try_from = "u16")]
struct FromAndTryFrom {
    a: u8,
}

#[derive(Decode)]
#[holdall(from = "u8", default, alias = "Old")]
struct FromAndDefault {
    a: u8,
}

#[derive(Decode)]
#[holdall(try_from = "u8", version = 2, upgrade(1 = "function"))]
struct TryFromAndUpgrade {
    a: u8,
}

#[derive(Encode, Decode)]
#[holdall(from = "u8", into = "u8", rename = "A", rename_all = "camelCase", transparent, version = 2)]
struct Converted {
    #[holdall(rename = "x")]
    a: u8,
    #[holdall(default, skip)]
    b: u8,
}

#[derive(Encode, Decode)]
#[holdall(try_from = "u8", into = "u8")]
enum ConvertedEnum {
    #[holdall(other)]
    A,
    B(#[holdall(skip)] u8),
}

#[derive(Decode)]
struct SkippedFields {
    #[holdall(skip, rename = "x")]
    a: u8,
    #[holdall(alias = "y", skip)]
    b: u8,
    #[holdall(skip, with = "module")]
    c: u8,
}

#[derive(Decode)]
#[holdall(version = 2, upgrade(2 = "a", 3 = "b"))]
struct UpgradeFromLater {
    a: u8,
}

#[derive(Decode)]
#[holdall(upgrade(1 = "a"))]
struct UpgradeWithoutVersion {
    a: u8,
}

#[derive(Decode)]
enum OtherWithFields {
    #[holdall(other)]
    A(u8),
    B,
}

#[derive(Decode)]
enum OtherWithNamedFields {
    A,
    #[holdall(other)]
    B {},
}

#[derive(Decode)]
struct KeptWithoutExplicit {
    #[holdall(keep)]
    a: u8,
}

#[derive(Decode)]
#[holdall(explicit)]
struct SkippedAnyway {
    #[holdall(keep)]
    a: u8,
    #[holdall(skip)]
    b: u8,
    #[holdall(rename = "x", skip_if = "function")]
    c: u8,
}

#[derive(Decode)]
#[holdall(explicit)]
enum ExplicitEnum {
    A,
}

#[derive(Decode)]
struct ConvertedTwice {
    #[holdall(with = "module", items = "module")]
    a: Vec<u8>,
}

type Alias = Vec<Option<u8>>;

#[derive(Encode)]
struct OtherItems {
    #[holdall(items = "Vec<module>")]
    a: Vec<Option<u8>>,
    #[holdall(items = "[module; 2]")]
    b: std::collections::HashMap<u8, Option<u8>>,
    #[holdall(items = "Option<module>")]
    c: Alias,
    #[holdall(items = "Option<Option<module>>")]
    d: Vec<Option<u8>>,
    #[holdall(items = "&module")]
    e: Vec<u8>,
}

#[derive(Decode)]
enum SkippedItem {
    A(u8, #[holdall(skip_if = "function")] u8),
}

fn main() {}
