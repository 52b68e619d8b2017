//! Damaged messages give an error with code and offset, or the decoder's value; never a panic.

use holdall::view::{Bytes, ViewSite};
use holdall::{Code, Decoder, Error, Limits, Result, Value, View};

use super::touched::Counted;
use super::walk;
use crate::common::chance::{Chance, rounds};
use crate::common::mutate::mutate;
use crate::common::vectors::{self, Form};

/// Reads everything; returns the faults.
fn ask(view: &View<'_>) -> Vec<Error> {
    let mut faults = Vec::new();
    let mut fault = |result: Result<()>| faults.extend(result.err());
    for site in view.columns() {
        fault(site.rows().map(|_| ()));
        fault(site.column().map(|_| ()));
    }
    for row in 0..4 {
        fault(view.root().row(row).map(|_| ()));
    }
    fault(view.len().map(|_| ()));
    faults
}

fn places(site: ViewSite<'_>, value: &Value) {
    walk::compare(site, &[Some(value)]).unwrap();
}

/// Checks a view of a damaged message. Returns whether the decoder rejects it.
fn check(bytes: &[u8]) -> bool {
    let limits = Limits::new().budget(1 << 22);
    let decoder = Decoder::new().limits(limits);
    let mut builder = holdall::ValueBuilder::new();
    let decoded = decoder.clone().message(bytes, &mut builder).and_then(|()| builder.finish());
    // A decoder rejects streams, a view reads them.
    if bytes.starts_with(&[0xC1, 0xF1]) {
        return decoded.is_err();
    }
    let views = [decoder.view(bytes), decoder.view(Bytes::reader(Counted::of(bytes)).unwrap())];
    for view in views {
        match (&decoded, view) {
            (Ok(value), view) => {
                let view = view.unwrap();
                assert_eq!(view.value().unwrap(), *value);
                places(view.root(), value);
            }
            (Err(error), Err(own)) => {
                // Only a decoder checks the checksum first.
                if error.code() != Code::BadChecksum {
                    assert_eq!((own.code(), own.offset()), (error.code(), error.offset()));
                }
            }
            (Err(error), Ok(view)) => {
                if error.code() != Code::BadChecksum {
                    let whole = view.value().unwrap_err();
                    assert_eq!((whole.code(), whole.offset()), (error.code(), error.offset()));
                }
                for fault in ask(&view) {
                    let names_no_byte = matches!(
                        fault.code(),
                        Code::IndexOutOfRange | Code::Unsupported | Code::LimitBudget
                    );
                    assert!(fault.offset().is_some() || names_no_byte, "{fault}");
                    assert!(fault.offset() <= Some(bytes.len() as u64), "{fault}");
                }
            }
        }
    }
    decoded.is_err()
}

fn messages() -> Vec<Vec<u8>> {
    let valid = vectors::valid().into_iter().map(|vector| vector.input);
    let messages = valid.filter(|input| input.form == Form::Message && !input.has_fingerprint());
    messages.map(|input| input.bytes).collect()
}

#[test]
fn truncations_and_flipped_bits_give_the_result_of_the_decoder() {
    let (mut refused, mut read) = (0, 0);
    for message in messages().into_iter().filter(|message| message.len() < 200) {
        for len in 0..message.len() {
            check(&message[..len]);
        }
        for bit in 0..8 * message.len() {
            let mut changed = message.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            *if check(&changed) { &mut refused } else { &mut read } += 1;
        }
    }
    assert!(refused > 20_000 && read > 5_000, "{refused} refused, {read} read");
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
            assert!(vector.input.budget.is_some() || check(&vector.input.bytes), "{}", vector.name);
        }
    }
}
