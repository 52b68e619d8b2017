//! Damaged inputs are rejected, or read as a value that can be written; nothing panics.

use std::collections::BTreeMap;

use crate::common::chance::{Chance, rounds};
use crate::common::graphs::same_graph;
use crate::common::mutate::mutate;
use crate::common::refusals::{is_rewritten, refusals};
use crate::common::schemas;
use crate::common::tagged::TaggedSink;
use crate::common::vectors::{Form, Input, Vector, fault, inputs, invalid, valid};
use holdall::schema_text::SchemaText;
use holdall::trace::locate_columns;
use holdall::{Decoder, Limits, Schema, Value, ValueBuilder};

/// Longer inputs are mostly payload: fewer of their places are tried.
const MOST_MUTATED_BYTES: usize = 4096;

/// Reports the input if the code under test panics.
struct ReportOnPanic<'i>(&'i Input);

impl Drop for ReportOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("with {}", line(self.0));
        }
    }
}

/// An input in the form of `examples/decode_lines.rs`.
fn line(input: &Input) -> String {
    let digits = |bytes: &[u8]| -> String {
        match bytes {
            [] => "-".to_owned(),
            bytes => bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}")),
        }
    };
    let form = format!("{:?}", input.form).to_lowercase();
    let budget = input.budget.map_or("-".to_owned(), |units| units.to_string());
    let schema = input.schema.as_deref().map_or("-".to_owned(), digits);
    format!("{form} {budget} {schema} {}", digits(&input.bytes))
}

#[test]
fn every_prefix_of_valid_bytes_is_truncated() {
    for vector in valid() {
        let Vector { name, input, .. } = vector;
        let len = input.bytes.len();
        let step = len.div_ceil(MOST_MUTATED_BYTES).max(1);
        for end in (0..len).step_by(step) {
            let cut = Input { bytes: input.bytes[..end].to_vec(), ..input.clone() };
            let _report = ReportOnPanic(&cut);
            let error = cut.decode(&mut ValueBuilder::new()).expect_err(&name);
            assert_eq!(error.code().as_str(), "truncated", "{name}, {end} bytes: {error}");
            assert!(error.offset().is_some_and(|at| at <= end as u64), "{name}: {error}");
        }
    }
}

#[test]
fn every_prefix_of_invalid_bytes_is_truncated_or_has_the_same_fault() {
    for Vector { name, input, code, offset, .. } in invalid() {
        let len = input.bytes.len();
        let step = len.div_ceil(MOST_MUTATED_BYTES).max(1);
        let whole = format!("{} @ {}", code.unwrap(), offset.unwrap());
        for end in (0..len).step_by(step) {
            let cut = Input { bytes: input.bytes[..end].to_vec(), ..input.clone() };
            let _report = ReportOnPanic(&cut);
            match cut.decode(&mut ValueBuilder::new()) {
                // Without the trailing bytes nothing else is wrong, or a fault shows that comes after them in the
                // checks (F-11).
                _ if whole == format!("trailing_bytes @ {end}") => {}
                Ok(()) => panic!("{name}, {end} bytes: accepted"),
                Err(error) if error.code().as_str() == "truncated" => {}
                Err(error) => assert_eq!(fault(&error), whole, "{name}, {end} bytes"),
            }
        }
    }
}

/// Checks what must hold for any bytes; returns the code, or `value`.
fn check(input: &Input) -> String {
    if input.form == Form::Schema {
        return match Schema::from_bytes(&input.bytes) {
            Ok(schema) => {
                assert_eq!(schema.as_bytes(), input.bytes);
                assert!(!schema.to_string().is_empty());
                "value".to_owned()
            }
            Err(error) => error.code().to_string(),
        };
    }
    let mut builder = ValueBuilder::new();
    let mut tagged = TaggedSink::default();
    let built = input.decode(&mut builder);
    let emitted = input.decode(&mut tagged);
    if let Err(error) = built {
        assert_eq!(emitted.map_err(|error| fault(&error)), Err(fault(&error)));
        let offset = error.offset().expect("every fault of bytes has a place");
        assert!(offset <= input.bytes.len() as u64, "{error}");
        assert!(error.path().is_empty() || error.path().starts_with(['$', '#']), "{error}");
        return error.code().to_string();
    }
    assert!(emitted.is_ok(), "what one sink accepts, another does");
    if input.form == Form::Message && input.schema.is_none() {
        let columns = locate_columns(&input.bytes).expect("what decodes has columns");
        let ends = columns.iter().map(|column| column.place.range.end);
        assert!(
            ends.is_sorted() && columns.iter().all(|c| c.place.range.start <= c.place.range.end)
        );
    }
    check_value(&builder.finish().expect("one value"));
    "value".to_owned()
}

