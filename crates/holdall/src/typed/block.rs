//! Gathered rows as the block that reading their bytes gives: values with another schema are gathered by a
//! [`Follower`](super::follow::Follower), and become Rust types from here.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::sync::Arc;
use core::mem::take;

use super::buffers::{Buffers, mismatch};
use crate::block::{Block, Column, References, count_inside};
use crate::column::bits::Bits;
use crate::column::buffer::Buffer;
use crate::column::floats::Floats;
use crate::column::ints::{IntRows, Offsets};
use crate::column::tensors::Tensors;
use crate::column::text::TextRows;
use crate::error::{Error, Result};
use crate::input::Scratch;
use crate::kernel::{raw, text};
use crate::limits::Budget;
use crate::memory::{self, GrowVec};
use crate::schema::{DType, Scalar, Schema, Type};

impl Buffers {
    /// Takes the rows of this many roots, and charges them as reading does (F-26).
    pub(super) fn take_block<'b>(
        &'b mut self,
        schema: &Schema,
        roots: u64,
        budget: &mut Budget,
        scratch: &'b Scratch,
    ) -> Result<Block<'b>> {
        let types = schema.types();
        let mut rows = self.rows_outside(schema, roots);
        let mut columns = memory::with_capacity(types.len());
        for (id, buffer) in self.columns.iter_mut().enumerate() {
            let units = 8 * u128::from(rows[id]) + contents(buffer) as u128;
            budget.charge(units).map_err(|left| Error::over_budget(units, left))?;
            count_inside(&types[id], buffer, &mut rows, id);
            // F-25.
            columns.put(match rows[id] {
                0 => Column::None,
                _ => take_column(buffer, types, &types[id], scratch)?,
            });
        }
        Ok(Block::of_columns(columns, memory::filled(0, types.len())).with_definitions(&self.rows))
    }
}

/// The bytes of rows of any length, which are charged in addition to their rows.
fn contents(buffer: &Buffer) -> usize {
    match buffer {
        Buffer::Text(text) => text.bytes().len(),
        Buffer::Wide(_, ints) => ints.big_bytes(),
        Buffer::Tensors(rows) => 8 * rows.dimensions.len(),
        _ => 0,
    }
}

/// Takes the rows, of which there is at least one.
fn take_column<'b>(
    buffer: &'b mut Buffer,
    types: &[Type],
    ty: &Type,
    scratch: &'b Scratch,
) -> Result<Column<'b>> {
    fn floats<'b, F: raw::Number<N>, const N: usize>(
        rows: &'b [F],
        scratch: &'b Scratch,
    ) -> Column<'b> {
        Column::Floats(Floats::of_raw(scratch.bytes_of(rows), rows.len()))
    }
    Ok(match buffer {
        Buffer::None => Column::None,
        // Rows of a known type have none.
        Buffer::Gathered(..) => return Err(mismatch()),
        Buffer::Bits(bits) => Column::Bits(Bits::of(bits, scratch)),
        Buffer::Ints8 { rows, .. } => Column::Ints(IntRows::W8(Cow::Borrowed(rows))),
        Buffer::Ints16(_, rows) => Column::Ints(IntRows::W16(take(rows))),
        Buffer::Ints32(_, rows) => Column::Ints(IntRows::W32(take(rows))),
        Buffer::Ints64(_, rows) => Column::Ints(IntRows::W64(take(rows))),
        Buffer::Wide(_, rows) => Column::Ints(IntRows::Wide(Box::new(take(rows)))),
        Buffer::F16(rows) => floats(rows, scratch),
        Buffer::Bf16(rows) => floats(rows, scratch),
        Buffer::F32(rows) => floats(rows, scratch),
        Buffer::F64(rows) => floats(rows, scratch),
        Buffer::Text(rows) => match ty {
            Type::Scalar(Scalar::String) => {
                let lengths = rows.lengths();
                let text = text::rows_in_utf8(rows.bytes(), &lengths).ok_or_else(mismatch)?;
                Column::Strings { rows: TextRows::Plain(lengths), text }
            }
            _ => Column::Bytes { rows: TextRows::Plain(rows.lengths()), bytes: rows.bytes() },
        },
        Buffer::Fixed(_, rows) | Buffer::Packed(_, rows) => Column::Raw(rows),
        Buffer::Numbers(numbers) => match ty {
            Type::Shared(_) => Column::References(Box::new(References {
                numbers: memory::collected(numbers.iter()),
                offsets: Offsets::All(0),
            })),
            _ => Column::Numbers(memory::collected(numbers.iter())),
        },
        Buffer::Tensors(rows) => match ty {
            Type::Tensor(inner) => Column::Tensors(Box::new(Tensors {
                dtype: Arc::new(DType::of(types, *inner)),
                ranks: take(&mut rows.ranks),
                dimensions: take(&mut rows.dimensions),
                orders: Bits::of(&rows.orders, scratch),
                elements: rows.rows().collect(),
            })),
            _ => return Err(mismatch()),
        },
    })
}
