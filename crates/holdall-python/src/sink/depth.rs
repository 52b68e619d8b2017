//! Estimates the stack that CPython needs to free or hash a value, which it does by recursion.
//!
//! CPython frees nested lists, dicts and objects of Python classes 50 levels at a time (its *trashcan*), so they can be
//! nested without limit. Some kinds of objects have no such protection: freeing 105,000 nested deques ends the process.
//! Hashing a tuple hashes its items, without any limit.
//!
//! Each value therefore has a [`Depth`]: an estimate of the bytes of stack for its most deeply nested path. An
//! unprotected kind adds the stack for freeing one of its objects. A protected container subtracts [`RELIEF`] instead:
//! at most 50 of them are freed at a time, which also bounds the sum for the kinds between them. A value that would
//! exceed [`LIMIT`] is refused, so half a MiB of stack suffices.

use holdall::events::RowId;
use holdall::{Code, Error, Result};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{
    PyBytes, PyComplex, PyDict, PyFloat, PyFrozenSet, PyInt, PyList, PySet, PyString, PyTuple,
    PyType,
};

use super::class::How;
use super::{Body, Builder, Content, OpenContainer};
use crate::once::Once;
use crate::raw::{self, Methods};

/// The largest depth, in bytes of stack. The documentation lists the levels of each kind that fit.
const LIMIT: u32 = 200_000;
/// Subtracted by a protected container; `LATER_RELIEF` from CPython 3.13 on, which frees about 1,000 of them at a time.
const RELIEF: u32 = 2_048;
const LATER_RELIEF: u32 = 128;
/// The stack for freeing an object of each kind, measured with CPython 3.11 to 3.13 and numpy 2.4 and rounded up.
const DEQUE: u32 = 96;
const DEFAULT_DICT: u32 = 176;
const SLICE: u32 = 40;
const ARRAY: u32 = 2_048;
/// The same for a msgspec Struct with `gc=False`: msgspec protects only those that are collected.
const UNCOLLECTED_STRUCT: u32 = 128;
/// The stack for other extension types. Those that were measured take 16 to 32.
const OTHER: u32 = 512;
/// The stack for hashing a tuple, and an object of another extension type.
const TUPLE_HASH: u32 = 96;
const OTHER_HASH: u32 = 128;
/// Subtracted by an object whose class has `__hash__` in Python: Python counts such calls, and raises RecursionError
/// after 1,000.
const HASH_RELIEF: u32 = 200;
/// The stack for hashing a value inside itself, which may traverse all of it once more.
const HASH_OF_CYCLE: u32 = LIMIT - 6_400;

/// Bytes of stack for the most deeply nested path.
#[derive(Clone, Copy, Default)]
pub(super) struct Depth {
    /// For freeing the value.
    free: u32,
    /// For freeing its items alone: the value is a container that will not exist, such as the tuple and list that hold a
    /// deque's content.
    free_contents: u32,
    /// For freeing what its items contain: these are such containers, too.
    free_inner: u32,
    /// For hashing the value.
    hash: u32,
    /// For comparing the arrays of objects in it. Between them, Python counts only its own calls.
    arrays: u32,
}

impl Depth {
    #[inline]
    fn is_zero(self) -> bool {
        self.free_inner | self.hash | self.arrays == 0
    }

    /// Adds the depth of a value in a container, unless that exceeds a limit.
    #[inline]
    pub(super) fn add_known(&mut self, value: Depth) -> bool {
        let fits = value.is_zero() || value.free.max(value.arrays).max(value.hash) <= LIMIT;
        if fits && !value.is_zero() {
            *self = self.max(value);
        }
        fits
    }

    fn max(self, other: Depth) -> Depth {
        Depth {
            free: self.free.max(other.free),
            free_contents: self.free_contents.max(other.free_contents),
            free_inner: self.free_inner.max(other.free_inner),
            hash: self.hash.max(other.hash),
            arrays: self.arrays.max(other.arrays),
        }
    }

    /// Returns the depth of a protected container around values of this depth.
    fn in_container(self, relief: u32, hash: Hashing) -> Depth {
        Depth {
            free: self.free.saturating_sub(relief),
            free_contents: self.free,
            free_inner: self.free_contents,
            hash: hash.around(self.hash),
            arrays: self.arrays,
        }
    }

    /// Returns the depth of an object that a function makes from values of this depth.
    fn in_object(self, relief: u32, weight: Weight) -> Depth {
        let inside = self.free_inner;
        let free = match weight.free {
            0 => inside.saturating_sub(relief),
            own => inside.saturating_add(own),
        };
        Depth {
            free,
            free_contents: inside.max(free),
            free_inner: inside.max(free),
            hash: weight.hash.around(self.hash),
            arrays: self.arrays + if weight.free == ARRAY { ARRAY } else { 0 },
        }
    }

