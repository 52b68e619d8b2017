//! Files that are continued (F-90).

use std::fs;
use std::path::PathBuf;

use holdall::{Code, OnDamage, Reader, Writer, WriterOptions};
use tempfile::TempDir;

use super::samples::{Reading, frames, ids, reading, stream};

fn file(bytes: &[u8]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("stream.hold");
    fs::write(&path, bytes).unwrap();
    (folder, path)
}

fn all(path: &PathBuf) -> Vec<u64> {
    let values: Vec<Reading> =
        Reader::open(path).unwrap().values().collect::<Result<_, _>>().unwrap();
    assert!(values.iter().all(|value| *value == reading(value.id)));
    ids(&values)
}

#[test]
fn every_prefix_is_continued_after_its_last_complete_frame() {
    let bytes = stream(9, 3);
    let starts = frames(&bytes);
    for len in 16..=bytes.len() {
        let (_folder, path) = file(&bytes[..len]);
        let whole = starts.iter().filter(|start| **start <= len).count() as u64;
        let before = 3 * whole.saturating_sub(2).min(3);
        let mut writer = Writer::append(&path).unwrap();
        assert_eq!(writer.len(), before, "{len}");
        (before..12).for_each(|id| writer.write(&reading(id)).unwrap());
        writer.finish().unwrap();
        assert_eq!(all(&path), (0..12).collect::<Vec<_>>(), "{len}");
        let mut reader = Reader::open(&path).unwrap();
        assert_eq!((reader.len().unwrap(), reader.get(11).unwrap()), (12, Some(reading(11))));
    }
}

#[test]
fn other_files_are_not_changed() {
    for bytes in [&b"something else that is long enough"[..], b"\xC1\xF1hold\r\n", b"\xC1\x10"] {
        let (_folder, path) = file(bytes);
        assert!(Writer::append(&path).is_err());
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
    let (_folder, path) = file(b"");
    Writer::append(&path).unwrap().finish().unwrap();
    assert!(all(&path).is_empty());
}

#[test]
fn damage_before_intact_frames_is_not_cut_off() {
    let bytes = stream(15, 3);
    let starts = frames(&bytes);
    for without_end in [false, true] {
        let len = if without_end { starts[starts.len() - 2] } else { bytes.len() };
        for number in 1..4 {
            let mut damaged = bytes[..len].to_vec();
            damaged[starts[number] + 3] ^= 4;
            let (_folder, path) = file(&damaged);
            let error = Writer::append(&path).err().unwrap();
            assert_eq!(error.code(), Code::BadSync, "{number}");
            assert_eq!(error.offset(), Some(starts[number] as u64));
            assert_eq!(fs::read(&path).unwrap(), damaged);
        }
    }
    // After the end.
    let (_folder, path) = file(&[&bytes[..], b"more"].concat());
    assert_eq!(Writer::append(&path).err().unwrap().code(), Code::TrailingBytes);
}

#[test]
fn half_written_frames_are_cut_off() {
    let bytes = stream(9, 3);
    let starts = frames(&bytes);
    let mut torn = bytes[..starts[4]].to_vec();
    // The head was written, the rest is zeros.
    torn[starts[3] + 32..].fill(0);
    let (_folder, path) = file(&torn);
    let mut writer = Writer::append(&path).unwrap();
    assert_eq!(writer.len(), 6);
    writer.write(&reading(6)).unwrap();
    writer.finish().unwrap();
    assert_eq!(all(&path), (0..7).collect::<Vec<_>>());
}

#[test]
fn a_file_has_one_writer_at_a_time() {
    let (_folder, path) = file(b"");
    let writer = Writer::create(&path).unwrap();
    for error in [Writer::create(&path).err(), Writer::append(&path).err()] {
        let error = error.unwrap();
        assert_eq!(error.code(), Code::Locked);
        assert!(error.to_string().contains("stream.hold"), "{error}");
    }
    drop(writer);
    // The preamble is intact: the rejected writers changed nothing.
    Writer::append(&path).unwrap();
}

#[test]
fn a_damaged_schema_is_written_again() {
    let bytes = stream(9, 3);
    let starts = frames(&bytes);
    // Without its end, and with damage in the payload of the schema, as after a crash of the machine.
    let mut damaged = bytes[..starts[starts.len() - 2]].to_vec();
    damaged[starts[0] + 40] ^= 1;
    let (_folder, path) = file(&damaged);
    let mut writer = Writer::append(&path).unwrap();
    let next = writer.len();
    writer.write(&reading(next)).unwrap();
    writer.finish().unwrap();
    let mut reader = Reader::open(&path).unwrap().on_damage(OnDamage::Skip);
    let values: Vec<Reading> = reader.values().collect::<Result<_, _>>().unwrap();
    assert_eq!(values.last(), Some(&reading(next)));
}

#[test]
fn the_last_schema_stays_in_use() {
    let (_folder, path) = file(&stream(3, 3));
    let before = fs::read(&path).unwrap();
    let mut writer = WriterOptions::new().append(&path).unwrap();
    writer.write(&reading(3)).unwrap();
    writer.flush().unwrap();
    writer.write(&4_u8).unwrap();
    drop(writer);
    let bytes = fs::read(&path).unwrap();
    let kinds = |bytes: &[u8]| -> String {
        let starts = frames(bytes);
        starts[..starts.len() - 1].iter().map(|start| char::from(bytes[start + 8])).collect()
    };
    assert_eq!((kinds(&before), kinds(&bytes)), ("SBE".into(), "SBB".into()));
    // The value that was not flushed was lost with its writer, and the end was never written.
    let mut reader = Reader::open(&path).unwrap().on_damage(OnDamage::Skip);
    assert_eq!(reader.values::<Reading>().count(), 4);
    assert_eq!(reader.damage()[0].code(), Code::Truncated);
    assert_eq!(Reader::open(&path).unwrap().unfinished(true).values::<Reading>().count(), 4);
}

#[test]
fn a_file_that_was_truncated_takes_no_more_frames() {
    for (append, end) in [(false, false), (true, true)] {
        let (_folder, path) = file(b"");
        let writer = if append { Writer::append(&path) } else { Writer::create(&path) };
        let mut writer = writer.unwrap();
        (0..3).for_each(|id| writer.write(&reading(id)).unwrap());
        writer.flush().unwrap();
        let len = fs::metadata(&path).unwrap().len();
        fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(len - 1).unwrap();
        writer.write(&reading(3)).unwrap();
        let error = if end { writer.finish().unwrap_err() } else { writer.flush().unwrap_err() };
        assert_eq!(error.code(), Code::Io);
        assert!(error.to_string().contains(&format!("got {} bytes", len - 1)), "{error}");
        assert_eq!(fs::metadata(&path).unwrap().len(), len - 1);
    }
}
