//! Reads the schema of a small message, with every check of the spec's chapter 4.

use alloc::vec::Vec;
use core::hash::BuildHasher;
use core::ops::Range;
use std::sync::LazyLock;

use foldhash::quality::RandomState;

use super::names::{NameSlot, Names};
use crate::memory::GrowVec;
use crate::number::{IntKind, split_varint};
use crate::schema::{LogicalType, Scalar, Storage, code};

/// Types inside each other, and all together: far fewer than a schema may have (F-15).
const LEVELS: usize = 64;
const TYPES: usize = 4096;
/// The most fields of a record, variants of a union, shapes.
const MEMBERS: u64 = 256;
/// The form of records whose rows list their fields (F-18).
const SPARSE: u64 = 2;

/// The same for all schemas, so that bindings can find names by their hashes.
static HASHER: LazyLock<RandomState> = LazyLock::new(RandomState::default);

/// A type of a small message. Types inside it come next, in the order of the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "named after the types they are")]
#[non_exhaustive]
pub enum SmallType {
    Never,
    Null,
    Bool,
    /// Integers that fit 64 bits.
    Int,
    F64,
    String,
    Bytes,
    /// Integers of up to 32 bits in the storage of logical types.
    U8,
    I32,
    /// Byte strings of this length.
    Fixed(u64),
    Option,
    List,
    Map,
    /// With this number of items.
    Tuple(usize),
    /// An unnamed union with this number of variants.
    Union(usize),
    /// A named union, by its number among the records and structs.
    Choice(usize),
    /// By its number among the logical types.
    Logical(usize),
    /// By its number among the extensions.
    Extension(usize),
    /// By its number among the records and structs.
    Record(usize),
    Struct(usize),
}

/// The fields of a record or struct, or the variants of a named union.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fields {
    /// The number of a struct's name.
    pub struct_name: Option<usize>,
    /// Where the numbers of its fields' names are in [`SmallSchema::field_names`].
    pub names: Range<usize>,
    /// Where its shapes are, by [`SmallSchema::shape`]; no shape if each row has all fields or lists its own.
    pub shapes: Range<usize>,
    /// Whether each row lists its fields (F-31).
    pub is_sparse: bool,
}

/// A name: its place in the schema's bytes, and its hash.
#[derive(Clone, Debug)]
pub struct SmallName {
    /// Where it stands.
    pub place: Range<usize>,
    /// Its hash, the same in all schemas of a process.
    pub hash: u64,
}

/// The types of a small message, in the order of the schema.
#[derive(Debug, Default)]
pub struct SmallSchema {
    types: Vec<SmallType>,
    /// For each type, the index after the types inside it.
    ends: Vec<usize>,
    /// Of records and structs.
    fields: Vec<Fields>,
    field_names: Vec<usize>,
    logical: Vec<LogicalType>,
    /// The numbers of the extensions' names.
    extensions: Vec<usize>,
    /// The place of each shape's fields.
    shapes: Vec<Range<usize>>,
    shape_fields: Vec<usize>,
    names: Vec<SmallName>,
    table: Names,
    /// For each name, the record or shape that had it last.
    latest: Vec<usize>,
}

impl SmallSchema {
    /// The type at a place.
    #[inline]
    #[must_use]
    pub fn type_at(&self, at: usize) -> SmallType {
        self.types[at]
    }

    /// The types, in the order of the schema.
    #[must_use]
    pub fn types(&self) -> &[SmallType] {
        &self.types
    }

    /// The index after the types inside a type.
    #[inline]
    #[must_use]
    pub fn end_of(&self, at: usize) -> usize {
        self.ends[at]
    }

    /// The fields of all records and structs.
    #[must_use]
    pub fn fields(&self) -> &[Fields] {
        &self.fields
    }

    /// The numbers of all fields' names, record by record.
    #[must_use]
    pub fn field_names(&self) -> &[usize] {
        &self.field_names
    }

    /// The logical types, by number.
    #[must_use]
    pub fn logical(&self) -> &[LogicalType] {
        &self.logical
    }

    /// The numbers of the extensions' names.
    #[must_use]
    pub fn extensions(&self) -> &[usize] {
        &self.extensions
    }

    /// The numbers of a shape's fields.
    #[inline]
    #[must_use]
    pub fn shape(&self, shape: usize) -> &[usize] {
        &self.shape_fields[self.shapes[shape].clone()]
    }

    /// The names, by number.
    #[must_use]
    pub fn names(&self) -> &[SmallName] {
        &self.names
    }

    /// Reads a schema at the start of some bytes, in place of the one before; returns where it ends. None if it is
    /// invalid, or of a message that is not small.
    pub fn read(&mut self, bytes: &[u8]) -> Option<usize> {
        self.types.clear();
        self.ends.clear();
        self.fields.clear();
        self.field_names.clear();
        self.shapes.clear();
        self.shape_fields.clear();
        self.names.clear();
        self.latest.clear();
        self.logical.clear();
        self.extensions.clear();
        self.table.begin();
        let mut cursor = SchemaCursor { bytes, at: 0 };
        self.read_type(&mut cursor, LEVELS, None)?;
        Some(cursor.at)
    }