    fn at_least(self, free: u32) -> Depth {
        self.max(Depth { free, free_contents: free, free_inner: free, ..Depth::default() })
    }

    /// Adds the maximum for this many levels of nested containers.
    fn with_levels(self, levels: u32, weight: u32) -> Depth {
        let more = |own: u32| own.saturating_add(levels * weight);
        Depth {
            free: more(self.free),
            free_contents: more(self.free_contents),
            free_inner: more(self.free_inner),
            hash: self.hash.saturating_add(levels * OTHER_HASH),
            arrays: self.arrays,
        }
    }
}

/// References from inside a value to values that contain it and are not complete yet.
#[derive(Clone, Copy, Default)]
pub(super) struct Loops {
    /// References to protected containers, to other enclosing objects (`bare`), and to complete parts of them (`across`).
    protected: u32,
    bare: u32,
    across: u32,
    /// The largest depth of a value in the cycle.
    tallest: u32,
}

impl Loops {
    #[inline]
    fn is_empty(self) -> bool {
        self.protected | self.bare | self.across | self.tallest == 0
    }

    fn add(&mut self, other: Loops) {
        self.protected = self.protected.saturating_add(other.protected);
        self.bare = self.bare.saturating_add(other.bare);
        self.across = self.across.saturating_add(other.across);
        self.tallest = self.tallest.max(other.tallest);
    }

    /// Returns the largest depth of a path through the cycle. A path can follow each reference back once; between two
    /// of them is a protected container, or the next one leads further out.
    fn bound(self, relief: u32) -> u32 {
        let all = self.protected.saturating_add(self.bare).saturating_add(self.across);
        if all == 0 || (self.tallest <= relief && self.bare == 0) {
            return 0;
        }
        let paths = match self.across {
            0 => self.protected.min(LIMIT / relief) + self.bare.min(self.tallest / SLICE),
            _ => all,
        };
        self.tallest.saturating_mul(paths.saturating_add(1))
    }
}

/// The stack for freeing and hashing an object of a type, without its contents.
#[derive(Clone, Copy)]
pub struct Weight {
    /// 0 if CPython protects the type.
    free: u32,
    hash: Hashing,
}

/// How an object is hashed.
#[derive(Clone, Copy)]
pub enum Hashing {
    /// Not by its contents, or not at all.
    Plain,
    /// By its contents, with this much stack for each level; `Code`: by Python code.
    Deep(u32),
    Code,
}

impl Hashing {
    fn around(self, inside: u32) -> u32 {
        match self {
            Hashing::Plain => 0,
            Hashing::Deep(own) => inside.saturating_add(own),
            Hashing::Code => inside.saturating_sub(HASH_RELIEF),
        }
    }
}

/// Functions of CPython that identify kinds of types.
struct KnownDepths {
    /// Functions that free objects with protection.
    protected: Vec<usize>,
    unprotected: Vec<(usize, u32)>,
    /// Functions that hash an object without its contents, or refuse to.
    plain_hashes: Vec<usize>,
    hash_of_tuple: usize,
    hash_by_code: usize,
    relief: u32,
}

static KNOWN: Once<KnownDepths> = Once::new();

