//! Shared by the writers of binary formats: open containers, keys of records, the limit.

use std::sync::Arc;

use holdall::bindings::memory::{Grow, GrowVec};
use holdall::{Code, Error, Result, Shape};

use crate::path::hex;
use crate::refuse::refuse;

/// Shape ids count up from 0; a larger one is invalid.
const MAX_SHAPES: usize = 1 << 24;

/// The output, and the open containers.
#[derive(Debug, Default)]
pub(crate) struct Nesting {
    pub(crate) out: Vec<u8>,
    top: OpenContainer,
    /// The containers around it, innermost last.
    frames: Vec<OpenContainer>,
    /// By [`Shape::id`].
    shapes: Vec<Template>,
    /// The total size of the templates made for this output.
    prepared: usize,
    keys: MapKeys,
    /// The maximum number of bytes of output and of templates, if there is a limit.
    limit: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
struct OpenContainer {
    kind: ContainerKind,
    /// The number of values still missing; in a map, with keys.
    left: usize,
}

#[derive(Clone, Copy, Debug)]
enum ContainerKind {
    Items,
    /// The shape's keys precede the values.
    Record(usize),
    Map,
}

impl Default for OpenContainer {
    /// The output: one value.
    fn default() -> Self {
        OpenContainer { kind: ContainerKind::Items, left: 1 }
    }
}

/// The offsets of the keys of open maps in the output: keys that differ in holdall may be equal there, such as an int
/// and a u8.
#[derive(Debug, Default)]
pub(crate) struct MapKeys {
    spans: Vec<(usize, usize)>,
    /// The number of keys before each of these maps.
    firsts: Vec<usize>,
}

impl MapKeys {
    pub(crate) fn clear(&mut self) {
        self.spans.clear();
        self.firsts.clear();
    }

    pub(crate) fn begin_map(&mut self) {
        self.firsts.put(self.spans.len());
    }

    pub(crate) fn begin_key(&mut self, at: usize) {
        self.spans.put((at, at));
    }

    pub(crate) fn end_key(&mut self, at: usize) {
        if let Some((_, end)) = self.spans.last_mut() {
            *end = at;
        }
    }

    /// Checks that the keys of the map that ends differ; `words` formats one.
    pub(crate) fn end_map(&mut self, out: &[u8], words: fn(&[u8]) -> String) -> Result<()> {
        let first = self.firsts.pop().unwrap_or_default();
        let bytes = |&(start, end): &(usize, usize)| &out[start..end];
        let spans = &mut self.spans[first..];
        // Most maps are sorted. In others, only keys of equal length are compared: keys can be maps whose keys are
        // maps, and comparing the inner ones once for each level would take quadratic time.
        if !spans.is_sorted_by(|a, b| bytes(a) < bytes(b)) {
            let len = |(start, end): (usize, usize)| end - start;
            spans.sort_unstable_by(|a, b| {
                len(*a).cmp(&len(*b)).then_with(|| bytes(a).cmp(bytes(b)))
            });
            if let Some(pair) = spans.windows(2).find(|pair| bytes(&pair[0]) == bytes(&pair[1])) {
                let expected = "keys that stay distinct in this format";
                return Err(refuse(expected, format!("{} twice", words(bytes(&pair[0])))));
            }
        }
        self.spans.truncate(first);
        Ok(())
    }
}

/// At least as many bytes as a number or the head of a value takes, which other crates append.
pub(crate) const HEAD: usize = 16;

/// The keys of a shape, as they precede its values.
#[derive(Debug, Default)]
struct Template {
    keys: Option<Arc<[Arc<str>]>>,
    bytes: Vec<u8>,
    /// The end offset of each.
    ends: Vec<usize>,
}

impl Nesting {
    pub(crate) fn set_limit(&mut self, bytes: usize) {
        self.limit = Some(bytes);
    }

