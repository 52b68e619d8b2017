//! Generates 20 random types, and a function for each that makes random values of it.
//!
//! The seed is fixed, so the types are the same in every build; no one chose them.

use std::fmt::Write;

use holdall_bench_measure::random::Random;

const SEED: u64 = 2026;
const TYPES: usize = 20;
/// About how many numbers, texts and lengths the value of a type has in all.
const LEAVES: f64 = 60_000.0;
/// Structs and enums inside each other.
const NESTING: u32 = 3;

/// A Rust type: how it is spelt, an expression that makes a value with `random`, and about how many leaves it has.
struct Type {
    name: String,
    make: String,
    leaves: f64,
}

/// An expression of one type as one of another.
fn cast(make: &str, from: &str, to: &str) -> String {
    match from == to {
        true => make.to_owned(),
        false if make.contains(' ') => format!("({make}) as {to}"),
        false => format!("{make} as {to}"),
    }
}

struct Generator {
    random: Random,
    /// The source of all types so far.
    out: String,
    /// The number of structs and enums so far.
    named: usize,
}

impl Generator {
    fn pick(&mut self, of: &[&'static str]) -> &'static str {
        self.random.pick(of)
    }

    fn int(&mut self) -> Type {
        let name = self.pick(&["u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64"]);
        let (make, from) = match self.random.below(5) {
            0 => ("random.bits()".to_owned(), "u64"),
            1 => ("random.below(10)".to_owned(), "u64"),
            2 => (format!("random.skewed(1 << {})", 4 + self.random.below(24)), "u64"),
            // Mostly small, with outliers.
            3 => (
                "if random.one_in(50) { random.bits() } else { random.below(100) }".to_owned(),
                "u64",
            ),
            _ => ("random.below(2_000) as i64 - 1_000".to_owned(), "i64"),
        };
        let make = cast(&make, from, name);
        Type { name: name.to_owned(), make, leaves: 1.0 }
    }

    fn float(&mut self) -> Type {
        let name = self.pick(&["f32", "f64"]);
        let make = match self.random.below(3) {
            0 => "random.below(100_000) as f64 / 100.0",
            1 => "random.below(20) as f64 / 2.0",
            _ => "random.unit() * 1_000.0",
        };
        Type { name: name.to_owned(), make: cast(make, "f64", name), leaves: 1.0 }
    }

    fn text(&mut self) -> Type {
        let make = match self.random.below(5) {
            0 => "text::word(random)".to_owned(),
            1 => "text::full_name(random)".to_owned(),
            2 => "text::mail(random)".to_owned(),
            3 => "\"\".to_owned()".to_owned(),
            _ => format!("text::slug(random, {})", 10 << self.random.below(12)),
        };
        Type { name: "String".to_owned(), make, leaves: 1.0 }
    }

    fn list(&mut self, nesting: u32) -> Type {
        let item = self.any(nesting);
        let most = [3, 3, 8, 40][self.random.below(4) as usize];
        Type {
            name: format!("Vec<{}>", item.name),
            make: format!("(0..random.skewed({most})).map(|_| {}).collect()", item.make),
            leaves: 1.0 + item.leaves * most as f64 / 4.0,
        }
    }

    fn option(&mut self, nesting: u32) -> Type {
        let value = self.any(nesting);
        let once_in = 1 + self.random.below(10);
        Type {
            name: format!("Option<{}>", value.name),
            make: format!("random.one_in({once_in}).then(|| {})", value.make),
            leaves: 1.0 + value.leaves / once_in as f64,
        }
    }

    fn array(&mut self, nesting: u32) -> Type {
        let (item, len) = (self.any(nesting), 2 + self.random.below(3));
        Type {
            name: format!("[{}; {len}]", item.name),
            make: format!("std::array::from_fn(|_| {})", item.make),
            leaves: item.leaves * len as f64,
        }
    }

    fn pair(&mut self, nesting: u32) -> Type {
        let (first, second) = (self.any(nesting), self.any(nesting));
        Type {
            name: format!("({}, {})", first.name, second.name),
            make: format!("({}, {})", first.make, second.make),
            leaves: first.leaves + second.leaves,
        }
    }

    /// Declares a struct or an enum.
    fn declare(&mut self, kind: &str, body: &str) -> String {
        self.named += 1;
        let name = format!("T{}", self.named);
        // Writing to a string cannot fail.
        let _ = writeln!(self.out, "generated! {{ pub {kind} {name} {{ {body} }} }}");
        name
    }

    fn structure(&mut self, nesting: u32, most: u64) -> Type {
        let fields: Vec<Type> =
            (0..2 + self.random.below(most)).map(|_| self.any(nesting)).collect();
        let (mut body, mut make, mut leaves) = (String::new(), String::new(), 0.0);
        for (number, field) in fields.iter().enumerate() {
            let _ = write!(body, "pub f{number}: {}, ", field.name);
            let _ = write!(make, "f{number}: {}, ", field.make);
            leaves += field.leaves;
        }
        let name = self.declare("struct", &body);
        Type { make: format!("{name} {{ {make} }}"), name, leaves }
    }

    fn enumeration(&mut self, nesting: u32) -> Type {
        let count = 2 + self.random.below(6);
        let has_data = nesting > 0 && self.random.one_in(2);
        let (mut body, mut arms, mut leaves) = (String::new(), Vec::new(), 1.0);
        for number in 0..count {
            if has_data && !self.random.one_in(3) {
                let data = self.any(nesting);
                let _ = write!(body, "V{number}({}), ", data.name);
                arms.push(format!("V{number}({})", data.make));
                leaves += data.leaves / count as f64;
            } else {
                let _ = write!(body, "V{number}, ");
                arms.push(format!("V{number}"));
            }
        }
        let name = self.declare("enum", &body);
        let arms: Vec<String> = (arms.iter().enumerate())
            .map(|(number, arm)| match number + 1 == arms.len() {
                true => format!("_ => {name}::{arm}"),
                false => format!("{number} => {name}::{arm}"),
            })
            .collect();
        let make = format!("match random.below({count}) {{ {} }}", arms.join(", "));
        Type { name, make, leaves }
    }

    /// A type that nests at most so deep.
    fn any(&mut self, nesting: u32) -> Type {
        let kinds = if nesting == 0 { 10 } else { 20 };
        let inner = nesting.saturating_sub(1);
        match self.random.below(kinds) {
            0..5 => self.int(),
            5..7 => self.float(),
            7 => Type {
                name: "bool".to_owned(),
                make: format!("random.one_in({})", 2 + self.random.below(9)),
                leaves: 1.0,
            },
            8..10 => self.text(),
            10..13 => self.list(inner),
            13..15 => self.option(inner),
            15 => self.array(inner),
            16 => self.pair(inner),
            17 => self.enumeration(inner),
            _ => self.structure(inner, 6),
        }
    }
}

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let mut generator = Generator { random: Random(SEED), out: String::new(), named: 0 };
    let mut cases = String::new();
    for number in 1..=TYPES {
        let root = generator.structure(NESTING, 12);
        let count = ((LEAVES / root.leaves) as usize).clamp(20, 20_000);
        let _ = writeln!(
            generator.out,
            "pub fn make{number}(count: usize, seed: u64) -> Vec<{}> {{ let random = &mut Random(seed); (0..count).map(|_| {}).collect() }}",
            root.name, root.make,
        );
        let _ = writeln!(cases, "case!({number}, make{number}, {count})");
    }
    let list = cases.trim_end().replace('\n', ", ");
    let _ = writeln!(
        generator.out,
        "/// All random types, as cases.\npub const CASES: [(&str, Make); {TYPES}] = [{list}];"
    );
    let out = std::path::PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    std::fs::write(out.join("generated.rs"), generator.out).expect("the folder can be written");
}
