//! The bytes that writers produce, and what they reject.

use std::io::{self, Write};
use std::sync::Arc;

use holdall::events::{Shredder, Source};
use holdall::{Alignment, Code, Encode, Metadata, Profile, Reader, Value, Writer, WriterOptions};

use super::samples::{Reading, SYNC, fault, frames, reading, stream, strict, values_of, writer};

/// Frames as hexadecimal digits, without sync markers and checksums.
fn shown(bytes: &[u8]) -> Vec<String> {
    let starts = frames(bytes);
    let hex = |bytes: &[u8]| -> String {
        bytes.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(" ")
    };
    let frame = |own: &[usize]| {
        let frame = &bytes[own[0]..own[1]];
        let mut len = [0; 8];
        len[..6].copy_from_slice(&frame[9..15]);
        let len = usize::try_from(u64::from_le_bytes(len)).unwrap();
        format!("{} #{} {}", char::from(frame[8]), frame[15], hex(&frame[32..32 + len]))
    };
    starts.windows(2).map(frame).collect()
}

#[test]
fn a_stream_is_a_preamble_schema_blocks_and_an_end() {
    let mut writer = WriterOptions::new()
        .sync(SYNC)
        .metadata(Metadata::new([("a", "b")]).unwrap())
        .to(Vec::new())
        .unwrap();
    for n in [5_u8, 6] {
        writer.write(&n).unwrap();
    }
    writer.flush().unwrap();
    writer.write(&7_u8).unwrap();
    let bytes = writer.finish().unwrap();
    assert_eq!(bytes[..16], *b"\xC1\xF1hold\r\n\x01sync\xFE\xFF\x02");
    assert_eq!(
        shown(&bytes),
        [
            "M #0 02 02 61 02 62",
            "S #1 00 04",
            // 2 values, aligned: 4·2 + 1, and the block begins at a multiple of 8.
            "B #2 12 00 00 00 00 00 00 00 05 06",
            "B #3 0A 00 00 00 00 00 00 00 07",
            // 4 frames: of 48, 40, 48 and 48 bytes, the blocks with 2 values and 1; their end at 200.
            "E #4 08 0C 00 0A 00 0C 04 0C 02 00 00 00 C8 00 00 00 00 00 00 00",
        ]
    );
    assert_eq!(bytes.len() % 8, 0);
}

#[test]
fn a_block_that_is_not_aligned_has_no_padding() {
    let options = WriterOptions::new().sync(SYNC).aligned(Alignment::Off);
    let mut writer = options.to(Vec::new()).unwrap();
    writer.write(&(1_u8, "ab")).unwrap();
    let bytes = writer.finish().unwrap();
    assert_eq!(shown(&bytes)[1], "B #1 08 01 04 61 62");
}

#[test]
fn a_large_block_has_a_directory_of_its_sites() {
    let options = WriterOptions::new().sync(SYNC).aligned(Alignment::Off);
    let mut writer = options.to(Vec::new()).unwrap();
    for n in 0..200_u64 {
        writer.write(&(n as u8, vec![n], ((), [n as u16; 2]))).unwrap();
    }
    let bytes = writer.finish().unwrap();
    let starts = frames(&bytes);
    let payload = &bytes[starts[1] + 32..];
    // 200 values with a directory: 4·200 + 2, then the bytes of u8, lengths, u64 and u16; tuples and arrays have none.
    assert_eq!(payload[..2], [0x89, 0x0C]);
    // 200 numbers of 8 bits and their encoding; one length for all: encoding and base.
    assert_eq!(payload[2..8], [0x25, 0x03, 0x04, 0x25, 0x03, 0x45]);
    let mut reader = Reader::new(&bytes[..]);
    assert_eq!(reader.values::<(u8, Vec<u64>, ((), [u16; 2]))>().count(), 200);
}

#[test]
fn the_same_values_and_sync_give_the_same_bytes() {
    assert_eq!(stream(50, 7), stream(50, 7));
    let with = |_| Writer::new(Vec::new()).unwrap().finish().unwrap();
    let [one, two] = [0, 1].map(with);
    assert_ne!(one[8..16], two[8..16]);
}

// F-90.
#[test]
fn a_schema_is_written_when_it_changes_and_after_64_blocks() {
    let mut writer = writer(1);
    for n in 0..130 {
        writer.write(&Value::from(n)).unwrap();
    }
    writer.write(&Value::from("text")).unwrap();
    writer.write(&Value::from(1)).unwrap();
    let bytes = writer.finish().unwrap();
    let kinds: String = shown(&bytes).iter().map(|frame| &frame[..1]).collect();
    let blocks = |count| "B".repeat(count);
    assert_eq!(
        kinds,
        ["S", &blocks(64), "S", &blocks(64), "S", &blocks(2), "S", &blocks(2), "E"].concat()
    );
    assert_eq!(values_of(&bytes)[129..], [Value::from(129), Value::from("text"), Value::from(1)]);
}

#[test]
fn typed_and_dynamic_values_alternate() {
    let mut writer = writer(100);
    writer.write(&1_u8).unwrap();
    writer.write("two").unwrap();
    writer.write(&Value::from(3)).unwrap();
    writer.write_source(&mut &Value::from("four")).unwrap();
    writer.write(&5_u8).unwrap();
    assert_eq!(writer.len(), 5);
    let bytes = writer.finish().unwrap();
    assert_eq!(
        values_of(&bytes),
        [Value::U8(1), "two".into(), 3.into(), "four".into(), Value::U8(5)]
    );
}

