//! Messages in a file that is mapped into memory and grows with each of them.
#![allow(unsafe_code, reason = "a program that maps a file promises that no other one changes it")]

use std::fs::{self, File};
use std::io;

use holdall::{Code, Decoder, Encoder, Error, Result};
use memmap2::MmapMut;

/// A file in memory, and how many of its bytes are in use.
struct Mapped {
    file: File,
    map: MmapMut,
    len: usize,
}

/// Less than a message of the test.
const FIRST: u64 = 16;

impl Mapped {
    fn new(file: File) -> io::Result<Mapped> {
        file.set_len(FIRST)?;
        let map = map(&file)?;
        Ok(Mapped { file, map, len: 0 })
    }

    /// Returns what is free, at least as many bytes.
    fn free(&mut self, len: usize) -> Result<&mut [u8]> {
        let end = self.len + len;
        if self.map.len() < end {
            self.file.set_len(end as u64)?;
            self.map = map(&self.file)?;
        }
        let start = std::mem::replace(&mut self.len, end);
        Ok(&mut self.map[start..])
    }
}

fn map(file: &File) -> io::Result<MmapMut> {
    // SAFETY: the file has no name that another process knows, and shrinks only after the test has dropped the map.
    unsafe { MmapMut::map_mut(file) }
}

#[test]
fn messages_are_written_into_a_mapping_that_grows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("values.hold");
    let file = File::options().read(true).write(true).create_new(true).open(&path).unwrap();
    let mut mapped = Mapped::new(file).unwrap();
    let mut encoder = Encoder::new().length(true);
    let values: Vec<Vec<u64>> =
        (0..5_u64).map(|n| (0..n * 1000).map(|at| at * at).collect()).collect();
    for value in &values {
        let expected = Encoder::new().length(true).encode(value).unwrap();
        let message = encoder.encode_to(value, |len| mapped.free(len)).unwrap();
        assert_eq!(message, expected);
    }
    mapped.map.flush().unwrap();
    let len = mapped.len;
    drop(mapped);
    let bytes = fs::read(&path).unwrap();
    let (mut rest, mut decoder) = (&bytes[..len], Decoder::new());
    for value in &values {
        let message = decoder.next_message(&mut rest).unwrap().unwrap();
        assert_eq!(&decoder.decode::<Vec<u64>>(&message).unwrap(), value);
    }
    assert!(rest.is_empty());
}

#[test]
fn room_that_is_missing_is_an_error_and_unchanged() {
    let (mut encoder, mut room) = (Encoder::new(), [0xEE; 4]);
    let error = encoder.encode_to("hello", |_| Ok(&mut room)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "limit_output: expected room for 9 bytes, got 4 bytes: 5 are missing"
    );
    assert_eq!(room, [0xEE; 4]);
    let full = || Error::from(io::Error::other("the disk is full"));
    let error = encoder.encode_to("hello", |_| Err(full())).unwrap_err();
    assert_eq!(error.code(), Code::Io);
    // The encoder works on.
    let mut room = [0xEE; 12];
    let message = encoder.encode_to("hello", |len| Ok(&mut room[..len])).unwrap();
    assert_eq!(message, holdall::to_vec("hello").unwrap());
    assert_eq!(room[9..], [0xEE; 3]);
}