/// A value from bytes can be written and read back, unless dynamic writers reject it.
fn check_value(value: &Value) {
    let bytes = match holdall::to_vec(value) {
        Ok(bytes) => bytes,
        Err(error) => {
            let codes = refusals(value);
            assert!(codes.contains(error.code().as_str()), "{error}, not one of {codes:?}");
            return;
        }
    };
    let mut builder = ValueBuilder::new();
    let mut decoder = Decoder::new().limits(Limits::new().budget(1 << 31));
    decoder.message(&bytes, &mut builder).expect("what was written can be read");
    let back = builder.finish().expect("one value");
    if !is_rewritten(value) {
        assert!(back == *value, "written and read, it differs:\n{value:?}\n{back:?}");
        same_graph(value, &back).expect("identities stay");
    }
    assert!(holdall::to_vec(&back).unwrap() == bytes, "an equal value has other bytes");
}

#[test]
fn damaged_inputs_are_rejected_or_read_as_a_writable_value() {
    let all = inputs();
    let (small, large): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|input| input.bytes.len() <= MOST_MUTATED_BYTES);
    let mut chance = Chance::new(20_240_902);
    let mut met: BTreeMap<String, usize> = BTreeMap::new();
    let mutations = rounds(200_000);
    for number in 0..mutations {
        let source = match number % 1000 {
            0 if !large.is_empty() => chance.pick(&large),
            _ => &small[number % small.len()],
        };
        let mut input = source.clone();
        for _ in 0..*chance.pick(&[1, 1, 1, 2, 3]) {
            let other = &chance.pick(&small).bytes;
            mutate(&mut chance, &mut input.bytes, other);
        }
        // Small budgets keep this fast, and make `limit_budget` one of the faults.
        input.budget = Some(*chance.pick(&[1 << 18, 1 << 16, 1 << 14, 500, 60]));
        let _report = ReportOnPanic(&input);
        *met.entry(check(&input)).or_default() += 1;
    }
    // Damage that is always found at once would test little.
    assert!(met.get("value").is_some_and(|count| *count > mutations / 50), "{met:?}");
    assert!(met.len() > 25, "{met:?}");
    println!("{met:?}");
}

/// Makes a body that can be read to its end from a random one, if possible.
fn settle(chance: &mut Chance, input: &mut Input) {
    for _ in 0..20 {
        let Err(error) = input.decode(&mut ValueBuilder::new()) else { return };
        let at = error.offset().unwrap() as usize;
        match error.code().as_str() {
            "trailing_bytes" => input.bytes.truncate(at),
            "truncated" => input.bytes.extend((0..8).map(|_| chance.word() as u8)),
            // Rows of definitions are at the head.
            "definition_rows_mismatch" => input.bytes[at] = 2 * chance.below(6) as u8,
            _ if at < input.bytes.len() => {
                let byte = chance.word() >> chance.below(64);
                input.bytes[at] = byte as u8;
            }
            _ => return,
        }
    }
}

#[test]
fn random_bodies_and_schemas_are_rejected_or_writable() {
    let mut chance = Chance::new(20_240_905);
    let mut met: BTreeMap<String, usize> = BTreeMap::new();
    let count = rounds(60_000);
    for _ in 0..count {
        let schema = schemas::schema(&mut chance);
        let known = Schema::from_bytes(&schema);
        let known = known.unwrap_or_else(|error| panic!("{schema:02X?}: {error}"));
        let text = known.to_string();
        let from_text = text.parse::<Schema>().unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(from_text.as_bytes(), schema, "{text}");
        let laid_out = SchemaText::parse(&text).unwrap().to_string();
        assert_eq!(laid_out.parse::<Schema>().unwrap(), known, "{laid_out}");
        let bytes = (0..40).map(|_| (chance.word() as u8) >> chance.below(8)).collect();
        let budget = Some(*chance.pick(&[1 << 16, 1 << 14, 500]));
        let mut input = Input { form: Form::Bare, bytes, schema: Some(schema), budget };
        settle(&mut chance, &mut input);
        let _report = ReportOnPanic(&input);
        *met.entry(check(&input)).or_default() += 1;
    }
    assert!(met.get("value").is_some_and(|times| *times > count / 4), "{met:?}");
    println!("{met:?}");
}
