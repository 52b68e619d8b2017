//! Graphs of values: random ones, and their comparison including identities.

use std::collections::HashMap;
use std::sync::Arc;

use holdall::value::{Record, Struct, Variant, WeakShared};
use holdall::{LogicalType, Shared, Value};
use typed_arena::Arena;

use super::chance::Chance;
use super::make::{ELEMENTS, array, extension, later, logical, logical_leaf, tensor};
use super::refusals::behind;

fn address(value: &Value) -> usize {
    std::ptr::from_ref(value).addr()
}

/// Compares two values as graphs: they must be equal, and the same values must be shared (F-45).
///
/// Each container of one must correspond to exactly one of the other. Scalars, and tuples of up to 8 of them, are
/// compared as values. The error says where the graphs differ.
pub fn same_graph(left: &Value, right: &Value) -> Result<(), String> {
    let kept = Arena::new();
    let (mut there, mut back) = (HashMap::new(), HashMap::new());
    let mut pairs = vec![(left, right)];
    while let Some((left, right)) = pairs.pop() {
        let ends = (behind(left, &kept), behind(right, &kept));
        let (Some(left), Some(right)) = ends else { return Err("a value is gone".to_owned()) };
        let parted = |why| Err(format!("{why}: {left:.200?}\n  and {right:.200?}"));
        if is_plain(left, &kept) || is_plain(right, &kept) {
            if left != right {
                return parted("values differ");
            }
            continue;
        }
        let old = there.insert(address(left), address(right));
        let own = back.insert(address(right), address(left));
        match (old, own) {
            (None, None) => {}
            (Some(old), Some(own)) if old == address(right) && own == address(left) => continue,
            _ => return parted("identities differ"),
        }
        let (Some(ours), Some(theirs)) = (inside(left, &kept), inside(right, &kept)) else {
            return parted("kinds differ");
        };
        // A mapping is the same as a record and as a map.
        let is_mapping = |value: &Value| matches!(value, Value::Record(_) | Value::Map(_));
        let mixed = is_mapping(left) && is_mapping(right);
        let kinds = std::mem::discriminant(left) == std::mem::discriminant(right) || mixed;
        if !kinds || ours.0 != theirs.0 || ours.1.len() != theirs.1.len() {
            return parted("containers differ");
        }
        pairs.extend(ours.1.into_iter().zip(theirs.1));
    }
    Ok(())
}

/// Scalars, and tuples of up to 8 of them: without identity (F-45).
fn is_plain(value: &Value, kept: &Arena<Value>) -> bool {
    let is_scalar = |value: &Value| {
        !matches!(
            value,
            Value::List(_)
                | Value::Tuple(_)
                | Value::Record(_)
                | Value::Map(_)
                | Value::Struct(_)
                | Value::Variant(_)
                | Value::Array(_)
                | Value::Tensor(_)
                | Value::Logical(_)
                | Value::Extension(_)
        )
    };
    match value {
        Value::Tuple(items) => {
            items.len() <= 8 && items.iter().all(|item| behind(item, kept).is_some_and(is_scalar))
        }
        value => is_scalar(value),
    }
}

type Inside<'a> = (Vec<String>, Vec<&'a Value>);

/// The names and keys of a container, and the values inside.
fn inside<'a>(value: &'a Value, kept: &'a Arena<Value>) -> Option<Inside<'a>> {
    let fields = |record: &'a Record| {
        let keys: Vec<String> = record.keys().iter().map(|key| format!("{key:?}")).collect();
        (keys, record.values().iter().collect::<Vec<_>>())
    };
    Some(match value {
        Value::List(items) => (Vec::new(), items.iter().collect()),
        Value::Tuple(items) => (Vec::new(), items.iter().collect()),
        Value::Record(record) => fields(record),
        Value::Struct(of) => {
            let (mut names, values) = fields(of.fields());
            names.push(of.name().to_string());
            (names, values)
        }
        Value::Variant(variant) => (vec![variant.name().to_string()], vec![variant.value()]),
        Value::Array(items) => (Vec::new(), items.iter().collect()),
        Value::Tensor(tensor) => (vec![format!("{tensor:?}")], Vec::new()),
        Value::Logical(logical) => (vec![logical.ty().to_string()], vec![logical.storage()]),
        Value::Extension(of) => (vec![of.name().to_string()], vec![of.value()]),
        Value::Map(map) => {
            let text = |key: &'a Value| behind(key, kept).and_then(Value::as_str);
            let texts: Vec<String> =
                map.iter().filter_map(|(key, _)| text(key).map(|key| format!("{key:?}"))).collect();
            // A mapping, if all its keys are strings.
            match texts.len() == map.len() {
                true => (texts, map.iter().map(|(_, value)| value).collect()),
                false => (
                    vec!["map".to_owned()],
                    map.iter().flat_map(|(key, value)| [key, value]).collect(),
                ),
            }
        }
        _ => return None,
    })
}

