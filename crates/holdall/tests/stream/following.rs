//! Readers that wait for another process to append.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use holdall::{Code, OnDamage, Reader, Writer};

use super::samples::{Reading, frames, ids, stream};

#[test]
fn values_appended_byte_by_byte_are_read_once_complete() {
    let bytes = stream(9, 3);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("grows.hold");
    fs::write(&path, b"").unwrap();
    let mut file = OpenOptions::new().append(true).open(&path).unwrap();
    let (rest, mut at) = (bytes.clone(), 0);
    let waits = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&waits);
    let mut reader = Reader::open(&path).unwrap().follow(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        match rest.get(at) {
            None => false,
            Some(byte) => {
                file.write_all(&[*byte]).unwrap();
                at += 1;
                true
            }
        }
    });
    let values: Vec<Reading> = reader.values().collect::<Result<_, _>>().unwrap();
    assert_eq!(ids(&values), (0..9).collect::<Vec<_>>());
    assert_eq!(waits.load(Ordering::Relaxed), bytes.len() + 1);
}

#[test]
fn a_partial_frame_that_another_writer_cuts_off_is_pending() {
    let bytes = stream(9, 3);
    let starts = frames(&bytes);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("torn.hold");
    // A writer died within the third block; another continues and ends the stream; a third one continues.
    fs::write(&path, &bytes[..starts[3] + 50]).unwrap();
    let (mut round, own) = (0, path.clone());
    let mut reader = Reader::open(&path).unwrap().follow(move || {
        round += 1;
        if round == 1 || round == 3 {
            let mut writer = Writer::append(&own).unwrap();
            let next = writer.len();
            (next..next + 2).for_each(|id| writer.write(&super::samples::reading(id)).unwrap());
            writer.finish().unwrap();
        }
        round < 5
    });
    let values: Vec<Reading> = reader.values().collect::<Result<_, _>>().unwrap();
    assert_eq!(ids(&values), (0..10).collect::<Vec<_>>());
    // It can be called again.
    assert_eq!(reader.values::<Reading>().count(), 0);
}

#[test]
fn damage_is_reported_once_an_intact_frame_follows() {
    let bytes = stream(9, 3);
    let starts = frames(&bytes);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("damaged.hold");
    let mut damaged = bytes.clone();
    damaged[starts[2] + 40] ^= 1;
    for skips in [false, true] {
        fs::write(&path, &damaged[..starts[3]]).unwrap();
        let (mut round, own, rest) = (0, path.clone(), damaged.clone());
        let on_damage = if skips { OnDamage::Skip } else { OnDamage::Error };
        let mut reader = Reader::open(&path).unwrap().on_damage(on_damage).follow(move || {
            round += 1;
            fs::write(&own, &rest).unwrap();
            round < 3
        });
        let values: Result<Vec<Reading>, _> = reader.values().collect();
        match values {
            Ok(values) => {
                assert!(skips);
                assert_eq!(ids(&values), [0, 1, 2, 6, 7, 8]);
                assert_eq!(reader.damage().len(), 1);
            }
            Err(error) => {
                assert!(!skips);
                assert_eq!(error.code(), Code::BadChecksum);
            }
        }
    }
}

#[test]
fn a_truncated_file_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shrinks.hold");
    fs::write(&path, stream(9, 3)).unwrap();
    let own = path.clone();
    let mut reader = Reader::open(&path).unwrap().follow(move || {
        fs::write(&own, b"").unwrap();
        true
    });
    let error = reader.values::<Reading>().find_map(Result::err).unwrap();
    assert_eq!((error.code(), error.offset()), (Code::Truncated, Some(0)));
}
