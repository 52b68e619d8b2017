//! Metadata: pairs of strings that can be read without schema and block (F-68).

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::error::{Code, Error, Result};
use crate::input::Input;
use crate::input::trace::{Field, FieldForm, Part, field};
use crate::memory::{self, Collect, GrowSet, GrowVec};
use crate::number::write_varint;
use crate::platform::HashSet;
use crate::schema::{path, read_count};

/// Information about a message in addition to its value: strings with distinct keys, in order.
///
/// ```
/// use holdall::{Encoder, Metadata, Value};
///
/// let metadata = Metadata::new([("source", "sensor 7"), ("unit", "mm")])?;
/// let message = Encoder::new().metadata(metadata.clone()).message(&mut &Value::from(12))?;
/// assert_eq!(Metadata::of_message(&message)?, metadata);
/// assert_eq!(metadata.get("unit"), Some("mm"));
/// # Ok::<(), holdall::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// Shared, so that no copy needs memory for them.
    pairs: Arc<Vec<(Box<str>, Box<str>)>>,
}

impl Metadata {
    /// Metadata with these keys and values.
    ///
    /// # Errors
    /// `duplicate_name` if a key is repeated.
    pub fn new<K: Into<Box<str>>, V: Into<Box<str>>>(
        pairs: impl IntoIterator<Item = (K, V)>,
    ) -> Result<Metadata> {
        let pairs: Vec<(Box<str>, Box<str>)> =
            pairs.into_iter().map(|(key, value)| (key.into(), value.into())).collected();
        memory::guarded(|| {
            let mut seen = HashSet::new();
            match pairs.iter().find(|(key, _)| !seen.put(&**key)) {
                Some((key, _)) => {
                    Err(duplicate(key).with_path(|| format!("metadata{}", path::field(key))))
                }
                None => Ok(()),
            }
        })?;
        Ok(Metadata { pairs: Arc::new(pairs) })
    }

    /// Metadata of pairs whose keys are known to differ.
    pub fn of_distinct(pairs: &[(&str, &str)]) -> Metadata {
        let boxed = |text: &str| memory::text(text).into_boxed_str();
        let pairs = pairs.iter().map(|&(key, value)| (boxed(key), boxed(value)));
        Metadata { pairs: Arc::new(memory::collected(pairs)) }
    }

    /// The value of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        self.iter().find(|(own, _)| *own == key).map(|(_, value)| value)
    }

    /// The keys and values, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.pairs.iter().map(|(key, value)| (&**key, &**value))
    }

    /// The number of keys.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether there are no keys.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Appends the bytes.
    pub fn write(&self, out: &mut Vec<u8>) {
        write_varint(out, self.pairs.len() as u64);
        for text in self.iter().flat_map(<[&str; 2]>::from) {
            write_varint(out, text.len() as u64);
            out.put_slice(text.as_bytes());
        }
    }
}

const KEY: Field = field("a key", "F-68").form(FieldForm::Key);
const VALUE: Field = field("a key's value", "F-68").form(FieldForm::MetadataValue);

/// Reads what [`Metadata::write`] writes.
pub fn read_metadata<'a>(input: &mut Input<'a>) -> Result<Vec<(&'a str, &'a str)>> {
    input.enter(Part::Metadata, None);
    let count = read_count(input, field("a number of pairs", "F-68"), 0)?;
    // Grows as pairs are read: the count is bounded by bytes, but a pair takes more memory than its bytes.
    let (mut pairs, mut seen) = (Vec::new(), HashSet::new());
    for _ in 0..count {
        let at = input.position();
        let key = read_text(input, KEY)?;
        if !seen.put(key) {
            return Err(duplicate(key).moved_to(at));
        }
        pairs.put((key, read_text(input, VALUE)?));
    }
    Ok(pairs)
}

fn read_text<'a>(input: &mut Input<'a>, text: Field) -> Result<&'a str> {
    let len = input.varint(field("a length", "F-68"))?;
    let at = input.position();
    let bytes = input.take(u128::from(len), text)?;
    core::str::from_utf8(bytes)
        .map_err(|_| Error::at(Code::InvalidUtf8, at).expected("UTF-8").got("other bytes"))
}

#[cold]
fn duplicate(key: &str) -> Error {
    Error::new(Code::DuplicateName).expected("each key once").got(format!("{key:?} twice"))
}
