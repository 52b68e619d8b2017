//! Blocks: locates, checks and decodes the columns of the roots, in the order of the bytes (spec, chapter 5).

mod counting;
pub mod filler;
mod preview;
mod row_path;

use std::sync::Arc;

pub use counting::{RowsInside, count_inside};
pub use row_path::{row_path, site_path};

use crate::column::bits::{Bits, FEW_BITS, read_bits};
use crate::column::floats::{self, Floats};
use crate::column::ints::{self, IntRows, Offsets};
use crate::column::packed::{Tensors, read_packed, read_tensors};
use crate::column::raw::{self, Of};
use crate::column::{FEW, MARKER, Place, is_encoded, text};
use crate::error::{Code, Error, Result};
use crate::input::trace::{Form as Reads, Part, field};
use crate::input::{Input, Scratch};
use crate::kernel::lengths;
use crate::memory;
use crate::number::IntKind;
use crate::schema::{DType, Fields, Form, Scalar, Schema, Type, TypeId, code, parents};

/// The decoded columns of one site.
pub enum Column<'a> {
    /// The site has no rows, or its type has no columns.
    None,
    Bits(Bits<'a>),
    Ints(IntRows<'a>),
    Floats(Floats<'a>),
    Strings {
        rows: text::Rows,
        text: &'a str,
    },
    Bytes {
        rows: text::Rows,
        bytes: &'a [u8],
    },
    /// Lengths of lists or maps, variants of a union, shapes of a record.
    Numbers(Vec<u64>),
    References(Box<References>),
    Sparse(Box<SparseRows>),
    /// Consecutive values of a fixed width.
    Raw(&'a [u8]),
    Tensors(Box<Tensors<'a>>),
    /// Rows of a type or encoding of a later version.
    Unknown,
}

// Columns are moved often, so large ones box their contents.
const _: () = assert!(size_of::<Column<'_>>() <= 6 * size_of::<usize>());

/// References to rows of a definition, and where to report their errors.
pub struct References {
    pub numbers: Vec<u64>,
    pub offsets: Offsets,
}

/// Counts of fields, and the field numbers of all rows.
#[derive(Default)]
pub struct SparseRows {
    pub counts: Vec<u64>,
    pub numbers: Vec<u64>,
}

impl Column<'_> {
    /// Whether each row of a record or struct has a field, by the field's number. Without columns there are no rows, or all have
    /// all fields.
    #[must_use]
    pub fn rows_with_field(&self, form: &Form, field: usize) -> Vec<bool> {
        match (self, form) {
            (Column::Numbers(numbers), Form::Several(shapes)) => {
                let has: Vec<bool> = shapes.iter().map(|shape| shape.contains(&field)).collect();
                memory::collected(numbers.iter().map(|shape| has[*shape as usize]))
            }
            (Column::Sparse(rows), _) => {
                let mut rest = &rows.numbers[..];
                let has = |count: &u64| {
                    let (own, after) = rest.split_at(*count as usize);
                    rest = after;
                    own.contains(&(field as u64))
                };
                memory::collected(rows.counts.iter().map(has))
            }
            _ => Vec::new(),
        }
    }
}

/// All columns of a block, by type.
pub struct Block<'a> {
    pub columns: Vec<Column<'a>>,
    /// Where the columns of each site start; in a complete block also where the last column ends.
    pub starts: Vec<usize>,
    /// All columns in the order of the bytes, with their sites and roles, if the caller asked for their places.
    pub places: Vec<(TypeId, &'static str, Place)>,
    locate: bool,
    definitions: Vec<DefinitionRows>,
}

/// The stored number of rows of a definition, and the sum over its uses.
struct DefinitionRows {
    offset: usize,
    written: u64,
    used: u128,
}

impl<'a> Block<'a> {
    /// Reads the columns of `roots` roots; a message has one root. Types are in preorder: each site follows the one
    /// that encloses it, so its number of rows is known.
    pub fn read(
        input: &mut Input<'a>,
        schema: &Schema,
        roots: u64,
        locate: bool,
    ) -> Result<Block<'a>> {
        let types = schema.types();
        let mut definitions = Vec::with_capacity(schema.definitions().len());
        let mut rows = vec![0; types.len()];
        rows[0] = roots;
        for &body in schema.definitions() {
            let offset = input.position();
            input.enter(Part::Block, Some(body));
            let written = input.varint(field("the number of rows", "F-23"))?;
            rows[body] = written;
            definitions.push(DefinitionRows { offset, written, used: 0 });
        }
        let mut block = Block {
            columns: Vec::with_capacity(types.len()),
            starts: Vec::with_capacity(types.len() + 1),
            places: Vec::new(),
            locate,
            definitions,
        };
        for id in 0..types.len() {
            block.starts.push(input.position());
            let column = match rows[id] {
                // F-25.
                0 => Column::None,
                n => match block.read_site(input, types, id, n) {
                    Ok(column) => column,
                    Err(error) => {
                        let row = error.row();
                        let path = || row_path(schema, &parents(schema), &block.columns, id, row);
                        pass_leaf(input, &types[id], error.with_path(path))?
                    }
                },
            };
            if let (Some(tracer), 1..) = (input.tracer(), rows[id]) {
                preview::column(tracer, &types[id], &column, rows[id] as usize);
            }
            count_inside(&types[id], &column, &mut rows, id);
            block.columns.push(column);
        }
        block.starts.push(input.position());
        Ok(block)
    }

    /// Reads the columns of one site with `n` > 0 rows.
    pub fn read_site(
        &mut self,
        input: &mut Input<'a>,
        types: &[Type],
        id: TypeId,
        n: u64,
    ) -> Result<Column<'a>> {
        let ty = &types[id];
        input.enter(Part::Block, Some(id));
        if is_uninhabited(ty) {
            return Err(no_rows(input.position(), n));
        }
        // F-26.
        let values = match ty {
            Type::Packed(inner) => DType::of(types, *inner).values(),
            _ => 1,
        };
        input.charge((8 * u128::from(n)).saturating_mul(values))?;
        // A charged number of rows can be too large only on machines with small addresses.
        let len = usize::try_from(n).map_err(|_| Error::at(Code::LimitBudget, input.position()))?;
        let locate = self.locate;
        let mut place = |role, place| {
            if locate {
                self.places.push((id, role, place));
            }
        };
        Ok(match ty {
            Type::Union(union) if union.variants.len() > 1 => {
                let bound = union.variants.len() as u64;
                let (at, which) = ints::read_below(input, len, bound, "a variant")?;
                place("variants", at);
                Column::Numbers(which)
            }
            Type::Never
            | Type::Null
            | Type::Tuple(_)
            | Type::Union(_)
            | Type::Array(..)
            | Type::Logical(..)
            | Type::Extension(..) => Column::None,
            Type::Scalar(scalar) => {
                let (at, column) = read_scalar(input, *scalar, len)?;
                place("values", at);
                column
            }
            Type::Option(_) => {
                input.column("presence");
                let (at, bits) = read_bits(input, len, ["absent", "present"])?;
                place("presence", at);
                Column::Bits(bits)
            }
            Type::List(_) => {
                input.column("a length");
                let (at, lengths) = ints::read_u64(input, len)?;
                place("lengths", at);
                Column::Numbers(lengths)
            }
            Type::Record(fields) | Type::Struct(_, fields) => {
                read_shapes(input, fields, len, place)?
            }
            Type::Map(..) => {
                input.column("a number of entries");
                let (at, lengths) = ints::read_u64(input, len)?;
                place("entries", at);
                Column::Numbers(lengths)
            }
            Type::Def(number) => {
                self.definitions[*number].used += u128::from(n);
                Column::None
            }
            Type::Shared(number) => {
                input.column("a reference");
                let ints = ints::locate(input, IntKind::U64, len)?;
                ints.validate()?;
                let (at, offsets) = (ints.place.clone(), ints.offsets());
                let numbers = ints.decode().values;
                ints::show(input, &numbers);
                place("references", at);
                let new = numbers.iter().filter(|number| **number == 0).count();
                self.definitions[*number].used += new as u128;
                Column::References(Box::new(References { numbers, offsets }))
            }
            Type::Packed(inner) => {
                let (at, packed) = read_packed(input, &DType::of(types, *inner), len)?;
                place("values", at);
                Column::Raw(packed)
            }
            Type::Tensor(inner) => {
                let dtype = Arc::new(DType::of(types, *inner));
                Column::Tensors(Box::new(read_tensors(input, dtype, len, place)?))
            }
            Type::Unknown(..) => {
                let start = input.position();
                skip(input, "F-73")?;
                place(
                    "values",
                    Place { range: start..input.position(), encoding: None, rows: len },
                );
                Column::Unknown
            }
        })
    }

    /// Checks that the uses of each definition have as many rows as it stores (F-34).
    pub fn check_definitions(&self) -> Result<()> {
        for (number, definition) in self.definitions.iter().enumerate() {
            if definition.used != u128::from(definition.written) {
                return Err(Error::at(Code::DefinitionRowsMismatch, definition.offset)
                    .expected(format!("{} rows of definition {number}, as used", definition.used))
                    .got(definition.written.to_string()));
            }
        }
        Ok(())
    }

    /// An empty block for reading single sites, with their places.
    pub fn of_sites(schema: &Schema) -> Block<'a> {
        let none = || DefinitionRows { offset: 0, written: 0, used: 0 };
        let definitions = schema.definitions().iter().map(|_| none()).collect();
        Block {
            columns: Vec::new(),
            starts: Vec::new(),
            places: Vec::new(),
            locate: true,
            definitions,
        }
    }

    /// A block without definitions, from columns that were read.
    pub fn of_columns(columns: Vec<Column<'a>>, starts: Vec<usize>) -> Block<'a> {
        Block { columns, starts, places: Vec::new(), locate: false, definitions: Vec::new() }
    }

    /// Adds definitions that have these numbers of rows, and as many uses.
    pub fn with_definitions(mut self, rows: &[u64]) -> Block<'a> {
        let definition =
            |&rows: &u64| DefinitionRows { offset: 0, written: rows, used: rows.into() };
        self.definitions = rows.iter().map(definition).collect();
        self
    }

    /// Returns the memory of the columns to the scratch, in the order in which the next block will need it.
    pub fn recycle(self, scratch: &Scratch) {
        if !scratch.keeps_rows() {
            return;
        }
        for column in self.columns.into_iter().rev() {
            match column {
                Column::Ints(rows) => rows.recycle(scratch),
                Column::Numbers(numbers) => scratch.take_back(numbers),
                Column::Strings { rows, .. } | Column::Bytes { rows, .. } => rows.recycle(scratch),
                _ => {}
            }
        }
    }

    /// The number of rows of all definitions.
    pub fn definition_rows(&self) -> usize {
        let all = self.definitions.iter().fold(0, |sum: u64, of| sum.saturating_add(of.written));
        usize::try_from(all).unwrap_or(usize::MAX)
    }

    /// Checks that every row of every definition was taken (F-36).
    pub fn check_taken(&self, taken: impl Fn(usize) -> usize) -> Result<()> {
        for (number, definition) in self.definitions.iter().enumerate() {
            let taken = taken(number) as u64;
            if taken != definition.written {
                return Err(Error::at(Code::UnreachableRows, definition.offset)
                    .expected(format!("{taken} rows of definition {number}, as reached"))
                    .got(definition.written.to_string()));
            }
        }
        Ok(())
    }
}

/// Skips bytes of a later version: a length, then as many bytes (F-73, F-77).
fn skip(input: &mut Input<'_>, rule: &str) -> Result<()> {
    let len = input.varint(field("a length", rule))?;
    let later = field("what a later version wrote", rule).form(Reads::Later);
    input.payload(u128::from(len), later)?;
    Ok(())
}

/// Whether a type has no values: `never`, and unions without variants (F-24).
pub fn is_uninhabited(ty: &Type) -> bool {
    match ty {
        Type::Never => true,
        Type::Union(union) => union.variants.is_empty(),
        _ => false,
    }
}

#[cold]
pub fn no_rows(at: usize, rows: u64) -> Error {
    Error::at(Code::NeverHasRows, at)
        .expected("no rows of a type without values")
        .got(rows.to_string())
}

/// Records a fault of a site's own values and continues, if the end of the column is known: no other column depends on
/// it.
#[cold]
fn pass_leaf<'a>(input: &Input<'a>, ty: &Type, error: Error) -> Result<Column<'a>> {
    match ty {
        Type::Scalar(_) | Type::Packed(_) => input.pass_column(error).map(|()| Column::Unknown),
        _ => Err(error),
    }
}

