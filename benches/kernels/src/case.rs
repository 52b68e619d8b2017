//! A kernel in both directions over rows in memory, with checked results.

use std::hint::black_box;

use holdall::bindings::kernel::{Machine, Word, bits, digits, frame, lengths, range, raw, text};
use holdall::{Decoder, Encoder, Tensor, Value, ValueBuilder};
use holdall_bench_measure::time::Task;

/// A task to time, with its own buffers.
pub type Work = Box<dyn FnMut()>;

/// A kernel on one kind of rows.
pub struct Case {
    /// The name in tables.
    pub name: String,
    /// The number of rows.
    pub rows: usize,
    /// The size of the decoded rows.
    pub bytes: usize,
    /// The copy of this many bytes for comparison.
    pub copy: fn(usize) -> Work,
    /// The writer's task, in each version: plain, then AVX2 if the machine has it.
    pub pack: Vec<Work>,
    /// The reader's task.
    pub unpack: Vec<Work>,
}

/// A copy of this many bytes into existing memory.
#[must_use]
pub fn memcpy(bytes: usize) -> Work {
    let (from, mut to) = (noise(bytes), vec![1; bytes]);
    Box::new(move || {
        black_box(&mut to).copy_from_slice(black_box(&from));
    })
}

/// A copy of this many bytes into new memory.
#[must_use]
pub fn copy_to_new(bytes: usize) -> Work {
    let from = noise(bytes);
    Box::new(move || {
        black_box(black_box(&from).to_vec());
    })
}

impl Case {
    /// The tasks of both directions, to be timed together.
    pub fn tasks(&mut self) -> Vec<Task<'_>> {
        self.pack.iter_mut().chain(&mut self.unpack).map(Task::new).collect()
    }
}

/// All cases whose decoded rows take about this many bytes.
#[must_use]
pub fn all(bytes: usize) -> Vec<Case> {
    let mut cases = vec![raw_floats(bytes), raw_narrow_floats(bytes), bools(bytes), tensor(bytes)];
    cases.extend((1..=8).map(|width| framed::<u8>("u8", bytes, width)));
    cases.extend([1, 3, 7, 8, 12, 16].map(|width| framed::<u16>("u16", bytes, width)));
    cases.extend([1, 3, 7, 8, 12, 16, 20, 32].map(|width| framed::<u32>("u32", bytes, width)));
    let widths = [1, 3, 7, 8, 12, 16, 20, 32, 45, 57, 64];
    cases.extend(widths.map(|width| framed::<u64>("u64", bytes, width)));
    for signed in [false, true] {
        cases.push(ranged::<u8>("8", bytes, signed));
        cases.push(ranged::<u16>("16", bytes, signed));
        cases.push(ranged::<u32>("32", bytes, signed));
        cases.push(ranged::<u64>("64", bytes, signed));
    }
    cases.push(digits_of(bytes));
    cases.push(ones(bytes));
    cases.push(summed(bytes));
    cases.extend(TEXTS.map(|(name, word)| text_of(name, word, bytes)));
    cases
}

/// Bytes without a pattern.
fn noise(len: usize) -> Vec<u8> {
    (0..len as u64).map(|i| (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8).collect()
}

/// The lowest bits of rows without a pattern, above a base.
fn rows<W: Word>(len: usize, base: u64, width: u32) -> Vec<W> {
    let mask = u64::MAX >> (64 - width);
    let field = |i: u64| i.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29) & mask;
    (0..len as u64).map(|i| W::truncate(field(i).wrapping_add(base))).collect()
}

fn framed<W: Word + std::fmt::Debug + 'static>(word: &str, bytes: usize, width: u32) -> Case {
    let len = bytes / size_of::<W>();
    let base = 77;
    let values = rows::<W>(len, base, width);
    let mut payload = vec![0; frame::payload_len(len, width) as usize];
    frame::pack_on(Machine::Plain, &mut payload, &values, base, width);
    let (mut pack, mut unpack) = (Vec::<Work>::new(), Vec::<Work>::new());
    for (version, machine) in Machine::all() {
        let mut packed = vec![1; payload.len()];
        frame::pack_on(machine, &mut packed, &values, base, width);
        assert_eq!(packed, payload, "{version}: {width} bits of {word}");
        let mut unpacked = vec![W::default(); len];
        frame::unpack_on(machine, &mut unpacked, &payload, base, width);
        assert_eq!(unpacked, values, "{version}: {width} bits of {word}");
        let (rows, fields) = (values.clone(), payload.clone());
        pack.push(Box::new(move || {
            frame::pack_on(machine, black_box(&mut packed), black_box(&rows), base, width);
        }));
        unpack.push(Box::new(move || {
            frame::unpack_on(machine, black_box(&mut unpacked), black_box(&fields), base, width);
        }));
    }
    Case {
        name: format!("frame {width:>2} bit, {word}"),
        rows: len,
        bytes,
        copy: memcpy,
        pack,
        unpack,
    }
}

