//! The archived forms of values of other crates' types.

#[cfg(feature = "arrayvec")]
lists! { {const CAPACITY: usize} arrayvec::ArrayVec<T, CAPACITY>; }
#[cfg(feature = "arrayvec")]
same! { {const CAPACITY: usize} arrayvec::ArrayString<CAPACITY> as str; }

#[cfg(feature = "bigdecimal")]
undecoded! { bigdecimal::BigDecimal }

#[cfg(feature = "bitvec")]
undecoded! {
    {T: bitvec::store::BitStore, O: bitvec::order::BitOrder} bitvec::vec::BitVec<T, O>;
    {T: bitvec::store::BitStore, O: bitvec::order::BitOrder} bitvec::boxed::BitBox<T, O>;
}

#[cfg(feature = "bytes")]
impl crate::archive::Archived for bytes::Bytes {
    type Ref<'a> = &'a [u8];

    fn at(place: crate::archive::ArchivedPlace<'_>) -> &[u8] {
        place.block.bytes(place.site, place.rows.0)
    }
}
#[cfg(feature = "bytes")]
undecoded! { bytes::BytesMut }

#[cfg(feature = "chrono")]
undecoded! {
    chrono::NaiveDate chrono::NaiveTime chrono::NaiveDateTime chrono::TimeDelta chrono::FixedOffset
    chrono::DateTime<chrono::Utc> chrono::DateTime<chrono::FixedOffset> chrono::DateTime<chrono::Local>
    chrono::Weekday chrono::Month
}

#[cfg(feature = "compact_str")]
same! { {} compact_str::CompactString as str; }

#[cfg(feature = "either")]
impl<L: crate::archive::Archived, R: crate::archive::Archived> crate::archive::Archived
    for either::Either<L, R>
{
    type Ref<'a> = either::Either<L::Ref<'a>, R::Ref<'a>>;

    fn at(place: crate::archive::ArchivedPlace<'_>) -> Self::Ref<'_> {
        match place.variant() {
            (0, left) => either::Either::Left(L::at(left)),
            (_, right) => either::Either::Right(R::at(right)),
        }
    }
}

#[cfg(feature = "geo-types")]
undecoded! {
    {T: geo_types::CoordNum} geo_types::Coord<T>;
    {T: geo_types::CoordNum} geo_types::Line<T>;
    {T: geo_types::CoordNum} geo_types::Point<T>;
    {T: geo_types::CoordNum} geo_types::LineString<T>;
    {T: geo_types::CoordNum} geo_types::MultiPoint<T>;
    {T: geo_types::CoordNum} geo_types::MultiLineString<T>;
    {T: geo_types::CoordNum} geo_types::Polygon<T>;
    {T: geo_types::CoordNum} geo_types::MultiPolygon<T>;
    {T: geo_types::CoordNum} geo_types::Rect<T>;
    {T: geo_types::CoordNum} geo_types::Triangle<T>;
}

#[cfg(feature = "glam")]
undecoded! {
    glam::Vec2 glam::Vec3 glam::Vec3A glam::Vec4 glam::DVec2 glam::DVec3 glam::DVec4
    glam::IVec2 glam::IVec3 glam::IVec4 glam::UVec2 glam::UVec3 glam::UVec4
    glam::I16Vec2 glam::I16Vec3 glam::I16Vec4 glam::U16Vec2 glam::U16Vec3 glam::U16Vec4
    glam::I64Vec2 glam::I64Vec3 glam::I64Vec4 glam::U64Vec2 glam::U64Vec3 glam::U64Vec4
    glam::I8Vec2 glam::I8Vec3 glam::I8Vec4 glam::U8Vec2 glam::U8Vec3 glam::U8Vec4
    glam::USizeVec2 glam::USizeVec3 glam::USizeVec4
    glam::BVec2 glam::BVec3 glam::BVec4 glam::Quat glam::DQuat
    glam::Mat2 glam::Mat3 glam::Mat3A glam::Mat4 glam::DMat2 glam::DMat3 glam::DMat4
    glam::Affine2 glam::Affine3A glam::DAffine2 glam::DAffine3
}

#[cfg(feature = "indexmap")]
maps! { {S} indexmap::IndexMap<K, V, S>; }
#[cfg(feature = "indexmap")]
lists! { {S} indexmap::IndexSet<T, S>; }

#[cfg(feature = "jiff")]
undecoded! {
    jiff::Timestamp jiff::Zoned jiff::SignedDuration jiff::Span
    jiff::civil::Date jiff::civil::Time jiff::civil::DateTime jiff::civil::Weekday jiff::tz::Offset
}

#[cfg(feature = "nalgebra")]
lists! { {} nalgebra::DVector<T>; }
#[cfg(feature = "nalgebra")]
undecoded! {
    {T, const R: usize, const C: usize} nalgebra::SMatrix<T, R, C>;
    {T: nalgebra::Scalar, const D: usize} nalgebra::Point<T, D>;
    {T, const D: usize} nalgebra::Translation<T, D>;
    {T} nalgebra::Quaternion<T>;
    {T} nalgebra::Unit<T>;
}

#[cfg(feature = "num-bigint")]
undecoded! { num_bigint::BigInt num_bigint::BigUint }

#[cfg(feature = "num-bigint-05")]
undecoded! { num_bigint_05::BigInt num_bigint_05::BigUint }

#[cfg(feature = "num-complex")]
undecoded! { {T} num_complex::Complex<T>; }

#[cfg(feature = "num-rational")]
undecoded! { {T} num_rational::Ratio<T>; }

#[cfg(feature = "ordered-float")]
same! { {T: crate::archive::Archived} ordered_float::OrderedFloat<T> as T; }
#[cfg(feature = "ordered-float")]
undecoded! { {T} ordered_float::NotNan<T>; }

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
    time::Weekday time::Month
}

#[cfg(feature = "url")]
undecoded! { url::Url }

#[cfg(feature = "uuid")]
undecoded! { uuid::Uuid uuid::NonNilUuid }
