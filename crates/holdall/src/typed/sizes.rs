//! Types whose values all take equally many bytes, known at compile time.

/// How many bytes the columns of a type take with one, two or three rows; none where the values decide. More rows have
/// encodings (F-28 to F-30), which depend on the values.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct RowSizes([Option<usize>; 3]);

impl RowSizes {
    /// Any number of bytes.
    pub const VARIABLE: RowSizes = RowSizes([None; 3]);
    /// No columns.
    pub const NOTHING: RowSizes = RowSizes([Some(0); 3]);
    /// A bit for each row (F-28).
    pub const BITS: RowSizes = RowSizes([Some(1); 3]);

    /// Numbers of this width, without an encoding.
    #[must_use]
    pub const fn numbers(width: usize) -> RowSizes {
        RowSizes([Some(width), Some(2 * width), Some(3 * width)])
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
        const fn of(len: usize) -> Option<usize> {
            Some(if len >= crate::column::raw::MIN_ENCODED_BYTES { len + 1 } else { len })
        }
        RowSizes([of(width), of(2 * width), of(3 * width)])
    }

    /// With the columns of another type after them.
    #[must_use]
    pub const fn and(self, other: RowSizes) -> RowSizes {
        let (mut both, mut rows) = ([None; 3], 0);
        while rows < 3 {
            if let (Some(own), Some(other)) = (self.0[rows], other.0[rows]) {
                both[rows] = Some(own + other);
            }
            rows += 1;
        }
        RowSizes(both)
    }

    /// Arrays of this many items.
    #[must_use]
    pub const fn arrays(self, len: usize) -> RowSizes {
        if let (0, _) | (_, [Some(0), ..]) = (len, self.0) {
            return RowSizes::NOTHING;
        }
        let (mut sizes, mut rows) = ([None; 3], 1);
        while rows * len <= 3 {
            sizes[rows - 1] = self.0[rows * len - 1];
            rows += 1;
        }
        RowSizes(sizes)
    }

    /// The bytes of one row.
    #[must_use]
    pub const fn of_one(self) -> Option<usize> {
        self.0[0]
    }
}
