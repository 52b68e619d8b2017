//! Writes schema and block side by side.

use alloc::vec::Vec;

use xxhash_rust::xxh3::xxh3_64;

use super::names::{NameSlot, Names};
use crate::column::{Profile, Settings, bits, floats, ints, raw, text};
use crate::envelope::{Dictionary, MAGIC, VERSION, extended, flag};
use crate::error::Result;
use crate::kernel::short;
use crate::memory::{self, Collect, GrowVec};
use crate::message::Header;
use crate::number::{IntKind, write_varint, zigzag};
use crate::schema::{Scalar, code};

/// The most bytes of text: reading costs as many units, and every budget has four times as much (F-39). The caller ensures
/// that rows cost no more than the rest of it.
const TEXT: usize = 1 << 24;
/// From this many bytes of columns on, their memory is not kept for the next message.
const KEPT: usize = 1 << 20;

/// Writes a small message, the types in the order of the schema, each with all its rows.
///
/// Methods that take rows return none if the message is no longer small.
#[derive(Debug)]
pub struct SmallWriter {
    settings: Settings,
    /// After [`HEAD`] bytes, which precede it in a message.
    schema: Vec<u8>,
    block: Vec<u8>,
    names: Names,
    bits: Vec<bool>,
    bytes: Vec<u8>,
    /// How many more bytes of text there may be.
    text_left: usize,
}

/// The magic and the flags.
const HEAD: usize = 2;

impl SmallWriter {
    /// Creates a writer for a profile whose bytes are promised: fast or balanced.
    #[must_use]
    pub fn new(profile: Profile) -> SmallWriter {
        SmallWriter {
            settings: Settings::of(profile),
            schema: Vec::new(),
            block: Vec::new(),
            names: Names::default(),
            bits: Vec::new(),
            bytes: Vec::new(),
            text_left: 0,
        }
    }

    /// Begins a message.
    pub fn begin(&mut self) {
        if self.block.capacity() > KEPT {
            self.block = Vec::new();
        }
        self.schema.clear();
        self.schema.put_slice(&[MAGIC, VERSION << 4]);
        self.block.clear();
        self.names.begin();
        self.text_left = TEXT;
    }

    /// Returns the message, in two parts.
    pub fn message(&mut self, header: Header) -> [&[u8]; 2] {
        match header {
            Header::Schema => {}
            Header::Bare => self.schema.clear(),
            Header::Fingerprint => {
                // The fingerprint is of the number of definitions, 0, and the schema (F-22).
                self.schema[HEAD - 1] = 0;
                let fingerprint = xxh3_64(&self.schema[HEAD - 1..]);
                self.schema.clear();
                self.schema.put_slice(&[MAGIC, VERSION << 4 | flag::FINGERPRINT]);
                self.schema.put_slice(&fingerprint.to_le_bytes());
            }
        }
        [&self.schema, &self.block]
    }

    /// Returns a message of [`SmallWriter::message`] compressed with a dictionary (F-101); none if it is no smaller so, or a
    /// bare body.
    ///
    /// # Errors
    /// As [`Encoder::encode`](crate::Encoder::encode) with a dictionary.
    pub fn compressed(message: &[&[u8]; 2], dictionary: &Dictionary) -> Result<Option<Vec<u8>>> {
        Dictionary::check_writes()?;
        let [[magic, flags, schema @ ..], block] = message else { return Ok(None) };
        // Reading the rows costs less than the budget, as the caller ensures, and a longer content is not compressed.
        let content = [schema, block].concat();
        let Some(compressed) = dictionary.compress(&content, 0)? else { return Ok(None) };
        let mut out = memory::with_capacity(HEAD + 1 + compressed.len());
        out.put_slice(&[*magic, flags | flag::EXTENDED, extended::DICTIONARY]);
        out.put_slice(&compressed);
        Ok(Some(out))
    }

    #[inline]
    fn type_of(&mut self, code: u8) {
        self.schema.put(code);
    }

    /// A type without rows.
    pub fn never(&mut self) {
        self.type_of(code::NEVER);
    }

    /// Null, which has no columns.
    pub fn null(&mut self) {
        self.type_of(code::NULL);
    }

