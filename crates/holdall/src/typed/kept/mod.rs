//! The columns of a message of a known type, kept for access to any of their rows.
//!
//! They are read and checked as for an entire value, by [`read_block`](crate::message::read_block). What a column stores as
//! memory would is borrowed from the message, everything else was decoded.

mod index;
mod sites;

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use self::index::{Flags, RowPresence};
use super::Decode;
use super::cursor::{Cursor, mismatch};
use super::message::TypedReader;
use super::plan::{Plan, Site};
use super::rows::Rows;
use crate::block::{Block, Column, LONGEST_PATH, site_path};
use crate::column::floats::Floats;
use crate::column::ints::IntRows;
use crate::column::ranks::Ranks;
use crate::column::text;
use crate::error::{Code, Error, Result};
use crate::input::Scratch;
use crate::kernel::borrow::{part_of, text_of};
use crate::kernel::lengths;
use crate::memory;
use crate::message::read_block;
use crate::schema::{DType, Form, Scalar, Schema, Type, parents};

/// The columns of a message.
pub(crate) struct KeptBlock<'m> {
    plan: &'static Plan,
    message: &'m [u8],
    columns: Vec<Kept<'m>>,
    /// Where the columns of each site start, for errors.
    starts: Block<'static>,
    /// The limit of [`Rows`].
    depth: usize,
}

/// The rows of one site.
enum Kept<'m> {
    /// There are none, or the type has no column.
    None,
    Bools(Flags<'m>),
    Presence(RowPresence<'m>),
    Ints(IntRows<'m>),
    Floats(Floats<'m>),
    /// Each row extends from one bound to the next.
    Strings {
        bounds: Vec<usize>,
        text: Cow<'m, str>,
    },
    Entries {
        entries: Box<text::Entries>,
        text: Cow<'m, str>,
    },
    Bytes {
        rows: text::TextRows,
        /// Of plain rows.
        bounds: Vec<usize>,
        bytes: Cow<'m, [u8]>,
    },
    /// Of lists, maps.
    Lengths {
        lengths: Vec<u64>,
        bounds: Vec<usize>,
    },
    Variants(Ranks<u64>),
    /// Consecutive values of this width.
    Raw {
        width: usize,
        bytes: Cow<'m, [u8]>,
    },
}

impl TypedReader<'_> {
    /// Checks a message, and keeps its columns.
    pub(crate) fn keep<'m, T: Decode<'m>>(&mut self, message: &'m [u8]) -> Result<KeptBlock<'m>> {
        let plan = Plan::of_read::<T>()?;
        if let Some(what) = not_kept(plan) {
            return Err(Error::new(Code::Unsupported)
                .expected("a type whose rows are found without those before them")
                .got(what));
        }
        let scratch = Scratch::default();
        let (other, input) = self.messages.open_as(&plan.schema, message, &scratch)?;
        if let Some(other) = other {
            return Err(other_schema(&plan.schema, &other));
        }
        let block = read_block(&plan.schema, input, 1, false)?;
        KeptBlock::of(plan, block, message, self.messages.limits.depth_or_default())
    }
}

/// What a type has that only a walk over all values can read.
fn not_kept(plan: &Plan) -> Option<&'static str> {
    if !plan.schema.definitions().is_empty() {
        return Some("a recursive type, or one with Rc or Arc");
    }
    if plan.constant_schema().is_err() {
        return Some("a type with Value");
    }
    plan.schema.types().iter().find_map(|ty| match ty {
        Type::Tensor(_) => Some("a type with tensors"),
        Type::Record(of) | Type::Struct(_, of) if of.form != Form::One => {
            Some("a type with rows of different shapes")
        }
        _ => None,
    })
}

/// The error for data whose schema is not that of the type: at the first type that differs.
#[cold]
fn other_schema(own: &Schema, other: &Schema) -> Error {
    // Up to there, both have the same types in the same order.
    let count = own.types().len().min(other.types().len());
    let differs = |id: &usize| own.outline(*id) != other.outline(*id);
    let id = (0..count).find(differs).unwrap_or(0);
    Error::new(Code::Incompatible)
        .expected(format!("{}, as in the type", own.outline(id)))
        .got(format!("{}: an archive converts nothing, from_slice does", other.outline(id)))
        .with_path(|| site_path(own, &parents(own), id, LONGEST_PATH))
}

impl<'m> KeptBlock<'m> {
    fn of(plan: &'static Plan, block: Block<'_>, message: &'m [u8], depth: usize) -> Result<Self> {
        let types = plan.schema.types();
        let Block { columns, starts, .. } = block;
        let kept = |(id, column)| {
            Kept::of(types, id, column, message).map_err(|error| {
                error
                    .with_path(|| site_path(&plan.schema, &parents(&plan.schema), id, LONGEST_PATH))
            })
        };
        let columns = columns.into_iter().enumerate().map(kept).collect::<Result<Vec<_>>>()?;
        let none = types.iter().map(|_| Column::None).collect();
        Ok(KeptBlock { plan, message, columns, starts: Block::of_columns(none, starts), depth })
    }

    /// Reads one row of a site.
    pub(crate) fn read<'a, T: Decode<'a>>(&self, site: Site, row: usize) -> Result<T>
    where
        'm: 'a,
    {
        let mut rows = Rows::new(self.plan, &self.starts, self.message, self.depth);
        self.seek(site, row, &mut rows.cursors);
        T::read(site, &mut rows)
    }
}

impl KeptBlock<'_> {
    /// The path of a site, for errors.
    #[cold]
    pub(crate) fn path(&self, site: Site) -> String {
        let schema = &self.plan.schema;
        site_path(schema, &parents(schema), self.plan.in_schema(site).index(), LONGEST_PATH)
    }
}

/// Bytes apart from the input: a part of the message, or a copy.
fn apart<'m>(message: &'m [u8], bytes: &[u8]) -> Cow<'m, [u8]> {
    match part_of(message, bytes) {
        Some(part) => Cow::Borrowed(part),
        None => Cow::Owned(memory::copied(bytes)),
    }
}

