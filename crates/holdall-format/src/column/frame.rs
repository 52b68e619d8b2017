//! Frames of reference: n fields of w bits, packed from the low bit (F-29, F-59).

use alloc::vec::Vec;
use core::ops::Range;

use super::Settings;
use crate::column::preview::number_text;
use crate::error::{Code, Error, Result};
use crate::input::trace::{Field, FieldForm, Tracer, field};
use crate::input::{Input, Pooled, Scratch};
use crate::kernel::frame::payload_len;
use crate::kernel::{self, Word, range};
use crate::memory::{self, GrowVec};
use crate::number::{IntKind, split_varint, unzigzag, varint_len, write_varint, zigzag};

const WITH_BASE: u8 = 0x80;

/// The widest field below 64 bits that one load of 8 bytes holds, whichever bit it starts at (F-29).
const WIDEST: u32 = 57;

/// The number of rows that are packed or unpacked at a time without being kept; their fields end at a byte boundary.
pub const ROWS_AT_A_TIME: usize = 128;

/// The smallest width that holds a field (F-42).
fn width_of(largest: u64) -> u32 {
    let bits = 64 - largest.leading_zeros();
    if bits > WIDEST { 64 } else { bits }
}

/// The frame that a writer chose for a column: base and width.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct FrameChoice {
    /// Written as a varint; `None` means 0, and is not written.
    base: Option<u64>,
    signed: bool,
    width: u32,
    rows: usize,
}

impl FrameChoice {
    /// The frame with or without base, whichever is smaller (F-42).
    ///
    /// For words of fewer than 64 bits, the least and the greatest row are compared as signed numbers if the rows are
    /// signed. A negative row then needs a base: without one the width is 64, which is never smaller for 4 rows or
    /// more.
    pub fn of<W: Word>(values: &[W], signed: bool) -> FrameChoice {
        FrameChoice::with(values, signed, width_of)
    }

    /// Like [`FrameChoice::of`], with fields of 8, 16, 32 or 64 bits, which zstd packs best.
    pub fn of_whole_bytes<W: Word>(values: &[W], signed: bool) -> FrameChoice {
        let bytes = |largest| [0, 8, 16, 32].into_iter().find(|w| *w >= width_of(largest));
        FrameChoice::with(values, signed, |largest| bytes(largest).unwrap_or(64))
    }

    /// Like [`FrameChoice::of`], from the number of rows, the least and the greatest row.
    pub fn between(low: u64, high: u64, signed: bool, rows: usize) -> FrameChoice {
        FrameChoice::smaller(low, high, signed, rows, width_of)
    }

    fn with<W: Word>(values: &[W], signed: bool, width_of: impl Fn(u64) -> u32) -> FrameChoice {
        let (low, high) = range::min_max(values, signed).unwrap_or_default();
        let (low, high) = (low.widen_as(signed), high.widen_as(signed));
        FrameChoice::smaller(low, high, signed, values.len(), width_of)
    }

    fn smaller(
        low: u64,
        high: u64,
        signed: bool,
        rows: usize,
        width_of: impl Fn(u64) -> u32,
    ) -> FrameChoice {
        // As an unsigned number, a negative row takes all 64 bits.
        let largest = if signed && low >> 63 != 0 { u64::MAX } else { high };
        let plain = FrameChoice { base: None, signed, width: width_of(largest), rows };
        let spread = high.wrapping_sub(low);
        let based = FrameChoice { base: Some(low), width: width_of(spread), ..plain };
        // A base takes a byte at least.
        if based.width >= plain.width {
            return plain;
        }
        if rows > 0 && based.size() < plain.size() { based } else { plain }
    }

    /// The same frame for another number of rows.
    pub fn of_rows(self, rows: usize) -> FrameChoice {
        FrameChoice { rows, ..self }
    }

    /// The number of bits of a field.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The number of bytes of base and payload.
    pub fn size(&self) -> u128 {
        let base = self.base.map_or(0, |base| varint_len(self.varint(base)));
        base as u128 + payload_len(self.rows, self.width)
    }

    fn varint(&self, base: u64) -> u64 {
        if self.signed { zigzag(base.cast_signed()) } else { base }
    }

    /// Appends the encoding byte, the base and the payload.
    pub fn write<W: Word>(&self, out: &mut Vec<u8>, values: &[W]) {
        self.write_head(out);
        self.write_payload(out, values);
    }

