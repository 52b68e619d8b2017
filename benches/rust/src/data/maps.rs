//! Maps: the numbers of words in documents, with tags by name.

use std::collections::BTreeMap;

use holdall_bench_measure::random::Random;

use super::{owned, text};

owned! {
    pub struct Document {
        pub id: u64,
        pub words: BTreeMap<String, u32>,
        pub links: BTreeMap<u32, f32>,
        pub tags: BTreeMap<String, Vec<String>>,
    }
}

#[must_use]
pub fn make(count: usize, seed: u64) -> Vec<Document> {
    let random = &mut Random(seed);
    (0..count).map(|_| document(random)).collect()
}

fn document(random: &mut Random) -> Document {
    let word = |random: &mut Random| (text::slug(random, 50), 1 + random.skewed(40) as u32);
    Document {
        id: random.bits(),
        words: (0..random.skewed(60)).map(|_| word(random)).collect(),
        links: (0..random.skewed(8))
            .map(|_| (random.below(100_000) as u32, random.unit() as f32))
            .collect(),
        tags: (0..random.below(3))
            .map(|_| {
                let names = (0..random.below(4)).map(|_| text::word(random)).collect();
                (text::word(random), names)
            })
            .collect(),
    }
}