fn read_scalar<'a>(
    input: &mut Input<'a>,
    scalar: Scalar,
    rows: usize,
) -> Result<(Place, Column<'a>)> {
    if let Some(place) = skip_later(input, scalar, rows)? {
        return Ok((place, Column::Unknown));
    }
    Ok(match scalar {
        Scalar::Bool => {
            let (place, bits) = read_bits(input, rows, ["false", "true"])?;
            (place, Column::Bits(bits))
        }
        Scalar::Int(kind) => {
            let ints = ints::locate(input, kind, rows)?;
            input.located();
            (ints.place.clone(), Column::Ints(ints.into_rows()?))
        }
        Scalar::F16 | Scalar::Bf16 | Scalar::F32 | Scalar::F64 => {
            let width = match scalar {
                Scalar::F32 => 4,
                Scalar::F64 => 8,
                _ => 2,
            };
            let (place, floats) = floats::locate(input, width, rows)?;
            (place, Column::Floats(floats))
        }
        Scalar::String => {
            let strings = text::locate(input, true, rows)?;
            input.located();
            let text = strings.validate_utf8()?;
            (strings.place.clone(), Column::Strings { rows: strings.decode(), text })
        }
        Scalar::Bytes => {
            let column = text::locate(input, false, rows)?;
            let bytes = column.payload();
            (column.place.clone(), Column::Bytes { rows: column.decode(), bytes })
        }
        Scalar::Fixed(len) => {
            let column = raw::read(input, Of::fixed(len), rows as u128)?;
            (column.place(input, rows), Column::Raw(column.bytes))
        }
    })
}

