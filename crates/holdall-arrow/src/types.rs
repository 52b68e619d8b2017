//! The Arrow type of each type, as `docs/tables.md` lists them. Where several fit, the values choose.

mod logical;
mod numbers;
mod tensors;

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use arrow_schema::{DataType, Field, FieldRef, Fields, UnionFields};
use holdall::bindings::Type;
use holdall::bindings::block::{Column, LONGEST_PATH, site_path};
use holdall::bindings::schema::{Fields as SchemaFields, Form, Scalar, TypeId, Union, parents};
use holdall::view::ViewBlock;
use holdall::{Code, Error, Result, Schema};

use crate::fault::unmappable;
use crate::unmappable::OnUnmappable;

use tensors::element_type;

/// The keys of a field's metadata: what the format says beyond Arrow's type.
pub const LOGICAL: &str = "holdall:logical";
pub const EXTENSION: &str = "holdall:extension";
pub const STRUCT: &str = "holdall:struct";
/// Of a column of a schema without data, whose type follows from the values.
pub const BY: &str = "holdall:by";
/// Arrow's own key for types that programs define.
pub const ARROW_EXTENSION: &str = "ARROW:extension:name";
pub const ARROW_EXTENSION_PARAMETERS: &str = "ARROW:extension:metadata";

/// The name of the rows for which a union has no value.
pub const ABSENT: &str = "absent";

/// The type of a place, and what a field says about it.
pub struct Found {
    pub data_type: DataType,
    pub nullable: bool,
    pub metadata: HashMap<String, String>,
}

impl Found {
    pub fn new(data_type: DataType) -> Found {
        let nullable = data_type == DataType::Null;
        Found { data_type, nullable, metadata: HashMap::new() }
    }

    /// Adds metadata; what is further outside comes first.
    pub fn with(mut self, key: &str, value: impl Into<String>) -> Found {
        self.metadata.insert(key.to_owned(), value.into());
        self
    }

    pub fn into_field(self, name: &str) -> FieldRef {
        let field = Field::new(name, self.data_type, self.nullable);
        Arc::new(field.with_metadata(self.metadata))
    }
}

/// The types of a schema, each of which becomes one of Arrow.
pub struct Types<'b> {
    pub schema: &'b Schema,
    /// The rows, from which some types follow; none for a schema without data.
    pub block: Option<&'b ViewBlock<'b>>,
    /// For each definition, its type if that can replace its only use.
    pub inlined: &'b [Option<TypeId>],
    /// For paths in errors, from the first one on.
    parents: OnceLock<Vec<Option<TypeId>>>,
}

