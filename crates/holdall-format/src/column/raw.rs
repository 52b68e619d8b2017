//! Raw: rows of a fixed width, such as byte strings of one length, packed rows, and the elements of tensors (F-94).

use alloc::vec::Vec;

use crate::memory::{self, Collect, GrowVec};
use alloc::borrow::Cow;

use half::{bf16, f16};

use super::floats::{self, Float};
use super::frame;
use super::ints::{self, IntBuffer, IntRows, keep_smaller};
use super::zstd::{self, ZSTD};
use super::{Place, Settings, repeats, unreadable};
use crate::error::{Code, Error, Result};
use crate::input::Input;
use crate::input::trace::{Field, FieldForm, field};
use crate::kernel::raw::{self as kernel, Number};
use crate::number::{IntKind, shorten_big, wide_of_big};
use crate::schema::{DType, Scalar};

const RAW: u8 = 0x48;
const PLANES: u8 = 0x49;

/// Smaller columns have no encoding.
pub const MIN_ENCODED_BYTES: usize = 64;

/// The kind of rows of a column.
#[derive(Clone, Copy, Debug)]
pub struct Of {
    pub width: u64,
    /// The type of the rows if they are integers or floats, and so can be stored as a column of these.
    numbers: Option<Scalar>,
    what: &'static str,
}

impl Of {
    /// Byte strings of this length.
    pub fn fixed(width: u64) -> Of {
        Of { width, numbers: None, what: "byte strings of one length" }
    }

    /// Packed rows of a type.
    pub fn packed(width: u64) -> Of {
        Of { width, numbers: None, what: "packed rows" }
    }

    /// The elements of tensors.
    pub fn elements(dtype: &DType) -> Of {
        let width = dtype.width().unwrap_or(0);
        Of { width, numbers: dtype.number(), what: "elements of tensors" }
    }

    fn rows_of(self) -> Field {
        field(self.what, "F-94").form(FieldForm::Rows)
    }
}

/// The number of bytes that a column takes in profile fast, not aligned.
pub fn len_of(rows: &[u8]) -> usize {
    usize::from(rows.len() >= MIN_ENCODED_BYTES) + rows.len()
}

/// Appends a column.
pub fn write(out: &mut Vec<u8>, of: Of, rows: &[u8], settings: Settings) {
    if rows.len() >= MIN_ENCODED_BYTES && settings.profile.is_small() {
        return write_small(out, of, rows, settings);
    }
    write_head(out, rows.len(), settings);
    out.put_slice(rows);
}

/// Appends the encoding byte and padding before `len` bytes of raw rows.
pub fn write_head(out: &mut Vec<u8>, len: usize, settings: Settings) {
    if len >= MIN_ENCODED_BYTES {
        out.put(RAW);
        settings.pad(out, len);
    }
}

/// Appends the smallest of all encodings (F-63).
fn write_small(out: &mut Vec<u8>, of: Of, rows: &[u8], settings: Settings) {
    let start = out.len();
    // The smallest encoding is known only after all are written.
    let unaligned = Settings { aligned_from: None, ..settings };
    // The rows are in memory, so their width fits.
    let width = of.width as usize;
    let mut orders = vec![];
    match of.numbers {
        Some(scalar) => write_numbers(out, scalar, rows, unaligned),
        None => orders.put((repeats::packed_len(rows, width.min(ALIGNED)), Order::OfRows)),
    }
    if width > 1 && rows.len() / width >= MIN_PLANE {
        orders.put((planes_len(rows, width), Order::OfPlanes));
    }
    // If the first is as small as expected, the other is seldom tried.
    orders.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (estimate, order) in orders {
        let best = if out.len() > start { out.len() - start } else { rows.len() };
        if repeats::is_worthwhile(estimate, best) {
            let mut column = order.of(rows, width);
            zstd::wrap(&mut column, 0);
            keep_smaller(out, start, &column);
        }
    }
    if out.len() == start || rows.len() + 1 < out.len() - start {
        out.truncate(start);
        write_head(out, rows.len(), unaligned);
        out.put_slice(rows);
    }
    if is_aligned(out[start]) {
        settings.pad_at(out, start + 1);
    }
}

/// Fields of rows mostly begin at multiples of this.
const ALIGNED: usize = 4;

/// The order of the bytes that zstd compresses.
enum Order {
    OfRows,
    OfPlanes,
}

impl Order {
    fn of(self, rows: &[u8], width: usize) -> Vec<u8> {
        match self {
            Order::OfRows => memory::joined(&[&[RAW], rows]),
            Order::OfPlanes => planes(rows, width),
        }
    }
}

/// Smaller planes save too little.
const MIN_PLANE: usize = 64;
/// Planes are estimated from this many rows.
const SAMPLE: usize = 1 << 12;

