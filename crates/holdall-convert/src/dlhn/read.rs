//! DLHN's bodies to events.

use std::collections::HashSet;
use std::sync::Arc;

use dashu_int::IBig;
use holdall::bindings::memory::{self, GrowSet, GrowVec};
use holdall::bindings::shorten_big;
use holdall::events::Shredder;
use holdall::{Error, IntKind, LogicalType, Result, Shape};

use super::header::{Head, Header, Id, bad};
use super::varint;
use crate::calendar;
use crate::path::{excerpt, key_twice};

/// The most values without bytes in an input; nothing else limits their number. The default budget pays for as many rows.
const MOST_EMPTY: u64 = 1 << 23;
const NANOS: i128 = 1_000_000_000;
const DATE_YEAR: i64 = 2000;
/// The variant that messages have for a present option whose value is null.
const SOME: &str = "Some";

/// The names of a tuple's items, where a program says them.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    /// For each type of the header that is named: the name of a struct, if it has one, and the fields.
    pub(super) of_tuples: Vec<(Id, Option<Arc<str>>, Shape)>,
    /// For each enum that is named, its variants.
    pub(super) of_enums: Vec<(Id, Vec<Arc<str>>)>,
    /// The payloads of variants that are the only field.
    pub(super) only_fields: Vec<(Id, Shape)>,
    /// The tuples of one that are their item.
    pub(super) newtypes: HashSet<Id>,
}

impl Names {
    /// How many shapes there are.
    pub(super) fn shapes(&self) -> usize {
        self.of_tuples.len() + self.only_fields.len()
    }
}

pub(super) struct DlhnReader<'a> {
    pub(super) input: &'a [u8],
    /// The next byte.
    pub(super) at: usize,
    pub(super) header: &'a Header,
    pub(super) names: &'a Names,
    /// How many more values without bytes may come.
    pub(super) left_empty: u64,
}

impl<'a> DlhnReader<'a> {
    pub(super) fn new(input: &'a [u8], at: usize, header: &'a Header, names: &'a Names) -> Self {
        DlhnReader { input, at, header, names, left_empty: MOST_EMPTY }
    }

    /// Emits a value of a type.
    // The recursion ends with the nesting of headers.
    pub(super) fn value(&mut self, id: Id, out: &mut Shredder) -> Result<()> {
        match self.header.head(id) {
            Head::Unit | Head::Never => {
                self.count_empty()?;
                out.null()
            }
            Head::Optional(inner) => self.optional(*inner, out),
            Head::Bool => {
                let value = self.flag("0 or 1")?;
                out.bool(value)
            }
            Head::Int(kind) => {
                let bits = self.int(*kind)?;
                out.fixed_int(*kind, bits)
            }
            Head::F32 => {
                let bytes = self.array::<4>("a float")?;
                out.f32(f32::from_le_bytes(bytes))
            }
            Head::F64 => {
                let bytes = self.array::<8>("a float")?;
                out.f64(f64::from_le_bytes(bytes))
            }
            Head::BigUint => {
                let mut bytes = memory::copied(self.sized("an integer")?);
                // The sign.
                bytes.put(0);
                big(&bytes, out)
            }
            Head::BigInt => {
                let bytes = self.sized("an integer")?;
                big(bytes, out)
            }
            Head::Decimal => self.decimal(out),
            Head::String => {
                let text = self.text()?;
                out.string(text)
            }
            Head::Binary => {
                let bytes = self.sized("a byte string")?;
                out.bytes(bytes)
            }
            Head::Array(inner) => {
                let len = self.number(64, "a length")?;
                out.begin_list(0)?;
                (0..len).try_for_each(|_| self.value(*inner, out))?;
                out.end()
            }
            Head::Tuple(items) => self.tuple(id, items, out),
            Head::Map(inner) => {
                let len = self.number(64, "a length")?;
                out.begin_map(0)?;
                let mut seen = HashSet::new();
                for _ in 0..len {
                    let begin = self.at;
                    let key = self.text()?;
                    if !seen.put(key) {
                        return Err(key_twice(begin, &excerpt(key)));
                    }
                    out.string(key)?;
                    self.value(*inner, out)?;
                }
                out.end()
            }
            Head::Enum(variants) => self.variant(id, variants, 0, out),
            Head::Date => self.date(out),
            Head::DateTime => self.date_time(out),
        }
    }

