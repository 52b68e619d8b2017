//! The types of rows that kernels work on.

use crate::memory;
use alloc::borrow::Cow;

use super::{Machine, frame, range, widths};

/// An unsigned integer of 8, 16, 32 or 64 bits. Signed rows use their two's complement.
pub trait Word: Copy + Ord + Default + bytemuck::Pod + sealed::Sealed {
    /// The same bits, ordered as signed numbers.
    type Signed: Copy + Ord;
    /// The number of bits.
    const BITS: u32;
    /// The lowest bits of a number.
    fn truncate(wide: u64) -> Self;
    /// The same number in 64 bits.
    fn widen(self) -> u64;
    /// The same number in 64 bits, sign-extended in two's complement if it is signed.
    fn widen_as(self, signed: bool) -> u64;
    /// Rows in 64 bits, as [`widen_as`](Word::widen_as) returns them. Rows that have 64 bits are not copied.
    fn wide(rows: &[Self], signed: bool) -> Cow<'_, [u64]>;
    /// The sum modulo 2^BITS.
    fn plus(self, other: Self) -> Self;
    /// The difference modulo 2^BITS.
    fn minus(self, other: Self) -> Self;
    /// The product modulo 2^BITS.
    fn times(self, other: Self) -> Self;
    /// As a signed number.
    fn signed(self) -> Self::Signed;
    /// Reverses [`signed`](Word::signed).
    fn unsigned(signed: Self::Signed) -> Self;

    // The large loops. Generic functions would be compiled again in each crate that calls them: half a megabyte for each.

    /// [`frame::unpack_on`] for more than a few rows.
    #[doc(hidden)]
    fn unpack_many(machine: Machine, rows: &mut [Self], payload: &[u8], base: u64, width: u32);
    /// [`frame::pack_on`].
    #[doc(hidden)]
    fn pack_many(machine: Machine, payload: &mut [u8], rows: &[Self], base: u64, width: u32);
    /// [`range::min_max_on`].
    #[doc(hidden)]
    fn min_max(machine: Machine, rows: &[Self], signed: bool) -> Option<(Self, Self)>;
    /// Unpacks as [`widths::Unpack`] does, from a bit on. Returns the bit after the last row.
    #[doc(hidden)]
    fn unpack_widths(
        machine: Machine,
        rows: &mut [Self],
        widths: &[u8],
        payload: &[u8],
        bit: usize,
        signed: bool,
    ) -> usize;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! word {
    ($($word:ty, $signed:ty, $wide:expr;)*) => {$(
        impl sealed::Sealed for $word {}

        impl Word for $word {
            type Signed = $signed;
            const BITS: u32 = <$word>::BITS;

            #[inline(always)]
            fn truncate(wide: u64) -> Self {
                wide as $word
            }

            #[inline(always)]
            fn widen(self) -> u64 {
                u64::from(self)
            }

            #[inline(always)]
            fn widen_as(self, signed: bool) -> u64 {
                if signed { i64::from(self.cast_signed()).cast_unsigned() } else { u64::from(self) }
            }

            fn wide(rows: &[Self], signed: bool) -> Cow<'_, [u64]> {
                let wide: fn(&[Self], bool) -> Cow<'_, [u64]> = $wide;
                wide(rows, signed)
            }

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }

            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }

            #[inline(always)]
            fn signed(self) -> $signed {
                self.cast_signed()
            }

            #[inline(always)]
            fn unsigned(signed: $signed) -> Self {
                signed.cast_unsigned()
            }

            fn unpack_many(
                machine: Machine,
                rows: &mut [Self],
                payload: &[u8],
                base: u64,
                width: u32,
            ) {
                frame::unpack_many(machine, rows, payload, base, width);
            }

            fn pack_many(
                machine: Machine,
                payload: &mut [u8],
                rows: &[Self],
                base: u64,
                width: u32,
            ) {
                frame::pack_many(machine, payload, rows, base, width);
            }

            fn min_max(machine: Machine, rows: &[Self], signed: bool) -> Option<(Self, Self)> {
                range::min_max_of(machine, rows, signed)
            }

            fn unpack_widths(
                machine: Machine,
                rows: &mut [Self],
                widths: &[u8],
                payload: &[u8],
                bit: usize,
                signed: bool,
            ) -> usize {
                widths::unpack(machine, rows, widths, payload, bit, signed)
            }
        }
    )*};
}

fn widened<W: Word>(rows: &[W], signed: bool) -> Cow<'_, [u64]> {
    memory::collected(rows.iter().map(|row| row.widen_as(signed))).into()
}

word! {
    u8, i8, widened;
    u16, i16, widened;
    u32, i32, widened;
    u64, i64, |rows, _| rows.into();
}