    /// Bools, at least one.
    pub fn bools(&mut self, rows: impl Iterator<Item = bool>) {
        self.type_of(code::BOOL);
        self.column_of_bits(rows);
    }

    fn column_of_bits(&mut self, rows: impl Iterator<Item = bool>) {
        self.bits.clear();
        self.bits.put_each(rows);
        bits::write(&mut self.block, &self.bits, self.settings);
    }

    /// One bool.
    #[inline]
    pub fn bool(&mut self, row: bool) {
        self.type_of(code::BOOL);
        self.block.put(u8::from(row));
    }

    /// Integers of 64 bits, at least one.
    pub fn ints(&mut self, rows: &[u64]) {
        self.type_of(code::INT);
        ints::write_words(&mut self.block, IntKind::Int, rows, self.settings);
    }

    /// One integer.
    #[inline]
    pub fn int(&mut self, row: i64) {
        self.type_of(code::INT);
        write_varint(&mut self.block, zigzag(row));
    }

    /// Floats, at least one.
    pub fn floats(&mut self, rows: &[f64]) {
        self.type_of(code::F64);
        floats::write(&mut self.block, rows, self.settings);
    }

    /// One float.
    #[inline]
    pub fn f64(&mut self, row: f64) {
        self.type_of(code::F64);
        self.block.put_slice(&row.to_le_bytes());
    }

    /// Numbers of a scalar type of up to 64 bits, floats by their bits, or byte strings of a fixed length, a multiple of
    /// 8, by their words; at least one row.
    pub fn words(&mut self, scalar: Scalar, words: &[u64]) {
        self.type_of(scalar.code());
        match scalar {
            Scalar::Int(kind) => ints::write_words(&mut self.block, kind, words, self.settings),
            Scalar::Fixed(len) => {
                write_varint(&mut self.schema, len);
                self.bytes.clear();
                self.bytes.put_each(words.iter().flat_map(|word| word.to_le_bytes()));
                raw::write(&mut self.block, raw::Of::fixed(len), &self.bytes, self.settings);
            }
            _ => {
                let rows: Vec<f64> = words.iter().map(|word| f64::from_bits(*word)).collected();
                floats::write(&mut self.block, &rows, self.settings);
            }
        }
    }

    /// Strings, at least one.
    #[must_use]
    pub fn strings(&mut self, rows: &[&[u8]]) -> Option<()> {
        self.type_of(code::STRING);
        self.column_of_text(rows)
    }

    /// Byte strings, at least one.
    #[must_use]
    pub fn byte_strings(&mut self, rows: &[&[u8]]) -> Option<()> {
        self.type_of(code::BYTES);
        self.column_of_text(rows)
    }

    fn column_of_text(&mut self, rows: &[&[u8]]) -> Option<()> {
        let len = rows.iter().map(|row| row.len()).sum();
        self.text_left = self.text_left.checked_sub(len)?;
        text::write_rows(&mut self.block, rows, self.settings);
        Some(())
    }

    /// One string.
    #[inline]
    #[must_use]
    pub fn string(&mut self, row: &str) -> Option<()> {
        self.type_of(code::STRING);
        self.text(row.as_bytes())
    }

    /// One byte string.
    #[inline]
    #[must_use]
    pub fn byte_string(&mut self, row: &[u8]) -> Option<()> {
        self.type_of(code::BYTES);
        self.text(row)
    }

    #[inline]
    fn text(&mut self, row: &[u8]) -> Option<()> {
        self.text_left = self.text_left.checked_sub(row.len())?;
        write_varint(&mut self.block, row.len() as u64);
        short::append(&mut self.block, core::iter::once(row));
        Some(())
    }

    /// An option, by which rows are present. The type of these comes next.
    pub fn option(&mut self, presence: impl Iterator<Item = bool>) {
        self.type_of(code::OPTION);
        self.column_of_bits(presence);
    }

    /// An unnamed union of several variants, by the variant of each row. The variants come next.
    pub fn union(&mut self, variants: usize, rows: &[u64]) {
        self.type_of(code::UNION);
        write_varint(&mut self.schema, 2 * variants as u64);
        self.numbers(rows);
    }

