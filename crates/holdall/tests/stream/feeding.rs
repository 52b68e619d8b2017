//! Bytes that are pushed in, in pieces of any size.

use holdall::stream::{Feeder, Item};
use holdall::{Code, Encoder, Limits};

use super::samples::{Reading, reading, stream};

/// The received items as text: `m` for a message, the ids of a block, `.` for an end.
fn feed(feeder: &mut Feeder, mut bytes: &[u8], got: &mut Vec<String>) {
    while !bytes.is_empty() {
        let (taken, item) = feeder.feed(bytes).unwrap();
        bytes = &bytes[taken..];
        match item {
            None => assert!(bytes.is_empty()),
            Some(Item::Message(message)) => {
                let value: Reading = holdall::from_slice(&message).unwrap();
                got.push(format!("m{}", value.id));
            }
            Some(Item::Block(block)) => {
                let ids = block.decode::<Reading>().unwrap().into_iter().map(|value| value.id);
                got.push(ids.map(|id| id.to_string()).collect::<Vec<_>>().join(" "));
            }
            Some(Item::End) => got.push(".".to_owned()),
        }
    }
}

#[test]
fn streams_and_messages_are_read_from_any_pieces() {
    let message =
        |id| Encoder::new().length(true).checksum(id % 2 == 0).encode(&reading(id)).unwrap();
    let bytes =
        [message(7), stream(5, 2), message(8), message(9), stream(0, 1), stream(1, 1)].concat();
    let expected = ["m7", "0 1", "2 3", "4", ".", "m8", "m9", ".", "0", "."];
    for size in (1..100).chain([bytes.len()]) {
        let (mut feeder, mut got) = (Feeder::new(), Vec::new());
        bytes.chunks(size).for_each(|piece| feed(&mut feeder, piece, &mut got));
        assert_eq!(got, expected, "{size}");
        assert!(!feeder.is_within());
    }
}

#[test]
fn an_item_ends_where_the_next_begins() {
    let bytes = [stream(2, 2), b"the next bytes".to_vec()].concat();
    let mut feeder = Feeder::new();
    let (first, item) = feeder.feed(&bytes).unwrap();
    assert!(matches!(item, Some(Item::Block(_))));
    assert!(feeder.is_within());
    let (second, item) = feeder.feed(&bytes[first..]).unwrap();
    assert!(matches!(item, Some(Item::End)));
    assert_eq!(&bytes[first + second..], b"the next bytes");
}

#[test]
fn a_fault_is_reported_in_every_call() {
    let mut bytes = stream(4, 2);
    bytes[100] ^= 1;
    let mut feeder = Feeder::new();
    for _ in 0..2 {
        assert_eq!(feeder.feed(&bytes).unwrap_err().code(), Code::BadChecksum);
    }
    let message = Encoder::new().encode(&reading(1)).unwrap();
    assert_eq!(Feeder::new().feed(&message).unwrap_err().code(), Code::Unsupported);
    let message = Encoder::new().length(true).encode(&(0..1000_u64).collect::<Vec<_>>()).unwrap();
    let mut feeder = Feeder::new().limits(Limits::new().frame(20));
    assert_eq!(feeder.feed(&message).unwrap_err().code(), Code::LimitBudget);
}
