//! The rows of arrays that contain no others: numbers, text, times, decimals, intervals.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type,
    Decimal256Type, DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType,
    DurationSecondType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, IntervalDayTimeType, IntervalMonthDayNanoType, IntervalYearMonthType,
    Time32MillisecondType, Time32SecondType, Time64MicrosecondType, Time64NanosecondType,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_buffer::i256;
use arrow_schema::{DataType, IntervalUnit, TimeUnit};
use holdall::bindings::shorten_big;
use holdall::{IntKind, LogicalType, Result};

use super::place::Placer;
use super::unsupported;

/// The parameter of a unit in logical types.
pub fn unit_of(unit: TimeUnit) -> u8 {
    match unit {
        TimeUnit::Second => 0,
        TimeUnit::Millisecond => 1,
        TimeUnit::Microsecond => 2,
        TimeUnit::Nanosecond => 3,
    }
}

/// The logical type of numbers.
pub fn logical_of(data_type: &DataType) -> Option<LogicalType> {
    let (kind, parameters): (u8, &[u8]) = match data_type {
        DataType::Date32 => (LogicalType::DATE, &[]),
        DataType::Date64 => (LogicalType::TIMESTAMP, &[1, 0]),
        DataType::Time32(unit) | DataType::Time64(unit) => (LogicalType::TIME, &[unit_of(*unit)]),
        DataType::Duration(unit) => (LogicalType::DURATION, &[unit_of(*unit)]),
        DataType::Timestamp(unit, zone) => {
            (LogicalType::TIMESTAMP, &[unit_of(*unit), u8::from(zone.is_some())])
        }
        DataType::Decimal32(..)
        | DataType::Decimal64(..)
        | DataType::Decimal128(..)
        | DataType::Decimal256(..) => (LogicalType::DECIMAL, &[]),
        _ => return None,
    };
    LogicalType::new(kind, parameters).ok()
}

/// Places the numbers of an array.
macro_rules! ints {
    ($self:ident, $array:ident, $range:ident, $slot:ident, $type:ty, $kind:expr) => {{
        let values = &$array.as_primitive::<$type>().values()[$range];
        let bits = values.iter().map(|value| i64::from(*value).cast_unsigned());
        $self.shredder.at($slot).ints($kind, bits);
        Ok(())
    }};
}