impl<'b> Types<'b> {
    pub fn new(
        schema: &'b Schema,
        block: Option<&'b ViewBlock<'b>>,
        inlined: &'b [Option<TypeId>],
    ) -> Types<'b> {
        Types { schema, block, inlined, parents: OnceLock::new() }
    }

    pub fn ty(&self, id: TypeId) -> &Type {
        &self.schema.types()[id]
    }

    /// Reads the columns of a place; `without` is the result if there are no data.
    pub fn read<T>(
        &self,
        id: TypeId,
        without: T,
        then: impl FnOnce(Column<'_>) -> Result<T>,
    ) -> Result<T> {
        self.block.map_or(Ok(without), |block| block.read(id, then))
    }

    /// The type inside those that change nothing about rows.
    pub fn inside(&self, id: TypeId) -> (TypeId, &Type) {
        let inside = self.around(id).last().unwrap_or(id);
        (inside, self.ty(inside))
    }

    /// A type, and those inside it as long as they change nothing about rows.
    pub fn around(&self, id: TypeId) -> impl Iterator<Item = TypeId> {
        std::iter::successors(Some(id), |id| match self.ty(*id) {
            Type::Logical(_, inner) | Type::Extension(_, inner) => Some(*inner),
            Type::Def(number) => self.inlined[*number],
            _ => None,
        })
    }

    #[cold]
    pub fn unmappable(&self, id: TypeId, got: impl Into<String>) -> Error {
        let parents = self.parents.get_or_init(|| parents(self.schema));
        unmappable(got, || site_path(self.schema, parents, id, LONGEST_PATH))
    }

    /// Returns the type of a place. The recursion ends at the nesting limit of schemas, and at that of definitions that are inlined.
    pub fn find(&self, id: TypeId) -> Result<Found> {
        Ok(match self.ty(id) {
            Type::Never | Type::Null => Found::new(DataType::Null),
            Type::Scalar(scalar) => self.scalar(id, *scalar)?,
            Type::Option(inner) => {
                let found = self.find(*inner)?;
                if found.nullable {
                    // Arrow has one kind of null.
                    return Err(self.unmappable(id, "an option of what can be null"));
                }
                Found { nullable: true, ..found }
            }
            Type::List(item) => {
                Found::new(DataType::LargeList(self.find(*item)?.into_field("item")))
            }
            Type::Array(len, item) => {
                let len = i32::try_from(*len).map_err(|_| self.unmappable(id, "a longer array"))?;
                Found::new(DataType::FixedSizeList(self.find(*item)?.into_field("item"), len))
            }
            Type::Tuple(members) => {
                let members = members.iter().enumerate();
                let fields: Result<Fields> = members
                    .map(|(at, member)| Ok(self.find(*member)?.into_field(&at.to_string())))
                    .collect();
                Found::new(DataType::Struct(fields?))
            }
            Type::Record(fields) => Found::new(DataType::Struct(self.fields(fields)?)),
            Type::Struct(name, fields) => {
                Found::new(DataType::Struct(self.fields(fields)?)).with(STRUCT, &**name)
            }
            Type::Map(key, value) => self.map(id, *key, *value)?,
            Type::Union(union) => self.union(id, union)?,
            Type::Tensor(inner) => self.tensor(id, *inner)?,
            Type::Packed(inner) => {
                let dtype = holdall::DType::of(self.schema.types(), *inner);
                let data_type = element_type(&dtype)
                    .ok_or_else(|| self.unmappable(id, "packed rows of such a type"))?;
                Found::new(data_type)
            }
            Type::Def(number) => match self.inlined[*number] {
                Some(body) => self.find(body)?,
                None => {
                    return Err(
                        self.unmappable(id, "a recursive type, or a type of several places")
                    );
                }
            },
            Type::Shared(_) => return Err(self.unmappable(id, "values that can be shared")),
            Type::Logical(ty, storage) => {
                self.logical(id, ty, *storage)?.with(LOGICAL, ty.to_string())
            }
            Type::Extension(name, inner) => {
                let found = self.find(*inner)?;
                let around =
                    found.metadata.get(EXTENSION).map(|inside| format!("{name} of {inside}"));
                found.with(EXTENSION, around.unwrap_or_else(|| name.to_string()))
            }
            Type::Unknown(..) => return Err(self.unmappable(id, "a type of a later version")),
        })
    }

    /// Returns the type of a column, or that of what takes its place.
    pub fn find_or(&self, id: TypeId, on_unmappable: OnUnmappable) -> Result<Found> {
        match self.find(id) {
            Err(error) if error.code() == Code::Unsupported => on_unmappable.found(error),
            found => found,
        }
    }

    /// A field that some rows lack is null there.
    fn fields(&self, fields: &SchemaFields) -> Result<Fields> {
        let is_whole = matches!(fields.form, Form::One);
        let found = fields.fields.iter().map(|(name, field)| {
            let found = self.find(*field)?;
            let nullable = found.nullable || !is_whole;
            Ok(Found { nullable, ..found }.into_field(name))
        });
        found.collect()
    }

    fn scalar(&self, id: TypeId, scalar: Scalar) -> Result<Found> {
        let data_type = match scalar {
            Scalar::Bool => DataType::Boolean,
            Scalar::Int(kind) => self.int(id, kind)?,
            Scalar::F16 => DataType::Float16,
            // Arrow has no bf16; each is an f32.
            Scalar::Bf16 => return Ok(Found::new(DataType::Float32).with(LOGICAL, "bf16")),
            Scalar::F32 => DataType::Float32,
            Scalar::F64 => DataType::Float64,
            Scalar::String => DataType::Utf8View,
            Scalar::Bytes => DataType::BinaryView,
            Scalar::Fixed(len) => match i32::try_from(len) {
                Ok(len @ 1..) => DataType::FixedSizeBinary(len),
                _ => return Err(self.unmappable(id, scalar.to_string())),
            },
        };
        Ok(Found::new(data_type))
    }

    fn map(&self, id: TypeId, key: TypeId, value: TypeId) -> Result<Found> {
        let key = self.find(key)?;
        if key.nullable && !self.is_never(id) {
            return Err(self.unmappable(id, "a map whose keys can be null"));
        }
        let key = Found { nullable: false, ..key }.into_field("key");
        let value = self.find(value)?.into_field("value");
        let entries = Field::new_struct("entries", vec![key, value], false);
        Ok(Found::new(DataType::Map(Arc::new(entries), false)))
    }

    /// Whether all maps at a place are empty.
    fn is_never(&self, map: TypeId) -> bool {
        matches!(self.ty(map), Type::Map(key, _) if *self.ty(*key) == Type::Never)
    }

    /// Variants without payload are the words of a dictionary, others the members of a union.
    fn union(&self, id: TypeId, union: &Union) -> Result<Found> {
        let Some(names) = &union.names else {
            return Err(self.unmappable(id, "values of unlike types"));
        };
        if self.is_enumeration(union) {
            let key = Box::new(DataType::Int32);
            return Ok(Found::new(DataType::Dictionary(key, Box::new(DataType::Utf8))));
        }
        // One number is that of absent rows.
        let most = i8::MAX.unsigned_abs();
        if names.len() > usize::from(most) {
            return Err(self.unmappable(id, format!("{} variants", names.len())));
        }
        let mut fields = Vec::with_capacity(names.len() + 1);
        for (name, variant) in names.iter().zip(&union.variants) {
            fields.push(self.find(*variant)?.into_field(name));
        }
        fields.push(Found::new(DataType::Null).into_field(ABSENT));
        let numbers = 0..=names.len() as i8;
        let fields = UnionFields::try_new(numbers, fields)
            .map_err(|error| crate::fault::of_arrow(&error))?;
        Ok(Found::new(DataType::Union(fields, arrow_schema::UnionMode::Dense)))
    }

    /// Whether no variant of a named union has a payload.
    pub fn is_enumeration(&self, union: &Union) -> bool {
        union.names.is_some()
            && !union.variants.is_empty()
            && union.variants.iter().all(|variant| *self.ty(*variant) == Type::Null)
    }
}
