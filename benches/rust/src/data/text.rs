//! Words, names and addresses for values.

use holdall_bench_measure::random::Random;

pub const WORDS: &[&str] = &[
    "amber", "basin", "cedar", "delta", "ember", "fjord", "grove", "harbor", "inlet", "jade",
    "kelp", "linen", "maple", "north", "olive", "pearl", "quartz", "river", "slate", "timber",
    "umbra", "valley", "willow", "yarrow", "zephyr",
];

const FIRST: &[&str] = &[
    "Ada", "Björn", "Chloé", "Dmitri", "Elena", "Farid", "Grace", "Hana", "Ibrahim", "Jun",
    "Katya", "Luis", "Mei", "Noor", "Olu", "Priya", "Quentin", "Rosa", "Søren", "Tomás", "Uma",
    "Victor", "Wren", "Ximena", "Yusuf", "Zoë",
];

const LAST: &[&str] = &[
    "Abe", "Bianchi", "Castro", "Dubois", "Eriksen", "Fischer", "García", "Hughes", "Ivanova",
    "Jensen", "Kowalski", "Larsen", "Müller", "Nakamura", "Okafor", "Petrov", "Quispe", "Rossi",
    "Silva", "Tanaka", "Umarov", "Vargas", "Weber", "Xu", "Yılmaz", "Zhang",
];

pub fn word(random: &mut Random) -> String {
    random.pick(WORDS).to_owned()
}

/// Two words and a number: `amber-river-17`.
pub fn slug(random: &mut Random, bound: u64) -> String {
    format!("{}-{}-{}", random.pick(WORDS), random.pick(WORDS), random.below(bound))
}

pub fn full_name(random: &mut Random) -> String {
    format!("{} {}", random.pick(FIRST), random.pick(LAST))
}

/// An address that is almost always unique.
pub fn mail(random: &mut Random) -> String {
    let (name, number) = (random.pick(WORDS), random.below(1 << 30));
    format!("{name}.{number}@{}.example", random.pick(WORDS))
}
