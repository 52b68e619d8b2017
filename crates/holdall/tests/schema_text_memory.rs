//! The memory of reading schema text: bounded by what a schema can have, and never the end of the process.

use crate::counting::{every_large_request_can_fail, peak_of};
use holdall::schema_text::SchemaText;
use holdall::{Code, Schema};

/// The most types in a schema (F-15).
const TYPES: usize = 1 << 18;

fn each(count: usize, item: impl Fn(usize) -> String) -> String {
    (0..count).map(item).collect::<Vec<_>>().concat()
}

#[test]
fn a_text_takes_no_memory_for_what_no_schema_has() {
    let million = 1_000_000;
    let fields = |count| each(count, |n| format!("f{n}: int,\n"));
    let definitions = |count| each(count, |n| format!("#d{n} = int,\n"));
    let wide = |before: &str, items: String, last: usize| {
        (format!("{before}{items}"), Code::LimitSites, before.len() + last)
    };
    let cases = [
        ("list(".repeat(million), Code::LimitNesting, 5 * 128),
        ("(".repeat(million), Code::BadInput, 0),
        (format!("list{}", "()".repeat(million)), Code::BadInput, 5),
        (format!("{}int)", "// \n".repeat(million)), Code::BadInput, 4 * million + 3),
        ("int,".repeat(million), Code::BadInput, 3),
        wide("tuple(", "int,".repeat(million), 4 * (TYPES - 1)),
        wide("record {", fields(400_000), fields(TYPES - 1).len() + "f262143: ".len()),
        wide("int where ", definitions(400_000), definitions(TYPES).len()),
    ];
    for (text, code, offset) in cases {
        let begin = text[..20].to_owned();
        let (outcome, peak) = peak_of(|| text.parse::<Schema>());
        let error = outcome.unwrap_err();
        let expected = (code, Some(offset as u64));
        assert_eq!((error.code(), error.offset()), expected, "{begin}: {error}");
        // What a schema of as many types as one can have takes.
        assert!(peak < 64 << 20, "{begin}: {peak} bytes");
    }
}

#[test]
fn as_many_types_as_a_schema_has_are_read_from_text() {
    let text = format!("tuple({}", "int,".repeat(TYPES - 1));
    assert_eq!(format!("{text})").parse::<Schema>().unwrap().sites(), TYPES);
    let error = format!("{text}int)").parse::<Schema>().unwrap_err();
    assert_eq!((error.code(), error.offset()), (Code::LimitSites, Some(text.len() as u64)));
}

#[test]
fn comments_and_docs_take_memory_only_where_they_are_kept() {
    let comments = format!("{}list(int)", "// of no use to a schema\n".repeat(100_000));
    let docs = comments.replace("//", "///");
    for text in [&comments, &docs] {
        let ((), peak) = peak_of(|| {
            SchemaText::parse(text).unwrap();
        });
        // The text, and its docs, which grow by doubling.
        assert!(peak < text.len() * if *text == docs { 5 } else { 2 }, "{peak} bytes");
    }
}

#[test]
fn each_large_request_for_schema_text_can_fail() {
    let line = "// A comment that is longer than most.\n";
    let fields = each(400, |n| format!("f{n}: u8,"));
    let shapes = each(300, |n| each(400 - n, |m| format!(" {}", n + m)) + ",");
    let definitions = each(2000, |n| format!(", #d{n} = list(#d{})", n + 1));
    let texts = [
        ("comments", format!("{}int", line.repeat(1000))),
        ("docs", format!("{}int", line.replace("//", "///").repeat(1000))),
        ("a comment", format!("int // {}", "a".repeat(100_000))),
        ("shapes", format!("record {{{fields}}} [{shapes}]")),
        ("types", format!("tuple({})", "list(u8),".repeat(3000))),
        ("definitions", format!("#d0 where {}, #d2000 = int", &definitions[2..])),
    ];
    for (name, text) in &texts {
        every_large_request_can_fail(name, 1, || text.parse::<Schema>());
        every_large_request_can_fail(name, 1, || {
            let text = SchemaText::parse(text)?;
            Ok((text.to_layout()?, text.doc(0).map(str::len)))
        });
    }
}
