//! Blocks: locates, checks and decodes the columns of the roots, in the order of the bytes (spec, chapter 5).

mod counting;
pub mod filler;
mod preview;
mod row_path;
mod site;

use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::vec::Vec;

pub use counting::{RowsInside, count_inside};
pub use row_path::{LONGEST_PATH, row_path, site_path};

use crate::column::bits::Bits;
use crate::column::floats::Floats;
use crate::column::frame::FrameFields;
use crate::column::ints::{IntRows, Offsets};
use crate::column::tensors::Tensors;
use crate::column::{Place, text};
use crate::error::{Code, Error, Result};
use crate::input::trace::{Part, field};
use crate::input::{Input, Scratch};
use crate::memory::{self, Collect, GrowVec};
use crate::schema::{Form, Schema, Type, TypeId, parents};

/// The decoded columns of one site.
pub enum Column<'a> {
    /// The site has no rows, or its type has no columns.
    None,
    Bits(Bits<'a>),
    Ints(IntRows<'a>),
    /// Checked integers of 16, 32 or 64 bits that are still packed, where the input defers decoding.
    Fields(FrameFields<'a>),
    Floats(Floats<'a>),
    Strings {
        rows: text::TextRows,
        text: &'a str,
    },
    Bytes {
        rows: text::TextRows,
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
const _: () = assert!(size_of::<Column<'_>>() <= 48);

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
                let has: Vec<bool> = shapes.iter().map(|shape| shape.contains(&field)).collected();
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
    /// The units of the budget, before the rows took theirs.
    pub units: u64,
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
        let mut definitions = memory::with_capacity(schema.definitions().len());
        let mut rows = memory::filled(0, types.len());
        rows[0] = roots;
        for &body in schema.definitions() {
            let offset = input.position();
            input.enter(Part::Block, Some(body));
            let written = input.varint(field("the number of rows", "F-23"))?;
            rows[body] = written;
            definitions.put(DefinitionRows { offset, written, used: 0 });
        }
        let mut block = Block {
            columns: memory::with_capacity(types.len()),
            starts: memory::with_capacity(types.len() + 1),
            places: Vec::new(),
            units: input.budget.left(),
            locate,
            definitions,
        };
        for id in 0..types.len() {
            block.starts.put(input.position());
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
            block.columns.put(column);
        }
        block.starts.put(input.position());
        Ok(block)
    }

    /// Checks that the uses of each definition have as many rows as it stores (F-34).
    pub fn check_definitions(&self) -> Result<()> {
        for (number, definition) in self.definitions.iter().enumerate() {
            check_uses(number, definition.written, definition.used)
                .map_err(|error| error.moved_to(definition.offset))?;
        }
        Ok(())
    }

    /// An empty block for reading single sites, with their places.
    pub fn of_sites(schema: &Schema) -> Block<'a> {
        let none = || DefinitionRows { offset: 0, written: 0, used: 0 };
        let definitions = schema.definitions().iter().map(|_| none()).collected();
        Block {
            columns: Vec::new(),
            starts: Vec::new(),
            places: Vec::new(),
            units: 0,
            locate: true,
            definitions,
        }
    }

    /// A block without definitions, from columns that were read.
    pub fn of_columns(columns: Vec<Column<'a>>, starts: Vec<usize>) -> Block<'a> {
        let (places, definitions) = (Vec::new(), Vec::new());
        Block { columns, starts, places, units: 0, locate: false, definitions }
    }

    /// Adds definitions that have these numbers of rows, and as many uses.
    pub fn with_definitions(mut self, rows: &[u64]) -> Block<'a> {
        let definition =
            |&rows: &u64| DefinitionRows { offset: 0, written: rows, used: rows.into() };
        self.definitions = rows.iter().map(definition).collected();
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

/// Checks that a definition has as many rows as it is used (F-34).
pub fn check_uses(number: usize, written: u64, used: u128) -> Result<()> {
    if used == u128::from(written) {
        return Ok(());
    }
    Err(Error::at(Code::DefinitionRowsMismatch, 0)
        .expected(format!("{used} rows of definition {number}, as used"))
        .got(written.to_string()))
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