fn known(py: Python<'_>) -> PyResult<&'static KnownDepths> {
    KNOWN.get_or_try_init(py, || {
        let of = |module: &str, name: &str| -> PyResult<Methods> {
            let class = py.import(module)?.getattr(name)?.cast_into::<PyType>()?;
            Ok(raw::methods_of(&class))
        };
        let builtin = |class: Bound<'_, PyType>| raw::methods_of(&class);
        let frozen = builtin(py.get_type::<PyFrozenSet>());
        let tuple = builtin(py.get_type::<PyTuple>());
        let python = of("holdall._impl._values", "Record")?;
        let unprotected = [
            (of("collections", "deque")?.free, DEQUE),
            (of("collections", "defaultdict")?.free, DEFAULT_DICT),
            (of("builtins", "slice")?.free, SLICE),
        ];
        Ok(KnownDepths {
            protected: vec![
                python.free,
                tuple.free,
                builtin(py.get_type::<PyList>()).free,
                builtin(py.get_type::<PyDict>()).free,
                builtin(py.get_type::<PySet>()).free,
                frozen.free,
                of("collections", "OrderedDict")?.free,
                of("builtins", "BaseException")?.free,
                // The object is not protected, but its dict is.
                of("types", "SimpleNamespace")?.free,
            ],
            unprotected: unprotected.into(),
            plain_hashes: vec![
                of("builtins", "object")?.hash,
                builtin(py.get_type::<PyList>()).hash,
                // It keeps the hashes of its members.
                frozen.hash,
                // Their subclasses can have attributes.
                builtin(py.get_type::<PyString>()).hash,
                builtin(py.get_type::<PyInt>()).hash,
                builtin(py.get_type::<PyFloat>()).hash,
                builtin(py.get_type::<PyBytes>()).hash,
                builtin(py.get_type::<PyComplex>()).hash,
            ],
            hash_of_tuple: tuple.hash,
            hash_by_code: python.hash,
            relief: if py.version_info() >= (3, 13) { LATER_RELIEF } else { RELIEF },
        })
    })
}

impl KnownDepths {
    /// Returns the stack for freeing an object of a class, 0 if CPython protects it.
    fn weigh_free(&self, class: &Bound<'_, PyType>, own: &Methods) -> PyResult<u32> {
        let unprotected = self.unprotected.iter().find(|(free, _)| *free == own.free);
        Ok(match unprotected {
            _ if self.protected.contains(&own.free) => 0,
            Some((_, weight)) => *weight,
            None if own.is_collected => OTHER,
            // Few types hold objects that the garbage collector does not see.
            None if class.name()? == "ndarray" => ARRAY,
            None if own.is_made_at_runtime => UNCOLLECTED_STRUCT,
            None => 0,
        })
    }

    fn weigh_hash(&self, class: &Bound<'_, PyType>, own: &Methods) -> PyResult<Hashing> {
        Ok(match own.hash {
            hash if hash == 0 || self.plain_hashes.contains(&hash) => Hashing::Plain,
            hash if hash == self.hash_by_code => Hashing::Code,
            hash if hash == self.hash_of_tuple => Hashing::Deep(TUPLE_HASH),
            _ if own.is_made_at_runtime && is_plain_struct(class)? => Hashing::Plain,
            _ => Hashing::Deep(OTHER_HASH),
        })
    }

    fn weigh(&self, class: &Bound<'_, PyType>) -> PyResult<Weight> {
        let own = raw::methods_of(class);
        Ok(Weight { free: self.weigh_free(class, &own)?, hash: self.weigh_hash(class, &own)? })
    }
}

/// Whether the class is a msgspec Struct whose `__hash__` does not hash its fields: it does if objects compare by value and are
/// frozen.
fn is_plain_struct(class: &Bound<'_, PyType>) -> PyResult<bool> {
    let py = class.py();
    let Some(config) = class.getattr_opt(intern!(py, "__struct_config__"))? else {
        return Ok(false);
    };
    let has = |name| config.getattr(name)?.is_truthy();
    Ok(!(has(intern!(py, "eq"))? && has(intern!(py, "frozen"))?))
}

impl Weight {
    /// That of the objects of a msgspec Struct, of which msgspec protects those that are collected.
    pub(super) fn of_struct(class: &Bound<'_, PyType>) -> PyResult<Weight> {
        let (known, own) = (known(class.py())?, raw::methods_of(class));
        let free = if own.is_collected { 0 } else { known.weigh_free(class, &own)? };
        Ok(Weight { free, hash: known.weigh_hash(class, &own)? })
    }
}

impl<'py> Builder<'py, '_> {
    /// Returns the depth of a container that became this value.
    pub(super) fn depth_of(
        &mut self,
        frame: &OpenContainer<'py>,
        slot: &Content<'py>,
        is_closed: bool,
    ) -> Result<Depth> {
        let (inside, known) = (frame.depth, known(self.py));
        if inside.is_zero()
            && frame.loops.is_empty()
            && !frame.fit
            && matches!(frame.body, Body::List(_) | Body::Dict { .. } | Body::Map { .. })
        {
            return Ok(inside);
        }
        let relief = self.check(known)?.relief;
        let plain = |hash: Hashing| inside.in_container(relief, hash);
        let mut depth = match &frame.body {
            // The object that holds the contents decides.
            Body::Items { is_storage: true, .. } => inside,
            Body::Through(_) if !frame.fit => inside,
            Body::List(_) | Body::Dict { .. } | Body::Map { .. } if !frame.fit => {
                plain(Hashing::Plain)
            }
            Body::Holder { .. } if !frame.fit => plain(Hashing::Plain),
            Body::Tuple { .. } if !frame.fit => plain(Hashing::Deep(TUPLE_HASH)),
            body => inside.in_object(relief, self.weight_of(body, slot)?),
        };
        let mut loops = frame.loops;
        loops.tallest = loops.tallest.max(depth.free);
        if is_closed {
            let bound = loops.bound(relief);
            if bound > 0 {
                depth = depth.at_least(bound);
                self.cyclic = self.cyclic.max(bound);
            }
        } else if let Some(outer) = self.stack.last_mut() {
            outer.loops.add(loops);
        }
        Ok(depth)
    }

    /// Returns the stack for freeing and hashing the object of a container.
    fn weight_of(&mut self, body: &Body<'py>, slot: &Content<'py>) -> Result<Weight> {
        if let Body::Struct { layout, .. } = body
            && let How::Construct(_, weight) = &self.kept.layout(*layout).class.how
        {
            return Ok(*weight);
        }
        let weight = match slot {
            Content::Now(object) => self.weigh(object),
            // It does not exist yet, so it may be anything.
            Content::Late(_) => Ok(Weight { free: OTHER, hash: Hashing::Deep(OTHER_HASH) }),
        };
        self.check(weight)
    }

    /// Adds the depth of a value to the innermost open container.
    #[inline]
    pub(super) fn put_deep(&mut self, slot: Content<'py>, depth: Depth) -> Result<()> {
        if depth.is_zero() {
            return self.put(slot);
        }
        if depth.free > LIMIT {
            return Err(too_deep("free"));
        }
        if depth.arrays > LIMIT {
            return Err(too_deep("compare"));
        }
        if depth.hash > LIMIT {
            return Err(too_deep("hash"));
        }
        if let Some(outer) = self.stack.last_mut() {
            outer.depth = outer.depth.max(depth);
        }
        self.put(slot)
    }

    /// Returns the depth of a reference to an incomplete value, and counts the reference.
    pub(super) fn depth_of_loop(
        &mut self,
        row: RowId,
        target: usize,
        known: Depth,
    ) -> Result<Depth> {
        let Some(frame) = self.stack.get(target) else { return Ok(known) };
        let mut loops = Loops::default();
        let depth = if frame.ids.contains(&row) {
            let (is_protected, is_hashed) = match &frame.body {
                Body::List(_) | Body::Dict { .. } | Body::Map { .. } | Body::Holder { .. } => {
                    (true, false)
                }
                Body::Tuple { .. } => (true, true),
                body => match body.object() {
                    Some(object) => {
                        let weight = weight_of_class(&object.get_type());
                        let weight = self.check(weight)?;
                        (weight.free == 0, true)
                    }
                    None => (false, true),
                },
            };
            if is_protected {
                loops.protected = 1;
            } else {
                loops.bare = 1;
            }
            Depth { hash: if is_hashed { HASH_OF_CYCLE } else { 0 }, ..Depth::default() }
        } else {
            loops.across = 1;
            known
        };
        if let Some(frame) = self.stack.last_mut() {
            frame.loops.add(loops);
        }
        Ok(depth)
    }

    /// Returns the depth of a complete value, to which a reference leads.
    pub(super) fn depth_of_complete(&self, depth: Depth, was_in_cycle: bool) -> Depth {
        if was_in_cycle { depth.at_least(self.cyclic) } else { depth }
    }

    /// Forgets the depth of the previous direct build.
    pub(super) fn forget_depth(&mut self) {
        self.direct.depth = Depth::default();
        self.direct.weight = 0;
    }

    /// Records the stack for freeing an object that a direct build made.
    pub(super) fn note_weight(&mut self, made: &PyResult<Bound<'py, PyAny>>) {
        if let Ok(made) = made
            && let Ok(weight) = self.weigh(made)
        {
            self.direct.weight = self.direct.weight.max(weight.free);
        }
    }

    /// Returns the stack for freeing and hashing an object. The next is often of the same class.
    fn weigh(&mut self, object: &Bound<'py, PyAny>) -> PyResult<Weight> {
        if let Some((class, weight)) = &self.weighed
            && class.as_type_ptr() == object.get_type_ptr()
        {
            return Ok(*weight);
        }
        let class = object.get_type();
        let weight = weight_of_class(&class)?;
        self.weighed = Some((class, weight));
        Ok(weight)
    }

    /// Records the depth of a value that events built inside a direct build.
    pub(super) fn note_depth(&mut self, frame: Option<&OpenContainer<'py>>) {
        if let Some(frame) = frame {
            self.direct.depth = self.direct.depth.max(frame.depth);
        }
    }

    /// Returns the depth of a value that was built directly, at most this many levels deep.
    pub(super) fn depth_of_direct(&self, levels: usize) -> Depth {
        self.direct.depth.with_levels(levels as u32, self.direct.weight)
    }
}

fn weight_of_class(class: &Bound<'_, PyType>) -> PyResult<Weight> {
    known(class.py())?.weigh(class)
}

#[cold]
fn too_deep(what: &str) -> Error {
    Error::new(Code::LimitDepth)
        .expected(format!("values that CPython can {what}"))
        .got("values nested too deeply for its stack")
}