impl<'m> Kept<'m> {
    fn of(types: &[Type], id: usize, column: Column<'_>, message: &'m [u8]) -> Result<Kept<'m>> {
        Ok(match (&types[id], column) {
            (_, Column::None) => Kept::None,
            (ty, Column::Bits(bits)) => {
                let flags = match bits.raw() {
                    Some(bytes) => Flags::Each { bytes: apart(message, bytes), rows: bits.len() },
                    None => Flags::Same(crate::column::bits::Bits::same(
                        bits.constant() == Some(true),
                        bits.len(),
                    )),
                };
                match ty {
                    Type::Option(_) => Kept::Presence(RowPresence::of(flags)),
                    _ => Kept::Bools(flags),
                }
            }
            (_, Column::Ints(ints)) => Kept::Ints(match ints {
                IntRows::W8(Cow::Borrowed(rows)) => IntRows::W8(apart(message, rows)),
                IntRows::W8(Cow::Owned(rows)) => IntRows::W8(Cow::Owned(rows)),
                IntRows::W16(rows) => IntRows::W16(rows),
                IntRows::W32(rows) => IntRows::W32(rows),
                IntRows::W64(rows) => IntRows::W64(rows),
                IntRows::Wide(rows) => IntRows::Wide(rows),
            }),
            (_, Column::Floats(floats)) => {
                let part = floats.each().and_then(|each| part_of(message, each));
                Kept::Floats(match part {
                    Some(part) => Floats::of_raw(part, floats.len()),
                    None => floats.into_owned(),
                })
            }
            (_, Column::Strings { rows, text }) => {
                let text = match text_of(message, text) {
                    Some(part) => Cow::Borrowed(part),
                    None => Cow::Owned(memory::text(text)),
                };
                match rows {
                    text::TextRows::Plain(lengths) => {
                        Kept::Strings { bounds: lengths::bounds(&lengths), text }
                    }
                    text::TextRows::Dictionary(entries) => Kept::Entries { entries, text },
                }
            }
            (_, Column::Bytes { rows, bytes }) => {
                let bounds = match &rows {
                    text::TextRows::Plain(lengths) => lengths::bounds(lengths),
                    text::TextRows::Dictionary(_) => Vec::new(),
                };
                Kept::Bytes { rows, bounds, bytes: apart(message, bytes) }
            }
            (Type::Union(of), Column::Numbers(numbers)) => {
                Kept::Variants(Ranks::new(numbers, of.variants.len()))
            }
            (_, Column::Numbers(lengths)) => {
                Kept::Lengths { bounds: lengths::bounds(&lengths), lengths }
            }
            (ty, Column::Raw(bytes)) => {
                let width = match ty {
                    Type::Packed(inner) => DType::of(types, *inner).width().unwrap_or(0),
                    Type::Scalar(Scalar::Fixed(width)) => *width,
                    _ => 0,
                };
                Kept::Raw { width: width as usize, bytes: apart(message, bytes) }
            }
            // Of a later version, as the type's own reading says.
            (_, column) => return Err(mismatch(&Cursor::of(&column))),
        })
    }
}
