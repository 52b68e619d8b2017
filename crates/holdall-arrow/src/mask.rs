//! Which rows of an array have a value. holdall stores only these, Arrow a place for each row.

use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder, Buffer, MutableBuffer, NullBuffer};

/// The rows of an array, and which of them have a value.
#[derive(Clone)]
pub struct Mask {
    pub len: usize,
    /// None if all have one.
    nulls: Option<NullBuffer>,
}

impl Mask {
    /// Rows that all have a value.
    pub fn full(len: usize) -> Mask {
        Mask { len, nulls: None }
    }

    fn of(bits: BooleanBuffer) -> Mask {
        let (len, nulls) = (bits.len(), NullBuffer::new(bits));
        Mask { len, nulls: Some(nulls).filter(|nulls| nulls.null_count() > 0) }
    }

    /// The number of rows that have a value.
    pub fn present(&self) -> usize {
        self.len - self.nulls.as_ref().map_or(0, NullBuffer::null_count)
    }

    pub fn nulls(&self) -> Option<NullBuffer> {
        self.nulls.clone()
    }

    /// Whether a row has a value.
    pub fn is_present(&self, row: usize) -> bool {
        self.nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row))
    }

    /// Runs of rows that have a value.
    pub fn runs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let all = self.nulls.is_none().then_some((0, self.len));
        all.into_iter().chain(self.nulls.iter().flat_map(NullBuffer::valid_slices))
    }

    /// Keeps those of the present rows of which a bit says that they have a value further inside.
    pub fn within(&self, bits: &BooleanBuffer) -> Mask {
        match &self.nulls {
            None => Mask::of(bits.clone()),
            Some(_) => Mask::of(self.spread_bits(bits)),
        }
    }

    /// Each row `times` times.
    pub fn repeat(&self, times: usize) -> Mask {
        let len = self.len * times;
        let Some(nulls) = &self.nulls else { return Mask::full(len) };
        Mask::of(nulls.expand(times).into_inner())
    }

    /// A bit for each row, from one for each that has a value.
    pub fn spread_bits(&self, bits: &BooleanBuffer) -> BooleanBuffer {
        if self.nulls.is_none() {
            return bits.clone();
        }
        let (mut spread, mut from) = (BooleanBufferBuilder::new(self.len), 0);
        for (start, end) in self.runs() {
            spread.append_n(start - spread.len(), false);
            spread.append_buffer(&bits.slice(from, end - start));
            from += end - start;
        }
        spread.append_n(self.len - spread.len(), false);
        spread.finish()
    }

    /// Bytes for each row, from those of each row that has a value; zeros for the others.
    pub fn spread(&self, dense: Buffer, width: usize) -> Buffer {
        if self.nulls.is_none() {
            return dense;
        }
        let mut spread = MutableBuffer::from_len_zeroed(self.len * width);
        let mut from = 0;
        for (start, end) in self.runs() {
            let len = (end - start) * width;
            spread[start * width..end * width].copy_from_slice(&dense[from..from + len]);
            from += len;
        }
        spread.into()
    }

    /// The offsets of the items of each row, from the number of each row that has a value.
    pub fn offsets(&self, lengths: &[u64]) -> Vec<i64> {
        let mut offsets = Vec::with_capacity(self.len + 1);
        let (mut end, mut from) = (0_i64, 0);
        offsets.push(0);
        for (start, stop) in self.runs() {
            offsets.resize(start + 1, end);
            // The items are rows in memory, so their sum fits.
            offsets.extend(lengths[from..from + stop - start].iter().map(|len| {
                end += len.cast_signed();
                end
            }));
            from += stop - start;
        }
        offsets.resize(self.len + 1, end);
        offsets
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(text: &str) -> BooleanBuffer {
        text.bytes().map(|byte| byte == b'1').collect()
    }

    #[test]
    fn values_move_to_the_rows_that_have_one() {
        let mask = Mask::full(6).within(&bits("011001"));
        assert_eq!((mask.len, mask.present()), (6, 3));
        let dense = Buffer::from_vec(vec![7_u16, 8, 9]);
        assert_eq!(mask.spread(dense, 2).typed_data::<u16>(), [0, 7, 8, 0, 0, 9]);
        assert_eq!(mask.offsets(&[2, 0, 3]), [0, 0, 2, 2, 2, 2, 5]);
        assert_eq!(mask.within(&bits("101")).nulls().unwrap().into_inner(), bits("010001"));
        assert_eq!(mask.repeat(2).nulls().unwrap().into_inner(), bits("001111000011"));
    }

    #[test]
    fn nothing_moves_where_all_rows_have_a_value() {
        let mask = Mask::full(3).within(&bits("111"));
        assert!(mask.nulls().is_none());
        let dense = Buffer::from_vec(vec![7_u16, 8, 9]);
        assert_eq!(mask.spread(dense.clone(), 2).as_ptr(), dense.as_ptr());
        assert_eq!(mask.offsets(&[2, 0, 3]), [0, 2, 2, 5]);
    }
}