/// About how many bytes zstd leaves of the planes.
fn planes_len(rows: &[u8], width: usize) -> f32 {
    let count = rows.len() / width;
    let first = count.saturating_sub(SAMPLE) / 2;
    let sample = &rows[first * width..][..count.min(SAMPLE) * width];
    let of_plane = |byte| {
        let plane: Vec<u8> = memory::collected(sample.iter().skip(byte).step_by(width).copied());
        repeats::packed_len(&plane, 1)
    };
    let len: f32 = (0..width).map(of_plane).sum();
    len / sample.len() as f32 * rows.len() as f32
}

/// Whether an aligned message aligns the payload of raw rows with this encoding byte (F-69).
pub fn is_aligned(byte: u8) -> bool {
    byte == RAW || byte == floats::RAW || frame::is_aligned(byte)
}

/// Appends the rows as a column of integers or floats.
fn write_numbers(out: &mut Vec<u8>, scalar: Scalar, rows: &[u8], settings: Settings) {
    match scalar {
        Scalar::Int(kind) => match kind.width() {
            Some(1) => ints::write_words(out, kind, rows, settings),
            Some(2) => ints::write_words(out, kind, &words::<u16, 2>(rows), settings),
            Some(4) => ints::write_words(out, kind, &words::<u32, 4>(rows), settings),
            Some(8) => ints::write_words(out, kind, &words::<u64, 8>(rows), settings),
            _ => ints::write(out, kind, &wide_ints(kind, rows), settings),
        },
        Scalar::F16 => write_floats::<f16, 2>(out, rows, settings),
        Scalar::Bf16 => write_floats::<bf16, 2>(out, rows, settings),
        Scalar::F32 => write_floats::<f32, 4>(out, rows, settings),
        _ => write_floats::<f64, 8>(out, rows, settings),
    }
}

fn write_floats<F: Float + Number<N>, const N: usize>(
    out: &mut Vec<u8>,
    rows: &[u8],
    settings: Settings,
) {
    floats::write(out, &words::<F, N>(rows), settings);
}

fn words<T: Number<N>, const N: usize>(rows: &[u8]) -> Vec<T> {
    memory::collected(rows.as_chunks().0.iter().map(|row| T::of_bytes(*row)))
}

/// Integers of 128 bits.
fn wide_ints(kind: IntKind, rows: &[u8]) -> IntBuffer {
    let mut ints = IntBuffer::default();
    for row in rows.as_chunks::<16>().0 {
        let mut big = [0; 17];
        big[..16].copy_from_slice(row);
        if kind.is_signed() && row[15] & 0x80 != 0 {
            big[16] = 0xFF;
        }
        let big = shorten_big(&big);
        match kind.bits_of_big(big) {
            Some(bits) => ints.push(bits),
            None => ints.push_big(big),
        }
    }
    ints
}

/// The bytes of the rows, grouped by their position in the row.
fn planes(rows: &[u8], width: usize) -> Vec<u8> {
    let mut out = vec![PLANES];
    for byte in 0..width {
        let plane = || rows.iter().skip(byte).step_by(width);
        match plane().next() {
            Some(first) if plane().all(|byte| byte == first) => out.put_each([1, *first]),
            _ => {
                out.put(0);
                out.put_each(plane().copied());
            }
        }
    }
    out
}

/// A column that was located and decoded.
pub struct Raw<'a> {
    pub encoding: Option<u8>,
    /// The consecutive rows.
    pub bytes: &'a [u8],
    /// The offset of the rows in the input, if they are stored unencoded.
    as_is: Option<usize>,
    /// Where the column begins.
    start: usize,
}

impl Raw<'_> {
    /// The place of the column, for this many rows of a site.
    pub fn place(&self, input: &Input<'_>, rows: usize) -> Place {
        Place { range: self.start..input.position(), encoding: self.encoding, rows }
    }

    /// Where to report a fault of a byte of the rows.
    pub fn offset_of(&self, byte: usize) -> usize {
        self.as_is.map_or(self.start, |start| start + byte)
    }
}

/// Whether the stored rows have the layout of a program's memory.
pub fn is_raw(of: Of, encoding: Option<u8>) -> bool {
    match (encoding, of.numbers) {
        (None | Some(RAW), _) => true,
        (_, Some(Scalar::Int(kind))) => ints::is_raw(kind, encoding),
        (_, Some(_)) => floats::is_raw(encoding),
        (_, None) => false,
    }
}

