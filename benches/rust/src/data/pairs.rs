//! Records with two strings, which hardly repeat.

use holdall_bench_measure::random::Random;

use super::{Lend, owned, text};

owned! {
    #[derive(fory::ForyStruct)]
    pub struct Contact {
        pub name: String,
        pub mail: String,
    }
}

pub mod lent {
    use crate::data::lent;

    lent! {
        pub struct Contact<'a> {
            pub name: &'a str,
            pub mail: &'a str,
        }
    }
}

impl Lend for Vec<Contact> {
    type Lent<'a> = Vec<lent::Contact<'a>>;
}

#[must_use]
pub fn make(count: usize, seed: u64) -> Vec<Contact> {
    let random = &mut Random(seed);
    (0..count)
        .map(|_| Contact { name: text::full_name(random), mail: text::mail(random) })
        .collect()
}
