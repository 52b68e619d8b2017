//! Laws of inspections and statistics of streams, over vectors and damaged streams.

use crate::common::chance::{Chance, rounds};
use crate::common::mutate::mutate;
use crate::common::{Input, vectors};
use crate::inspect::check_cover;
use holdall::stream::is_stream;
use holdall::{Decoder, Limits, Metadata, Profile, Value, WriterOptions};
use holdall_inspect::{Inspection, Item, Statistics, View};

fn streams() -> Vec<Input> {
    let all = vectors("streams");
    assert!(all.len() > 100);
    all
}

#[test]
fn each_byte_of_a_valid_stream_has_a_meaning() {
    let mut count = 0;
    for input in streams().iter().filter(|input| input.is_valid) {
        let inspection = Inspection::of(&input.bytes, &input.decoder());
        assert!(inspection.errors().is_empty(), "{}: {:?}", input.name, inspection.errors());
        let view = View::default();
        let items: Vec<Item<'_>> = inspection.items(&view).collect();
        check_cover(input, &inspection, &View::default());
        for item in items {
            let is_explained = !item.rule().is_empty() && !item.meaning.is_empty();
            assert!(
                is_explained && !item.meaning.starts_with("not read"),
                "{}: {item:?}",
                input.name
            );
        }
        count += 1;
    }
    assert!(count > 30, "{count}");
}

#[test]
fn the_faults_are_those_of_a_reader_that_continues() {
    let mut count = 0;
    for input in streams().iter().filter(|input| !input.is_valid) {
        let inspection = Inspection::of(&input.bytes, &input.decoder());
        check_cover(input, &inspection, &View::default());
        let place =
            |error: &holdall::Error| (error.code().as_str().to_owned(), error.offset().unwrap());
        let got: Vec<(String, u64)> = inspection.errors().iter().map(place).collect();
        // Data that do not begin like a stream are explained as a message.
        if is_stream(&input.bytes) {
            // A reader returns one fault of each block.
            let is_known = |fault: &(String, u64)| got.contains(fault);
            assert!(
                input.faults.iter().all(is_known),
                "{}: {got:?} {:?}",
                input.name,
                input.faults
            );
            assert_eq!(got.first(), input.faults.first(), "{}", input.name);
            count += 1;
        }
        let own = Statistics::of(&input.bytes, &input.decoder()).unwrap_err();
        assert_eq!(Some(place(&own)), got.first().cloned(), "{}", input.name);
    }
    assert!(count > 70, "{count}");
}

/// Rows of two types, so that the stream has two schemas, in blocks of 50.
fn stream(statistics: bool, profile: Profile) -> Vec<u8> {
    let metadata = Metadata::new([("source", "a key")]).unwrap();
    let options = WriterOptions::new().block_values(50).sync(*b"12345678").metadata(metadata);
    let mut writer = options.statistics(statistics).profile(profile).to(Vec::new()).unwrap();
    for n in 0..170_i64 {
        let name = Value::from(["red", "green", "blue"][n as usize % 3]);
        writer.write(&Value::record([("id", Value::from(n * 3)), ("name", name)])).unwrap();
    }
    for n in 0..60_i64 {
        writer
            .write(&Value::record([("id", Value::from(n)), ("more", Value::from(n as f64))]))
            .unwrap();
    }
    writer.finish().unwrap()
}

#[test]
fn the_meanings_of_a_stream_are_those_of_the_spec() {
    // The worked example of chapter 14, with a second block.
    let input = streams().into_iter().find(|input| input.name == "stream_of_two_blocks").unwrap();
    let inspection = Inspection::of(&input.bytes, &Decoder::new());
    let lines: Vec<String> = inspection
        .items(&View::default())
        .map(|item| format!("{} {} {} {}", item.range.start, item.path, item.meaning, item.rule()))
        .collect();
    assert_eq!(
        lines[..26],
        [
            "0  magic byte of holdall F-81",
            "1  stream, version 1 F-81",
            "2  text of a stream F-81",
            "8  sync of the frames F-81",
            "16  frame: the sync F-82",
            "24  frame with a schema F-84",
            "25  length of the payload: 2 F-83",
            "31  number of the frame: 0 F-83",
            "36  fingerprint of the schema: 2f5caa5e11a5ab7e F-83",
            "44  checksum of the head (CRC-32C) F-83",
            "48  number of definitions: 0 F-13",
            "49 $ u8 F-14",
            "50  padding F-82",
            "52  checksum of the frame (CRC-32C) F-82",
            "56  frame: the sync F-82",
            "64  frame with a block F-84",
            "65  length of the payload: 3 F-83",
            "71  number of the frame: 1 F-83",
            "76  fingerprint of the schema: 2f5caa5e11a5ab7e F-83",
            "84  checksum of the head (CRC-32C) F-83",
            "88  number of values: 2 F-85",
            "89 $ values: 5, 6 F-29",
            "91  padding F-82",
            "92  checksum of the frame (CRC-32C) F-82",
            "96  frame: the sync F-82",
            "104  frame with a block F-84",
        ]
    );
    let last: Vec<&str> = lines.iter().rev().take(4).rev().map(String::as_str).collect();
    assert_eq!(
        last[2..],
        ["180  end's own offset F-88", "188  checksum of the frame (CRC-32C) F-82"]
    );
}

