//! The conformance vectors: the same bytes mean the same everywhere.

use std::collections::HashSet;

use crate::common::graphs::same_graph;
use crate::common::is_aligned;
use crate::common::refusals::{is_rewritten, refusals};
use crate::common::tagged::{TaggedSink, read};
use crate::common::vectors::{Form, Input, Vector, fault, invalid, unwritable, valid};
use holdall::events::Sink;
use holdall::trace::locate_columns;
use holdall::{Encoder, Header, Limits, Schema, Value, ValueBuilder};

/// Checks all vectors, and reports all failures together.
fn check(vectors: &[Vector], test: impl Fn(&Vector) -> Result<(), String>) {
    assert!(!vectors.is_empty(), "there are no vectors");
    let faults: Vec<String> = vectors
        .iter()
        .filter_map(|vector| {
            let complaint = test(vector).err()?;
            Some(format!("{}/{}: {complaint:.600}", vector.area, vector.name))
        })
        .collect();
    let (failed, all) = (faults.len(), vectors.len());
    assert!(faults.is_empty(), "{failed} of {all} fail:\n{}", faults.join("\n"));
}

fn same(what: &str, expected: &str, got: &str) -> Result<(), String> {
    match expected == got {
        true => Ok(()),
        false => Err(format!("{what}\n  expected {expected}\n  got      {got}")),
    }
}

fn decoded<S: Sink + Default>(input: &Input) -> Result<S, String> {
    let mut sink = S::default();
    input.decode(&mut sink).map_err(|error| error.to_string())?;
    Ok(sink)
}

fn written(vector: &Vector, header: Header, limits: Limits) -> holdall::Result<Vec<u8>> {
    let value = read(vector.value.as_ref().expect("a value"));
    let encoder = Encoder::new().profile(vector.profile).header(header);
    encoder.limits(limits).message(&mut &value)
}

#[test]
fn there_are_at_least_150_with_names_of_their_own() {
    let all = [valid(), invalid(), unwritable()].concat();
    assert!(all.len() >= 150, "{}", all.len());
    let names: HashSet<&str> = all.iter().map(|vector| &*vector.name).collect();
    assert_eq!(names.len(), all.len());
}

#[test]
fn the_types_inside_one_are_consecutive() {
    check(&valid(), |vector| {
        let schema = vector.input.schema().map_err(|error| error.to_string())?;
        for id in 0..schema.types().len() {
            let (mut reached, mut at) = (vec![id], 0);
            while let Some(&inner) = reached.get(at) {
                reached.extend(schema.types()[inner].children());
                at += 1;
            }
            reached.sort_unstable();
            let inside: Vec<usize> = schema.inside(id).collect();
            same("types inside", &format!("{reached:?}"), &format!("{inside:?}"))?;
        }
        Ok(())
    });
}

#[test]
fn valid_bytes_have_their_schema() {
    check(&valid(), |vector| {
        let schema = vector.input.schema().map_err(|error| error.to_string())?;
        same("schema", vector.schema.as_ref().ok_or("no schema")?, &schema.to_string())?;
        if let Some(fingerprint) = &vector.fingerprint {
            same("fingerprint", fingerprint, &format!("{:016x}", schema.fingerprint()))?;
        }
        let again = Schema::from_bytes(schema.as_bytes()).map_err(|error| error.to_string())?;
        if again != schema {
            return Err("the schema's own bytes give another".to_owned());
        }
        match schema.to_string().parse::<Schema>().map_err(|error| error.to_string())? == schema {
            true => Ok(()),
            false => Err("the schema's text gives another".to_owned()),
        }
    });
}

#[test]
fn valid_bytes_emit_their_value() {
    check(&valid(), |vector| {
        if vector.input.form == Form::Schema {
            return vector.value.as_ref().map_or(Ok(()), |_| Err("a schema has no value".into()));
        }
        let expected = vector.value.as_ref().ok_or("no value")?;
        same("value", expected, &decoded::<TaggedSink>(&vector.input)?.finish())
    });
}

#[test]
fn valid_bytes_build_their_value() {
    check(&valid(), |vector| {
        let Some(expected) = &vector.value else { return Ok(()) };
        let builder = decoded::<ValueBuilder>(&vector.input)?;
        let got = builder.finish().map_err(|error| error.to_string())?;
        let expected = read(expected);
        match got == expected {
            true => same_graph(&expected, &got),
            false => Err(format!("expected {expected:?}\n  got      {got:?}")),
        }
    });
}