#[test]
fn blocks_end_at_their_size() {
    let mut writer = WriterOptions::new().block_bytes(1000).to(Vec::new()).unwrap();
    for n in 0..1000_u64 {
        writer.write(&n).unwrap();
    }
    writer.flush().unwrap();
    // 8 bytes each; the size is checked every 8 values until it reaches half.
    assert_eq!(writer.blocks(), 1000 / 125);
    // A value larger than a block is a block of its own.
    writer.write(&vec![0_u64; 10_000]).unwrap();
    assert_eq!(writer.blocks(), 9);
}

/// Fails after this many bytes, like a full disk.
struct Full(Vec<u8>, usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.1 - self.0.len();
        if room == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let count = bytes.len().min(room);
        self.0.extend_from_slice(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_reported_and_earlier_blocks_are_readable() {
    let whole = stream(20, 2);
    for room in 0..whole.len() {
        let mut full = Full(Vec::new(), room);
        let options = WriterOptions::new().sync(SYNC).block_values(2);
        let mut written = 0;
        let failed = match options.to(&mut full) {
            Err(error) => error,
            Ok(mut writer) => {
                let mut fails = (0..20).map(|id| writer.write(&reading(id)));
                let failed = fails.find_map(|done| {
                    written += 1;
                    done.err()
                });
                match failed {
                    Some(failed) => {
                        assert_eq!(writer.write(&1_u8).unwrap_err().code(), Code::Io);
                        assert_eq!(writer.flush().unwrap_err().code(), Code::Io);
                        failed
                    }
                    None => writer.finish().err().unwrap(),
                }
            }
        };
        assert_eq!(failed.code(), Code::Io, "{room}");
        let (values, fault) = strict(&full.0);
        assert_eq!(full.0, whole[..room]);
        assert!(fault.is_some_and(|fault| fault.starts_with("truncated @ ")));
        // All blocks except the one that failed.
        assert!(written - values.len() as u64 <= 2 || written == 20, "{room}");
        assert_eq!(values, (0..values.len() as u64).map(reading).collect::<Vec<_>>());
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_device_is_reported_at_once() {
    let device = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let error = Writer::new(device).err().unwrap();
    assert_eq!(error.code(), Code::Io);
}

/// Emits a list of a few items, and then fails.
struct Fails(u64);

impl Source for Fails {
    fn drive(&mut self, shredder: &mut Shredder) -> holdall::Result<()> {
        let keys: Arc<[Arc<str>]> = [Arc::from("id"), Arc::from("new")].into();
        shredder.begin_record(&holdall::Shape::new(0, keys))?;
        shredder.fixed_int(holdall::IntKind::U64, self.0)?;
        shredder.begin_list(3)?;
        shredder.string("one")?;
        Err(holdall::Error::new(Code::Custom))
    }
}

#[test]
fn a_value_that_fails_leaves_nothing_behind() {
    let mut writer = writer(1000);
    let value = |id: u64| Value::record([("id", Value::U64(id)), ("name", format!("{id}").into())]);
    for id in 0..10 {
        writer.write(&value(id)).unwrap();
        assert_eq!(writer.write_source(&mut Fails(id)).unwrap_err().code(), Code::Custom);
        let short = Value::record([("id", Value::U64(id))]);
        writer.write(&short).unwrap();
    }
    let bytes = writer.finish().unwrap();
    let expected: Vec<Value> =
        (0..10).flat_map(|id| [value(id), Value::record([("id", Value::U64(id))])]).collect();
    assert_eq!(values_of(&bytes), expected);
}

#[derive(Encode)]
struct Chain {
    tag: Option<String>,
    kind: Kind,
    next: Option<Box<Chain>>,
    bits: [bool; 3],
}

#[derive(Encode)]
#[allow(dead_code)]
enum Kind {
    Small(u8),
    Large { size: u128, parts: Vec<(i16, f32)> },
}

fn chain(depth: u32) -> Chain {
    let kind = match depth % 2 {
        0 => Kind::Small(depth as u8),
        _ => {
            Kind::Large { size: u128::from(depth) << 90, parts: vec![(1, 0.5); depth as usize % 5] }
        }
    };
    let next = depth.checked_sub(1).map(|depth| Box::new(chain(depth)));
    Chain {
        tag: depth.is_multiple_of(3).then(|| format!("{depth}")),
        kind,
        next,
        bits: [true, false, depth.is_multiple_of(2)],
    }
}

#[test]
fn a_typed_value_that_fails_leaves_nothing_behind() {
    let limits = holdall::Limits::new().depth(20);
    let options = WriterOptions::new().sync(SYNC).limits(limits);
    let (mut with, mut without) =
        (options.clone().to(Vec::new()).unwrap(), options.to(Vec::new()).unwrap());
    for depth in 0..12 {
        with.write(&chain(depth)).unwrap();
        assert_eq!(with.write(&chain(30 + depth)).unwrap_err().code(), Code::LimitDepth);
        without.write(&chain(depth)).unwrap();
    }
    assert_eq!(with.len(), 12);
    assert_eq!(with.finish().unwrap(), without.finish().unwrap());
}

#[test]
fn every_profile_is_readable() {
    for profile in [Profile::Fast, Profile::Balanced, Profile::Small] {
        let options = WriterOptions::new().sync(SYNC).profile(profile);
        let Ok(mut writer) = options.to(Vec::new()) else {
            assert_eq!(profile, Profile::Small);
            continue;
        };
        (0..5000).for_each(|id| writer.write(&reading(id)).unwrap());
        let (values, fault) = strict(&writer.finish().unwrap());
        assert_eq!((values.len(), fault), (5000, None));
    }
}

#[test]
fn a_stream_is_no_message() {
    let error = holdall::from_slice::<Reading>(&stream(1, 1)).unwrap_err();
    assert_eq!(fault(&error), "unsupported @ 1");
    let message = holdall::to_vec(&reading(1)).unwrap();
    assert_eq!(strict(&message).1.unwrap(), "bad_version @ 1");
}
