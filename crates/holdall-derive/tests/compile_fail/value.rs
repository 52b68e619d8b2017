use holdall_derive::{Decode, Encode};

#[derive(Encode, Decode)]
#[holdall]
struct Empty {
    a: u8,
}

#[derive(Decode)]
#[holdall = "rename"]
struct Text {
    a: u8,
}

#[derive(Decode)]
#[holdall(rename)]
struct Missing {
    a: u8,
}

#[derive(Decode)]
#[holdall(rename = 3)]
struct Number {
    a: u8,
}

#[derive(Decode)]
#[holdall(rename = Name)]
struct Path {
    a: u8,
}

#[derive(Decode)]
#[holdall(rename("Name"))]
struct List {
    a: u8,
}

#[derive(Decode)]
#[holdall(rename_all = "Camel")]
struct Spelling {
    a: u8,
}

#[derive(Decode)]
#[holdall(transparent = true)]
struct Transparent {
    a: u8,
}

#[derive(Decode)]
#[holdall(from = "not a type")]
struct From {
    a: u8,
}

#[derive(Decode)]
#[holdall(try_from = u8)]
struct TryFrom {
    a: u8,
}

#[derive(Encode)]
#[holdall(into = "")]
struct Into {
    a: u8,
}

#[derive(Encode)]
#[holdall(bound = "T is Copy")]
struct Bound<T> {
    a: T,
}

#[derive(Encode)]
#[holdall(crate = "not a path")]
struct Crate {
    a: u8,
}

#[derive(Decode)]
#[holdall(version = "2")]
struct Version {
    a: u8,
}

#[derive(Decode)]
#[holdall(version = 0)]
struct VersionZero {
    a: u8,
}

#[derive(Decode)]
#[holdall(version = 2u8)]
struct VersionSuffix {
    a: u8,
}

#[derive(Decode)]
#[holdall(version = 2, upgrade = "function")]
struct Upgrade {
    a: u8,
}

#[derive(Decode)]
#[holdall(version = 2, upgrade())]
struct NoUpgrades {
    a: u8,
}

#[derive(Decode)]
#[holdall(version = 2, upgrade("function"))]
struct UpgradeOfNoVersion {
    a: u8,
}

#[derive(Decode)]
#[holdall(version = 2, upgrade(1 = function))]
struct UpgradeByPath {
    a: u8,
}

#[derive(Decode)]
#[holdall(version = 2, upgrade(0 = "function"))]
struct UpgradeZero {
    a: u8,
}

#[derive(Decode)]
#[holdall(version = 2, upgrade(1 = "not a path"))]
struct UpgradeByText {
    a: u8,
}

#[derive(Decode)]
struct Fields {
    #[holdall(rename = ["x"])]
    a: u8,
    #[holdall(alias)]
    b: u8,
    #[holdall(skip = "yes")]
    c: u8,
    #[holdall(default = 7)]
    d: u8,
    #[holdall(default("function"))]
    e: u8,
    #[holdall(default = "1 + 1")]
    f: u8,
    #[holdall(with)]
    g: u8,
    #[holdall(with = "a b")]
    h: u8,
}

#[derive(Decode)]
enum Variants {
    #[holdall(other = "A")]
    A,
    #[holdall(alias = 1)]
    B,
    #[holdall(rename_all)]
    C { a: u8 },
}

fn main() {}
