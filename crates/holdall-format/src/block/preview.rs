//! Rows of a site as text for people.

use alloc::string::String;

use super::Column;
use crate::column::preview::{bytes, hex, scalar_text, text};
use crate::column::text::TextRows;
use crate::input::trace::Tracer;
use crate::schema::{Scalar, Type};

/// Shows the rows of a site without types inside. Rows of bits were shown before.
pub fn column(tracer: &Tracer, ty: &Type, column: &Column<'_>, rows: usize) {
    let mut at = 0;
    let mut span = |of: &TextRows, row: usize| {
        let (start, end) = of.span(row, at);
        at = end;
        start..end
    };
    let show = |row: &mut dyn FnMut(usize) -> Option<String>| tracer.preview_column(rows, row);
    match (ty, column) {
        (Type::Scalar(Scalar::Int(kind)), Column::Ints(ints)) => {
            show(&mut |row| Some(ints.text_of(row, *kind)));
        }
        (Type::Scalar(scalar), Column::Floats(floats)) => show(&mut |row| {
            Some(match scalar {
                Scalar::F32 => format!("{:?}", floats.decode_f32(row)),
                Scalar::F64 => format!("{:?}", floats.decode_f64(row)),
                _ => scalar_text(*scalar, &floats.decode_u16(row).to_le_bytes()),
            })
        }),
        (_, Column::Strings { rows, text: all }) => {
            show(&mut |row| Some(text(&all[span(rows, row)])));
        }
        (_, Column::Bytes { rows, bytes: all }) => {
            show(&mut |row| Some(bytes(&all[span(rows, row)])));
        }
        (Type::Scalar(Scalar::Fixed(len)), Column::Raw(all)) => {
            let len = usize::try_from(*len).unwrap_or(usize::MAX);
            show(&mut |row| Some(hex(all.get(row * len..(row + 1) * len)?)));
        }
        _ => {}
    }
}