impl Placer<'_> {
    /// Places rows that have a value each.
    pub(super) fn leaves(
        &mut self,
        array: &dyn Array,
        range: Range<usize>,
        slot: usize,
    ) -> Result<()> {
        match array.data_type() {
            DataType::Boolean => {
                let values = array.as_boolean().values().slice(range.start, range.len());
                let bits: Vec<bool> = values.iter().collect();
                self.shredder.at(slot).bools(bits.into_iter());
                Ok(())
            }
            DataType::Int8 => ints!(self, array, range, slot, Int8Type, IntKind::I8),
            DataType::Int16 => ints!(self, array, range, slot, Int16Type, IntKind::I16),
            DataType::Int32 => ints!(self, array, range, slot, Int32Type, IntKind::I32),
            DataType::Int64 => ints!(self, array, range, slot, Int64Type, IntKind::I64),
            DataType::UInt8 => ints!(self, array, range, slot, UInt8Type, IntKind::U8),
            DataType::UInt16 => ints!(self, array, range, slot, UInt16Type, IntKind::U16),
            DataType::UInt32 => ints!(self, array, range, slot, UInt32Type, IntKind::U32),
            DataType::UInt64 => {
                let values = array.as_primitive::<UInt64Type>().values()[range].iter().copied();
                self.shredder.at(slot).ints(IntKind::U64, values);
                Ok(())
            }
            DataType::Float16 => {
                self.shredder.at(slot).halves(&array.as_primitive::<Float16Type>().values()[range]);
                Ok(())
            }
            DataType::Float32 => {
                self.shredder
                    .at(slot)
                    .singles(&array.as_primitive::<Float32Type>().values()[range]);
                Ok(())
            }
            DataType::Float64 => {
                self.shredder.at(slot).floats(&array.as_primitive::<Float64Type>().values()[range]);
                Ok(())
            }
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
                self.strings(array, range, slot);
                Ok(())
            }
            DataType::Binary | DataType::LargeBinary | DataType::BinaryView => {
                self.byte_strings(array, range, slot);
                Ok(())
            }
            DataType::FixedSizeBinary(len) => {
                let (values, width) = (array.as_fixed_size_binary(), *len as usize);
                let bytes = &values.value_data()[range.start * width..range.end * width];
                self.shredder.at(slot).fixed_rows(width, bytes, range.len());
                Ok(())
            }
            DataType::Date32
            | DataType::Date64
            | DataType::Time32(_)
            | DataType::Time64(_)
            | DataType::Duration(_)
            | DataType::Timestamp(..) => self.times(array, range, slot),
            DataType::Decimal32(..)
            | DataType::Decimal64(..)
            | DataType::Decimal128(..)
            | DataType::Decimal256(..) => self.decimals(array, range, slot),
            DataType::Interval(unit) => self.intervals(array, *unit, range, slot),
            other => Err(unsupported(other.to_string())),
        }
    }

    fn strings(&mut self, array: &dyn Array, range: Range<usize>, slot: usize) {
        let slot = self.shredder.at(slot);
        match array.data_type() {
            DataType::Utf8 => {
                let values = array.as_string::<i32>();
                slot.strings(range.map(|row| values.value(row)));
            }
            DataType::LargeUtf8 => {
                let values = array.as_string::<i64>();
                slot.strings(range.map(|row| values.value(row)));
            }
            _ => {
                let values = array.as_string_view();
                slot.strings(range.map(|row| values.value(row)));
            }
        }
    }

    fn byte_strings(&mut self, array: &dyn Array, range: Range<usize>, slot: usize) {
        let slot = self.shredder.at(slot);
        match array.data_type() {
            DataType::Binary => {
                let values = array.as_binary::<i32>();
                slot.byte_strings(range.map(|row| values.value(row)));
            }
            DataType::LargeBinary => {
                let values = array.as_binary::<i64>();
                slot.byte_strings(range.map(|row| values.value(row)));
            }
            _ => {
                let values = array.as_binary_view();
                slot.byte_strings(range.map(|row| values.value(row)));
            }
        }
    }

    /// Places several values of a logical type. Returns the slot of their storage.
    fn logical(&mut self, data_type: &DataType, rows: usize, slot: usize) -> Result<usize> {
        let ty = logical_of(data_type).ok_or_else(|| unsupported(data_type.to_string()))?;
        self.shredder.logical_values_at(slot, &Arc::new(ty), rows)
    }

    fn times(&mut self, array: &dyn Array, range: Range<usize>, slot: usize) -> Result<()> {
        let slot = self.logical(array.data_type(), range.len(), slot)?;
        let int = IntKind::Int;
        match array.data_type() {
            DataType::Date32 => ints!(self, array, range, slot, Date32Type, int),
            DataType::Date64 => ints!(self, array, range, slot, Date64Type, int),
            DataType::Time32(TimeUnit::Second) => {
                ints!(self, array, range, slot, Time32SecondType, int)
            }
            DataType::Time32(_) => ints!(self, array, range, slot, Time32MillisecondType, int),
            DataType::Time64(TimeUnit::Microsecond) => {
                ints!(self, array, range, slot, Time64MicrosecondType, int)
            }
            DataType::Time64(_) => ints!(self, array, range, slot, Time64NanosecondType, int),
            DataType::Duration(TimeUnit::Second) => {
                ints!(self, array, range, slot, DurationSecondType, int)
            }
            DataType::Duration(TimeUnit::Millisecond) => {
                ints!(self, array, range, slot, DurationMillisecondType, int)
            }
            DataType::Duration(TimeUnit::Microsecond) => {
                ints!(self, array, range, slot, DurationMicrosecondType, int)
            }
            DataType::Duration(TimeUnit::Nanosecond) => {
                ints!(self, array, range, slot, DurationNanosecondType, int)
            }
            DataType::Timestamp(TimeUnit::Second, _) => {
                ints!(self, array, range, slot, TimestampSecondType, int)
            }
            DataType::Timestamp(TimeUnit::Millisecond, _) => {
                ints!(self, array, range, slot, TimestampMillisecondType, int)
            }
            DataType::Timestamp(TimeUnit::Microsecond, _) => {
                ints!(self, array, range, slot, TimestampMicrosecondType, int)
            }
            _ => ints!(self, array, range, slot, TimestampNanosecondType, int),
        }
    }

    /// Places decimals: the sign, the digits, and the number of places.
    fn decimals(&mut self, array: &dyn Array, range: Range<usize>, slot: usize) -> Result<()> {
        fn wides<T: ArrowPrimitiveType>(array: &dyn Array, range: Range<usize>) -> Vec<i256>
        where
            T::Native: Into<i256>,
        {
            array.as_primitive::<T>().values()[range].iter().map(|value| (*value).into()).collect()
        }
        let rows = range.len();
        let inside = self.logical(array.data_type(), rows, slot)?;
        let (wides, scale): (Vec<i256>, i8) = match array.data_type() {
            DataType::Decimal32(_, scale) => (wides::<Decimal32Type>(array, range), *scale),
            DataType::Decimal64(_, scale) => (wides::<Decimal64Type>(array, range), *scale),
            DataType::Decimal128(_, scale) => (wides::<Decimal128Type>(array, range), *scale),
            DataType::Decimal256(_, scale) => (wides::<Decimal256Type>(array, range), *scale),
            other => return Err(unsupported(other.to_string())),
        };
        let parts = self.shredder.tuples_at(inside, 3, rows);
        let signs = wides.iter().map(|wide| u64::from(wide.is_negative()));
        self.shredder.at(parts[0]).ints(IntKind::U8, signs);
        for wide in &wides {
            let digits = wide.wrapping_abs();
            let slot = self.shredder.at(parts[1]);
            match digits.to_i128().and_then(|digits| i64::try_from(digits).ok()) {
                Some(digits) => slot.int(digits),
                // The digits of the least number are not negative, either.
                None => slot.big_int(shorten_big(&[&digits.to_le_bytes()[..], &[0]].concat()))?,
            }
        }
        let exponents = std::iter::repeat_n((-i64::from(scale)).cast_unsigned(), rows);
        self.shredder.at(parts[2]).ints(IntKind::Int, exponents);
        Ok(())
    }

    /// Places intervals: months; days and milliseconds; months, days and nanoseconds.
    fn intervals(
        &mut self,
        array: &dyn Array,
        unit: IntervalUnit,
        range: Range<usize>,
        slot: usize,
    ) -> Result<()> {
        let rows = range.len();
        let bits = |number: i32| i64::from(number).cast_unsigned();
        match unit {
            IntervalUnit::YearMonth => {
                ints!(self, array, range, slot, IntervalYearMonthType, IntKind::I32)
            }
            IntervalUnit::DayTime => {
                let values = &array.as_primitive::<IntervalDayTimeType>().values()[range];
                let parts = self.shredder.tuples_at(slot, 2, rows);
                let each = values.iter();
                self.shredder.at(parts[0]).ints(IntKind::I32, each.clone().map(|v| bits(v.days)));
                self.shredder.at(parts[1]).ints(IntKind::I32, each.map(|v| bits(v.milliseconds)));
                Ok(())
            }
            IntervalUnit::MonthDayNano => {
                let values = &array.as_primitive::<IntervalMonthDayNanoType>().values()[range];
                let parts = self.shredder.tuples_at(slot, 3, rows);
                let each = values.iter();
                self.shredder.at(parts[0]).ints(IntKind::I32, each.clone().map(|v| bits(v.months)));
                self.shredder.at(parts[1]).ints(IntKind::I32, each.clone().map(|v| bits(v.days)));
                let nanoseconds = each.map(|v| v.nanoseconds.cast_unsigned());
                self.shredder.at(parts[2]).ints(IntKind::I64, nanoseconds);
                Ok(())
            }
        }
    }
}