/// Skips a column in an encoding of a later version (F-77).
fn skip_later(input: &mut Input<'_>, scalar: Scalar, rows: usize) -> Result<Option<Place>> {
    let (few, can_be_marked) = match scalar {
        Scalar::Fixed(_) => return Ok(None),
        Scalar::Bool => (rows <= FEW_BITS, false),
        Scalar::Int(kind) => (rows < FEW, !kind.is_byte()),
        Scalar::String | Scalar::Bytes => (rows < FEW, true),
        Scalar::F16 | Scalar::Bf16 | Scalar::F32 | Scalar::F64 => (rows < FEW, false),
    };
    let start = input.position();
    let byte = match few {
        false => input.peek()?.map(|[byte]| byte),
        true if can_be_marked => match input.peek()? {
            Some([first, second, byte]) if [first, second] == MARKER => Some(byte),
            _ => None,
        },
        true => None,
    };
    match byte {
        Some(byte) if byte >= code::LATER => {
            is_encoded(input, rows)?;
            input.byte(field("an encoding", "F-77").form(Reads::Encoding))?;
            skip(input, "F-77")?;
            Ok(Some(Place { range: start..input.position(), encoding: Some(byte), rows }))
        }
        _ => Ok(None),
    }
}

/// Shapes of rows (F-31).
fn read_shapes<'a>(
    input: &mut Input<'a>,
    fields: &Fields,
    rows: usize,
    mut place: impl FnMut(&'static str, Place),
) -> Result<Column<'a>> {
    let count = fields.fields.len();
    match &fields.form {
        Form::One => Ok(Column::None),
        Form::Several(shapes) => {
            let (at, numbers) = ints::read_below(input, rows, shapes.len() as u64, "a shape")?;
            place("shapes", at);
            Ok(Column::Numbers(numbers))
        }
        Form::Sparse => {
            let (at, counts) =
                ints::read_below(input, rows, count as u64 + 1, "a count of fields")?;
            place("counts of fields", at);
            let total = lengths::sum(&counts);
            if total == 0 {
                return Ok(Column::Sparse(Box::new(SparseRows { counts, numbers: Vec::new() })));
            }
            input.charge(8 * total)?;
            let start = input.position();
            let total = usize::try_from(total).map_err(|_| Error::at(Code::LimitBudget, start))?;
            // These rows are field numbers, not rows of the site.
            let (at, numbers) = ints::read_below(input, total, count as u64, "a field")
                .map_err(|error| error.in_row(None))?;
            let first = at.first();
            place("fields", at);
            check_distinct(&counts, &numbers, count, first)?;
            Ok(Column::Sparse(Box::new(SparseRows { counts, numbers })))
        }
    }
}

fn check_distinct(counts: &[u64], numbers: &[u64], fields: usize, start: usize) -> Result<()> {
    // The last row that had each field.
    let mut last = vec![usize::MAX; fields];
    let mut numbers = numbers.iter();
    for (row, &count) in counts.iter().enumerate() {
        for &field in numbers.by_ref().take(count as usize) {
            if std::mem::replace(&mut last[field as usize], row) == row {
                return Err(Error::at(Code::BadShape, start)
                    .expected("each field at most once in a row")
                    .got(format!("field {field} twice"))
                    .in_row(row));
            }
        }
    }
    Ok(())
}