    /// Counts a value without bytes.
    fn count_empty(&mut self) -> Result<()> {
        let got = || format!("more than {MOST_EMPTY}");
        let left = self.left_empty.checked_sub(1);
        self.left_empty = left.ok_or_else(|| bad(self.at, "fewer values without bytes", got()))?;
        Ok(())
    }

    /// A present null, and a variant of that name, is in a variant `Some` for each present option around it, as messages of serde have it.
    fn optional(&mut self, mut inner: Id, out: &mut Shredder) -> Result<()> {
        let mut around = 0;
        let is_null = loop {
            if !self.flag("0 for an absent value, or 1")? {
                break true;
            }
            around += 1;
            match self.header.head(inner) {
                Head::Optional(next) => inner = *next,
                head => break matches!(head, Head::Unit | Head::Never),
            }
        };
        match self.header.head(inner) {
            _ if is_null => {
                self.count_empty()?;
                begin_some(around, out)?;
                out.null()?;
                (0..around).try_for_each(|_| out.end())
            }
            Head::Enum(variants) => self.variant(inner, variants, around, out),
            _ => self.value(inner, out),
        }
    }

    /// A variant in this many present options.
    fn variant(
        &mut self,
        id: Id,
        variants: &[Id],
        around: usize,
        out: &mut Shredder,
    ) -> Result<()> {
        let begin = self.at;
        let number = self.number(32, "the number of a variant")? as usize;
        let Some(payload) = variants.get(number) else {
            let expected = format!("one of {} variants", variants.len());
            return Err(bad(begin, expected, number.to_string()));
        };
        let own = self.names.of_enums.iter().find(|(own, _)| *own == id);
        let name = own.and_then(|(_, names)| names.get(number)).cloned();
        let name = name.unwrap_or_else(|| number.to_string().into());
        let around = if *name == *SOME { around } else { 0 };
        begin_some(around, out)?;
        out.begin_variant(&name)?;
        match self.names.only_fields.iter().find(|(own, _)| own == payload) {
            Some((_, shape)) => {
                out.begin_record(shape)?;
                self.value(*payload, out)?;
                out.end()?;
            }
            None => self.value(*payload, out)?,
        }
        (0..=around).try_for_each(|_| out.end())
    }

    fn tuple(&mut self, id: Id, items: &[Id], out: &mut Shredder) -> Result<()> {
        if self.names.newtypes.contains(&id)
            && let [item] = items
        {
            return self.value(*item, out);
        }
        match self.names.of_tuples.iter().find(|(own, ..)| *own == id) {
            Some((_, Some(name), shape)) => out.begin_struct(name, shape)?,
            Some((_, None, shape)) => out.begin_record(shape)?,
            None => out.begin_tuple(items.len())?,
        }
        let begin = self.at;
        items.iter().try_for_each(|item| self.value(*item, out))?;
        if self.at == begin {
            self.count_empty()?;
        }
        out.end()
    }

    fn decimal(&mut self, out: &mut Shredder) -> Result<()> {
        let bytes = self.sized("the digits of a decimal")?;
        // Without digits there is no scale.
        let scale = match bytes.is_empty() {
            true => 0,
            false => varint::of_zigzag(self.number(64, "the scale of a decimal")?),
        };
        let digits = IBig::from_le_bytes(bytes);
        let is_negative = digits < IBig::ZERO;
        let form = u64::from(is_negative);
        let digits = if is_negative { -digits } else { digits };
        out.begin_logical(&Arc::new(LogicalType::new(LogicalType::DECIMAL, &[])?))?;
        out.begin_tuple(3)?;
        out.fixed_int(IntKind::U8, form)?;
        big(&digits.to_le_bytes(), out)?;
        big(&(-i128::from(scale)).to_le_bytes(), out)?;
        out.end()?;
        out.end()
    }