    /// Returns the output; templates of shapes are kept.
    pub(crate) fn take(&mut self) -> Result<Vec<u8>> {
        let out = std::mem::take(&mut self.out);
        let top = std::mem::take(&mut self.top);
        let is_whole = self.frames.is_empty() && top.left == 0;
        self.frames.clear();
        self.keys.clear();
        self.prepared = 0;
        if is_whole { Ok(out) } else { Err(protocol("one complete value", "less")) }
    }

    /// Writes what precedes a value.
    #[inline]
    pub(crate) fn begin_value(&mut self) -> Result<()> {
        self.out.room(HEAD);
        if self.limit.is_some_and(|limit| self.out.len().max(self.prepared) > limit) {
            return Err(beyond(self.limit.unwrap_or_default()));
        }
        let Some(left) = self.top.left.checked_sub(1) else {
            return Err(protocol("the end of a container", "more"));
        };
        match self.top.kind {
            ContainerKind::Items => {}
            ContainerKind::Record(shape) => {
                let Template { bytes, ends, .. } = &self.shapes[shape];
                let field = ends.len() - self.top.left;
                let start = if field == 0 { 0 } else { ends[field - 1] };
                self.out.put_slice(&bytes[start..ends[field]]);
            }
            ContainerKind::Map if left % 2 == 1 => self.keys.begin_key(self.out.len()),
            ContainerKind::Map => self.keys.end_key(self.out.len()),
        }
        self.top.left = left;
        Ok(())
    }

    /// Opens a container of this many values.
    pub(crate) fn open(&mut self, values: usize) {
        self.frames.put(self.top);
        self.top = OpenContainer { kind: ContainerKind::Items, left: values };
    }

    pub(crate) fn open_map(&mut self, entries: usize) {
        self.frames.put(self.top);
        self.top = OpenContainer { kind: ContainerKind::Map, left: entries.saturating_mul(2) };
        self.keys.begin_map();
    }

    /// Opens the container of a shape's values.
    pub(crate) fn open_record(
        &mut self,
        shape: &Shape,
        write: impl Fn(&mut Vec<u8>, &str) -> Result<()>,
    ) -> Result<()> {
        let id = shape.id();
        if id >= self.shapes.len() {
            if id >= MAX_SHAPES {
                return Err(protocol("shapes counted from 0", "a large number"));
            }
            self.shapes.resize_with(id + 1, Template::default);
        }
        // Kept from one message to the next: messages of one schema share their keys.
        let known = self.shapes[id].keys.as_ref();
        if !known.is_some_and(|keys| Arc::ptr_eq(keys, shape.keys())) {
            let keys = Arc::clone(shape.keys());
            let mut template = Template { keys: Some(keys), ..Template::default() };
            for key in shape.keys().iter() {
                write(&mut template.bytes, key)?;
                template.ends.put(template.bytes.len());
            }
            self.prepared += template.bytes.len();
            self.shapes[id] = template;
        }
        self.frames.put(self.top);
        self.top = OpenContainer { kind: ContainerKind::Record(id), left: shape.keys().len() };
        Ok(())
    }

    pub(crate) fn end(&mut self) -> Result<()> {
        if self.top.left > 0 {
            return Err(protocol("the contents of a container", "its end"));
        }
        if let ContainerKind::Map = self.top.kind {
            self.keys.end_map(&self.out, hex)?;
        }
        let above = self.frames.pop();
        self.top = above.ok_or_else(|| protocol("the contents of a container", "its end"))?;
        Ok(())
    }
}

/// The error for more output than the limit allows.
#[cold]
pub(crate) fn beyond(limit: usize) -> Error {
    Error::new(Code::LimitOutput).expected(format!("at most {limit} bytes of output")).got("more")
}

/// The error for events that form no value.
#[cold]
pub(crate) fn protocol(expected: &'static str, got: &'static str) -> Error {
    Error::new(Code::BadSource).expected(expected).got(got)
}
