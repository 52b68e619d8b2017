use holdall_derive::{Decode, Encode};

#[derive(Encode, Decode)]
struct Same {
    a: u8,
    #[holdall(rename = "a")]
    b: u8,
}

#[derive(Encode, Decode)]
#[holdall(rename_all = "camelCase")]
struct SameSpelled {
    first_name: u8,
    #[allow(non_snake_case)]
    firstName: u8,
}

#[derive(Decode)]
struct Aliases {
    #[holdall(alias = "a")]
    a: u8,
    #[holdall(alias = "a")]
    b: u8,
    #[holdall(alias = "x", alias = "x")]
    c: u8,
    #[holdall(alias = "x")]
    d: u8,
    #[holdall(skip)]
    x: u8,
}

#[derive(Decode)]
#[holdall(alias = "AliasOfItself")]
struct AliasOfItself {
    a: u8,
}

#[derive(Decode)]
#[holdall(rename = "Name", alias = "Old", alias = "Old", alias = "Name")]
struct AliasTwice {
    a: u8,
}

#[derive(Encode, Decode)]
enum SameVariants {
    A,
    #[holdall(rename = "A")]
    B,
}

#[derive(Encode, Decode)]
#[holdall(rename_all = "lowercase")]
enum SameSpelledVariants {
    Ab,
    AB,
}

#[derive(Decode)]
enum AliasesOfVariants {
    #[holdall(alias = "A")]
    A,
    #[holdall(alias = "A", alias = "C")]
    B,
    #[holdall(rename = "D", alias = "C")]
    C,
    E {
        a: u8,
        #[holdall(alias = "a")]
        b: u8,
    },
}

fn main() {}