    /// Like [`FrameChoice::write`], for rows that `make` derives from values, in parts.
    pub fn write_made<T, W: Word>(&self, out: &mut Vec<u8>, values: &[T], make: impl Fn(&T) -> W) {
        self.write_head(out);
        let mut rows = [W::default(); ROWS_AT_A_TIME];
        // The fields of this many rows end at a byte boundary.
        for values in values.chunks(ROWS_AT_A_TIME) {
            let rows = &mut rows[..values.len()];
            rows.iter_mut().zip(values).for_each(|(row, value)| *row = make(value));
            self.write_payload(out, rows);
        }
    }

    fn write_head(&self, out: &mut Vec<u8>) {
        match self.base {
            None => out.put(self.width as u8),
            Some(base) => {
                out.put(WITH_BASE | self.width as u8);
                write_varint(out, self.varint(base));
            }
        }
    }

    fn write_payload<W: Word>(&self, out: &mut Vec<u8>, values: &[W]) {
        kernel::frame::append(out, values, self.base.unwrap_or(0), self.width);
    }

    /// Appends a column in this frame. Unlike a frame inside another encoding, it can be aligned.
    pub fn write_column<W: Word>(&self, out: &mut Vec<u8>, values: &[W], settings: Settings) {
        let byte = self.width as u8;
        if self.base.is_some() || !is_aligned(byte) {
            return self.write(out, values);
        }
        out.put(byte);
        settings.pad(out, payload_len(self.rows, self.width) as usize);
        self.write_payload(out, values);
    }
}

/// Whether an aligned message aligns the payload of a column with this encoding byte (F-69).
pub fn is_aligned(byte: u8) -> bool {
    matches!(byte, 0x10 | 0x20 | 0x40)
}

/// A frame that has been located; its padding is checked.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    pub base: u64,
    pub width: u32,
    rows: usize,
    payload: &'a [u8],
    scratch: &'a Scratch,
}

/// The rows of a frame that are decoded some at a time, apart from the memory of its input.
#[derive(Clone, Copy, Debug)]
pub struct FrameFields<'a> {
    base: u64,
    width: u32,
    bits: u32,
    rows: usize,
    payload: &'a [u8],
}

impl FrameFields<'_> {
    /// The bits of a word of the rows' kind.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Decodes rows from a multiple of 8 on, at most as many as there are, modulo 2^N, as words of N bits.
    pub fn decode_from<W: Word>(&self, start: usize, rows: &mut [W]) {
        assert!(start.is_multiple_of(8), "fields from a byte on");
        let from = start / 8 * self.width as usize;
        // The fields are in the payload, whose length fits.
        let len = payload_len(rows.len(), self.width) as usize;
        kernel::frame::unpack(rows, &self.payload[from..from + len], self.base, self.width);
    }
}

/// Whether an encoding byte is that of a frame.
pub fn is_frame(byte: u8) -> bool {
    matches!(byte, 0..=0x39 | 0x40 | 0x80..=0xB9 | 0xC0)
}

