//! The containers of [`Value`], each with a drop that does not recurse.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::ops::{Deref, DerefMut};

use super::Value;
use crate::memory::GrowVec;
use crate::platform::OnceLock;
use crate::schema::LogicalType;

/// Values that are still to be dropped.
pub(super) enum Contents {
    Values(Vec<Value>),
    /// Entries, and the key of one whose value was taken.
    Entries(Vec<(Value, Value)>, Option<Value>),
}

impl Contents {
    fn pop(&mut self) -> Option<Value> {
        match self {
            Contents::Values(values) => values.pop(),
            Contents::Entries(entries, key) => key.take().or_else(|| {
                let (next, value) = entries.pop()?;
                *key = Some(next);
                Some(value)
            }),
        }
    }

    fn is_empty(&self) -> bool {
        match self {
            Contents::Values(values) => values.is_empty(),
            Contents::Entries(entries, key) => entries.is_empty() && key.is_none(),
        }
    }
}

/// Drops values and their contents one after the other, without recursion.
///
/// A container hands over its contents before it is dropped. Those around it wait in a list as long as values are deep: what is last in
/// its container, as in a chain, needs no place there.
pub(super) fn drop_flat(mut contents: Contents) {
    let mut around: Vec<Contents> = Vec::new();
    loop {
        let Some(value) = contents.pop() else {
            match around.pop() {
                Some(outer) => contents = outer,
                None => return,
            }
            continue;
        };
        let Some(inner) = take_contents(value) else { continue };
        let outer = core::mem::replace(&mut contents, inner);
        if outer.is_empty() {
            continue;
        }
        // Nothing can be reported here: where memory is missing, what waits is never freed.
        match around.try_reserve(1) {
            Ok(()) => around.put(outer),
            Err(_) => core::mem::forget(outer),
        }
    }
}

/// The contents of a container, if it has some. What has none is dropped.
fn take_contents(mut value: Value) -> Option<Contents> {
    loop {
        let inner = match &mut value {
            Value::List(list) => Contents::Values(core::mem::take(&mut list.0)),
            Value::Array(array) => Contents::Values(core::mem::take(&mut array.0)),
            Value::Tuple(tuple) => Contents::Values(core::mem::take(&mut tuple.0)),
            Value::Record(record) => Contents::Values(core::mem::take(&mut record.values)),
            Value::Struct(of) => Contents::Values(core::mem::take(&mut of.fields.values)),
            Value::Map(map) => Contents::Entries(core::mem::take(&mut map.0), None),
            Value::Variant(Variant { value: inner, .. })
            | Value::Logical(Logical { storage: inner, .. })
            | Value::Extension(Extension { value: inner, .. }) => {
                let inner = core::mem::take(&mut **inner);
                value = inner;
                continue;
            }
            Value::Shared(_) => {
                let Value::Shared(shared) = value else { return None };
                value = shared.into_value()?;
                continue;
            }
            _ => return None,
        };
        return Some(inner).filter(|inner| !inner.is_empty());
    }
}

pub(super) fn is_container(value: &Value) -> bool {
    matches!(
        value,
        Value::List(_)
            | Value::Array(_)
            | Value::Tuple(_)
            | Value::Record(_)
            | Value::Map(_)
            | Value::Struct(_)
            | Value::Variant(_)
            | Value::Logical(_)
            | Value::Extension(_)
            | Value::Shared(_)
            | Value::Weak(_)
    )
}

fn drop_items(items: &mut Vec<Value>) {
    if items.iter().any(is_container) {
        drop_flat(Contents::Values(core::mem::take(items)));
    }
}

macro_rules! sequence {
    ($(#[$doc:meta])* $name:ident of $item:ty) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Default)]
        pub struct $name(pub(super) Vec<$item>);

        impl $name {
            /// Returns the contents as a plain vector.
            #[must_use]
            pub fn into_vec(mut self) -> Vec<$item> {
                core::mem::take(&mut self.0)
            }
        }

        impl Deref for $name {
            type Target = Vec<$item>;
            fn deref(&self) -> &Vec<$item> {
                &self.0
            }
        }

        impl DerefMut for $name {
            fn deref_mut(&mut self) -> &mut Vec<$item> {
                &mut self.0
            }
        }

        impl From<Vec<$item>> for $name {
            fn from(items: Vec<$item>) -> Self {
                $name(items)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_list().entries(&self.0).finish()
            }
        }
    };
}

sequence! {
    /// Items in order; derefs to a vector.
    List of Value
}
sequence! {
    /// Items in order, in a number that is the same for all values of the type; derefs to a vector.
    Array of Value
}
sequence! {
    /// Items that differ in meaning by position; derefs to a vector.
    Tuple of Value
}
sequence! {
    /// Entries in order; derefs to a vector of pairs of key and value.
    Map of (Value, Value)
}

impl Drop for List {
    fn drop(&mut self) {
        drop_items(&mut self.0);
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        drop_items(&mut self.0);
    }
}

impl Drop for Tuple {
    fn drop(&mut self) {
        drop_items(&mut self.0);
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        if self.0.iter().any(|(key, value)| is_container(key) || is_container(value)) {
            drop_flat(Contents::Entries(core::mem::take(&mut self.0), None));
        }
    }
}

/// A mapping with string keys, in order. Rows of one shape share their keys.
#[derive(Clone)]
pub struct Record {
    pub(super) keys: Arc<[Arc<str>]>,
    pub(super) values: Vec<Value>,
}

impl Record {
    /// Creates a record from keys and values; `None` if their numbers differ.
    #[must_use]
    pub fn new(keys: Arc<[Arc<str>]>, values: Vec<Value>) -> Option<Record> {
        (keys.len() == values.len()).then_some(Record { keys, values })
    }

    /// Returns the keys in order.
    #[must_use]
    pub fn keys(&self) -> &Arc<[Arc<str>]> {
        &self.keys
    }

    /// Returns the values in the order of the keys.
    #[must_use]
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// Returns the values, mutably.
    #[must_use]
    pub fn values_mut(&mut self) -> &mut [Value] {
        &mut self.values
    }

    /// Returns the keys with their values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.keys.iter().map(|key| &**key).zip(&self.values)
    }

    /// Returns the value of a key.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Value> {
        self.iter().find(|(key, _)| *key == name).map(|(_, value)| value)
    }
}