    /// Reads a type; directly inside an unnamed union, `seen` has a bit for each scalar so far (F-14, F-19).
    fn read_type(
        &mut self,
        cursor: &mut SchemaCursor<'_>,
        levels: usize,
        seen: Option<&mut u32>,
    ) -> Option<()> {
        let inside = levels.checked_sub(1)?;
        let code = cursor.byte()?;
        let is_variant = seen.is_some();
        if let Some(seen) = seen {
            let bit = 1_u32.checked_shl(u32::from(code)).unwrap_or(0);
            if matches!(code, code::NEVER | code::NULL | code::OPTION) || *seen & bit != 0 {
                return None;
            }
            if Scalar::of_code(code).is_some() {
                *seen |= bit;
            }
        }
        let at = self.types.len();
        if at == TYPES {
            return None;
        }
        self.types.put(SmallType::Never);
        self.ends.put(0);
        let ty = match code {
            code::NEVER => SmallType::Never,
            code::NULL => SmallType::Null,
            code::BOOL => SmallType::Bool,
            code::INT => SmallType::Int,
            code::F64 => SmallType::F64,
            code::STRING => SmallType::String,
            code::BYTES => SmallType::Bytes,
            code::U8 => SmallType::U8,
            code::I32 => SmallType::I32,
            code::FIXED => SmallType::Fixed(cursor.number()?),
            code::OPTION => {
                self.read_type(cursor, inside, None)?;
                SmallType::Option
            }
            code::LIST => {
                self.read_type(cursor, inside, None)?;
                SmallType::List
            }
            code::TUPLE => {
                let items = cursor.count()?;
                for _ in 0..items {
                    self.read_type(cursor, inside, None)?;
                }
                SmallType::Tuple(items)
            }
            code::MAP => {
                self.read_type(cursor, inside, None)?;
                self.read_type(cursor, inside, None)?;
                SmallType::Map
            }
            code::UNION => self.read_variants(cursor, inside, is_variant)?,
            code::LOGICAL => self.read_logical(cursor, inside)?,
            code::EXTENSION => {
                let name = self.read_name(cursor)?;
                self.extensions.put(name);
                let number = self.extensions.len() - 1;
                self.read_type(cursor, inside, None)?;
                SmallType::Extension(number)
            }
            code::RECORD => SmallType::Record(self.read_fields(cursor, inside, None)?),
            code::STRUCT => {
                let name = self.read_name(cursor)?;
                SmallType::Struct(self.read_fields(cursor, inside, Some(name))?)
            }
            _ => return None,
        };
        self.types[at] = ty;
        self.ends[at] = self.types.len();
        Some(())
    }

    /// Reads the variants of a union, which is directly inside an unnamed one or not (F-19).
    fn read_variants(
        &mut self,
        cursor: &mut SchemaCursor<'_>,
        levels: usize,
        is_variant: bool,
    ) -> Option<SmallType> {
        let head = cursor.number()?;
        if head / 2 > MEMBERS {
            return None;
        }
        let count = (head / 2) as usize;
        if head % 2 == 0 {
            if is_variant || count < 2 {
                return None;
            }
            let mut seen = 0;
            for _ in 0..count {
                self.read_type(cursor, levels, Some(&mut seen))?;
            }
            return Some(SmallType::Union(count));
        }
        let number = self.fields.len();
        let first = self.field_names.len();
        let names = first..first + count;
        let of = Fields { struct_name: None, names, shapes: 0..0, is_sparse: false };
        self.fields.put(of);
        self.field_names.put_fill(first + count, 0);
        for at in first..first + count {
            self.field_names[at] = self.read_name(cursor)?;
            self.read_type(cursor, levels, None)?;
        }
        self.check_names(number)?;
        Some(SmallType::Choice(number))
    }

    /// Reads a logical type, and checks its storage (F-72).
    fn read_logical(&mut self, cursor: &mut SchemaCursor<'_>, levels: usize) -> Option<SmallType> {
        let kind = cursor.byte()?;
        let count = cursor.count()?;
        let ty = LogicalType::new(kind, cursor.take(count)?).ok()?;
        let (at, number, storage) = (self.types.len(), self.logical.len(), ty.storage());
        self.logical.put(ty);
        self.read_type(cursor, levels, None)?;
        self.is_storage(&storage, at).then_some(SmallType::Logical(number))
    }

