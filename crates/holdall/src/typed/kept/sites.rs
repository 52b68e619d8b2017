//! Any row of a site, and the rows inside it.

use core::ops::Range;

use super::{Kept, KeptBlock};
use crate::column::ints::IntRows;
use crate::column::text;
use crate::memory;
use crate::schema::Type;
use crate::typed::cursor::Cursor;
use crate::typed::plan::Site;

/// A word of a column of integers.
pub(crate) trait KeptWord: Copy + 'static {
    fn of<'k>(ints: &'k IntRows<'_>) -> Option<&'k [Self]>;
}

macro_rules! words {
    ($($word:ty, $rows:ident;)*) => {$(
        impl KeptWord for $word {
            #[inline]
            fn of<'k>(ints: &'k IntRows<'_>) -> Option<&'k [Self]> {
                match ints {
                    IntRows::$rows(rows) => Some(rows),
                    _ => None,
                }
            }
        }
    )*};
}

words! {
    u8, W8;
    u16, W16;
    u32, W32;
    u64, W64;
}

/// Panics when a hand-written type is in an archive where its description says another type is.
#[cold]
fn no_rows() -> ! {
    panic!("rows of the type that was described")
}

impl KeptBlock<'_> {
    /// A site inside a site, by its number in the order of description.
    #[inline]
    pub(crate) fn child(&self, site: Site, number: usize) -> Site {
        self.plan.child(site, number)
    }

    /// The site of what is stored for values of logical types: a set is stored as a list.
    #[inline]
    pub(crate) fn storage(&self, mut site: Site) -> Site {
        while let Type::Logical(..) | Type::Extension(..) = self.plan.ty(site) {
            site = self.plan.child(site, 0);
        }
        site
    }

    pub(crate) fn bit(&self, site: Site, row: usize) -> bool {
        match &self.columns[site.index()] {
            Kept::Bools(flags) => flags.get(row),
            _ => no_rows(),
        }
    }

    /// All rows of a column of integers.
    #[inline]
    pub(crate) fn words<W: KeptWord>(&self, site: Site) -> &[W] {
        match &self.columns[site.index()] {
            Kept::Ints(ints) => W::of(ints).unwrap_or_else(|| no_rows()),
            // All lists are empty.
            Kept::None => &[],
            _ => no_rows(),
        }
    }

    /// The bytes of a float.
    #[inline]
    pub(crate) fn float<const WIDTH: usize>(&self, site: Site, row: usize) -> [u8; WIDTH] {
        match &self.columns[site.index()] {
            Kept::Floats(floats) => floats.bytes(row),
            _ => no_rows(),
        }
    }

    /// The bytes of some floats or packed rows, if each is stored.
    pub(crate) fn raw(&self, site: Site, rows: Range<usize>) -> Option<&[u8]> {
        match &self.columns[site.index()] {
            Kept::Floats(floats) => {
                let width = floats.width();
                floats.each().map(|each| &each[rows.start * width..rows.end * width])
            }
            Kept::Raw { width, bytes } => Some(&bytes[rows.start * width..rows.end * width]),
            Kept::None => Some(&[]),
            _ => no_rows(),
        }
    }

    #[inline]
    pub(crate) fn text(&self, site: Site, row: usize) -> &str {
        match &self.columns[site.index()] {
            Kept::Strings { bounds, text } => &text[bounds[row]..bounds[row + 1]],
            Kept::Entries { entries, text } => {
                let entry = entries.indices[row] as usize;
                &text[entries.bounds[entry]..entries.bounds[entry + 1]]
            }
            _ => no_rows(),
        }
    }

    #[cfg(feature = "bytes")]
    pub(crate) fn bytes(&self, site: Site, row: usize) -> &[u8] {
        match &self.columns[site.index()] {
            Kept::Bytes { rows, bounds, bytes } => {
                let (start, end) = rows.span(row, bounds.get(row).copied().unwrap_or(0));
                &bytes[start..end]
            }
            _ => no_rows(),
        }
    }

    /// The row inside an option, if it has one.
    #[inline]
    pub(crate) fn present(&self, site: Site, row: usize) -> Option<usize> {
        match &self.columns[site.index()] {
            Kept::Presence(presence) => presence.flags.get(row).then(|| presence.before(row)),
            _ => no_rows(),
        }
    }

    /// The rows of the items of a list or array, or of the entries of a map.
    #[inline]
    pub(crate) fn items(&self, site: Site, row: usize) -> Range<usize> {
        match &self.columns[site.index()] {
            Kept::Lengths { bounds, .. } => bounds[row]..bounds[row + 1],
            Kept::None => match self.plan.ty(site) {
                Type::Array(len, _) => row * *len as usize..(row + 1) * *len as usize,
                _ => no_rows(),
            },
            _ => no_rows(),
        }
    }

    /// The variant of a union, and the row of its payload.
    #[inline]
    pub(crate) fn variant(&self, site: Site, row: usize) -> (usize, usize) {
        match &self.columns[site.index()] {
            Kept::Variants(variants) => {
                let number = variants.numbers()[row] as usize;
                (number, variants.before(row, number))
            }
            // A union of one variant has no column.
            Kept::None => (0, row),
            _ => no_rows(),
        }
    }

    /// Puts the cursors of a site and of all inside it at the row.
    pub(super) fn seek<'k>(&'k self, site: Site, row: usize, cursors: &mut [Cursor<'k>]) {
        let types = self.plan.schema.types();
        let inside = self.plan.schema.inside(self.plan.in_schema(site).index());
        let first = inside.start;
        let mut rows = memory::filled(0, inside.len());
        rows[0] = row;
        for id in inside {
            let row = rows[id - first];
            let kept = &self.columns[id];
            let mut put = |inside: usize, row: usize| rows[inside - first] = row;
            match (&types[id], kept) {
                (Type::Option(inner), Kept::Presence(presence)) => {
                    put(*inner, presence.before(row));
                }
                (Type::List(_) | Type::Map(..), Kept::Lengths { bounds, .. }) => {
                    types[id].children().for_each(|inside| put(inside, bounds[row]));
                }
                (Type::Union(of), Kept::Variants(variants)) => {
                    let inside = of.variants.iter().enumerate();
                    inside.for_each(|(number, id)| put(*id, variants.before(row, number)));
                }
                (Type::Array(len, item), _) => put(*item, row * *len as usize),
                // What is packed is a part of the row.
                (Type::Packed(_) | Type::Tensor(_), _) => {}
                // As many rows, or none.
                (ty, _) => ty.children().for_each(|inside| put(inside, row)),
            }
            cursors[id] = kept.cursor(row);
        }
    }
}

