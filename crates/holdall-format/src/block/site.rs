//! The columns of one site, by its type (spec, chapter 5).

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::{Block, Column, References, SparseRows, is_uninhabited, no_rows};
use crate::column::bits::{FEW_BITS, read_bits};
use crate::column::ints;
use crate::column::packed::read_packed;
use crate::column::raw::{self, Of};
use crate::column::tensors::read_tensors;
use crate::column::{MARKER, MIN_ENCODED_ROWS, Place, floats, is_encoded, text};
use crate::error::{Code, Error, Result};
use crate::input::Input;
use crate::input::trace::{FieldForm, Part, field};
use crate::kernel::lengths;
use crate::memory::{self, GrowVec};
use crate::number::IntKind;
use crate::schema::{DType, Fields, Form, Scalar, Type, TypeId, code};

impl<'a> Block<'a> {
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
                self.places.put((id, role, place));
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
}

/// Skips bytes of a later version: a length, then as many bytes (F-73, F-77).
fn skip(input: &mut Input<'_>, rule: &str) -> Result<()> {
    let len = input.varint(field("a length", rule))?;
    let later = field("what a later version wrote", rule).form(FieldForm::Later);
    input.payload(u128::from(len), later)?;
    Ok(())
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
            let place = ints.place.clone();
            if input.defers()
                && let Some(fields) = ints.fields()
            {
                return Ok((place, Column::Fields(fields)));
            }
            (place, Column::Ints(ints.into_rows()?))
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
        Scalar::Int(kind) => (rows < MIN_ENCODED_ROWS, !kind.is_byte()),
        Scalar::String | Scalar::Bytes => (rows < MIN_ENCODED_ROWS, true),
        Scalar::F16 | Scalar::Bf16 | Scalar::F32 | Scalar::F64 => (rows < MIN_ENCODED_ROWS, false),
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
            input.byte(field("an encoding", "F-77").form(FieldForm::Encoding))?;
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
    let mut last = memory::filled(usize::MAX, fields);
    let mut numbers = numbers.iter();
    for (row, &count) in counts.iter().enumerate() {
        for &field in numbers.by_ref().take(count as usize) {
            if core::mem::replace(&mut last[field as usize], row) == row {
                return Err(Error::at(Code::BadShape, start)
                    .expected("each field at most once in a row")
                    .got(format!("field {field} twice"))
                    .in_row(row));
            }
        }
    }
    Ok(())
}
