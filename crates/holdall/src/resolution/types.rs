//! Numbers the types of several schemas together, so that a pair is two numbers.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::dynamic::is_comparable;
use crate::error::{Code, Error, Result};
use crate::memory::{self, GrowMap, GrowVec};
use crate::number::IntKind;
use crate::platform::{HashMap, HashSet};
use crate::schema::{Fields, Form, LogicalType, Scalar, Schema, Type, TypeId, Union};

/// The types of the writer, of the reader, and of the defaults for fields.
pub(super) struct ReaderTypes {
    /// Reference-counted, because a type with many fields is used in many pairs.
    all: Vec<Arc<Type>>,
    /// For each type, the one it resolves to through definitions, shared values and packed types.
    meant: Vec<TypeId>,
    /// For each type, a number that is equal for types that differ only in the types inside.
    heads: Vec<usize>,
    /// For each struct, the number of its name.
    names: Vec<Option<usize>>,
    /// For named unions, the variant called [`SOME`].
    some: Vec<Option<usize>>,
    null: TypeId,
    byte: TypeId,
    /// For each union, the union without that variant; and the reverse.
    without_some: HashMap<TypeId, TypeId>,
    with_some: HashMap<TypeId, TypeId>,
    /// The schemas, each with the index of its first type.
    schemas: Vec<(Schema, TypeId)>,
    equal: Equality,
}

impl ReaderTypes {
    /// Collects the types of these schemas in this order, followed by null and u8.
    pub(super) fn of(schemas: &[&Schema]) -> ReaderTypes {
        let (mut all, mut meant, mut starts) = (Vec::new(), Vec::new(), Vec::new());
        for schema in schemas {
            let start = all.len();
            for (id, ty) in schema.types().iter().enumerate() {
                all.put(Arc::new(ty.moved(start)));
                meant.put(start + stands_for(schema, id));
            }
            starts.put(((*schema).clone(), start));
        }
        for ty in [Type::Null, Type::Scalar(Scalar::Int(IntKind::U8))] {
            meant.put(all.len());
            all.put(Arc::new(ty));
        }
        let (null, byte) = (all.len() - 2, all.len() - 1);
        let some = all.iter().map(|ty| variant_some(ty)).collect();
        let mut interner = Interner::default();
        let heads: Vec<TypeHead> = all.iter().map(|ty| interner.head(ty)).collect();
        let names = heads.iter().map(TypeHead::struct_name).collect();
        let mut numbers: HashMap<TypeHead, usize> = HashMap::new();
        let number = |head| {
            let new = numbers.len();
            *numbers.entry(head).or_insert(new)
        };
        let heads = heads.into_iter().map(number).collect();
        ReaderTypes {
            all,
            meant,
            heads,
            names,
            some,
            null,
            byte,
            without_some: HashMap::new(),
            with_some: HashMap::new(),
            schemas: starts,
            equal: Equality::default(),
        }
    }

    /// Returns the root type of a schema, given the schema's position.
    pub(super) fn root(&self, schema: usize) -> TypeId {
        self.meant[self.schemas[schema].1]
    }

    /// Returns the index of a type in its own schema, given the schema's position.
    pub(super) fn own_number(&self, schema: usize, id: TypeId) -> Option<TypeId> {
        let (schema, start) = self.schemas.get(schema)?;
        id.checked_sub(*start).filter(|own| *own < schema.types().len())
    }

    pub(super) fn null(&self) -> TypeId {
        self.null
    }

    pub(super) fn byte(&self) -> TypeId {
        self.byte
    }

    /// Resolves definitions, shared values and packed types.
    pub(super) fn meant(&self, id: TypeId) -> TypeId {
        self.meant[id]
    }

    pub(super) fn get(&self, id: TypeId) -> &Type {
        &self.all[self.meant[id]]
    }

    /// Like `get`, but returns a handle that does not borrow.
    pub(super) fn handle(&self, id: TypeId) -> Arc<Type> {
        Arc::clone(&self.all[self.meant[id]])
    }

    /// The number of types.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether the keys of a map of the writer are certainly distinct. Reading has compared them (F-35) if their type is comparable
    /// without following a definition.
    pub(super) fn keys_differ(&self, map: TypeId) -> bool {
        match self.get(map) {
            Type::Map(key, _) => is_comparable(|id| &*self.all[id], *key),
            _ => false,
        }
    }

    /// Drops everything that only resolution needs.
    pub(super) fn settle(&mut self) {
        self.equal = Equality::default();
    }

    pub(super) fn text(&self, id: TypeId) -> String {
        let id = self.meant[id];
        let id = self.with_some.get(&id).copied().unwrap_or(id);
        let after = self.schemas.partition_point(|(_, start)| *start <= id);
        match *self.all[id] {
            Type::Null => "null".to_owned(),
            _ if id == self.byte() => "u8".to_owned(),
            _ => match after.checked_sub(1).and_then(|at| self.schemas.get(at)) {
                Some((schema, start)) => schema.type_text(id - start),
                None => String::new(),
            },
        }
    }