    /// Whether the type at a place is this storage.
    fn is_storage(&self, storage: &Storage, at: usize) -> bool {
        let scalar = match self.types[at] {
            SmallType::Int => Some(Scalar::Int(IntKind::Int)),
            SmallType::U8 => Some(Scalar::Int(IntKind::U8)),
            SmallType::I32 => Some(Scalar::Int(IntKind::I32)),
            SmallType::F64 => Some(Scalar::F64),
            SmallType::String => Some(Scalar::String),
            SmallType::Bytes => Some(Scalar::Bytes),
            SmallType::Fixed(len) => Some(Scalar::Fixed(len)),
            _ => None,
        };
        match (storage, self.types[at]) {
            (Storage::Any, _) => true,
            (Storage::Whole, ty) => ty == SmallType::Int,
            (Storage::Scalar(own), _) => scalar == Some(*own),
            (Storage::List, SmallType::List) | (Storage::Map, SmallType::Map) => true,
            (Storage::BitList, SmallType::List) => {
                matches!(self.types[at + 1], SmallType::Never | SmallType::Bool)
            }
            (Storage::Tuple(own), SmallType::Tuple(items)) => {
                let mut inside = at + 1;
                own.len() == items
                    && own.iter().all(|own| {
                        let is_own = self.is_storage(own, inside);
                        inside = self.ends[inside];
                        is_own
                    })
            }
            _ => false,
        }
    }

    /// Reads the fields of a record or struct, and its shapes (F-17, F-18).
    fn read_fields(
        &mut self,
        cursor: &mut SchemaCursor<'_>,
        levels: usize,
        struct_name: Option<usize>,
    ) -> Option<usize> {
        let head = cursor.number()?;
        let (count, form) = (head / 4, head % 4);
        if form > SPARSE || count > MEMBERS {
            return None;
        }
        let (number, first) = (self.fields.len(), self.field_names.len());
        let names = first..first + count as usize;
        let is_sparse = form == SPARSE;
        self.fields.put(Fields { struct_name, names: names.clone(), shapes: 0..0, is_sparse });
        self.field_names.put_fill(names.end, 0);
        for at in names.clone() {
            self.field_names[at] = self.read_name(cursor)?;
            self.read_type(cursor, levels, None)?;
        }
        self.check_names(number)?;
        if form == 1 {
            self.fields[number].shapes = self.read_shapes(cursor, count as usize)?;
        }
        Some(number)
    }

    /// Checks that no name occurs twice in a record, struct or named union. Types inside may have used the names, too, so
    /// they are compared at its end.
    fn check_names(&mut self, number: usize) -> Option<()> {
        self.latest.put_fill(self.names.len(), usize::MAX);
        for at in self.fields[number].names.clone() {
            let latest = &mut self.latest[self.field_names[at]];
            if core::mem::replace(latest, number) == number {
                return None;
            }
        }
        Some(())
    }

    fn read_shapes(
        &mut self,
        cursor: &mut SchemaCursor<'_>,
        fields: usize,
    ) -> Option<Range<usize>> {
        let count = cursor.number()?;
        if !(2..=MEMBERS).contains(&count) {
            return None;
        }
        let first = self.shapes.len();
        for _ in 0..count {
            let len = cursor.count()?;
            let start = self.shape_fields.len();
            let mut had = [0_u64; MEMBERS as usize / 64];
            for _ in 0..len {
                let field =
                    usize::try_from(cursor.number()?).ok().filter(|field| *field < fields)?;
                let (word, bit) = (&mut had[field / 64], 1 << (field % 64));
                if *word & bit != 0 {
                    return None;
                }
                *word |= bit;
                self.shape_fields.put(field);
            }
            self.shapes.put(start..self.shape_fields.len());
        }
        Some(first..self.shapes.len())
    }

    /// Reads a name; returns its number (F-16).
    #[inline]
    fn read_name(&mut self, cursor: &mut SchemaCursor<'_>) -> Option<usize> {
        let v = cursor.number()?;
        let number = usize::try_from(v / 2).ok()?;
        if v % 2 == 1 {
            return (number < self.names.len()).then_some(number);
        }
        let start = cursor.at;
        let name = cursor.take(number)?;
        if !name.is_ascii() {
            core::str::from_utf8(name).ok()?;
        }
        let hash = HASHER.hash_one(name);
        match self.table.find(hash, name, cursor.bytes) {
            NameSlot::Known(_) => None,
            NameSlot::New(place) => {
                self.table.add(place, hash, start, name.len());
                self.names.put(SmallName { place: start..cursor.at, hash });
                Some(self.names.len() - 1)
            }
        }
    }
}

struct SchemaCursor<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> SchemaCursor<'b> {
    #[inline]
    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    #[inline]
    fn number(&mut self) -> Option<u64> {
        let rest = self.bytes.get(self.at..)?;
        match rest.first()? {
            byte if byte & 1 == 0 => {
                self.at += 1;
                Some(u64::from(byte >> 1))
            }
            _ => {
                let (number, len) = split_varint(rest)?;
                self.at += len;
                Some(number)
            }
        }
    }

    #[inline]
    fn count(&mut self) -> Option<usize> {
        self.number().filter(|count| *count <= MEMBERS).map(|count| count as usize)
    }

    #[inline]
    fn take(&mut self, len: usize) -> Option<&'b [u8]> {
        let taken = self.bytes.get(self.at..self.at.checked_add(len)?)?;
        self.at += len;
        Some(taken)
    }
}