    fn date(&mut self, out: &mut Shredder) -> Result<()> {
        let year = varint::of_zigzag(self.number(32, "a year")?) + DATE_YEAR;
        let at = self.at;
        let day = self.number(16, "a day of the year")?.cast_signed();
        if day >= calendar::len(year) {
            return Err(bad(at, format!("a day of the year {year}"), (day + 1).to_string()));
        }
        out.begin_logical(&Arc::new(LogicalType::new(LogicalType::DATE, &[])?))?;
        out.int(calendar::to_days(year, day))?;
        out.end()
    }

    fn date_time(&mut self, out: &mut Shredder) -> Result<()> {
        let seconds = varint::of_zigzag(self.number(64, "seconds")?);
        let at = self.at;
        let nanos = self.number(32, "nanoseconds")?;
        if i128::from(nanos) >= NANOS {
            return Err(bad(at, "less than 1000000000 nanoseconds", nanos.to_string()));
        }
        let all = i128::from(seconds) * NANOS + i128::from(nanos);
        out.begin_logical(&Arc::new(LogicalType::new(
            LogicalType::TIMESTAMP,
            &[3, LogicalType::UTC],
        )?))?;
        big(&all.to_le_bytes(), out)?;
        out.end()
    }

    fn flag(&mut self, expected: &'static str) -> Result<bool> {
        let begin = self.at;
        match self.array::<1>(expected)? {
            [0] => Ok(false),
            [1] => Ok(true),
            [other] => Err(bad(begin, expected, format!("{other:02X}"))),
        }
    }

    /// The bits of an integer, sign-extended.
    fn int(&mut self, kind: IntKind) -> Result<u64> {
        const WHAT: &str = "an integer";
        Ok(match kind {
            IntKind::U8 => u64::from(self.array::<1>(WHAT)?[0]),
            IntKind::I8 => i64::from(self.array::<1>(WHAT)?[0].cast_signed()).cast_unsigned(),
            _ => {
                let bits = kind.width().map_or(64, |bytes| 8 * bytes as u32);
                let value = self.number(bits, WHAT)?;
                if kind.is_signed() { varint::of_zigzag(value).cast_unsigned() } else { value }
            }
        })
    }

    fn number(&mut self, bits: u32, what: &'static str) -> Result<u64> {
        let len = self.input.get(self.at).map_or(1, |first| varint::len(*first, bits));
        self.take(len as u64, what).map(|bytes| varint::read(bytes, bits))
    }

    fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N]> {
        let bytes = self.take(N as u64, what)?;
        let mut array = [0; N];
        array.copy_from_slice(bytes);
        Ok(array)
    }

    fn text(&mut self) -> Result<&'a str> {
        let bytes = self.sized("a string")?;
        let begin = self.at - bytes.len();
        std::str::from_utf8(bytes).map_err(|_| {
            let (offset, got) =
                crate::path::not_utf8(bytes, "the end of the string").unwrap_or_default();
            bad(begin + offset, "UTF-8", got)
        })
    }

    /// Bytes after their number.
    fn sized(&mut self, what: &'static str) -> Result<&'a [u8]> {
        let len = self.number(64, what)?;
        self.take(len, what)
    }

    fn take(&mut self, len: u64, what: &'static str) -> Result<&'a [u8]> {
        let rest = &self.input[self.at..];
        let bytes = usize::try_from(len).ok().and_then(|len| rest.get(..len));
        let bytes = bytes.ok_or_else(|| self.short(len, what))?;
        self.at += bytes.len();
        Ok(bytes)
    }

    #[cold]
    fn short(&self, len: u64, what: &'static str) -> Error {
        let left = self.input.len() - self.at;
        let got = format!("the end of the input after {left} bytes");
        bad(self.at, format!("{len} bytes of {what}"), got)
    }
}

/// Begins as many present options.
fn begin_some(count: usize, out: &mut Shredder) -> Result<()> {
    if count == 0 {
        return Ok(());
    }
    let name = Arc::from(SOME);
    (0..count).try_for_each(|_| out.begin_variant(&name))
}

/// Emits an integer in two's complement.
fn big(twos_complement: &[u8], out: &mut Shredder) -> Result<()> {
    let short = shorten_big(twos_complement);
    match crate::number::small(short).map(i64::try_from) {
        Some(Ok(value)) => out.int(value),
        None if short.is_empty() => out.int(0),
        _ => out.big_int(IntKind::Int, short),
    }
}
