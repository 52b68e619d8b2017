//! The types of logical types: Arrow's own where it has one, else that of the storage.

use arrow_schema::{DataType, Field, Fields, TimeUnit};
use holdall::bindings::Type;
use holdall::bindings::block::Column;
use holdall::bindings::schema::TypeId;
use holdall::{LogicalType, Result};

use super::{ARROW_EXTENSION, Found, Types};
use crate::arrays::{Decimals, decimals};

pub fn unit(parameter: u8) -> TimeUnit {
    match parameter {
        0 => TimeUnit::Second,
        1 => TimeUnit::Millisecond,
        2 => TimeUnit::Microsecond,
        _ => TimeUnit::Nanosecond,
    }
}

impl Types<'_> {
    pub(super) fn logical(&self, id: TypeId, ty: &LogicalType, storage: TypeId) -> Result<Found> {
        let parameter = |at: usize| ty.parameters().get(at).copied().unwrap_or(0);
        let data_type = match ty.kind() {
            LogicalType::DATE => DataType::Date32,
            LogicalType::TIME => match unit(parameter(0)) {
                unit @ (TimeUnit::Second | TimeUnit::Millisecond) => DataType::Time32(unit),
                unit => DataType::Time64(unit),
            },
            LogicalType::TIMESTAMP => self.timestamp(unit(parameter(0)), parameter(1), storage)?,
            LogicalType::DURATION => DataType::Duration(unit(parameter(0))),
            LogicalType::DECIMAL => self.decimal(id, storage)?,
            LogicalType::RATIONAL => return self.tuple(storage, &["numerator", "denominator"]),
            LogicalType::COMPLEX => return self.tuple(storage, &["real", "imag"]),
            LogicalType::IP_NETWORK => return self.tuple(storage, &["address", "prefix"]),
            LogicalType::REGULAR_EXPRESSION => return self.tuple(storage, &["pattern", "flags"]),
            LogicalType::RANGE => return self.tuple(storage, &["start", "stop", "step"]),
            LogicalType::UUID => {
                return Ok(self.find(storage)?.with(ARROW_EXTENSION, "arrow.uuid"));
            }
            LogicalType::CHAR => DataType::Utf8View,
            _ => return self.find(storage),
        };
        Ok(Found::new(data_type))
    }

    /// Seconds from UTC, or a zone, for each row.
    fn timestamp(&self, unit: TimeUnit, zone: u8, storage: TypeId) -> Result<DataType> {
        let utc = || DataType::Timestamp(unit, Some("UTC".into()));
        let with = |name: &str, other: DataType| {
            let fields = [Field::new("utc", utc(), false), Field::new(name, other, false)];
            DataType::Struct(Fields::from_iter(fields))
        };
        Ok(match zone {
            0 => DataType::Timestamp(unit, None),
            1 => utc(),
            2 => with("offset", DataType::Int32),
            _ => match self.only_zone(storage)? {
                Some(zone) => DataType::Timestamp(unit, Some(zone.into())),
                None => with("zone", DataType::Utf8View),
            },
        })
    }

    /// The zone of all rows, if they have the same.
    fn only_zone(&self, storage: TypeId) -> Result<Option<String>> {
        let Type::Tuple(members) = self.ty(storage) else { return Ok(None) };
        self.read(members[1], None, |column| {
            let Column::Strings { rows, text } = column else { return Ok(None) };
            let mut at = 0;
            let mut zones = (0..rows.len()).map(|row| {
                let (start, end) = rows.span(row, at);
                at = end;
                &text[start..end]
            });
            let first = zones.next();
            Ok(first.filter(|first| zones.all(|zone| zone == *first)).map(str::to_owned))
        })
    }

    fn tuple(&self, storage: TypeId, names: &[&str]) -> Result<Found> {
        let Type::Tuple(members) = self.ty(storage) else { return self.find(storage) };
        let members = names.iter().zip(members);
        let fields: Result<Fields> =
            members.map(|(name, member)| Ok(self.find(*member)?.into_field(name))).collect();
        Ok(Found::new(DataType::Struct(fields?)))
    }

    /// As many digits as the longest number has, before and after the point.
    fn decimal(&self, id: TypeId, storage: TypeId) -> Result<DataType> {
        let Decimals { digits, scale, .. } = decimals(self, storage)?;
        let Ok(scale) = i8::try_from(scale) else {
            return Err(self.unmappable(id, format!("a decimal of {scale} places")));
        };
        match u8::try_from(digits.max(1)) {
            Ok(digits @ ..=38) => Ok(DataType::Decimal128(digits, scale)),
            Ok(digits @ ..=76) => Ok(DataType::Decimal256(digits, scale)),
            _ => Err(self.unmappable(id, format!("decimals of {digits} digits"))),
        }
    }
}