/// A complete message of one tensor, in both directions.
fn tensor(bytes: usize) -> Case {
    let rows = bytes / 8;
    let elements: Vec<f64> = (0..rows).map(|i| i as f64 * 0.1).collect();
    let tensor = Tensor::of([rows as u64], &elements).expect("a tensor of one dimension");
    let value = Value::from(tensor);
    let (mut encoder, mut decoder) = (Encoder::new(), Decoder::new());
    let message = encoder.message(&mut &value).expect("a message");
    let mut read = move |message: &[u8]| {
        let mut builder = ValueBuilder::new();
        decoder.message(message, &mut builder).expect("a valid message");
        builder.finish().expect("a value")
    };
    assert_eq!(read(&message), value);
    let pack: Work = Box::new(move || {
        black_box(encoder.message(&mut black_box(&value)).expect("a message"));
    });
    let unpack: Work = Box::new(move || {
        black_box(read(black_box(&message)));
    });
    let (pack, unpack) = (vec![pack], vec![unpack]);
    Case { name: "tensor, f64".to_owned(), rows, bytes, copy: copy_to_new, pack, unpack }
}

macro_rules! raw_case {
    ($name:ident, $float:ty) => {
        fn $name(bytes: usize) -> Case {
            let len = bytes / size_of::<$float>();
            let values: Vec<$float> = (0..len).map(|i| i as $float * 0.1).collect();
            let mut payload = Vec::new();
            raw::append(&mut payload, &values);
            let mut back = vec![1.0; len];
            raw::read(&mut back, &payload);
            assert_eq!(back, values);
            assert!(
                values.iter().flat_map(|value| value.to_le_bytes()).eq(payload.iter().copied())
            );
            let (from, mut to) = (payload.clone(), payload);
            let pack = move || {
                to.clear();
                raw::append(black_box(&mut to), black_box(&values));
            };
            Case {
                name: concat!("raw ", stringify!($float)).to_owned(),
                rows: len,
                bytes,
                copy: memcpy,
                pack: vec![Box::new(pack)],
                unpack: vec![Box::new(move || raw::read(black_box(&mut back), black_box(&from)))],
            }
        }
    };
}

raw_case!(raw_floats, f64);
raw_case!(raw_narrow_floats, f32);

fn bools(bytes: usize) -> Case {
    let values: Vec<bool> = noise(bytes).into_iter().map(|byte| byte % 2 == 1).collect();
    let model: Vec<u8> = values
        .chunks(8)
        .map(|group| group.iter().rev().fold(0, |byte, &bit| byte << 1 | u8::from(bit)))
        .collect();
    let (mut pack, mut unpack) = (Vec::<Work>::new(), Vec::<Work>::new());
    for (_, machine) in Machine::all() {
        let mut bytes = vec![1; model.len()];
        bits::pack_on(machine, &mut bytes, &values);
        assert_eq!(bytes, model);
        let mut back = vec![true; values.len()];
        bits::expand_on(machine, &mut back, &bytes);
        assert_eq!(back, values);
        let (from, to) = (values.clone(), bytes.clone());
        pack.push(Box::new(move || {
            bits::pack_on(machine, black_box(&mut bytes), black_box(&from));
        }));
        unpack.push(Box::new(move || {
            bits::expand_on(machine, black_box(&mut back), black_box(&to));
        }));
    }
    Case { name: "bits, bool".to_owned(), rows: bytes, bytes, copy: memcpy, pack, unpack }
}