/// Locates and decodes a column of `rows` rows.
pub fn read<'a>(input: &mut Input<'a>, of: Of, rows: u128) -> Result<Raw<'a>> {
    let len = rows.saturating_mul(u128::from(of.width));
    if len >= MIN_ENCODED_BYTES as u128 {
        return read_encoded(input, of, rows, len);
    }
    let start = input.position();
    let bytes = input.payload(len, of.rows_of())?;
    Ok(Raw { encoding: None, bytes, as_is: Some(start), start })
}

const ENCODING: Field = field("the encoding of rows", "F-94").form(FieldForm::Encoding);

/// Reads a column from its encoding byte on.
fn read_encoded<'a>(input: &mut Input<'a>, of: Of, rows: u128, len: u128) -> Result<Raw<'a>> {
    let start = input.position();
    let byte = input.peek()?.map(|[byte]| byte);
    let bytes = match byte {
        None | Some(RAW) => {
            input.byte(ENCODING)?;
            let bytes = input.aligned_payload(len, of.rows_of())?;
            // The input has this many bytes, so the length fits.
            let as_is = Some(input.position() - len as usize);
            return Ok(Raw { encoding: byte, bytes, as_is, start });
        }
        Some(ZSTD) => {
            input.byte(ENCODING)?;
            let inside = |input: &mut Input<'a>| read_encoded(input, of, rows, len);
            Cow::Borrowed(zstd::inside(input, start, inside)?.map_or(&[][..], |raw| raw.bytes))
        }
        Some(byte) => {
            // Charges the bytes before allocating them (F-38).
            input.charge(len)?;
            // A charged number can be too large only on machines with small addresses.
            let count = usize::try_from(len).ok().and_then(|_| usize::try_from(rows).ok());
            let count = count.ok_or_else(|| Error::at(Code::LimitBudget, start))?;
            match (byte, of.numbers) {
                (PLANES, _) => {
                    input.byte(ENCODING)?;
                    // The same number of bytes was charged, so it fits.
                    Cow::Owned(read_planes(input, of.width as usize, count)?)
                }
                (_, Some(Scalar::Int(kind))) => {
                    bytes_of(ints::locate(input, kind, count)?.into_rows()?, kind)
                }
                (_, Some(_)) => floats::locate(input, of.width as usize, count)?.1.into_bytes(),
                (_, None) => return Err(unreadable(byte, start)),
            }
        }
    };
    let bytes = match bytes {
        Cow::Borrowed(bytes) => bytes,
        Cow::Owned(bytes) => input.scratch().keep(bytes),
    };
    Ok(Raw { encoding: byte, bytes, as_is: None, start })
}

/// The rows of a column of integers as their bytes.
fn bytes_of(rows: IntRows<'_>, kind: IntKind) -> Cow<'_, [u8]> {
    fn bytes<T: Number<N>, const N: usize>(rows: &[T]) -> Vec<u8> {
        let mut bytes = Vec::new();
        kernel::append(&mut bytes, rows);
        bytes
    }
    match rows {
        IntRows::W8(rows) => rows,
        IntRows::W16(rows) => Cow::Owned(bytes(&rows)),
        IntRows::W32(rows) => Cow::Owned(bytes(&rows)),
        IntRows::W64(rows) => Cow::Owned(bytes(&rows)),
        IntRows::Wide(ints) => {
            let sign = |bits: u64| kind.is_signed() && bits >> 63 != 0;
            let wide = |&bits: &u64| {
                u128::from(bits) | if sign(bits) { u128::from(u64::MAX) << 64 } else { 0 }
            };
            let mut rows: Vec<[u8; 16]> =
                ints.values.iter().map(|bits| wide(bits).to_le_bytes()).collected();
            for (row, big) in ints.bigs() {
                rows[row] = wide_of_big(big);
            }
            Cow::Owned(rows.into_flattened())
        }
    }
}

fn read_planes(input: &mut Input<'_>, width: usize, rows: usize) -> Result<Vec<u8>> {
    let mut bytes = memory::zeros(if input.skims() { 0 } else { rows * width });
    for byte in 0..width {
        let at = input.position();
        match input.byte(field("a plane's marker", "F-94").form(FieldForm::Marker))? {
            0 => {
                let plane = input.payload(rows as u128, field("a plane of bytes", "F-94"))?;
                for (row, of_plane) in bytes.chunks_exact_mut(width).zip(plane) {
                    row[byte] = *of_plane;
                }
            }
            1 => {
                let all = input.byte(field("a plane's byte", "F-94"))?;
                bytes.chunks_exact_mut(width).for_each(|row| row[byte] = all);
            }
            marker => return Err(bad_marker(marker).moved_to(at)),
        }
    }
    Ok(bytes)
}

#[cold]
fn bad_marker(marker: u8) -> Error {
    Error::at(Code::BadPlanes, 0).expected("00 or 01").got(format!("{marker:02X}"))
}
