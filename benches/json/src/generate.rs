//! JSON texts of typical forms, the same on every machine.

use std::fmt::Write;

use holdall_bench_measure::random::Random;

/// Generates the text of a case.
pub type Make = fn() -> String;

/// The generated cases: a name and a generator.
pub const CASES: &[(&str, Make)] = &[
    ("one message", || message(1)),
    ("web log", || web_log(5_000)),
    ("catalogue", || catalogue(60)),
    ("coordinates", || coordinates(60)),
    ("deep tree", || deep_tree(11)),
    ("escaped text", || escaped_text(2_000)),
];

const WORDS: &[&str] = &[
    "amber", "basin", "cedar", "delta", "ember", "fjord", "grove", "harbor", "inlet", "jade",
    "kelp", "linen", "maple", "north", "olive", "pearl", "quartz", "river", "slate", "timber",
];

/// Joins `count` items, each written by `write`, into an array.
fn array(out: &mut String, count: u64, mut write: impl FnMut(&mut String, u64)) {
    out.push('[');
    for index in 0..count {
        if index > 0 {
            out.push(',');
        }
        write(out, index);
    }
    out.push(']');
}

/// `write!` to a string cannot fail.
macro_rules! put {
    ($out:expr, $($part:tt)*) => {
        write!($out, $($part)*).expect("a string takes all")
    };
}

/// One small message, as services send it.
#[must_use]
pub fn message(seed: u64) -> String {
    let random = &mut Random(seed);
    format!(
        r#"{{"id":{},"kind":"order.paid","at":"2025-03-0{}T12:30:00Z","amount":{}.{:02},"user":{{"id":{},"name":"{}"}},"tags":["{}","{}"]}}"#,
        random.below(1 << 40),
        random.below(9) + 1,
        random.below(1000),
        random.below(100),
        random.below(1 << 20),
        random.pick(WORDS),
        random.pick(WORDS),
        random.pick(WORDS),
    )
}