#[test]
fn values_are_written_as_canonical_bytes() {
    let canonical: Vec<Vector> = valid().into_iter().filter(|vector| vector.canonical).collect();
    check(&canonical, |vector| {
        let header = match vector.input.form {
            Form::Message if vector.input.has_fingerprint() => Header::Fingerprint,
            Form::Message => Header::Schema,
            Form::Bare => Header::Bare,
            Form::Schema => return Err("a schema is not written for a value".to_owned()),
        };
        let got = written(vector, header, Limits::new())
            .map_err(|error| format!("not written: {error}"))?;
        let expected = &vector.input.bytes;
        same("bytes", &format!("{expected:02X?}"), &format!("{got:02X?}"))
    });
}

#[test]
fn canonical_order_does_not_depend_on_the_given_order() {
    let canonical: Vec<Vector> = valid().into_iter().filter(|vector| vector.canonical).collect();
    assert!(canonical.iter().any(|vector| !vector.any_order.is_empty()));
    check(&canonical, |vector| {
        let mut encoder = Encoder::new().profile(vector.profile).canonical(true);
        for value in vector.value.iter().chain(&vector.any_order) {
            let got = encoder.message(&mut &read(value)).map_err(|error| error.to_string())?;
            let expected = &vector.input.bytes;
            same("bytes", &format!("{expected:02X?}"), &format!("{got:02X?}"))?;
        }
        Ok(())
    });
}

#[test]
fn values_of_valid_bytes_survive_writing() {
    check(&valid(), |vector| {
        let Some(value) = &vector.value else { return Ok(()) };
        let value = read(value);
        let bytes = match holdall::to_vec(&value) {
            Ok(bytes) => bytes,
            Err(error) if refusals(&value).contains(error.code().as_str()) => return Ok(()),
            Err(error) => return Err(format!("not written: {error}")),
        };
        let back =
            holdall::from_slice::<Value>(&bytes).map_err(|error| format!("not read: {error}"))?;
        match back == value {
            true => same_graph(&value, &back),
            false if is_rewritten(&value) => Ok(()),
            false => Err(format!("expected {value:?}\n  got      {back:?}")),
        }
    });
}

/// Returns the varint that bytes begin with, and its length (F-3).
fn varint(bytes: &[u8]) -> (u64, usize) {
    let len = bytes[0].trailing_ones() as usize + 1;
    let mut word = [0; 16];
    word[..len].copy_from_slice(&bytes[..len]);
    let word = u128::from_le_bytes(word);
    (u64::try_from(word >> if len == 9 { 8 } else { len }).unwrap(), len)
}

/// Returns the offset of a message's schema (F-7, F-66 to F-68).
fn schema_start(message: &[u8]) -> usize {
    if message[1] & 8 == 0 {
        return 2;
    }
    let (flags, mut at) = (message[2], 3);
    let mut number = |skipped: u64| {
        at += usize::try_from(skipped).unwrap();
        let (number, len) = varint(&message[at..]);
        at += len;
        number
    };
    if flags & 4 != 0 {
        number(0);
    }
    let texts = if flags & 1 != 0 { 2 * number(0) } else { 0 };
    let last = (0..texts).fold(0, |len, _| number(len));
    at + usize::try_from(last).unwrap()
}