/// A record without fields.
impl Default for Record {
    fn default() -> Record {
        static NONE: OnceLock<Arc<[Arc<str>]>> = OnceLock::new();
        Record { keys: Arc::clone(NONE.get_or_init(|| Arc::new([]))), values: Vec::new() }
    }
}

impl FromIterator<(Arc<str>, Value)> for Record {
    fn from_iter<I: IntoIterator<Item = (Arc<str>, Value)>>(fields: I) -> Record {
        let (keys, values): (Vec<_>, Vec<_>) = fields.into_iter().unzip();
        Record { keys: keys.into(), values }
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        drop_items(&mut self.values);
    }
}

/// An object of a named type.
#[derive(Clone)]
pub struct Struct {
    pub(super) name: Arc<str>,
    pub(super) fields: Record,
}

impl Struct {
    /// Creates an object of this type with these fields.
    pub fn new(name: impl Into<Arc<str>>, fields: Record) -> Struct {
        Struct { name: name.into(), fields }
    }

    /// Returns the type's name.
    #[must_use]
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Returns the fields.
    #[must_use]
    pub fn fields(&self) -> &Record {
        &self.fields
    }
}

/// A named variant with its payload, which is null if it has none.
#[derive(Clone)]
pub struct Variant {
    pub(super) name: Arc<str>,
    pub(super) value: Box<Value>,
}

impl Variant {
    /// Creates a variant with this payload.
    pub fn new(name: impl Into<Arc<str>>, value: Value) -> Variant {
        Variant { name: name.into(), value: Box::new(value) }
    }

    /// Returns the variant's name.
    #[must_use]
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Returns the payload.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }
}

/// A value whose logical type gives its storage a meaning.
///
/// ```
/// use holdall::value::Logical;
/// use holdall::{LogicalType, Value};
///
/// let date = Logical::new(LogicalType::new(LogicalType::DATE, &[])?, Value::from(20_000));
/// let bytes = holdall::to_vec(&Value::from(date))?;
/// assert_eq!(holdall::Schema::of_message(&bytes)?.to_string(), "date(int)");
/// # Ok::<(), holdall::Error>(())
/// ```
#[derive(Clone)]
pub struct Logical {
    pub(super) ty: Arc<LogicalType>,
    pub(super) storage: Box<Value>,
}

impl Logical {
    /// Creates a value of this logical type over this storage, which is checked when it is written.
    pub fn new(ty: impl Into<Arc<LogicalType>>, storage: Value) -> Logical {
        Logical { ty: ty.into(), storage: Box::new(storage) }
    }

    /// Returns the logical type.
    #[must_use]
    pub fn ty(&self) -> &Arc<LogicalType> {
        &self.ty
    }

    /// Returns the stored value.
    #[must_use]
    pub fn storage(&self) -> &Value {
        &self.storage
    }
}

/// A value of a type that only some programs know, by a name such as `py.deque`.
#[derive(Clone)]
pub struct Extension {
    pub(super) name: Arc<str>,
    pub(super) value: Box<Value>,
}

impl Extension {
    /// Creates a value of this extension.
    pub fn new(name: impl Into<Arc<str>>, value: Value) -> Extension {
        Extension { name: name.into(), value: Box::new(value) }
    }

    /// Returns the extension's name.
    #[must_use]
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Returns the stored value.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }
}

macro_rules! drop_payload {
    ($($name:ident . $value:ident),*) => {
        $(impl Drop for $name {
            fn drop(&mut self) {
                if is_container(&self.$value) {
                    drop_flat(Contents::Values(vec![core::mem::take(&mut *self.$value)]));
                }
            }
        })*
    };
}

drop_payload!(Variant.value, Logical.storage, Extension.value);
