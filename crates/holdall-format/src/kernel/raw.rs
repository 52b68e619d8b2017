//! Numbers as little-endian bytes: a copy on machines that store them so.

use alloc::vec::Vec;

use super::IS_FORMAT_ORDER;
use crate::memory::{Grow, GrowVec};
use bytemuck::Pod;
use half::{bf16, f16};

/// A number of fixed size.
pub trait Number<const N: usize>: Pod {
    /// Its bytes in little-endian order.
    fn to_bytes(self) -> [u8; N];
    /// Reverses [`to_bytes`](Number::to_bytes).
    fn of_bytes(bytes: [u8; N]) -> Self;
}

macro_rules! number {
    ($($number:ty)*) => {$(
        impl Number<{ size_of::<$number>() }> for $number {
            #[inline(always)]
            fn to_bytes(self) -> [u8; size_of::<$number>()] {
                self.to_le_bytes()
            }

            #[inline(always)]
            fn of_bytes(bytes: [u8; size_of::<$number>()]) -> Self {
                Self::from_le_bytes(bytes)
            }
        }
    )*};
}

number!(u8 u16 u32 u64 u128 i8 i16 i32 i64 i128 f16 bf16 f32 f64);

/// Appends each row's bytes.
#[inline]
pub fn append<T: Number<N>, const N: usize>(out: &mut Vec<u8>, rows: &[T]) {
    if IS_FORMAT_ORDER {
        // A loop over rows would first have to fill the vector with zeros, which is another pass.
        out.put_slice(bytemuck::cast_slice(rows));
    } else {
        append_each(out, rows);
    }
}

/// [`append`] for any byte order.
#[inline]
pub(super) fn append_each<T: Number<N>, const N: usize>(out: &mut Vec<u8>, rows: &[T]) {
    out.room(size_of_val(rows));
    rows.iter().for_each(|row| out.put_slice(&row.to_bytes()));
}

/// Reverses [`append`]. Compilers turn this loop into a copy where it is one.
///
/// # Panics
/// If the bytes are not exactly those of the rows.
#[inline]
pub fn read<T: Number<N>, const N: usize>(rows: &mut [T], bytes: &[u8]) {
    assert_eq!(bytes.len(), size_of_val(rows), "bytes of the rows");
    for (row, place) in rows.iter_mut().zip(bytes.as_chunks().0) {
        *row = T::of_bytes(*place);
    }
}
