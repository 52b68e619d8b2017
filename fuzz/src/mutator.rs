//! Mutation that keeps what surrounds the changed part right: lengths, counts and checksums, at which a reader would reject
//! nearly all input that a fuzzer makes, before it reads what is inside.

use crc32c::crc32c;
use libfuzzer_sys::fuzzer_mutate;

use crate::common::chance::Chance;
use crate::common::mutate::mutate as damage;
use crate::common::varint;
use crate::frames::{Frame, Stream};
use crate::items::Grammar;
use crate::pair;

/// What an input of a target is.
#[derive(Clone, Copy)]
pub enum Form {
    Message,
    Stream,
    /// A message or a stream.
    Either,
    /// A schema and a message (`pair`).
    SchemaAndMessage,
    /// A byte, and a message or a body.
    NumberAndMessage,
    /// A byte, and a dictionary and a message (`pair`).
    NumberDictionaryAndMessage,
    /// One item of another binary format.
    Item(Grammar),
}

/// Makes the fuzzer mutate a target's inputs by their form.
#[macro_export]
macro_rules! mutate_as {
    ($form:expr) => {
        libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
            $crate::mutator::mutate($form, data, size, max_size, seed)
        });
    };
}

/// Changes the input in the first `size` bytes of `data`; returns the new size. One in 16 changes is any change of the
/// bytes, after which nothing is right.
pub fn mutate(form: Form, data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let mut chance = Chance::new(u64::from(seed) << 1 | 1);
    let mut input = data[..size].to_vec();
    if chance.below(16) == 0 {
        edit(&mut chance, &mut input, max_size);
    } else {
        change(&mut chance, form, &mut input, max_size);
    }
    input.truncate(max_size);
    data[..input.len()].copy_from_slice(&input);
    input.len()
}

fn change(chance: &mut Chance, form: Form, input: &mut Vec<u8>, max_size: usize) {
    match form {
        Form::Message => {
            edit(chance, input, max_size);
            refit(input);
        }
        Form::Stream => match Stream::read(input) {
            None => edit(chance, input, max_size),
            Some(mut stream) => {
                change_stream(chance, &mut stream, max_size);
                *input = stream.write();
            }
        },
        Form::Either => {
            let is_stream = input.get(1) == Some(&0xF1);
            let form = if is_stream { Form::Stream } else { Form::Message };
            change(chance, form, input, max_size);
        }
        Form::NumberAndMessage => change_behind_number(chance, Form::Message, input, max_size),
        Form::NumberDictionaryAndMessage => {
            change_behind_number(chance, Form::SchemaAndMessage, input, max_size);
        }
        Form::Item(grammar) => match grammar.read(input) {
            None => edit(chance, input, max_size),
            Some(mut item) => {
                item.change(chance, |chance, bytes| edit(chance, bytes, max_size));
                *input = grammar.write(&item);
            }
        },
        Form::SchemaAndMessage => match pair::split(input) {
            None => edit(chance, input, max_size),
            Some((schema, message)) => {
                let (mut schema, mut message) = (schema.to_vec(), message.to_vec());
                match chance.below(3) {
                    0 => edit(chance, &mut schema, max_size),
                    _ => change(chance, Form::Message, &mut message, max_size),
                }
                *input = pair::join(&schema, &message);
            }
        },
    }
}

fn change_behind_number(chance: &mut Chance, form: Form, input: &mut Vec<u8>, max_size: usize) {
    let mut rest = input.split_off(input.len().min(1));
    if chance.below(16) == 0 {
        edit(chance, input, 1);
    }
    change(chance, form, &mut rest, max_size.saturating_sub(1));
    input.append(&mut rest);
}

/// Changes bytes: by the fuzzer, which knows what the program compared them with and has a dictionary, or by the
/// tests' own mutation, which knows varints.
fn edit(chance: &mut Chance, bytes: &mut Vec<u8>, max_size: usize) {
    if chance.below(2) == 0 {
        let other = bytes.clone();
        damage(chance, bytes, &other);
        return;
    }
    let (len, most) = (bytes.len(), max_size.max(bytes.len()).max(1));
    bytes.resize(most, 0);
    let len = fuzzer_mutate(bytes, len, most);
    bytes.truncate(len);
}

/// Sets the length and the checksum of a message, if it has them, to what its bytes have (F-67).
fn refit(message: &mut Vec<u8>) {
    let [0xC1, 0x18..=0x1F, flags, first, _, _, _, _, ..] = message[..] else { return };
    if flags & 4 != 0 {
        let start = (3 + first.trailing_ones() as usize + 1).min(message.len());
        let rest = message.len() - start;
        let lengths = (1..=9).map(|own| (varint((3 + own + rest) as u64), own));
        let Some((length, _)) = { lengths }.find(|(length, own)| length.len() == *own) else {
            return;
        };
        message.splice(3..start, length);
    }
    if flags & 2 != 0 {
        let end = message.len() - 4;
        let checksum = crc32c(&message[..end]).to_le_bytes();
        message[end..].copy_from_slice(&checksum);
    }
}

/// Changes a frame, or the sequence of frames, and mostly what depends on it: numbers, fingerprints, the index.
fn change_stream(chance: &mut Chance, stream: &mut Stream, max_size: usize) {
    let frames = &mut stream.frames;
    if frames.is_empty() {
        frames.push(Frame { kind: b'S', sequence: 0, schema: 0, payload: vec![0, 3] });
    }
    let at = chance.below(frames.len());
    let other = chance.below(frames.len());
    match chance.below(16) {
        0 => drop(frames.remove(at)),
        1 => frames.insert(other, frames[at].clone()),
        2 => frames.swap(at, other),
        3 => frames[at].kind = *chance.pick(b"MSBEEE\xE0\xFFx"),
        4 => frames[at].sequence = chance.below(frames.len() + 2) as u64,
        5 => frames[at].schema = frames[other].schema,
        6 => frames[at].payload = frames[other].payload.clone(),
        7 => {
            let mut copy = frames[at].clone();
            edit(chance, &mut copy.payload, max_size);
            frames.insert(other, copy);
        }
        _ => edit(chance, &mut frames[at].payload, max_size),
    }
    if chance.below(8) > 0 {
        stream.number();
    }
    if chance.below(8) > 0 {
        stream.fingerprint();
    }
    if chance.below(8) > 0 {
        stream.index();
    }
}
