//! Reads plain data of another format without a message between: null, booleans, integers of 64 bits, floats, text, bytes, lists, and
//! mappings whose keys are text.
//!
//! For any other value, and where anything fails, the build has no effect: a message knows all values, and the place of a
//! fault.

use holdall::bindings::memory::{GrowVec, catch};
use holdall::events::{Event, Sink};
use holdall::{Code, Error, Result};
use holdall_convert::Receiver;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyString};

use crate::collector::{self, MANY_CONTAINERS, WithoutCollector};
use crate::raw;
use crate::sink::wide;
use crate::small::DOCUMENT;

/// How deep containers may be inside each other.
const LEVELS: usize = 64;
/// The places for repeated keys, and the number of keys from which on they are looked for.
const PLACES: usize = 1024;
const FEW_KEYS: usize = 16;
/// The longest key that is kept.
const MAX_KEPT_KEY: usize = 64;

/// Returns the list or dict of data that a source emits, if it is plain and valid.
pub(super) fn read<'py>(
    py: Python<'py>,
    emit: impl FnOnce(&mut PlainBuild<'py>) -> Result<()>,
) -> Option<Bound<'py, PyAny>> {
    let collector = WithoutCollector::new(py);
    let mut build = PlainBuild::new(py);
    // Where memory is missing, the reader of any value reports it.
    catch(|| emit(&mut build)).ok()?.ok()?;
    if build.containers >= MANY_CONTAINERS && collector.was_on() {
        collector::settle(py);
    }
    build.root
}

/// Builds objects from events.
pub(super) struct PlainBuild<'py> {
    py: Python<'py>,
    root: Option<Bound<'py, PyAny>>,
    open: Vec<OpenPlain<'py>>,
    /// The items of the open lists.
    items: Vec<Bound<'py, PyAny>>,
    keys: Vec<Option<Bound<'py, PyString>>>,
    key_count: usize,
    containers: u64,
    /// How many more values there may be: other threads and signals wait meanwhile.
    left: usize,
}

enum OpenPlain<'py> {
    /// By the place of its first item.
    List(usize),
    Dict(OpenDict<'py>),
}

struct OpenDict<'py> {
    dict: Bound<'py, PyDict>,
    key: Option<Bound<'py, PyString>>,
    count: usize,
}

/// What a message finds out.
#[cold]
fn declined() -> Error {
    Error::new(Code::BadSource)
}

impl<'py> PlainBuild<'py> {
    fn new(py: Python<'py>) -> PlainBuild<'py> {
        let (open, items, keys) = (Vec::new(), Vec::new(), Vec::new());
        PlainBuild {
            py,
            root: None,
            open,
            items,
            keys,
            key_count: 0,
            containers: 0,
            left: DOCUMENT,
        }
    }

    /// Adds an object to the innermost container.
    #[inline]
    fn put(&mut self, object: PyResult<Bound<'py, PyAny>>) -> Result<()> {
        let object = object.map_err(|_| declined())?;
        match self.open.last_mut() {
            Some(OpenPlain::List(_)) => self.items.put(object),
            Some(OpenPlain::Dict(open)) => {
                let key = open.key.take().ok_or_else(declined)?;
                open.dict.set_item(key, object).map_err(|_| declined())?;
                open.count += 1;
            }
            // Only containers are at the root.
            None => return Err(declined()),
        }
        self.left = self.left.checked_sub(1).ok_or_else(declined)?;
        Ok(())
    }

    fn begin(&mut self, open: OpenPlain<'py>) -> Result<()> {
        if self.open.len() == LEVELS || self.root.is_some() {
            return Err(declined());
        }
        self.open.put(open);
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        let object = match self.open.pop().ok_or_else(declined)? {
            OpenPlain::List(first) => {
                let list = raw::list_of(self.py, self.items.drain(first..).map(Ok));
                list.map_err(|_| declined())?.into_any()
            }
            // A key came twice.
            OpenPlain::Dict(open) if open.dict.len() != open.count => return Err(declined()),
            OpenPlain::Dict(open) => open.dict.into_any(),
        };
        self.containers += 1;
        if self.open.is_empty() {
            self.root = Some(object);
            return Ok(());
        }
        self.put(Ok(object))
    }

    fn make_key(&self, text: &str) -> Result<Bound<'py, PyString>> {
        let key = raw::text(self.py, text).map_err(|_| declined())?;
        key.cast_into::<PyString>().map_err(|_| declined())
    }

    /// The string of a key, the same one where it is repeated: it then has its hash.
    #[inline]
    fn key_of(&mut self, text: &str) -> Result<Bound<'py, PyString>> {
        self.key_count += 1;
        if self.key_count <= FEW_KEYS || text.len() > MAX_KEPT_KEY {
            return self.make_key(text);
        }
        if self.keys.is_empty() {
            self.keys.put_fill(PLACES, None);
        }
        let place = place_of(text.as_bytes());
        if let Some(key) = &self.keys[place]
            && raw::utf8(key).is_ok_and(|own| own == text)
        {
            return Ok(key.clone());
        }
        let key = self.make_key(text)?;
        self.keys[place] = Some(key.clone());
        Ok(key)
    }
}

/// By the length and the first and last eight bytes: keys seldom differ elsewhere.
#[inline]
fn place_of(text: &[u8]) -> usize {
    let word = |bytes: &[u8]| bytes.iter().fold(0_u64, |word, byte| word << 8 | u64::from(*byte));
    let few = text.len().min(size_of::<u64>());
    let (first, last) = (word(&text[..few]), word(&text[text.len() - few..]));
    let mixed =
        (first ^ last.rotate_left(29) ^ text.len() as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed >> (u64::BITS - PLACES.ilog2())) as usize
}

impl Sink for PlainBuild<'_> {
    #[inline(always)]
    fn event(&mut self, event: Event<'_>) -> Result<()> {
        let py = self.py;
        match event {
            Event::Null => self.put(Ok(py.None().into_bound(py))),
            Event::Bool(value) => self.put(Ok(PyBool::new(py, value).to_owned().into_any())),
            Event::Int(value) => self.put(raw::int(py, value)),
            Event::F16(value) => self.put(raw::float(py, value.to_f64())),
            Event::F32(value) => self.put(raw::float(py, wide(value))),
            Event::F64(value) => self.put(raw::float(py, value)),
            Event::String(value) => self.put(raw::text(py, value)),
            Event::Bytes(value) => self.put(raw::bytes(py, value).map(Bound::into_any)),
            Event::List(_) => self.begin(OpenPlain::List(self.items.len())),
            Event::End => self.end(),
            _ => Err(declined()),
        }
    }
}

impl Receiver for PlainBuild<'_> {
    fn mapping<'k>(&mut self, _: impl Iterator<Item = &'k str> + Clone) -> Result<()> {
        let dict = raw::dict(self.py).map_err(|_| declined())?;
        self.begin(OpenPlain::Dict(OpenDict { dict, key: None, count: 0 }))
    }

    fn key<'k>(&mut self, key: impl FnOnce() -> &'k str) -> Result<()> {
        let key = self.key_of(key())?;
        match self.open.last_mut() {
            Some(OpenPlain::Dict(open)) => open.key = Some(key),
            _ => return Err(declined()),
        }
        Ok(())
    }
}