/// Records of a web server: flat, some fields missing or null, many strings that repeat.
#[must_use]
pub fn web_log(records: u64) -> String {
    const AGENTS: &[&str] = &[
        "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36",
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5",
        "curl/8.8.0",
    ];
    let random = &mut Random(2);
    let mut out = String::new();
    let mut millis = 0;
    array(&mut out, records, |out, _| {
        millis += random.skewed(400);
        let (hour, minute) = (millis / 3_600_000 % 24, millis / 60_000 % 60);
        let (second, fraction) = (millis / 1000 % 60, millis % 1000);
        put!(
            out,
            r#"{{"time":"2025-03-01T{hour:02}:{minute:02}:{second:02}.{fraction:03}Z","client":"10.{}.{}.{}","#,
            random.below(4),
            random.below(256),
            random.below(256),
        );
        put!(
            out,
            r#""method":"{}","path":"/{}/{}","status":{},"bytes":{},"seconds":{}.{:03},"#,
            random.pick(&["GET", "GET", "GET", "GET", "POST", "PUT"]),
            random.pick(WORDS),
            random.skewed(500),
            random.pick(&["200", "200", "200", "200", "200", "304", "404", "500"]),
            random.skewed(200_000),
            random.skewed(3),
            random.below(1000),
        );
        if random.one_in(3) {
            put!(out, r#""referrer":null,"#);
        } else {
            let word = random.pick(WORDS);
            put!(out, r#""referrer":"https://example.org/{word}","#);
        }
        if random.one_in(5) {
            put!(out, r#""user":{},"#, random.below(10_000));
        }
        let agent = random.pick(AGENTS);
        put!(out, r#""agent":"{agent}"}}"#);
    });
    out
}

/// Categories of products with variants: nested lists, maps whose keys are data, optional fields.
#[must_use]
pub fn catalogue(categories: u64) -> String {
    let random = &mut Random(3);
    let mut out = String::from(r#"{"version":3,"currency":"EUR","categories":"#);
    array(&mut out, categories, |out, category| {
        let word = random.pick(WORDS);
        put!(out, r#"{{"id":{category},"title":"{word} {category}","products":"#);
        let products = random.below(30);
        array(out, products, |out, product| {
            let (first, second) = (random.pick(WORDS), random.pick(WORDS));
            put!(
                out,
                r#"{{"sku":"{}-{:05}","title":"{first} {second}","active":{},"rating":{},"#,
                first.to_uppercase(),
                category * 100 + product,
                !random.one_in(8),
                if random.one_in(6) {
                    "null"
                } else {
                    random.pick(&["3.5", "4", "4.2", "4.8", "5"])
                },
            );
            if random.one_in(2) {
                put!(
                    out,
                    r#""size":{{"width":{}.5,"height":{},"depth":{}.25}},"#,
                    random.below(100),
                    random.below(100),
                    random.below(40),
                );
            }
            put!(out, r#""attributes":{{"#);
            let attributes = random.below(4);
            for index in 0..attributes {
                let comma = if index > 0 { "," } else { "" };
                // A number makes keys unique, as JSON objects should be.
                put!(out, r#"{comma}"{}{index}":"{}""#, random.pick(WORDS), random.pick(WORDS));
            }
            put!(out, r#"}},"variants":"#);
            let variants = random.below(5);
            array(out, variants, |out, variant| {
                put!(
                    out,
                    r#"{{"name":"{}","stock":{},"price":{}.{:02},"ean":{}}}"#,
                    random.pick(&["S", "M", "L", "XL"]),
                    random.skewed(200),
                    random.below(300),
                    random.below(100),
                    4_000_000_000_000_u64 + random.below(999_999_999_999) + variant,
                );
            });
            out.push('}');
        });
        out.push('}');
    });
    out.push('}');
    out
}

/// Outlines on a map: nested lists of pairs of floats with 15 to 17 digits.
#[must_use]
pub fn coordinates(features: u64) -> String {
    let random = &mut Random(4);
    let mut out = String::from(r#"{"type":"FeatureCollection","features":"#);
    array(&mut out, features, |out, feature| {
        put!(
            out,
            r#"{{"type":"Feature","properties":{{"id":{feature},"name":"{}"}},"geometry":{{"type":"Polygon","coordinates":["#,
            random.pick(WORDS)
        );
        let points = 20 + random.below(200);
        let (mut east, mut north) = (random.unit() * 360.0 - 180.0, random.unit() * 160.0 - 80.0);
        array(out, points, |out, _| {
            east += (random.unit() - 0.5) * 0.01;
            north += (random.unit() - 0.5) * 0.01;
            // Debug prints a point for integral floats too, so all stay floats.
            put!(out, "[{east:?},{north:?}]");
        });
        out.push_str("]}}");
    });
    out.push('}');
    out
}

/// A tree of records that hold records of the same kind, `depth` levels of them.
#[must_use]
pub fn deep_tree(depth: u64) -> String {
    fn node(out: &mut String, random: &mut Random, depth: u64) {
        put!(
            out,
            r#"{{"name":"{}","weight":{},"children":"#,
            random.pick(WORDS),
            random.skewed(1000)
        );
        // Two children, sometimes one or three, so that the levels differ.
        let children = match (depth, random.below(8)) {
            (0, _) => 0,
            (_, 0) => 1,
            (_, 1) => 3,
            _ => 2,
        };
        array(out, children, |out, _| node(out, random, depth - 1));
        out.push('}');
    }
    let mut out = String::new();
    node(&mut out, &mut Random(5), depth);
    out
}

/// Strings with escapes and in several scripts.
#[must_use]
pub fn escaped_text(comments: u64) -> String {
    const PIECES: &[&str] = &[
        r"first line\nsecond line",
        r#"she said \"so be it\""#,
        r"C:\\temp\\file.txt",
        r"caf\u00e9 cr\u00e8me",
        r"\ud83d\ude00 \ud83c\udf89",
        r"\tindented\u0007",
        "größer als nötig",
        "Ελληνικά και ελιές",
        "日本語の文章です",
        "эта строка по-русски",
        "plain words and nothing else",
        "👩‍🚀 to the moon",
    ];
    let random = &mut Random(6);
    let mut out = String::new();
    array(&mut out, comments, |out, index| {
        put!(out, r#"{{"id":{index},"by":"{}","text":""#, random.pick(WORDS));
        for _ in 0..=random.skewed(8) {
            out.push_str(random.pick(PIECES));
            out.push(' ');
        }
        put!(out, r#"","votes":{}}}"#, random.skewed(100));
    });
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FNV-1a: enough to detect a changed text.
    fn hash(text: &str) -> u64 {
        text.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
        })
    }

    #[test]
    fn generated_texts_never_change() {
        // After a change of these texts, earlier measurements are not comparable.
        let expected: &[(&str, usize, u64)] = &[
            ("one message", 145, 0x970D_2FC4_01C0_7C86),
            ("web log", 1_283_779, 0x71C9_C1AB_CCDA_B529),
            ("catalogue", 231_407, 0x6D86_029F_FD68_CF94),
            ("coordinates", 278_633, 0xB590_F9D2_F2DC_763B),
            ("deep tree", 224_858, 0x7B1C_7D0F_5EB6_89F0),
            ("escaped text", 227_139, 0x4E38_87DE_D307_D5EA),
        ];
        let found: Vec<(&str, usize, u64)> = CASES
            .iter()
            .map(|(name, make)| {
                let text = make();
                (*name, text.len(), hash(&text))
            })
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn no_object_repeats_a_key() {
        for (name, make) in CASES {
            let tree: crate::ordered::Ordered = serde_json::from_str(&make()).unwrap();
            assert!(keys_differ(&tree), "{name}");
        }
    }

    fn keys_differ(value: &crate::ordered::Ordered) -> bool {
        use crate::ordered::Ordered;
        match value {
            Ordered::Array(items) => items.iter().all(keys_differ),
            Ordered::Object(members) => {
                let keys: std::collections::HashSet<&String> =
                    members.iter().map(|(key, _)| key).collect();
                keys.len() == members.len() && members.iter().all(|(_, value)| keys_differ(value))
            }
            _ => true,
        }
    }
}
