//! Instants with the offset of a local clock, for chrono and time.

use alloc::borrow::ToOwned;

use crate::error::Result;
use crate::number::IntKind;
use crate::schema::LogicalType;
use crate::typed::impls::big_ints::{NANOSECONDS, read_big_int, write_big_int};
use crate::typed::{Columns, Description, Rows, Site, Types};

/// UTC, and the offset of the local clock from it.
const OFFSET: u8 = 2;

/// An instant, and the offset in seconds east of UTC.
pub(super) fn with_offset(types: &mut Types) -> Description {
    let whole = types.add(Description::int(IntKind::Int));
    let offset = types.add(Description::int(IntKind::I32));
    let storage = types.add(Description::tuple([whole, offset]));
    let ty = LogicalType::unchecked(LogicalType::TIMESTAMP, &[NANOSECONDS, OFFSET]);
    Description::logical(ty, storage)
}

pub(super) fn write_with_offset(
    (nanoseconds, offset): (i128, i32),
    site: Site,
    columns: &mut Columns<'_>,
) -> Result<()> {
    let storage = columns.child(site, 0);
    write_big_int(nanoseconds, columns.child(storage, 0), columns)?;
    columns.buffers.push(columns.child(storage, 1), offset.cast_unsigned())
}

/// Reads a value from an instant and an offset, if they are valid together.
pub(super) fn read_with_offset<T>(
    site: Site,
    rows: &mut Rows<'_, '_>,
    expected: &'static str,
    of: impl FnOnce(i128, i32) -> Option<T>,
) -> Result<T> {
    let storage = rows.child(site, 0);
    let nanoseconds = read_big_int(rows.child(storage, 0), rows)?;
    let offset = rows.one::<u32>(rows.child(storage, 1))?.cast_signed();
    nanoseconds.and_then(|nanoseconds| of(nanoseconds, offset)).ok_or_else(|| {
        let got = match nanoseconds {
            Some(nanoseconds) => format!("{nanoseconds} with the offset {offset}"),
            None => "a number beyond 128 bits".to_owned(),
        };
        rows.unconvertible(rows.child(storage, 0), expected, got)
    })
}
