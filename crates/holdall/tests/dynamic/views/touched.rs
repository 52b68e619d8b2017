//! Counts which bytes of a message are read.

use std::io;
use std::sync::Mutex;

use holdall::view::{Bytes, ReadAt};
use holdall::{Profile, Value, View};

use crate::common::make::{int, list, record, tensor};

/// Bytes that record which of them were read.
pub struct Counted {
    bytes: Vec<u8>,
    reads: Mutex<Vec<(u64, usize)>>,
}

impl Counted {
    pub fn of(bytes: &[u8]) -> Counted {
        Counted { bytes: bytes.to_vec(), reads: Mutex::default() }
    }

    /// Returns the number of bytes read since the last call.
    pub fn take(&self) -> usize {
        let mut reads = self.reads.lock().unwrap();
        reads.drain(..).map(|(_, len)| len).sum()
    }
}

impl ReadAt for Counted {
    fn size(&self) -> io::Result<u64> {
        Ok(self.bytes.len() as u64)
    }

    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        self.reads.lock().unwrap().push((offset, bytes.len()));
        self.bytes.as_slice().read_at(bytes, offset)
    }
}

impl ReadAt for &Counted {
    fn size(&self) -> io::Result<u64> {
        (**self).size()
    }

    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        (**self).read_at(bytes, offset)
    }
}

fn view(counted: &Counted) -> View<'_> {
    View::new(Bytes::reader(counted).unwrap()).unwrap()
}

/// 20,000 records: numbers, floats, text of 100 bytes each, presence.
fn records() -> Value {
    list((0..20_000).map(|n: i64| {
        record([
            ("a", Value::from(n as f64 + 0.5)),
            ("text", Value::from(format!("{n:0100}"))),
            ("b", int(n * 1_000_003 % 100_000)),
            ("maybe", if n % 2 == 0 { Value::Null } else { int(n) }),
            ("last", Value::from(n as f64 * 0.25)),
        ])
    }))
}

#[test]
fn opening_reads_only_the_head() {
    let mut sizes = Vec::new();
    for len in [10_usize, 10_000, 1_000_000] {
        let message = holdall::to_vec(&(0..len).map(|n| n as f64).collect::<Vec<f64>>()).unwrap();
        let counted = Counted::of(&message);
        assert_eq!(view(&counted).schema().to_string(), "list(f64)");
        sizes.push(counted.take());
    }
    assert_eq!(sizes[1..], [4096, 4096]);
    assert!(sizes[0] < 100);
}

#[test]
fn a_column_reads_itself_and_what_locates_it() {
    let mut encoder = holdall::Encoder::new().profile(Profile::Fast);
    let message = encoder.message(&mut &records()).unwrap();
    let counted = Counted::of(&message);
    let view = view(&counted);
    counted.take();

    let first = view.site("a").unwrap().column().unwrap();
    assert_eq!(first.len(), 20_000);
    let bytes = counted.take();
    assert!((160_000..162_000).contains(&bytes), "the floats: {bytes} bytes");

    // After the text, whose lengths are read (a frame without fields, since all are equal).
    let last = view.site("last").unwrap().column().unwrap();
    assert_eq!(last.values().as_slice::<f64>().unwrap()[3], 0.75);
    let bytes = counted.take();
    assert!((162_500..166_000).contains(&bytes), "presence and floats: {bytes} bytes");

    let again = view.site("last").unwrap().column().unwrap();
    assert_eq!(again.len(), 20_000);
    let bytes = counted.take();
    assert!((160_000..162_000).contains(&bytes), "where it is is known: {bytes} bytes");
}

#[test]
fn a_row_reads_little_once_lengths_and_presence_are_known() {
    let mut encoder = holdall::Encoder::new().profile(Profile::Fast);
    let value = records();
    let message = encoder.message(&mut &value).unwrap();
    let items = value.as_slice().unwrap();
    let counted = Counted::of(&message);
    let view = view(&counted);
    assert_eq!(view.root().row(3).unwrap(), items[3]);
    counted.take();
    for number in [0, 7, 10_000, 19_999] {
        assert_eq!(view.root().row(number).unwrap(), items[number as usize]);
        let bytes = counted.take();
        assert!(bytes < 6_000, "{bytes} bytes of {}", message.len());
    }
}

/// Numbers of 64 bits without a pattern.
fn scattered(n: i64) -> u64 {
    (n as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[test]
fn a_column_without_a_way_to_one_row_is_decoded_once() {
    let kinds: [fn(i64) -> Value; 10] = [
        |n| Value::from(["red", "green", "blue"][n as usize * 7 % 3]),
        |n| Value::from(format!("GET /{n}/{:x}", n * n)),
        |n| int(n * n * 11),
        |n| Value::from(n as f64 / 100.0),
        |n| Value::Bool(n % 3 == 0),
        |n| Value::Bytes(vec![n as u8 % 4; 40]),
        |n| int((scattered(n) >> 24 >> (scattered(n) % 40)) as i64),
        |n| Value::from(scattered(n) as f64 / (1_u64 << 40) as f64),
        |n| tensor("u8", &[n as u64 % 3 + 4], || n as u8),
        |n| record([(["a", "b", "c"][n as usize % 3], Value::from(n as f64 / 100.0))]),
    ];
    for profile in [Profile::Balanced, Profile::Small] {
        for kind in kinds {
            let value = list((0..20_000).map(kind));
            let message = holdall::Encoder::new().profile(profile).message(&mut &value).unwrap();
            let counted = Counted::of(&message);
            let view = view(&counted);
            let row = |number| view.root().row(number).unwrap();
            let items = value.as_slice().unwrap();
            assert_eq!(row(5), items[5]);
            counted.take();
            for number in [0, 5, 6_000, 19_999] {
                assert_eq!(row(number), items[number as usize]);
                let bytes = counted.take();
                assert!(bytes < 200, "{bytes} bytes of {}: {:?}", message.len(), items[1]);
            }
        }
    }
}