impl<'a> Frame<'a> {
    /// Locates a frame after its encoding byte.
    pub fn locate(input: &mut Input<'a>, byte: u8, rows: usize, signed: bool) -> Result<Frame<'a>> {
        let base = match byte & WITH_BASE {
            0 => 0,
            _ => {
                let base = input.varint(field("a frame's base", "F-29").number(signed))?;
                if signed { unzigzag(base).cast_unsigned() } else { base }
            }
        };
        let width = u32::from(byte & !WITH_BASE);
        let fields = field("a frame's fields", "F-29").form(FieldForm::Rows);
        let payload = input.payload(payload_len(rows, width), fields)?;
        let frame = Frame { base, width, rows, payload, scratch: input.scratch() };
        if let (Some(last), used) = frame.nonzero_padding() {
            return Err(Error::at(Code::NonzeroPadding, input.position() - 1)
                .expected(format!("{} zero bits", 8 - used))
                .got(format!("{last:02X}")));
        }
        Ok(frame)
    }

    /// Splits a frame with its encoding byte off the front of some bytes; returns none if it is not valid.
    #[inline]
    pub fn split(
        bytes: &'a [u8],
        rows: usize,
        signed: bool,
        scratch: &'a Scratch,
    ) -> Option<(Frame<'a>, &'a [u8])> {
        let (&byte, bytes) = bytes.split_first()?;
        if !is_frame(byte) {
            return None;
        }
        let (base, bytes) = match byte & WITH_BASE {
            0 => (0, bytes),
            _ => {
                let (base, len) = split_varint(bytes)?;
                (if signed { unzigzag(base).cast_unsigned() } else { base }, &bytes[len..])
            }
        };
        let width = u32::from(byte & !WITH_BASE);
        let len = usize::try_from(payload_len(rows, width)).ok()?;
        let (payload, rest) = bytes.split_at_checked(len)?;
        let frame = Frame { base, width, rows, payload, scratch };
        frame.nonzero_padding().0.is_none().then_some((frame, rest))
    }

    /// The last byte, if its unused bits are not 0; and how many of its bits are used, if not all.
    #[inline]
    fn nonzero_padding(&self) -> (Option<u8>, u32) {
        let used = (self.rows % 8) as u32 * self.width % 8;
        let last = self.payload.last().copied();
        (last.filter(|last| used > 0 && last >> used != 0), used)
    }

    /// The largest field that the width allows.
    pub fn widest(&self) -> u64 {
        if self.width == 64 { u64::MAX } else { (1 << self.width) - 1 }
    }

    /// Whether every possible field is in a kind's range.
    pub fn is_within(&self, kind: IntKind) -> bool {
        let Some((_, high)) = kind.bounds() else { return true };
        let (base, widest) = (self.base, self.widest());
        // Unsigned: the range of a signed kind is wider than its greatest number.
        kind.holds(base) && widest <= high.wrapping_sub(base)
    }

    /// Whether decoded rows are in the range of a kind as wide as their words. Rows beyond it have wrapped around, to
    /// less than the base.
    #[inline]
    pub fn are_within<W: Word>(&self, kind: IntKind, rows: &[W]) -> bool {
        let signed = kind.is_signed();
        self.is_within(kind)
            || self.width <= W::BITS
                && kind.holds(self.base)
                && range::min_max(rows, signed).is_none_or(|(low, _)| match signed {
                    true => low.widen_as(true).cast_signed() >= self.base.cast_signed(),
                    false => low.widen() >= self.base,
                })
    }

    /// The rows, to be decoded later, as words of this many bits.
    pub fn fields(&self, bits: u32) -> FrameFields<'a> {
        let Frame { base, width, rows, payload, .. } = *self;
        FrameFields { base, width, bits, rows, payload }
    }

    /// The rows, if each is one byte of the payload.
    pub fn bytes(&self) -> Option<&'a [u8]> {
        (self.width == u8::BITS && self.base == 0).then_some(self.payload)
    }

    /// Decodes the rows in parts.
    #[inline]
    pub fn decode_some<W: Word>(&self, mut take: impl FnMut(&[W])) {
        let mut words = [W::default(); ROWS_AT_A_TIME];
        let (mut payload, mut left) = (self.payload, self.rows);
        while left > 0 {
            let words = &mut words[..ROWS_AT_A_TIME.min(left)];
            // The fields of this many rows end at a byte boundary, and the last ones with the payload.
            let (bytes, rest) =
                payload.split_at(payload.len().min(ROWS_AT_A_TIME / 8 * self.width as usize));
            kernel::frame::unpack(words, bytes, self.base, self.width);
            left -= words.len();
            payload = rest;
            take(words);
        }
    }

    /// The rows modulo 2^N, as words of N bits.
    pub fn decode<W: Pooled>(&self) -> Vec<W> {
        let mut rows = self.scratch.rows(self.rows);
        self.decode_into(&mut rows);
        rows
    }

    /// Like [`Frame::decode`], into a slice of the same length.
    pub fn decode_into<W: Word>(&self, rows: &mut [W]) {
        kernel::frame::unpack(rows, self.payload, self.base, self.width);
    }

    /// Reads some rows of the frame that the input just skipped.
    pub fn passed_rows(&self, input: &Input<'_>, some: Range<u64>) -> Result<Vec<u64>> {
        // Every 8 fields begin at a byte.
        let first = some.start & !7;
        let count = usize::try_from(some.end - first).unwrap_or(usize::MAX);
        let from = first / 8 * u64::from(self.width);
        let bytes = from..from + payload_len(count, self.width) as u64;
        let bytes = input.passed(payload_len(self.rows, self.width) as u64, bytes)?;
        let mut numbers = memory::zeros(count);
        kernel::frame::unpack(&mut numbers, &bytes, self.base, self.width);
        numbers.drain(..(some.start - first) as usize);
        Ok(numbers)
    }

    /// Shows the rows at their fields.
    pub fn show(&self, tracer: &Tracer, signed: bool) {
        let values: Vec<u64> = self.decode();
        tracer.preview(self.rows, |row| Some(number_text(values[row], signed)));
    }
}

