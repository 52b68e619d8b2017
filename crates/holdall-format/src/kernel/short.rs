//! Appends short slices, one after the other. A copy of variable length takes a jump that processors predict badly.
//! Here short slices are copied by registers of fixed size, whatever their length.
#![allow(unsafe_code)]

use alloc::vec::Vec;

use crate::memory::{Grow, GrowVec};
use bytemuck::NoUninit;

/// Slices of up to this many bytes are short.
const SHORT: usize = 32;

/// Appends all slices.
#[inline]
pub fn append<'r, T: NoUninit>(out: &mut Vec<T>, rows: impl Iterator<Item = &'r [T]>) {
    let short = const {
        assert!(SHORT.is_multiple_of(size_of::<T>()), "values fill the bytes of a copy");
        SHORT / size_of::<T>()
    };
    // In registers: through `out` each slice took 7 more instructions, of about 30.
    let (mut start, mut capacity, mut len) = (out.as_mut_ptr(), out.capacity(), out.len());
    for row in rows {
        if row.len() <= short
            && len + short <= capacity
            && let Some([low, high]) = over_read::load(bytemuck::cast_slice(row))
        {
            // SAFETY: `start` points to the values of `out`, which has room for `capacity`, so for a row and the bytes
            // copied with it after the first `len`. `out` owns all of it, so it does not overlap with a row, and the
            // copy needs no alignment.
            unsafe {
                let place = start.add(len).cast::<[over_read::Register; 2]>();
                place.write_unaligned([low, high]);
            }
            len += row.len();
            continue;
        }
        // SAFETY: the values up to `len` are initialised: those before by `out`, the others above.
        unsafe { out.set_len(len) };
        out.room(row.len() + short);
        out.put_slice(row);
        (start, capacity, len) = (out.as_mut_ptr(), out.capacity(), out.len());
    }
    // SAFETY: as above. If `rows` panics, `out` is unchanged or a little longer.
    unsafe { out.set_len(len) };
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod over_read {
    use core::arch::asm;
    pub(super) use core::arch::x86_64::__m128i as Register;

    use super::SHORT;

    /// Read in place of an empty slice, which has no byte on any page. A branch for empty slices is predicted badly: it
    /// took 15 % of the time for texts where every sixth is empty.
    static NOTHING: Nothing = Nothing([0; SHORT]);

    /// Aligned, so that it is on one page.
    #[repr(align(32))]
    struct Nothing([u8; SHORT]);

    /// Pages have this size or a multiple of it.
    const PAGE: usize = 4096;

    /// The slice's bytes, followed by any bytes in memory; nothing if the slice is near the end of a page.
    #[inline(always)]
    pub(super) fn load(row: &[u8]) -> Option<[Register; 2]> {
        let row = if row.is_empty() { &NOTHING.0 } else { row };
        let start = row.as_ptr();
        if start.addr() % PAGE > PAGE - SHORT {
            return None;
        }
        let (low, high);
        // SAFETY: in Rust's terms this reads the slice and makes up the bytes after it, as any function may. The
        // machine reads those from memory: they are on the page of the slice's first byte, which is readable, so the
        // load cannot fault. A concurrent write by another thread changes only bytes whose value is not specified.
        // Nothing is written, and neither stack nor flags are touched.
        unsafe {
            asm!(
                "movdqu {low}, [{start}]",
                "movdqu {high}, [{start} + 16]",
                start = in(reg) start,
                low = lateout(xmm_reg) low,
                high = lateout(xmm_reg) high,
                options(pure, readonly, nostack, preserves_flags)
            );
        }
        Some([low, high])
    }
}

/// Where the bytes after a slice cannot be read, all slices are copied by their lengths.
#[cfg(not(all(target_arch = "x86_64", not(miri))))]
mod over_read {
    pub(super) type Register = u128;

    #[inline(always)]
    pub(super) fn load(_row: &[u8]) -> Option<[Register; 2]> {
        None
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::{SHORT, append};

    #[test]
    fn slices_of_any_address_and_length_are_appended() {
        // Slightly more than two pages: slices begin and end at every offset around the boundaries.
        let bytes: Vec<u8> = (0..10_000_u32).map(|at| (at % 251) as u8).collect();
        let page = bytes.as_ptr().align_offset(4096);
        // Miri is slow.
        let step = if cfg!(miri) { 67 } else { 1 };
        for len in (0..2 * SHORT + 2).chain([100, 4096]) {
            for end in (page + 4000..page + 4200).step_by(step).filter(|end| *end <= bytes.len()) {
                let row = &bytes[end.saturating_sub(len)..end];
                let (mut out, mut expected) = (vec![7], vec![7]);
                append(&mut out, [row, &[], row, b"end"].into_iter());
                expected.extend([row, row, b"end"].concat());
                assert_eq!(out, expected);
            }
        }
    }

    #[test]
    fn a_full_buffer_grows() {
        for capacity in 0..2 * SHORT {
            let mut out = Vec::with_capacity(capacity);
            append(&mut out, core::iter::repeat_n(&b"0123456789"[..], 20));
            assert_eq!(out, b"0123456789".repeat(20));
        }
    }
}
