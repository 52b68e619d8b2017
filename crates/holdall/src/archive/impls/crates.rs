//! The archived forms of values of other crates' types.

#[cfg(feature = "arrayvec")]
lists! { {const CAPACITY: usize} arrayvec::ArrayVec<T, CAPACITY>; }
#[cfg(feature = "arrayvec")]
same! { {const CAPACITY: usize} arrayvec::ArrayString<CAPACITY> as str; }

#[cfg(feature = "bigdecimal")]
undecoded! { bigdecimal::BigDecimal }

#[cfg(feature = "bytes")]
impl crate::archive::Archived for bytes::Bytes {
    type Ref<'a> = &'a [u8];

    fn at(place: crate::archive::ArchivedPlace<'_>) -> &[u8] {
        place.block.bytes(place.site, place.rows.0)
    }
}

#[cfg(feature = "chrono")]
undecoded! {
    chrono::NaiveDate chrono::NaiveTime chrono::NaiveDateTime chrono::TimeDelta chrono::FixedOffset
    chrono::DateTime<chrono::Utc> chrono::DateTime<chrono::FixedOffset>
}

#[cfg(feature = "compact_str")]
same! { {} compact_str::CompactString as str; }

#[cfg(feature = "indexmap")]
maps! { {S} indexmap::IndexMap<K, V, S>; }
#[cfg(feature = "indexmap")]
lists! { {S} indexmap::IndexSet<T, S>; }

#[cfg(feature = "jiff")]
undecoded! {
    jiff::Timestamp jiff::Zoned jiff::SignedDuration jiff::Span
    jiff::civil::Date jiff::civil::Time jiff::civil::DateTime
}

#[cfg(feature = "num-bigint")]
undecoded! { num_bigint::BigInt num_bigint::BigUint }

#[cfg(feature = "ordered-float")]
same! { {T: crate::archive::Archived} ordered_float::OrderedFloat<T> as T; }

#[cfg(feature = "rust_decimal")]
undecoded! { rust_decimal::Decimal }

#[cfg(feature = "semver")]
undecoded! { semver::Version semver::VersionReq }

#[cfg(feature = "smallvec")]
impl<A: smallvec::Array> crate::archive::Archived for smallvec::SmallVec<A> {
    type Ref<'a> = crate::archive::ArchivedList<'a, A::Item>;

    fn at(place: crate::archive::ArchivedPlace<'_>) -> Self::Ref<'_> {
        crate::archive::ArchivedList::at(place)
    }
}

#[cfg(feature = "time")]
undecoded! {
    time::Date time::Time time::PrimitiveDateTime time::UtcDateTime time::OffsetDateTime time::Duration time::UtcOffset
}

#[cfg(feature = "url")]
undecoded! { url::Url }

#[cfg(feature = "uuid")]
undecoded! { uuid::Uuid uuid::NonNilUuid }