#[cold]
fn not_a_frame(byte: u8) -> Error {
    Error::at(Code::BadInnerEncoding, 0).expected("a frame").got(format!("{byte:02X}"))
}

/// The encoding byte of a frame inside another encoding (F-59).
pub const INNER: Field = field("the encoding of a frame", "F-59").form(FieldForm::Encoding);

/// Locates and decodes an inner frame of `rows` > 0 rows (F-59).
pub fn read_frame(
    input: &mut Input<'_>,
    role: &'static str,
    rows: usize,
    signed: bool,
) -> Result<Vec<u64>> {
    locate_frame(input, role, rows, signed).map(|frame| frame.decode())
}

/// Like [`read_frame`], without decoding.
pub fn locate_frame<'a>(
    input: &mut Input<'a>,
    role: &'static str,
    rows: usize,
    signed: bool,
) -> Result<Frame<'a>> {
    let before = input.tracer().map(|tracer| tracer.role(role));
    let start = input.position();
    let byte = input.byte(INNER)?;
    if !is_frame(byte) {
        return Err(not_a_frame(byte).moved_to(start));
    }
    let frame = Frame::locate(input, byte, rows, signed)?;
    if let (Some(tracer), Some(before)) = (input.tracer(), before) {
        frame.show(tracer, signed);
        tracer.role(before);
    }
    Ok(frame)
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::Frame;
    use crate::input::Scratch;
    use crate::number::IntKind;

    #[test]
    fn decoded_rows_are_within_a_kind_if_none_wrapped_around() {
        let scratch = Scratch::default();
        for base in [-128_i64, -100, -1, 0, 1, 100, 127] {
            for field in 0..=u8::MAX {
                let (base_bits, payload) = (base.cast_unsigned(), [0, field, 0, 0]);
                let frame = Frame {
                    base: base_bits,
                    width: 8,
                    rows: 4,
                    payload: &payload,
                    scratch: &scratch,
                };
                let rows: Vec<u8> = frame.decode();
                let greatest = base + i64::from(field);
                assert_eq!(frame.are_within(IntKind::I8, &rows), greatest <= 127, "{base} {field}");
                let is_byte = base >= 0 && greatest <= 255;
                assert_eq!(frame.are_within(IntKind::U8, &rows), is_byte, "{base} {field}");
            }
        }
        let wide = Frame { base: 0, width: 9, rows: 4, payload: &[0; 5], scratch: &scratch };
        assert!(!wide.are_within(IntKind::U8, &wide.decode::<u8>()));
    }

    #[test]
    fn a_frame_is_within_a_kind_if_its_least_and_its_greatest_number_are() {
        let scratch = Scratch::default();
        let is_within = |kind: IntKind, base: i64, width| {
            let base = base.cast_unsigned();
            Frame { base, width, rows: 0, payload: &[], scratch: &scratch }.is_within(kind)
        };
        let kinds =
            [IntKind::I8, IntKind::I16, IntKind::I32, IntKind::U8, IntKind::U16, IntKind::U32];
        for kind in kinds {
            let (low, high) = kind.bounds().expect("it has bounds");
            let (low, high) = (low.cast_signed(), high.cast_signed());
            for width in (0..=57).chain([64]) {
                for base in [low - 1, low, low + 1, -1, 0, 1, high - 1, high, high + 1] {
                    let widest = if width == 64 { u64::MAX } else { (1 << width) - 1 };
                    let greatest = i128::from(base) + i128::from(widest);
                    let expected = low <= base && greatest <= i128::from(high);
                    assert_eq!(is_within(kind, base, width), expected, "{kind:?} {base} {width}");
                }
            }
        }
    }
}
