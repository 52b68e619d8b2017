//! Damaged messages give an error with code and offset, or the decoder's value; never a panic.

use holdall::{Code, Reader, Value, View};

use super::law::check;
use crate::common::chance::{Chance, rounds, step};
use crate::common::hex;
use crate::common::mutate::mutate;
use crate::common::vectors::{self, Form};

fn messages() -> Vec<Vec<u8>> {
    let valid = vectors::valid().into_iter().map(|vector| vector.input);
    let messages = valid.filter(|input| input.form == Form::Message && !input.has_fingerprint());
    messages.map(|input| input.bytes).collect()
}

#[test]
fn truncations_and_flipped_bits_give_the_result_of_the_decoder() {
    let (mut refused, mut read) = (0, 0);
    // Over several bytes, each of their bits.
    let step = step(11);
    let short = messages().into_iter().filter(|message| message.len() < 200);
    for (number, message) in short.enumerate() {
        for len in (number % step..message.len()).step_by(step) {
            check(&message[..len]);
        }
        for bit in (number % step..8 * message.len()).step_by(step) {
            let mut changed = message.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            *if check(&changed) { &mut read } else { &mut refused } += 1;
        }
    }
    assert!(refused > 20_000 / step && read > 5_000 / step, "{refused} refused, {read} read");
}

#[test]
fn mutations_give_the_result_of_the_decoder() {
    let messages = messages();
    let mut chance = Chance::new(7);
    for _ in 0..rounds(20_000) {
        let mut bytes = chance.pick(&messages).clone();
        let other = chance.pick(&messages).clone();
        for _ in 0..=chance.below(3) {
            mutate(&mut chance, &mut bytes, &other);
        }
        check(&bytes);
    }
}

#[test]
fn of_every_invalid_vector_the_columns_before_the_fault_are_read() {
    for vector in vectors::invalid() {
        if vector.input.form == Form::Message && vector.input.schema.is_none() {
            assert!(
                vector.input.budget.is_some() || !check(&vector.input.bytes),
                "{}",
                vector.name
            );
        }
    }
}

/// A stream without its end, with a block of tuple(option(never), ...) that has a directory and a present row.
const NEVER: &str = "
    C1 F1 68 6F 6C 64 0D 0A A1 B2 C3 D4 E5 F6 07 18 A1 B2 C3 D4 E5 F6 07 18 53 0D 00 00 00 00 00 00
    00 00 00 00 9B 75 F0 0C 85 79 92 66 C8 41 C1 46 00 18 08 15 00 18 04 02 13 16 04 1D 05 00 00 00
    00 00 00 00 05 1F E1 3B A1 B2 C3 D4 E5 F6 07 18 42 10 00 00 00 00 00 01 00 00 00 00 9B 75 F0 0C
    85 79 92 66 AC D4 31 04 0C 02 00 02 02 61 66 00 01 00 1A 00 07 00 07 F7 00 00 00 00 22 07 43 91";

#[test]
fn a_row_of_never_in_a_block_with_a_directory_is_rejected_where_a_reader_rejects_it() {
    let bytes = hex(NEVER);
    let view = View::new(&bytes).unwrap();
    let whole = Reader::new(&bytes[..]).values::<Value>().next().unwrap().unwrap_err();
    let row = view.root().row(0).unwrap_err();
    for error in [whole, row] {
        assert_eq!((error.code(), error.path()), (Code::NeverHasRows, "$[0]"));
        assert_eq!(error.offset(), Some(113), "{error}");
    }
}
