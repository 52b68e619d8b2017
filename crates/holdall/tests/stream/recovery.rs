//! Everything intact is recovered, in order and once; the rest is reported.

use std::io::Cursor;

use holdall::Limits;
use holdall::stream::{Report, recover, verify};

use super::samples::{Reading, frames, ids, lenient, reading, stream, strict, writer};

fn recovered(bytes: &[u8]) -> (Vec<Reading>, Report) {
    let mut whole = Vec::new();
    let report = recover(Cursor::new(bytes), &mut whole, &[], Limits::new()).unwrap();
    let (values, fault) = strict(&whole);
    assert_eq!(fault, None);
    assert_eq!(report.values(), values.len() as u64);
    assert!(values.iter().all(|value| *value == reading(value.id)));
    (values, report)
}

fn codes(report: &Report) -> String {
    let codes: Vec<&str> = report.damage().iter().map(|damage| damage.code().as_str()).collect();
    codes.join(" ")
}

#[test]
fn an_intact_stream_is_recovered_unchanged() {
    for values in [0, 1, 100] {
        let bytes = stream(values, 7);
        let mut whole = Vec::new();
        let report = recover(Cursor::new(&bytes), &mut whole, &[], Limits::new()).unwrap();
        assert_eq!((whole, report.damage().len()), (bytes.clone(), 0));
        let report = verify(&bytes[..], Limits::new()).unwrap();
        assert_eq!((report.values(), report.bytes()), (values, bytes.len() as u64));
        assert!(report.is_finished() && report.damage().is_empty());
    }
}

#[test]
fn reordered_frames_are_recovered_in_their_order() {
    let bytes = stream(15, 3);
    let starts = frames(&bytes);
    let frame = |number: usize| bytes[starts[number]..starts[number + 1]].to_vec();
    let of = |order: &[usize]| {
        [bytes[..16].to_vec(), order.iter().flat_map(|at| frame(*at)).collect()].concat()
    };
    // The schema last, two blocks swapped, one repeated, one missing.
    let (values, report) = recovered(&of(&[2, 1, 3, 3, 5, 6, 0]));
    assert_eq!(ids(&values), (0..9).chain(12..15).collect::<Vec<_>>());
    assert_eq!(codes(&report), "repeated_frame missing_frames");
    let missing = report.damage().iter().find(|damage| !damage.frames().is_empty()).unwrap();
    assert_eq!(missing.frames(), 4..5);
}

#[test]
fn recovery_keeps_everything_that_a_reader_gets() {
    let bytes = stream(30, 3);
    let mut random = 7_u64;
    let mut next = |below: usize| {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % below
    };
    for round in 0..500 {
        let mut damaged = bytes.clone();
        let from = 16 + next(bytes.len() - 16);
        let to = (from + next(300)).min(bytes.len());
        match round % 3 {
            0 => drop(damaged.drain(from..to)),
            1 => drop(damaged.splice(from..from, bytes[from..to].iter().copied())),
            _ => damaged[from..to].fill(round as u8),
        }
        if damaged == bytes {
            continue;
        }
        let (values, report) = recovered(&damaged);
        let (read, _) = lenient(&damaged);
        let got = ids(&values);
        assert!(got.is_sorted_by(|one, two| one < two));
        assert!(ids(&read).iter().all(|id| got.contains(id)), "{round}");
        assert!(!report.damage().is_empty(), "{round}");
        let checked = verify(&damaged[..], Limits::new()).unwrap();
        assert_eq!(checked.values(), read.len() as u64);
        assert!(!checked.damage().is_empty());
    }
}

#[test]
fn a_passed_schema_recovers_blocks() {
    let mut bytes = stream(9, 3);
    bytes[16 + 40] ^= 1;
    let (values, report) = recovered(&bytes);
    assert!(values.is_empty());
    assert!(codes(&report).contains("unknown_fingerprint"));
    let schema = <Reading as holdall::Encode>::schema().unwrap();
    let mut whole = Vec::new();
    let report = recover(Cursor::new(&bytes), &mut whole, &[schema], Limits::new()).unwrap();
    assert_eq!(report.values(), 9);
    assert_eq!(strict(&whole).0.len(), 9);
}

#[test]
fn damage_to_a_schema_costs_no_more_than_64_blocks() {
    let mut writer = writer(1);
    (0..200).for_each(|id| writer.write(&reading(id)).unwrap());
    let mut bytes = writer.finish().unwrap();
    bytes[16 + 40] ^= 1;
    let (values, _) = lenient(&bytes);
    assert_eq!(ids(&values), (64..200).collect::<Vec<_>>());
    // The stream contains another copy of the schema.
    assert_eq!(ids(&recovered(&bytes).0), (0..200).collect::<Vec<_>>());
}