#[test]
fn columns_of_all_blocks_are_counted_together() {
    let bytes = stream(true, Profile::Fast);
    let decoder = Decoder::new();
    let statistics = Statistics::of(&bytes, &decoder).unwrap();
    let columns: Vec<(&str, &str, usize)> = statistics
        .columns
        .iter()
        .map(|column| (&*column.path, &*column.type_text, column.rows))
        .collect();
    // Blocks with rows of both types say which each has.
    assert_eq!(
        columns,
        [
            ("$.id", "int", 230),
            ("$.name", "string", 170),
            ("$", "record", 80),
            ("$.more", "f64", 60)
        ]
    );
    assert_eq!((statistics.items, statistics.blocks), (Some(230), Some(5)));
    let encodings: Vec<&str> = statistics.columns.iter().map(|column| &*column.encoding).collect();
    assert_eq!(
        encodings,
        ["frame of 8 bits above a base, 3 others", "plain", "frame of 1 bit, 1 other", "raw"]
    );
    let sum: usize = statistics.parts().iter().map(|(_, bytes)| bytes).sum();
    assert_eq!((sum, statistics.bytes), (bytes.len(), bytes.len()));
}

#[test]
fn savings_are_those_of_the_stream_in_another_profile() {
    for statistics in [false, true] {
        let [fast, balanced, small] = [Profile::Fast, Profile::Balanced, Profile::Small]
            .map(|profile| stream(statistics, profile));
        let compared =
            Statistics::of(&fast, &Decoder::new()).unwrap().compare(&fast, &Decoder::new());
        let savings = compared.savings.as_ref().unwrap();
        assert_eq!(
            savings.sizes,
            [
                (Profile::Fast, fast.len()),
                (Profile::Balanced, balanced.len()),
                (Profile::Small, small.len()),
            ]
        );
        assert_eq!((savings.next, savings.note.as_deref()), (Some(Profile::Balanced), None));
        let other = Statistics::of(&balanced, &Decoder::new()).unwrap();
        let expected: Vec<i64> = compared
            .columns
            .iter()
            .zip(&other.columns)
            .map(|(own, other)| own.bytes as i64 - other.bytes as i64)
            .collect();
        assert_eq!(savings.columns.as_ref(), Some(&expected));
        assert!(expected.iter().sum::<i64>() > 0);
    }
}

#[test]
fn redacted_output_of_a_stream_holds_no_value() {
    let secret = "xyzzy-secret";
    let mut writer = WriterOptions::new().statistics(true).to(Vec::new()).unwrap();
    for n in 0..40_i64 {
        let text = format!("{secret} {n}");
        writer
            .write(&Value::record([
                ("name", Value::from(&*text)),
                ("pin", Value::from(7_463_524_181 + n)),
            ]))
            .unwrap();
    }
    let whole = writer.finish().unwrap();
    let digits = secret.bytes().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
    for damage in (0..whole.len()).step_by(7).map(Some).chain([None]) {
        let mut bytes = whole.clone();
        if let Some(at) = damage {
            bytes[at] ^= 0xFF;
        }
        let inspection = Inspection::of(&bytes, &Decoder::new());
        let shown = format!("{:?}", inspection.to_value(&View::default().redact(true)));
        for hidden in [secret, &digits, "74635241", "746352418"] {
            assert!(!shown.contains(hidden), "{hidden} is shown with damage at {damage:?}");
        }
    }
    let inspection = Inspection::of(&whole, &Decoder::new());
    let open = format!("{:?}", inspection.to_value(&View::default()));
    assert!(open.contains(secret) && open.contains(&digits), "the test would not notice");
}

#[test]
fn damaged_streams_are_covered_and_do_not_panic() {
    let mut all = streams();
    all.push(Input {
        name: "rows".to_owned(),
        bytes: stream(true, Profile::Small),
        ..all[0].clone()
    });
    let mut chance = Chance::new(20_261_126);
    let mut went_on = 0;
    for number in 0..rounds(10_000) {
        let mut input = all[number % all.len()].clone();
        // The beginning stays, so that it is a stream.
        let mut rest = input.bytes.split_off(input.bytes.len().min(16));
        for _ in 0..*chance.pick(&[1, 1, 2]) {
            let other = &chance.pick(&all).bytes;
            mutate(&mut chance, &mut rest, other);
        }
        input.bytes.extend(rest);
        input.budget = Some(*chance.pick(&[1 << 16, 500]));
        let decoder = input.decoder();
        let inspection = Inspection::of(&input.bytes, &decoder);
        let view = View::default().redact(number % 2 == 0);
        check_cover(&input, &inspection, &view);
        let statistics = Statistics::of(&input.bytes, &decoder).err();
        assert_eq!(statistics.is_some(), !inspection.errors().is_empty());
        went_on += usize::from(inspection.errors().len() > 1);
        // As a check of whole streams finds it, which also walks over the values.
        let limits = Limits::new().budget(input.budget.unwrap());
        if let (true, true, Ok(report)) = (
            input.schema.is_none(),
            is_stream(&input.bytes),
            holdall::stream::verify(&input.bytes[..], limits),
        ) {
            assert_eq!(report.damage().is_empty(), inspection.errors().is_empty(), "{report:?}");
        }
    }
    assert!(went_on > rounds(500), "{went_on}");
}