impl Kept<'_> {
    /// The rows from this one on. It can be that behind the last.
    fn cursor(&self, row: usize) -> Cursor<'_> {
        match self {
            Kept::None => Cursor::None,
            Kept::Bools(flags) => Cursor::Bits { bits: flags.bits(), row },
            Kept::Presence(presence) => Cursor::Bits { bits: presence.flags.bits(), row },
            Kept::Ints(IntRows::W8(rows)) => Cursor::W8(&rows[row..]),
            Kept::Ints(IntRows::W16(rows)) => Cursor::W16(&rows[row..]),
            Kept::Ints(IntRows::W32(rows)) => Cursor::W32(&rows[row..]),
            Kept::Ints(IntRows::W64(rows)) => Cursor::W64(&rows[row..]),
            Kept::Ints(IntRows::Wide(ints)) => Cursor::Wide { ints, row },
            Kept::Floats(floats) => match (floats.width(), floats.each()) {
                (4, Some(each)) => Cursor::F32(&each.as_chunks().0[row..]),
                (8, Some(each)) => Cursor::F64(&each.as_chunks().0[row..]),
                _ => Cursor::Floats { floats, row },
            },
            Kept::Strings { bounds, text } => Cursor::Bounds { bounds: &bounds[row..], text },
            Kept::Entries { entries, text } => {
                let text::Entries { bounds, indices } = &**entries;
                Cursor::Entries { indices: &indices[row..], bounds, text }
            }
            Kept::Bytes { rows, bounds, bytes } => {
                Cursor::Bytes { rows, row, at: bounds.get(row).copied().unwrap_or(0), bytes }
            }
            Kept::Lengths { lengths, .. } => Cursor::Numbers(&lengths[row..]),
            Kept::Variants(variants) => Cursor::Numbers(&variants.numbers()[row..]),
            Kept::Raw { width, bytes } => Cursor::Raw(&bytes[row * width..]),
        }
    }
}
