//! Values of types that the format knows, one by one.

use std::rc::Rc;
use std::sync::Arc;

use holdall::bindings::memory::{self, Collect, GrowVec};
use holdall::bindings::shorten_big;
use holdall::{Code, Error, IntKind, LogicalType, Result};
use pyo3::Borrowed;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyList, PyString, PyType};

use super::hook::Asking;
use super::leaves::small_decimal;
use super::{Encoded, Native, Walker, order};
use crate::arrays::Arrays;
use crate::once::{Once, intern};
use crate::raw;
use crate::support;

/// The styles of paths (F-72).
pub const POSIX: u8 = 1;
pub const WINDOWS: u8 = 2;

/// `re.UNICODE`, which every text pattern has by default, and the flags with letters.
const UNICODE: u32 = 32;
/// Longer ones are not read (`holdall._impl._patterns`).
const LONGEST_PATTERN: usize = 1 << 16;
const PATTERN_FLAGS: [(char, u32); 5] = [('a', 256), ('i', 2), ('m', 8), ('s', 16), ('x', 64)];

impl<'py> Walker<'py, '_> {
    #[inline]
    pub(super) fn string(&mut self, text: &Bound<'py, PyString>) -> Result<()> {
        match raw::utf8(text) {
            Ok(text) => self.shredder.string(text),
            Err(_) => self.surrogates(text),
        }
    }

    /// Encodes text with lone surrogates as WTF-8.
    fn surrogates(&mut self, text: &Bound<'py, PyString>) -> Result<()> {
        let bytes = text
            .call_method1("encode", ("utf-8", "surrogatepass"))
            .and_then(|bytes| Ok(bytes.cast_into::<PyBytes>()?));
        let bytes = self.py_check(bytes)?;
        // It is text, which has no identity in Python.
        let around = self.row;
        self.begin_logical(LogicalType::WTF8_STRING, &[])?;
        self.row = around;
        self.shredder.bytes(bytes.as_bytes())?;
        self.shredder.end()
    }

    #[inline]
    pub(super) fn int(&mut self, object: &Bound<'py, PyAny>) -> Result<()> {
        let bits = raw::int_bits(object);
        match self.py_check(bits)? {
            Some(bits) => self.shredder.int(bits),
            None => {
                let mut buffer = std::mem::take(&mut self.big);
                let pushed = match raw::big_bytes(object, &mut buffer) {
                    Ok(bytes) => self.shredder.big_int(IntKind::Int, bytes),
                    Err(exception) => Err(self.refuse_with(exception)),
                };
                self.big = buffer;
                pushed
            }
        }
    }

    pub(super) fn wide_int(&mut self, value: i128) -> Result<()> {
        match i64::try_from(value) {
            Ok(value) => self.shredder.int(value),
            Err(_) => self.shredder.big_int(IntKind::Int, shorten_big(&value.to_le_bytes())),
        }
    }

    fn attribute(&mut self, object: &Bound<'py, PyAny>, name: &str) -> Result<Bound<'py, PyAny>> {
        let value = object.getattr(name);
        self.py_check(value)
    }

    /// Encodes a value of a type that this crate knows.
    pub(super) fn native(
        &mut self,
        object: &Bound<'py, PyAny>,
        native: Native,
    ) -> Result<Encoded<'py>> {
        match native {
            Native::ByteArray => {
                if !object.is_instance_of::<PyByteArray>() {
                    return Ok(Encoded::Scalar);
                }
                let bytes = self.py_check(raw::bytes_of(object))?;
                self.begin_logical(LogicalType::BYTE_ARRAY, &[])?;
                self.shredder.bytes(bytes.as_bytes())?;
                self.shredder.end()?;
            }
            Native::MemoryView => {
                let bytes = object
                    .call_method0("tobytes")
                    .and_then(|bytes| Ok(bytes.cast_into::<PyBytes>()?));
                let bytes = self.py_check(bytes)?;
                self.shredder.bytes(bytes.as_bytes())?;
                return Ok(Encoded::Scalar);
            }
            Native::Set | Native::FrozenSet => self.set(object, native)?,
            Native::OrderedDict => {
                let items = support(self.py, "copy_items")
                    .and_then(|copy| Ok(copy.call1((object,))?.extract::<Option<_>>()?));
                let Some(items): Option<Bound<'py, PyDict>> = self.py_check(items)? else {
                    return self.instead(object);
                };
                self.begin_logical(LogicalType::ORDERED_MAP, &[])?;
                let start = self.begin_map(&items)?;
                self.scalars_at_once(start, 2)?;
            }
            Native::Range => {
                let mut parts = memory::with_capacity(3);
                for name in ["start", "stop", "step"] {
                    parts.put(self.attribute(object, name)?);
                }
                self.begin_logical(LogicalType::RANGE, &[])?;
                self.ints(&parts)?;
                self.shredder.end()?;
            }
            Native::Decimal => return self.decimal(object),
            Native::Uuid => {
                let safe = self.attribute(object, "is_safe")?;
                let value = self.attribute(&safe, "value")?;
                if !value.is_none() {
                    return self.instead(object);
                }
                let bytes = self.attribute(object, "bytes")?;
                self.begin_logical(LogicalType::UUID, &[])?;
                self.fixed(&bytes)?;
                self.shredder.end()?;
            }
            Native::Ip => {
                let bytes = self.attribute(object, "packed")?;
                let len = bytes.len();
                let len = self.py_check(len)?;
                self.begin_logical(LogicalType::IP_ADDRESS, &[if len == 4 { 4 } else { 6 }])?;
                self.fixed(&bytes)?;
                self.shredder.end()?;
            }
            Native::Fixed => {
                self.fixed(object)?;
                return Ok(Encoded::Scalar);
            }
            Native::Int => {
                let kind = self.attribute(object, "kind")?;
                let value = self.attribute(object, "value")?;
                let bits = raw::int_bits(&value);
                let bits = self.py_check(bits)?.unwrap_or_default();
                let kind = match kind.to_string().as_str() {
                    "u8" => IntKind::U8,
                    "i32" => IntKind::I32,
                    _ => IntKind::I64,
                };
                self.shredder.fixed_int(kind, bits.cast_unsigned())?;
                return Ok(Encoded::Scalar);
            }
            Native::Unknown => {
                let error = Error::new(Code::UnsupportedValue)
                    .expected("a value that this version knows")
                    .got("one that was skipped when it was read");
                return Err(self.shredder.refuse(error));
            }
            Native::Record => {
                let name = self.attribute(object, "__holdall_name__")?;
                let name = self.text(&name)?;
                let fields = self.attribute(object, "__dict__")?;
                let start = self.pending.len();
                if let Ok(fields) = fields.cast::<PyDict>() {
                    let mut position = 0;
                    while let Some((name, value)) = raw::next_entry(fields, &mut position) {
                        self.pending.put_each([Some(name), Some(value)]);
                    }
                }
                let fields = start..self.pending.len();
                self.fields(&name, None, fields, None)?;
            }
            Native::Variant | Native::Extension | Native::Logical => {
                let value = self.attribute(object, "value")?;
                if matches!(native, Native::Logical) {
                    let kind = self.attribute(object, "kind")?;
                    let kind = kind.extract::<u8>();
                    let kind = self.py_check(kind)?;
                    let parameters = self.attribute(object, "parameters")?;
                    let parameters = parameters.extract::<Vec<u8>>();
                    let parameters = self.py_check(parameters)?;
                    let ty = LogicalType::new(kind, &parameters);
                    let ty = ty.map_err(|error| self.shredder.refuse(error))?;
                    self.shredder.begin_logical(&Arc::new(ty))?;
                } else {
                    let name = self.attribute(object, "name")?;
                    let name = self.text(&name)?;
                    if matches!(native, Native::Variant) {
                        self.shredder.begin_variant(&name)?;
                    } else {
                        self.shredder.begin_extension(&name)?;
                    }
                }
                self.row = self.shredder.latest_row();
                let start = self.pending.len();
                self.pending.put(Some(value));
                self.scalars_at_once(start, 1)?;
            }
            Native::Tensor => {
                self.tensor(object)?;
                self.row = self.shredder.latest_row();
            }
            Native::Fraction => {
                let parts =
                    [self.attribute(object, "numerator")?, self.attribute(object, "denominator")?];
                self.begin_logical(LogicalType::RATIONAL, &[])?;
                self.ints(&parts)?;
                self.shredder.end()?;
            }
            Native::Arrays => self.arrays(object)?,
            Native::Path | Native::PurePath => return self.path(object, native),
            Native::Pattern => self.pattern(object)?,
            Native::Deque | Native::DefaultDict | Native::Counter => {
                let content = self.content_of(object, native);
                let (name, content) = self.py_check(content)?;
                self.extension(name, content)?;
            }
        }
        Ok(Encoded::Row)
    }

    /// Returns the extension for a container of `collections`, and its content.
    fn content_of(
        &mut self,
        object: &Bound<'py, PyAny>,
        native: Native,
    ) -> PyResult<(&'py Bound<'py, PyString>, Bound<'py, PyAny>)> {
        let py = self.py;
        let items = |class: Bound<'py, PyType>| class.call1((object,));
        Ok(match native {
            Native::Deque => {
                let most = object.getattr(intern!(py, "maxlen"))?;
                let content = (items(py.get_type::<PyList>())?, most).into_pyobject(py)?;
                (intern!(py, "py.deque"), content.into_any())
            }
            Native::DefaultDict => {
                let factory = object.getattr(intern!(py, "default_factory"))?;
                let name = self.memory.factory_name(factory)?;
                let content = (name, items(py.get_type::<PyDict>())?).into_pyobject(py)?;
                (intern!(py, "py.defaultdict"), content.into_any())
            }
            _ => (intern!(py, "py.counter"), items(py.get_type::<PyDict>())?),
        })
    }

    /// Encodes an extension of this name; its content waits.
    fn extension(&mut self, name: &Bound<'py, PyString>, content: Bound<'py, PyAny>) -> Result<()> {
        let name = self.text(name)?;
        self.shredder.begin_extension(&name)?;
        self.row = self.shredder.latest_row();
        let start = self.pending.len();
        self.pending.put(Some(content));
        self.scalars_at_once(start, 1)
    }

    /// Encodes a path of `pathlib` by its text.
    fn path(&mut self, path: &Bound<'py, PyAny>, native: Native) -> Result<Encoded<'py>> {
        let text = path.str();
        let text = self.py_check(text)?;
        let Ok(text) = raw::utf8(&text) else {
            // Bytes that are not text.
            let other =
                support(self.py, "path_of_bytes").and_then(|function| function.call1((path,)));
            return Ok(Encoded::Instead(self.py_check(other)?));
        };
        static WINDOWS_PATH: Once<Py<PyType>> = Once::new();
        let class = WINDOWS_PATH.import(self.py, "pathlib", "PureWindowsPath");
        let is_windows = class.and_then(|own| path.is_instance(own));
        let style = if self.py_check(is_windows)? { WINDOWS } else { POSIX };
        let is_pure = matches!(native, Native::PurePath);
        if is_pure {
            let name = self.text(intern!(self.py, "py.pure_path"))?;
            self.shredder.begin_extension(&name)?;
        }
        let row = self.shredder.latest_row();
        self.begin_logical(LogicalType::PATH, &[style, 0])?;
        if is_pure {
            self.row = row;
        }
        self.shredder.string(text)?;
        for _ in 0..=usize::from(is_pure) {
            self.shredder.end()?;
        }
        Ok(Encoded::Row)
    }

    /// Encodes a regular expression.
    fn pattern(&mut self, object: &Bound<'py, PyAny>) -> Result<()> {
        let text = self.attribute(object, "pattern")?;
        let len = self.py_check(text.len())?;
        if len > LONGEST_PATTERN {
            let expected = format!("a pattern of at most {LONGEST_PATTERN} characters");
            let error = Error::new(Code::UnsupportedValue).expected(expected).got(len.to_string());
            return Err(self.shredder.refuse(error));
        }
        let flags = self.attribute(object, "flags")?.extract::<u32>();
        let flags = self.py_check(flags)? & !UNICODE;
        let own = PATTERN_FLAGS.iter().filter(|(_, flag)| flags & flag != 0);
        let letters: String = own.clone().map(|(letter, _)| letter).collect();
        let has_letters = own.map(|(_, flag)| flag).sum::<u32>() == flags;
        let Some(text) = text.cast::<PyString>().ok().filter(|_| has_letters) else {
            let content = (text, flags).into_pyobject(self.py).map(Bound::into_any);
            let content = self.py_check(content)?;
            return self.extension(intern!(self.py, "py.pattern"), content);
        };
        self.begin_logical(LogicalType::REGULAR_EXPRESSION, &[])?;
        self.shredder.begin_tuple(2)?;
        self.string(text)?;
        self.shredder.string(&letters)?;
        self.shredder.end()?;
        self.shredder.end()
    }

    /// Replaces an object whose type the format lacks by one that it has.
    pub(super) fn instead(&mut self, object: &Bound<'py, PyAny>) -> Result<Encoded<'py>> {
        let other = support(self.py, "instead").and_then(|function| function.call1((object,)));
        Ok(Encoded::Instead(self.py_check(other)?))
    }

    fn ints(&mut self, parts: &[Bound<'py, PyAny>]) -> Result<()> {
        self.shredder.begin_tuple(parts.len())?;
        for part in parts {
            self.int(part)?;
        }
        self.shredder.end()
    }

    fn fixed(&mut self, bytes: &Bound<'py, PyAny>) -> Result<()> {
        match bytes.cast::<PyBytes>() {
            Ok(bytes) => self.shredder.fixed(bytes.as_bytes()),
            Err(_) => Err(Error::new(Code::UnsupportedValue).expected("bytes")),
        }
    }

    fn set(&mut self, object: &Bound<'py, PyAny>, native: Native) -> Result<()> {
        let members = object.try_iter().and_then(Collect::collected::<PyResult<Vec<_>>>);
        let mut members = self.py_check(members)?;
        let is_set = matches!(native, Native::Set);
        let kind = if is_set { LogicalType::SET } else { LogicalType::FROZEN_SET };
        // Most sets are of one kind of scalar: their columns need no object for each member.
        let (ints, texts) = (order::ints(&members), order::texts(&members));
        if ints.is_some() || texts.is_some() {
            self.begin_logical(kind, &[])?;
            self.shredder.begin_list(members.len())?;
            self.shredder.ints(&ints.unwrap_or_default())?;
            self.shredder.strings(texts.into_iter().flatten())?;
            self.tick(members.len())?;
            self.shredder.end()?;
            return self.shredder.end();
        }
        let mut sorted: Vec<_> = members.iter().map(Bound::as_borrowed).collected();
        let are_sorted = order::sort(&mut sorted);
        if self.py_check(are_sorted)? {
            members = sorted.into_iter().map(Borrowed::to_owned).collected();
        } else if self.options.canonical && members.len() > 1 {
            let orders = Rc::clone(self.orders.get_or_insert_default());
            let answers = self.asking.as_ref().map(Asking::answers);
            let found = self.around_set(|walker| {
                let (options, kept) = (walker.options, (&orders, answers.as_ref()));
                order::canonical(object, &members, options, kept, &mut walker.raised)
            });
            members = found.map_err(|error| self.shredder.refuse(error))?;
        } else {
            let placed = order::by_place(object, &mut members);
            self.py_check(placed)?;
        }
        self.begin_logical(kind, &[])?;
        self.shredder.begin_list(members.len())?;
        let start = self.pending.len();
        self.pending.put_each(members.into_iter().map(Some));
        self.scalars_at_once(start, 2)
    }

    /// Encodes a decimal by its parts, or by its text, which holds them all.
    fn decimal(&mut self, object: &Bound<'py, PyAny>) -> Result<Encoded<'py>> {
        let Some((form, coefficient, exponent)) = small_decimal(object) else {
            // More digits than 64 bits hold need Python's own conversion.
            return self.instead(object);
        };
        self.begin_logical(LogicalType::DECIMAL, &[])?;
        self.shredder.begin_tuple(3)?;
        self.shredder.fixed_int(IntKind::U8, u64::from(form))?;
        self.shredder.int(coefficient)?;
        self.shredder.int(exponent)?;
        self.shredder.end()?;
        self.shredder.end()?;
        Ok(Encoded::Row)
    }

    /// Encodes Arrow's arrays, column by column.
    fn arrays(&mut self, object: &Bound<'py, PyAny>) -> Result<()> {
        let raw = self.attribute(object, "_raw")?.cast_into::<Arrays>().map_err(PyErr::from);
        let raw = self.py_check(raw)?;
        let arrays = &raw.get().0;
        let entries = arrays.check().map_err(|error| self.shredder.refuse(error))?;
        let slot = self.shredder.take_slot()?;
        let inside = self.shredder.extension_at(slot, &arrays.extension().into())?;
        self.row = self.shredder.latest_row();
        arrays.place_inside(self.shredder, inside)?;
        self.tick(entries.saturating_mul(arrays.len()))
    }
}