/// Prices of cents.
fn digits_of(bytes: usize) -> Case {
    let len = bytes / 8;
    let cents = rows::<u64>(len, 0, 20);
    let prices: Vec<f64> = cents.iter().map(|cents| *cents as f64 / 100.0).collect();
    let works = Machine::all().into_iter().map(|(_, machine)| {
        let (prices, mut found) = (prices.clone(), vec![1; len]);
        assert!(digits::digits_on(machine, &mut found, &prices, 100.0));
        assert_eq!(found, cents);
        let work: Work = Box::new(move || {
            black_box(digits::digits_on(machine, &mut found, black_box(&prices), 100.0));
        });
        work
    });
    Case {
        name: "digits of f64".to_owned(),
        rows: len,
        bytes,
        copy: memcpy,
        pack: works.collect(),
        unpack: vec![],
    }
}

fn ranged<W: Word + std::fmt::Debug + 'static>(word: &str, bytes: usize, signed: bool) -> Case {
    let len = bytes / size_of::<W>();
    let values = rows::<W>(len, 0, W::BITS);
    let model = if signed {
        let keys = || values.iter().map(|value| value.signed());
        (W::unsigned(keys().min().unwrap()), W::unsigned(keys().max().unwrap()))
    } else {
        (*values.iter().min().unwrap(), *values.iter().max().unwrap())
    };
    let works = Machine::all().into_iter().map(|(_, machine)| {
        assert_eq!(range::min_max_on(machine, &values, signed), Some(model));
        let values = values.clone();
        let work: Work = Box::new(move || {
            black_box(range::min_max_on(machine, black_box(&values), signed));
        });
        work
    });
    let pack = works.collect();
    let sign = if signed { 'i' } else { 'u' };
    Case {
        name: format!("min and max, {sign}{word}"),
        rows: len,
        bytes,
        copy: memcpy,
        pack,
        unpack: vec![],
    }
}

fn ones(bytes: usize) -> Case {
    let payload = noise(bytes);
    let model: u64 = payload.iter().map(|byte| u64::from(byte.count_ones())).sum();
    let works = Machine::all().into_iter().map(|(_, machine)| {
        assert_eq!(bits::ones_on(machine, &payload), model);
        let payload = payload.clone();
        let work: Work = Box::new(move || {
            black_box(bits::ones_on(machine, black_box(&payload)));
        });
        work
    });
    let unpack = works.collect();
    Case { name: "ones of bits".to_owned(), rows: bytes, bytes, copy: memcpy, pack: vec![], unpack }
}

fn summed(bytes: usize) -> Case {
    let values = rows::<u64>(bytes / 8, 0, 20);
    assert_eq!(lengths::sum(&values), values.iter().map(|&n| u128::from(n)).sum());
    let rows = values.len();
    let unpack: Vec<Work> = vec![Box::new(move || {
        black_box(lengths::sum(black_box(&values)));
    })];
    Case { name: "sum of lengths".to_owned(), rows, bytes, copy: memcpy, pack: vec![], unpack }
}

/// Texts, and the repeated word in them.
const TEXTS: [(&str, &str); 4] = [
    ("ASCII", "holdall keeps any value "),
    ("German", "Übergröße paßt über Äcker und Öfen "),
    ("Russian", "быстро и просто "),
    ("Chinese", "任意值皆可存储"),
];

fn text_of(name: &str, word: &str, bytes: usize) -> Case {
    let rows = bytes / word.len();
    let payload = word.repeat(rows);
    let lengths = vec![word.len() as u64; rows];
    let works = Machine::all().into_iter().map(|(_, machine)| {
        let all = text::rows_in_utf8_on(machine, payload.as_bytes(), &lengths);
        assert_eq!(all, Some(&*payload));
        let (payload, lengths) = (payload.clone(), lengths.clone());
        let work: Work = Box::new(move || {
            let (payload, lengths) = (black_box(payload.as_bytes()), black_box(&lengths));
            black_box(text::rows_in_utf8_on(machine, payload, lengths));
        });
        work
    });
    let (unpack, bytes) = (works.collect(), payload.len());
    Case { name: format!("UTF-8, {name}"), rows, bytes, copy: memcpy, pack: vec![], unpack }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_version_of_a_kernel_gives_the_same_result() {
        for bytes in (8..2000).step_by(56).chain([1 << 16]) {
            for mut case in all(bytes) {
                case.pack.iter_mut().chain(&mut case.unpack).for_each(|work| work());
            }
        }
    }
}
