//! Messages from readers: read up to their end, and no further.

use std::io::{self, Read};

use holdall::{
    Code, Decoder, Encode, Encoder, Header, Limits, SchemaStore, Value, from_reader, to_vec,
};

/// Returns at most this many bytes at once, and is interrupted in between.
struct Trickle<'b> {
    bytes: &'b [u8],
    most: usize,
    is_interrupted: bool,
}

impl Trickle<'_> {
    fn new(bytes: &[u8], most: usize) -> Trickle<'_> {
        Trickle { bytes, most, is_interrupted: false }
    }
}

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.is_interrupted = !self.is_interrupted;
        if self.is_interrupted {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let most = self.most.min(buffer.len());
        self.bytes.read(&mut buffer[..most])
    }
}

/// A message with a length of one byte, one with a length of three, and one with a checksum.
fn with_lengths() -> Vec<Vec<u8>> {
    let mut long = Encoder::new().length(true);
    vec![
        long.encode(&7_u8).unwrap(),
        long.encode(&"x".repeat(20_000)).unwrap(),
        Encoder::new().checksum(true).encode("end").unwrap(),
    ]
}

#[test]
fn messages_with_lengths_follow_each_other() {
    let all = with_lengths();
    let bytes = [all.concat(), b"rest".to_vec()].concat();
    for most in [1, 2, 3, 7, 1 << 20] {
        let mut reader = Trickle::new(&bytes, most);
        for message in &all {
            let read = Decoder::new().next_message(&mut reader).unwrap();
            assert_eq!(read.as_ref(), Some(message), "{most} bytes at once");
        }
        assert_eq!(reader.bytes, b"rest");
    }
}

#[test]
fn other_messages_end_where_the_reader_does() {
    for value in [vec![], vec![1_u32], (0..5000).collect()] {
        let bytes = to_vec(&value).unwrap();
        assert_eq!(from_reader::<Vec<u32>>(Trickle::new(&bytes, 3)).unwrap(), value);
        let more = [&bytes[..], &[0]].concat();
        let error = from_reader::<Vec<u32>>(&more[..]).unwrap_err();
        assert_eq!((error.code(), error.offset()), (Code::TrailingBytes, Some(bytes.len() as u64)));
    }
    // The shortest message.
    from_reader::<()>(&to_vec(&()).unwrap()[..]).unwrap();
}

#[test]
fn an_empty_reader_has_no_message() {
    assert_eq!(Decoder::new().next_message(io::empty()).unwrap(), None);
    let error = from_reader::<u8>(io::empty()).unwrap_err();
    assert_eq!((error.code(), error.offset()), (Code::Truncated, Some(0)));
}

#[test]
fn a_reader_that_ends_within_a_message_is_truncated() {
    for message in with_lengths() {
        for end in (1..message.len()).take(40) {
            let part = &message[..end];
            let error = from_reader::<Value>(part).unwrap_err();
            let offset = Some(end as u64);
            assert_eq!((error.code(), error.offset()), (Code::Truncated, offset), "{part:X?}");
        }
    }
}

#[test]
fn rejects_what_is_no_message_by_its_first_bytes() {
    for (bytes, code, offset) in [
        (&b"{\"a\": 1}"[..], Code::BadMagic, 0),
        (b"\xC1\xF1\0\0\0\0", Code::Unsupported, 1),
        (b"\xC1\x20\0\0\0\0", Code::BadVersion, 1),
        (b"\xC1\x13\0\0\0\0", Code::BadFlags, 1),
        (b"\xC1\x18\0\0\0\0", Code::BadFlags, 2),
        (b"\xC1\x18\x04\x02\0\0", Code::Truncated, 4),
    ] {
        // It would never end.
        let endless = bytes.chain(io::repeat(0));
        let error = Decoder::new().next_message(endless).unwrap_err();
        assert_eq!((error.code(), error.offset()), (code, Some(offset)), "{bytes:X?}");
    }
}

#[test]
fn the_limit_of_a_frame_bounds_a_message() {
    let decoder = Decoder::new().limits(Limits::new().frame(100));
    let read = |bytes: &[u8]| decoder.next_message(bytes.chain(io::repeat(0)));
    for length in [&[2 * 101][..], &[0xFF; 9]] {
        let error = read(&[b"\xC1\x18\x04", length].concat()).unwrap_err();
        assert_eq!((error.code(), error.offset()), (Code::LimitBudget, Some(3)));
    }
    assert_eq!(read(b"\xC1\x18\x04\xC8").unwrap().unwrap().len(), 100);
    // Without a length, an endless reader.
    assert_eq!(read(b"\xC1\x10\x04").unwrap_err().code(), Code::LimitBudget);
    let (exact, more) = ([&b"\xC1\x10\x04"[..], &[0; 97]].concat(), [0; 1]);
    assert_eq!(decoder.next_message(&exact[..]).unwrap().unwrap().len(), 100);
    let error = decoder.next_message(exact.chain(&more[..])).unwrap_err();
    assert_eq!(error.code(), Code::LimitBudget);
}