#[test]
fn columns_of_valid_bytes_cover_the_block_without_gap_or_overlap() {
    check(&valid(), |vector| {
        let input = &vector.input;
        let schema = input.schema().map_err(|error| error.to_string())?;
        let (definitions, counted) = varint(schema.as_bytes());
        let (flags, written) = match definitions {
            0 => (0x10, &schema.as_bytes()[counted..]),
            _ => (0x12, schema.as_bytes()),
        };
        let head = [&[0xC1, flags], written].concat();
        let bytes = &input.bytes[..];
        let (message, block, end) = match input.form {
            Form::Message if !input.has_fingerprint() => {
                let start = schema_start(bytes) + written.len();
                let extended = if bytes[1] & 8 != 0 { bytes[2] } else { 0 };
                let start = if is_aligned(bytes) { start.next_multiple_of(64) } else { start };
                let has_checksum = extended & 2 != 0;
                (bytes.to_vec(), start, bytes.len() - if has_checksum { 4 } else { 0 })
            }
            // Bodies without their schema get it back, except if padding would move.
            Form::Message if bytes[1] & 0b1100 != 0 => return Ok(()),
            Form::Message => {
                let message = [&head, &bytes[10..]].concat();
                let end = message.len();
                (message, head.len(), end)
            }
            Form::Bare => {
                let message = [&head, bytes].concat();
                let end = message.len();
                (message, head.len(), end)
            }
            Form::Schema => return Ok(()),
        };
        // Vectors with a budget of their own may cost more than the default.
        if input.budget.is_some() && holdall::from_slice::<Value>(&message).is_err() {
            return Ok(());
        }
        let columns = locate_columns(&message).map_err(|error| error.to_string())?;
        let mut at = block;
        for _ in 0..definitions {
            at += varint(&message[at..]).1;
        }
        for column in &columns {
            if column.place.range.start != at || column.place.range.end < at {
                return Err(format!("{} is at {:?}, not {at}", column.site, column.place.range));
            }
            if let Some(encoding) = column.place.encoding
                && message[at] != encoding
                && message[at..at + 3] != [0x01, 0x00, encoding]
            {
                return Err(format!("{} has no encoding {encoding:02X} at {at}", column.site));
            }
            at = column.place.range.end;
        }
        same("end", &end.to_string(), &at.to_string())
    });
}

#[test]
fn a_byte_after_valid_bytes_is_rejected() {
    check(&valid(), |vector| {
        let mut input = vector.input.clone();
        let end = input.bytes.len();
        input.bytes.push(0);
        let got = input
            .decode(&mut ValueBuilder::new())
            .map_or_else(|error| fault(&error), |()| "a value".into());
        same("fault", &format!("trailing_bytes @ {end}"), &got)
    });
}

#[test]
fn invalid_bytes_are_rejected_with_code_and_offset() {
    check(&invalid(), |vector| match vector.input.decode(&mut TaggedSink::default()) {
        Ok(()) => Err("accepted".to_owned()),
        Err(error) => same("fault", &vector.fault(), &fault(&error))
            .map_err(|complaint| format!("{complaint}\n  that is, {error}")),
    });
}

#[test]
fn columns_of_invalid_bytes_are_not_located_unless_only_a_walk_finds_the_fault() {
    let messages: Vec<Vector> = invalid()
        .into_iter()
        .filter(|vector| vector.input.form == Form::Message)
        .filter(|vector| vector.input.budget.is_none() && vector.input.schema.is_none())
        .collect();
    check(&messages, |vector| {
        let found = match locate_columns(&vector.input.bytes) {
            Ok(_) => "columns".to_owned(),
            Err(error) => fault(&error),
        };
        let walked = ["bad_reference", "duplicate_key", "unreachable_rows"]
            .contains(&vector.code().as_str());
        same("fault", if walked { "columns".into() } else { vector.fault() }.as_str(), &found)
    });
}

#[test]
fn faults_of_invalid_bytes_have_their_place() {
    let placed: Vec<Vector> =
        invalid().into_iter().filter(|vector| vector.path.is_some()).collect();
    check(&placed, |vector| {
        let error = vector.input.decode(&mut TaggedSink::default()).err().ok_or("accepted")?;
        same("path", vector.path.as_ref().unwrap(), error.path())
    });
}

#[test]
fn unwritable_values_are_rejected_with_their_code() {
    check(&unwritable(), |vector| {
        let limits = vector.limit_output.map_or_else(Limits::new, |len| Limits::new().output(len));
        match written(vector, Header::Schema, limits) {
            Ok(bytes) => Err(format!("written as {bytes:02X?}")),
            Err(error) => same("code", vector.code().as_str(), error.code().as_str()),
        }
    });
}

#[test]
fn a_value_reads_as_it_was_written_down() {
    // The notation of these vectors is test code that needs a test.
    check(&valid(), |vector| {
        let Some(text) = &vector.value else { return Ok(()) };
        let value: Value = read(text);
        if value == value.clone() { Ok(()) } else { Err("a clone differs".to_owned()) }
    });
}