    /// Whether a type has no values: a union without variants, or `never`.
    pub(super) fn is_empty(&self, id: TypeId) -> bool {
        match self.get(id) {
            Type::Never => true,
            Type::Union(union) => union.variants.is_empty(),
            _ => false,
        }
    }

    /// Whether two types are equal, ignoring the shapes of their records.
    pub(super) fn are_equal(&mut self, left: TypeId, right: TypeId) -> Result<bool> {
        let mut equal = core::mem::take(&mut self.equal);
        let answer = equal.compare(self, left, right);
        self.equal = equal;
        answer
    }

    /// Returns for each type a number that equal types share. A value read into several types with one number is one shared value
    /// (F-80).
    pub(super) fn classes(&self) -> Result<Vec<usize>> {
        let mut classes: Vec<usize> = self.meant.iter().map(|meant| self.heads[*meant]).collect();
        let (mut count, mut work) = (classes.iter().collect::<HashSet<_>>().len(), 0);
        loop {
            work += self.all.len();
            if work > MOST_WORK {
                return Err(too_many());
            }
            let mut numbers: HashMap<(usize, Vec<usize>), usize> = HashMap::new();
            let mut next = memory::with_capacity(classes.len());
            for meant in &self.meant {
                let inside = self.inside(*meant).iter().map(|inner| classes[*inner]).collect();
                let new = numbers.len();
                next.put(*numbers.entry((classes[*meant], inside)).or_insert(new));
            }
            classes = next;
            if numbers.len() == count {
                return Ok(classes);
            }
            count = numbers.len();
        }
    }

    /// Returns the types directly inside a type.
    fn inside(&self, id: TypeId) -> Vec<TypeId> {
        self.all[id].children().collect()
    }

    /// Whether two types are equal, ignoring the types inside.
    fn are_alike(&self, left: TypeId, right: TypeId) -> bool {
        self.heads[left] == self.heads[right]
    }

    /// Returns the variant of a named union that marks an option as present (F-97).
    pub(super) fn explicit_some(&self, union: TypeId) -> Option<usize> {
        let union = self.meant[union];
        let number = self.some[union]?;
        let Type::Union(of) = &*self.all[union] else { return None };
        let is_only = |id: TypeId| {
            matches!(&*self.all[id], Type::Union(of) if of.variants.len() == 1)
                && self.some[id].is_some()
        };
        let payload = self.meant[of.variants[number]];
        let is_explicit = match &*self.all[payload] {
            Type::Null => true,
            Type::Option(inner) => is_only(self.meant[*inner]),
            _ => is_only(payload),
        };
        is_explicit.then_some(number)
    }

    /// Returns a named union without that variant, or `None` if it has no other variants.
    pub(super) fn without_some(&mut self, union: TypeId, number: usize) -> Option<TypeId> {
        let union = self.meant[union];
        if let Some(known) = self.without_some.get(&union) {
            return Some(*known);
        }
        let Type::Union(of) = &*self.all[union] else { return None };
        if of.variants.len() < 2 {
            return None;
        }
        let others = (0..of.variants.len()).filter(|other| *other != number);
        let names = of.names.as_ref();
        let rest = Union {
            names: names
                .map(|names| others.clone().map(|other| Arc::clone(&names[other])).collect()),
            variants: others.map(|other| of.variants[other]).collect(),
        };
        let id = self.all.len();
        self.all.put(Arc::new(Type::Union(rest)));
        self.meant.put(id);
        // It gets a number of its own, because no caller compares it with another type.
        self.heads.put(id);
        self.names.put(None);
        self.some.put(None);
        self.without_some.put(union, id);
        self.with_some.put(id, union);
        Some(id)
    }

    /// Returns the number of a struct's name. Equal names share a number.
    pub(super) fn struct_name(&self, id: TypeId) -> Option<usize> {
        self.names[self.meant[id]]
    }
}

/// The variant by which serde distinguishes a present option from its value (F-97).
pub(super) const SOME: &str = "Some";

fn variant_some(ty: &Type) -> Option<usize> {
    let Type::Union(of) = ty else { return None };
    of.names.as_ref()?.iter().position(|name| **name == *SOME)
}

/// What two types must have in common to be equal apart from the types inside: names and parameters, by their numbers.
#[derive(PartialEq, Eq, Hash)]
enum TypeHead {
    Scalar(Scalar),
    Array(u64),
    Tuple(usize),
    Record(Vec<usize>),
    Struct(usize, Vec<usize>),
    Union(Option<Vec<usize>>, usize),
    Logical(usize),
    Extension(usize),
    Unknown(u8),
    Other(core::mem::Discriminant<Type>),
}

impl TypeHead {
    fn struct_name(&self) -> Option<usize> {
        match self {
            TypeHead::Struct(name, _) => Some(*name),
            _ => None,
        }
    }
}

/// Numbers names and logical types. A type of two bytes can have a long name (F-16), so each name is hashed once and then found by
/// its address.
#[derive(Default)]
struct Interner {
    names: HashMap<Arc<str>, usize>,
    name_places: HashMap<*const u8, usize>,
    logical: HashMap<Arc<LogicalType>, usize>,
}