/// A random graph, and what keeps it alive: some of its values are held only by weak handles.
pub fn graph(chance: &mut Chance) -> (Value, Vec<Shared>) {
    let depth = *chance.pick(&[3, 5, 8, 45]);
    let size = *chance.pick(&[5, 20, 60, 200]);
    let mut maker = Maker {
        // How often an existing value is referenced.
        again: 1 + chance.below(6),
        kinds: 1 + chance.below((1 << KINDS) - 1),
        chance,
        left: size,
        depth,
        open: Vec::new(),
        done: Vec::new(),
    };
    let root = maker.value(0);
    (root, maker.done)
}

/// The number of kinds of containers.
const KINDS: usize = 13;

struct Maker<'c> {
    chance: &'c mut Chance,
    again: usize,
    /// Returns the kinds of containers in a value, as bits.
    kinds: usize,
    left: usize,
    depth: usize,
    open: Vec<WeakShared>,
    done: Vec<Shared>,
}

impl Maker<'_> {
    fn value(&mut self, level: usize) -> Value {
        self.left = self.left.saturating_sub(1);
        let scalar = level > 0 && self.chance.below(4) == 0;
        if scalar || self.left == 0 || level >= self.depth {
            return match self.chance.below(3) {
                0 => self.handle().unwrap_or(Value::Null),
                _ => self.scalar(),
            };
        }
        if self.chance.below(8) < self.again
            && let Some(handle) = self.handle()
        {
            return handle;
        }
        match self.chance.below(8) {
            0 => return self.container(level),
            // Handles of handles are one identity.
            1 => {
                let inner = self.value(level);
                return Value::Shared(Shared::new(inner));
            }
            _ => {}
        }
        let shared = Shared::cyclic(|weak| {
            self.open.push(weak.clone());
            let value = self.container(level);
            self.open.pop();
            value
        });
        self.done.push(shared.clone());
        Value::Shared(shared)
    }

    /// Returns an earlier value, complete or not.
    fn handle(&mut self) -> Option<Value> {
        let all = self.open.len() + self.done.len();
        if all == 0 {
            return None;
        }
        let at = match self.chance.below(2) {
            // Usually a recent one.
            0 => all - 1 - self.chance.below(all.min(4)),
            _ => self.chance.below(all),
        };
        Some(match at.checked_sub(self.done.len()) {
            Some(open) => Value::Weak(self.open[open].clone()),
            None if self.chance.below(4) == 0 => Value::Weak(self.done[at].downgrade()),
            None => Value::Shared(self.done[at].clone()),
        })
    }

    fn scalar(&mut self) -> Value {
        let number = self.chance.below(3);
        let scalar = match self.chance.below(8) {
            6 => Value::F16(holdall::f16::from_f64(number as f64)),
            7 => Value::Fixed(vec![7; number]),
            0 => Value::Null,
            1 => Value::Bool(number == 0),
            2 => Value::F64(number as f64),
            3 => Value::U8(number as u8),
            4 => Value::from(["", "a", "b"][number]),
            _ => Value::Int(number as i64),
        };
        if self.chance.below(8) > 0 {
            return scalar;
        }
        // Its identity does not count.
        let shared = Shared::new(scalar);
        self.done.push(shared.clone());
        Value::Shared(shared)
    }

    fn items(&mut self, level: usize, len: usize) -> Vec<Value> {
        (0..len).map(|_| self.value(level + 1)).collect()
    }

    fn fields(&mut self, level: usize) -> Record {
        let sets: &[&[&str]] = match self.chance.below(6) {
            0 => &[&["2024-01-01", "2024-01-02"]],
            1 => &[&[]],
            _ => &[&["a"], &["b"], &["a", "b"], &["b", "a", "c"], &[]],
        };
        let keys = *self.chance.pick(sets);
        let values = self.items(level, keys.len());
        keys.iter().map(|key| Arc::from(*key)).zip(values).collect()
    }

    fn container(&mut self, level: usize) -> Value {
        let kind = loop {
            let kind = self.chance.below(KINDS);
            if self.kinds >> kind & 1 == 1 {
                break kind;
            }
        };
        let len = match self.chance.below(20) {
            0 => 12,
            len => len % 4,
        };
        match kind {
            0 => Value::list(self.items(level, len)),
            1 => Value::tuple(self.items(level, len)),
            2 => Value::Record(self.fields(level)),
            3 => {
                let name = *self.chance.pick(&["P", "Q", "R"]);
                Value::Struct(Struct::new(name, self.fields(level)))
            }
            4 => {
                let name = *self.chance.pick(&["X", "Y"]);
                let value = self.value(level + 1);
                Value::Variant(Variant::new(name, value))
            }
            5 => {
                let items = self.items(level, len);
                Value::map(items.into_iter().zip(0..).map(|(item, key)| (Value::Int(key), item)))
            }
            6 => array(self.items(level, len)),
            7 => {
                let (text, len) = (*self.chance.pick(ELEMENTS), self.chance.below(3) as u64);
                tensor(text, &[2, 1, len][self.chance.below(3)..], || self.chance.word() as u8)
            }
            8 => logical_leaf(self.chance.below(21), self.chance.below(6) as i64 - 2),
            // Storage is part of the value, and has no identity of its own.
            9 => {
                let kind = *self.chance.pick(&[LogicalType::SET, LogicalType::FROZEN_SET]);
                logical(kind, Value::list(self.items(level, len)))
            }
            10 => {
                let storage = match self.chance.below(2) {
                    0 => Value::Record(self.fields(level)),
                    _ => {
                        let items = self.items(level, len).into_iter();
                        Value::map((0..).map(Value::Int).zip(items))
                    }
                };
                logical(LogicalType::ORDERED_MAP, storage)
            }
            11 => {
                let name = *self.chance.pick(&["e.a", "e.b"]);
                let value = self.value(level + 1);
                match self.chance.below(3) {
                    // A value that contains only itself is nothing (F-64).
                    0 if is_open(&value) => later(Value::list([value])),
                    0 => later(value),
                    _ if is_open(&value) => extension(name, Value::list([value])),
                    _ => extension(name, value),
                }
            }
            // Keys that are not compared, and scalars that differ.
            _ => {
                let kept = Arena::new();
                let mut entries: Vec<(Value, Value)> = Vec::new();
                for _ in 0..len {
                    let (key, value) = (self.value(level + 1), self.value(level + 1));
                    let clash = entries.iter().any(|(own, _)| match behind(&key, &kept) {
                        Some(scalar) if is_scalar(scalar) => *own == key,
                        _ => false,
                    });
                    if !clash && behind(&key, &kept).is_some() {
                        entries.push((key, value));
                    }
                }
                Value::map(entries)
            }
        }
    }
}

/// Whether handles alone lead to an incomplete value.
fn is_open(value: &Value) -> bool {
    let kept = Arena::new();
    let mut value = value;
    while let Value::Shared(_) | Value::Weak(_) = value {
        value = match value {
            Value::Shared(shared) => shared.get(),
            Value::Weak(weak) => kept.alloc(weak.upgrade().map_or(Value::Null, Value::Shared)),
            _ => break,
        };
        // A handle that is not set yet leads to null.
        if *value == Value::Null {
            return true;
        }
    }
    false
}

fn is_scalar(value: &Value) -> bool {
    let kept = Arena::new();
    !matches!(value, Value::Tuple(_)) && is_plain(value, &kept)
}
