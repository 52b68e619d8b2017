//! One small struct, and a hundred still smaller ones.

use holdall_bench_measure::random::Random;

use super::{Lend, owned, text};

owned! {
    #[derive(fory::ForyStruct)]
    pub struct Small {
        pub id: u64,
        pub kind: u8,
        pub active: bool,
        pub score: f64,
        pub name: String,
        pub parent: Option<u32>,
    }

    #[derive(fory::ForyStruct)]
    pub struct Row {
        pub number: i64,
        pub kind: u8,
        pub value: f64,
    }
}

pub mod lent {
    use crate::data::lent;

    lent! {
        pub struct Small<'a> {
            pub id: u64,
            pub kind: u8,
            pub active: bool,
            pub score: f64,
            pub name: &'a str,
            pub parent: Option<u32>,
        }
    }
}

impl Lend for Small {
    type Lent<'a> = lent::Small<'a>;
}

#[must_use]
pub fn small(seed: u64) -> Small {
    let random = &mut Random(seed);
    Small {
        id: random.skewed(1 << 20),
        kind: random.below(200) as u8,
        active: random.one_in(2),
        score: random.unit() * 100.0,
        name: text::full_name(random),
        parent: Some(random.below(1 << 16) as u32),
    }
}

#[must_use]
pub fn rows(count: usize, seed: u64) -> Vec<Row> {
    let random = &mut Random(seed);
    let row = |_| Row {
        number: random.below(2_000_000) as i64 - 1_000_000,
        kind: random.below(5) as u8,
        value: random.unit() * 1000.0,
    };
    (0..count).map(row).collect()
}