impl Interner {
    fn name(&mut self, name: &Arc<str>) -> usize {
        if let Some(number) = self.name_places.get(&name.as_ptr()) {
            return *number;
        }
        let new = self.names.len();
        let number = *self.names.entry(Arc::clone(name)).or_insert(new);
        self.name_places.put(name.as_ptr(), number);
        number
    }

    fn logical(&mut self, ty: &Arc<LogicalType>) -> usize {
        let new = self.logical.len();
        *self.logical.entry(Arc::clone(ty)).or_insert(new)
    }

    fn head(&mut self, ty: &Type) -> TypeHead {
        let mut fields = |of: &Fields| of.fields.iter().map(|field| self.name(&field.0)).collect();
        match ty {
            Type::Record(of) => TypeHead::Record(fields(of)),
            Type::Struct(name, of) => {
                let fields = fields(of);
                TypeHead::Struct(self.name(name), fields)
            }
            Type::Union(union) => {
                let names = union.names.as_ref();
                let names = names.map(|names| names.iter().map(|name| self.name(name)).collect());
                TypeHead::Union(names, union.variants.len())
            }
            Type::Tuple(items) => TypeHead::Tuple(items.len()),
            Type::Array(len, _) => TypeHead::Array(*len),
            Type::Logical(ty, _) => TypeHead::Logical(self.logical(ty)),
            Type::Extension(name, _) => TypeHead::Extension(self.name(name)),
            Type::Scalar(scalar) => TypeHead::Scalar(*scalar),
            Type::Unknown(code, _) => TypeHead::Unknown(*code),
            ty => TypeHead::Other(core::mem::discriminant(ty)),
        }
    }
}

/// Resolves definitions, shared values and packed types.
fn stands_for(schema: &Schema, mut id: TypeId) -> TypeId {
    loop {
        id = match schema.types()[id] {
            Type::Def(number) | Type::Shared(number) => schema.definitions()[number],
            Type::Packed(inner) => inner,
            _ => return id,
        };
    }
}

/// Which fields are in every row. Counted once for each type, however many pairs it is in.
#[derive(Default)]
pub(super) struct Presence(HashMap<*const Box<[usize]>, Rc<[bool]>>);

impl Presence {
    pub(super) fn of(&mut self, fields: &Fields) -> Option<Rc<[bool]>> {
        let Form::Several(shapes) = &fields.form else { return None };
        let known = self.0.entry(shapes.as_ptr()).or_insert_with(|| {
            let mut counts = memory::filled(0, fields.fields.len());
            for field in shapes.iter().flat_map(|shape| shape.iter()) {
                if let Some(count) = counts.get_mut(*field) {
                    *count += 1;
                }
            }
            counts.into_iter().map(|count: usize| count == shapes.len()).collect()
        });
        Some(Rc::clone(known))
    }
}

/// The most comparisons of types, and the most pairs of types. A hostile schema could demand the product of its types and the
/// reader's.
pub(super) const MOST_PAIRS: usize = 1 << 19;
const MOST_WORK: usize = 1 << 25;

pub(super) fn too_many() -> Error {
    Error::new(Code::LimitSites)
        .expected(format!("at most {MOST_PAIRS} pairs of types"))
        .got("schemas with more")
}

/// The pairs of types known to be equal or different.
#[derive(Default)]
struct Equality {
    known: HashMap<(TypeId, TypeId), bool>,
    work: usize,
}

impl Equality {
    /// Compares two types. They are equal unless a difference is reachable, so the comparison of recursive types terminates.
    fn compare(&mut self, types: &ReaderTypes, left: TypeId, right: TypeId) -> Result<bool> {
        let root = (types.meant(left), types.meant(right));
        // Maps each pair to the pair that led to it. Pairs near the root come first, because most differences are there.
        let mut from: HashMap<(TypeId, TypeId), (TypeId, TypeId)> = HashMap::from([(root, root)]);
        let mut left = VecDeque::from([root]);
        while let Some(pair) = left.pop_front() {
            let known = self.known.get(&pair).copied();
            if known == Some(true) {
                continue;
            }
            self.work += 1;
            if self.work > MOST_PAIRS {
                return Err(too_many());
            }
            if known == Some(false) || !types.are_alike(pair.0, pair.1) {
                // The pairs that led here differ, too.
                self.known.put(pair, false);
                let mut up = from[&pair];
                while self.known.put(up, false) != Some(false) {
                    up = from[&up];
                }
                return Ok(false);
            }
            let inside = types.inside(pair.0).into_iter().zip(types.inside(pair.1));
            for (inner, other) in inside {
                let next = (types.meant(inner), types.meant(other));
                if let crate::platform::hash_map::Entry::Vacant(new) = from.entry(next) {
                    new.insert(pair);
                    left.push_back(next);
                }
            }
        }
        self.known.put_each(from.into_keys().map(|pair| (pair, true)));
        Ok(true)
    }
}
