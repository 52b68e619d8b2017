//! The pieces of a message form the message, whichever columns are separate.

use holdall::{Alignment, Code, Encoder, Limits, Profile, Value};

use crate::common::make::{list, tensor};

/// Large columns of all kinds that become pieces, with others between them.
fn large() -> Value {
    const ROWS: u32 = 40_000;
    let rows = |row: fn(u32) -> Value| list((0..ROWS).map(row));
    let tensors = [9, 100_000, 3, 70_001, 65_536].map(|len| tensor("u8", &[len], || 1));
    list([
        rows(|row| Value::from(format!("text {row} that comes once"))),
        rows(|row| Value::from(["info", "warning"][row as usize % 2])),
        rows(|row| Value::from(f64::from(row) / 7.0)),
        rows(|_| Value::from(0.5)),
        list(tensors),
        rows(|row| Value::from(row.to_le_bytes().repeat(2))),
    ])
}

fn encoders() -> Vec<Encoder> {
    let mut all = Vec::new();
    for profile in [Profile::Fast, Profile::Balanced] {
        for alignment in [Alignment::Automatic, Alignment::On, Alignment::Off] {
            let plain = || Encoder::new().profile(profile).aligned(alignment);
            all.extend([plain(), plain().checksum(true), plain().length(true)]);
        }
    }
    all
}

#[test]
fn pieces_are_the_message_one_after_the_other() {
    let value = large();
    for mut encoder in encoders() {
        let message = encoder.message(&mut &value).unwrap();
        let pieces = encoder.take(&mut &value).unwrap().pieces().unwrap();
        assert_eq!(pieces.len(), message.len());
        assert!(pieces.iter().flatten().eq(&message));
        assert!(pieces.whole().is_none_or(|whole| whole == message));
    }
}

#[test]
fn large_columns_become_pieces() {
    let pieces = Encoder::new().take(&mut &large()).unwrap().pieces().unwrap();
    assert!(pieces.whole().is_none());
    let large = pieces.iter().filter(|piece| piece.len() >= 1 << 16);
    // Plain text twice, floats, and three tensors.
    assert!(large.count() >= 6);
}

#[test]
fn a_small_message_is_one_piece() {
    let pieces = Encoder::new().take(&mut &Value::from(300)).unwrap().pieces().unwrap();
    assert_eq!(pieces.whole(), Some(&[0xC1, 0x10, 0x03, 0x61, 0x09][..]));
}

#[test]
fn pieces_are_no_longer_than_a_message_may_be() {
    let value = large();
    let len = Encoder::new().message(&mut &value).unwrap().len();
    for (limit, fits) in [(len, true), (len - 1, false), (1000, false)] {
        let mut encoder = Encoder::new().limits(Limits::new().output(limit));
        let pieces = encoder.take(&mut &value).unwrap().pieces();
        assert_eq!(
            pieces.map_err(|error| error.code()).err(),
            (!fits).then_some(Code::LimitOutput)
        );
    }
}
