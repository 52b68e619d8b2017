//! Types whose values all take equally many bytes, known at compile time.

/// How many bytes the columns of a type take with one, two or three rows; none where the values decide. More rows have
/// encodings (F-28 to F-30), which depend on the values, except raw ones.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct RowSizes {
    few: [Option<usize>; 3],
    /// The width of a row if all rows are one raw column, whose size is known for any number of them.
    raw: Option<usize>,
}

impl RowSizes {
    /// Any number of bytes.
    pub const VARIABLE: RowSizes = RowSizes::of_few([None; 3]);
    /// No columns.
    pub const NOTHING: RowSizes = RowSizes::of_few([Some(0); 3]);
    /// A bit for each row (F-28).
    pub const BITS: RowSizes = RowSizes::of_few([Some(1); 3]);

    const fn of_few(few: [Option<usize>; 3]) -> RowSizes {
        RowSizes { few, raw: None }
    }

    /// Numbers of this width, without an encoding.
    #[must_use]
    pub const fn numbers(width: usize) -> RowSizes {
        RowSizes::of_few([Some(width), Some(2 * width), Some(3 * width)])
    }

    /// The variants of an enum without payloads.
    #[must_use]
    pub const fn variants(count: usize) -> RowSizes {
        match count {
            // A union of one variant has no column.
            1 => RowSizes::NOTHING,
            // Each number is a varint of one byte.
            2..=128 => RowSizes::numbers(1),
            _ => RowSizes::VARIABLE,
        }
    }

    /// Raw rows of this width (F-94) in profile fast.
    #[must_use]
    pub const fn raw(width: usize) -> RowSizes {
        const fn of(len: Option<usize>) -> Option<usize> {
            match len {
                Some(len) if len >= crate::column::raw::MIN_ENCODED_BYTES => len.checked_add(1),
                len => len,
            }
        }
        let few = [of(Some(width)), of(width.checked_mul(2)), of(width.checked_mul(3))];
        RowSizes { few, raw: Some(width) }
    }

    /// With the columns of another type after them.
    #[must_use]
    pub const fn and(self, other: RowSizes) -> RowSizes {
        let (mut both, mut rows) = ([None; 3], 0);
        while rows < 3 {
            if let (Some(own), Some(other)) = (self.few[rows], other.few[rows]) {
                both[rows] = Some(own + other);
            }
            rows += 1;
        }
        let raw = match (self.few, other.few) {
            ([Some(0), ..], _) => other.raw,
            (_, [Some(0), ..]) => self.raw,
            _ => None,
        };
        RowSizes { few: both, raw }
    }

    /// Arrays of this many items.
    #[must_use]
    pub const fn arrays(self, len: usize) -> RowSizes {
        if let (0, _) | (_, [Some(0), ..]) = (len, self.few) {
            return RowSizes::NOTHING;
        }
        if let Some(width) = self.raw {
            return match width.checked_mul(len) {
                Some(width) => RowSizes::raw(width),
                None => RowSizes::VARIABLE,
            };
        }
        let (mut sizes, mut rows) = ([None; 3], 1);
        while rows * len <= 3 {
            sizes[rows - 1] = self.few[rows * len - 1];
            rows += 1;
        }
        RowSizes::of_few(sizes)
    }

    /// The bytes of one row.
    #[must_use]
    pub const fn of_one(self) -> Option<usize> {
        self.few[0]
    }
}
