use holdall_derive::Decode;

#[derive(Decode)]
#[holdall(archive)]
struct Converted(#[holdall(with = "text")] u8);

#[derive(Decode)]
#[holdall(archive)]
enum AllConverted {
    Empty,
    One(#[holdall(with = "text")] u8),
}

#[derive(Decode)]
#[holdall(archive = "not a name")]
struct Nameless {
    a: u8,
}

#[derive(Decode)]
#[holdall(archive, archive)]
struct Twice {
    a: u8,
}

fn main() {}