#[test]
fn budgets_hold_for_readers() {
    let bytes = to_vec(&vec![7_u8; 100_000]).unwrap();
    let mut decoder = Decoder::new().limits(Limits::new().budget(1000));
    let message = decoder.next_message(&bytes[..]).unwrap().unwrap();
    assert_eq!(decoder.decode::<Vec<u8>>(&message).unwrap_err().code(), Code::LimitBudget);
}

#[test]
fn a_type_reads_its_own_fingerprint() {
    let mut encoder = Encoder::new().header(Header::Fingerprint);
    let message = encoder.encode(&(300_u32, "hello".to_owned())).unwrap();
    let fingerprint = <(u32, String)>::fingerprint().unwrap();
    let expected = [&b"\xC1\x11"[..], &fingerprint.to_le_bytes(), b"\xB1\x04\x0Ahello"].concat();
    assert_eq!(message, expected);

    let mut decoder = Decoder::new();
    for _ in 0..2 {
        assert_eq!(decoder.decode::<(u32, &str)>(&message).unwrap(), (300, "hello"));
    }
    let mut over = (0_u32, String::new());
    decoder.decode_into(&message, &mut over).unwrap();
    assert_eq!(over.1, "hello");
}

#[test]
fn rejects_the_fingerprint_of_another_type() {
    let mut encoder = Encoder::new().header(Header::Fingerprint);
    let message = encoder.encode(&300_u32).unwrap();
    let mut decoder = Decoder::new();
    assert_eq!(decoder.decode::<u32>(&message).unwrap(), 300);
    for error in [
        decoder.decode::<u64>(&message).unwrap_err(),
        decoder.decode::<i32>(&message).unwrap_err(),
        decoder.decode::<Value>(&message).unwrap_err(),
    ] {
        assert_eq!((error.code(), error.offset()), (Code::UnknownFingerprint, Some(2)));
    }
    let error = decoder.decode::<u32>(&message[..9]).unwrap_err();
    assert_eq!((error.code(), error.offset()), (Code::Truncated, Some(2)));
    // With its schema it is converted.
    let store = SchemaStore::new();
    store.put(&u32::schema().unwrap()).unwrap();
    let mut decoder = Decoder::new().store(&store);
    assert_eq!(decoder.decode::<u64>(&message).unwrap(), 300);
    assert_eq!(decoder.decode::<u32>(&message).unwrap(), 300);
}

/// Runs a future to its end.
#[cfg(feature = "crates")]
fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

#[cfg(feature = "crates")]
#[test]
fn asynchronous_readers_read_what_others_read() {
    use holdall::tokio::{from_reader, next_message};

    let all = with_lengths();
    let bytes = [all.concat(), b"rest".to_vec()].concat();
    let mut reader = tokio::io::BufReader::with_capacity(3, &bytes[..]);
    let decoder = Decoder::new();
    for message in &all {
        let read = wait(next_message(&decoder, &mut reader)).unwrap();
        assert_eq!(read.as_ref(), Some(message));
    }
    let mut rest = Vec::new();
    wait(tokio::io::AsyncReadExt::read_to_end(&mut reader, &mut rest)).unwrap();
    assert_eq!(rest, b"rest");

    assert_eq!(wait(next_message(&decoder, &mut &b""[..])).unwrap(), None);
    for (bytes, code) in [
        (&b""[..], Code::Truncated),
        (&all[1][..100], Code::Truncated),
        (b"{\"a\": 1}", Code::BadMagic),
    ] {
        assert_eq!(wait(from_reader::<Value>(&mut &bytes[..])).unwrap_err().code(), code);
    }
}

#[cfg(feature = "crates")]
#[test]
fn asynchronous_writers_get_what_others_get() {
    let is_send = |future| {
        fn send<T: Send>(value: T) -> T {
            value
        }
        send(future)
    };
    let mut written = Vec::new();
    // The future does not hold the value, which cannot be sent.
    let value = std::rc::Rc::new(300_u32);
    wait(is_send(holdall::tokio::to_writer(&mut written, &value))).unwrap();
    assert_eq!(written, to_vec(&value).unwrap());
    let failed = holdall::tokio::to_writer(&mut written, &std::rc::Weak::<u32>::new());
    wait(failed).unwrap();
}