    /// Named variants without payload, by the variant of each row. They come next.
    pub fn choice(&mut self, variants: usize, rows: &[u64]) {
        self.type_of(code::UNION);
        write_varint(&mut self.schema, 2 * variants as u64 + 1);
        // One variant has no numbers (F-24).
        if variants > 1 {
            self.numbers(rows);
        }
    }

    /// Such a variant.
    pub fn variant(&mut self, hash: u64, name: &str) {
        self.name(hash, name);
        self.null();
    }

    /// Logical values. The type of their storage comes next (F-72).
    pub fn logical(&mut self, kind: u8, parameters: &[u8]) {
        self.type_of(code::LOGICAL);
        self.schema.put(kind);
        write_varint(&mut self.schema, parameters.len() as u64);
        self.schema.put_slice(parameters);
    }

    /// Extensions of a name. The type of what they hold comes next.
    pub fn extension(&mut self, hash: u64, name: &str) {
        self.type_of(code::EXTENSION);
        self.name(hash, name);
    }

    /// Maps of these numbers of entries. The types of their keys and values come next.
    pub fn maps(&mut self, lengths: &[u64]) {
        self.type_of(code::MAP);
        self.numbers(lengths);
    }

    /// Lists of these lengths. The type of their items comes next.
    #[inline]
    pub fn lists(&mut self, lengths: &[u64]) {
        self.type_of(code::LIST);
        self.numbers(lengths);
    }

    #[inline]
    fn numbers(&mut self, rows: &[u64]) {
        match rows {
            [row] => write_varint(&mut self.block, *row),
            _ => ints::write_u64(&mut self.block, rows, self.settings),
        }
    }

    /// Tuples of this number of items, whose types come next.
    pub fn tuples(&mut self, items: usize) {
        self.type_of(code::TUPLE);
        write_varint(&mut self.schema, items as u64);
    }

    /// Records with this number of fields. For each field, its name and type come next; with several shapes, these come
    /// last, but for [`Shapes::Sparse`].
    #[inline]
    pub fn records(&mut self, fields: usize, shapes: Shapes<'_>) {
        self.type_of(code::RECORD);
        self.fields(fields, shapes);
    }

    /// Structs of this name, as records.
    pub fn structs(&mut self, name: (u64, &str), fields: usize, shapes: Shapes<'_>) {
        self.type_of(code::STRUCT);
        self.name(name.0, name.1);
        self.fields(fields, shapes);
    }

    #[inline]
    fn fields(&mut self, fields: usize, shapes: Shapes<'_>) {
        let form = match shapes {
            Shapes::One => 0,
            Shapes::Several(rows) => {
                self.numbers(rows);
                1
            }
            Shapes::Sparse { counts, fields } => {
                self.numbers(counts);
                self.numbers(fields);
                2
            }
        };
        write_varint(&mut self.schema, 4 * fields as u64 + form);
    }

    /// The shapes of records or structs that have several, each with the numbers of its fields (F-18).
    pub fn shapes<'s>(&mut self, shapes: impl ExactSizeIterator<Item = &'s [u32]>) {
        write_varint(&mut self.schema, shapes.len() as u64);
        for shape in shapes {
            write_varint(&mut self.schema, shape.len() as u64);
            shape.iter().for_each(|field| write_varint(&mut self.schema, u64::from(*field)));
        }
    }

    /// A name, with a hash that it has in the entire message (F-16).
    #[inline]
    pub fn name(&mut self, hash: u64, name: &str) {
        match self.names.find(hash, name.as_bytes(), &self.schema) {
            NameSlot::Known(number) => write_varint(&mut self.schema, 2 * u64::from(number) + 1),
            NameSlot::New(place) => {
                write_varint(&mut self.schema, 2 * name.len() as u64);
                self.names.add(place, hash, self.schema.len(), name.len());
                short::append(&mut self.schema, core::iter::once(name.as_bytes()));
            }
        }
    }
}

/// The shapes of records (F-18).
#[derive(Clone, Copy, Debug)]
pub enum Shapes<'s> {
    /// Each has all fields, in their order.
    One,
    /// The number of each one's shape.
    Several(&'s [u64]),
    /// The number of each one's fields, and the numbers of these, row by row (F-31).
    Sparse {
        /// For each row.
        counts: &'s [u64],
        /// Of all rows.
        fields: &'s [u64],
    },
}
