//! Vectors, matrices and shapes.

use geo_types::{
    Coord, Geometry, GeometryCollection, Line, LineString, MultiLineString, MultiPoint,
    MultiPolygon, Point, Polygon, Rect, Triangle,
};
use glam::{Affine3A, BVec3, DVec3, I8Vec2, IVec2, Mat2, Quat, U8Vec4, USizeVec3, Vec3, Vec3A};
use holdall::{DecodeOwned, Encode, from_slice, to_vec};
use nalgebra::{DVector, Matrix2, Matrix3x2, Point2, Quaternion, UnitQuaternion, Vector3};

use super::{hex, reads, refused, table};

const VECTOR: &str = "00 00 80 3F 00 00 00 40 00 00 40 40";

#[test]
fn vectors_are_arrays_of_their_numbers() {
    table("array(3, f32)", &[(Vec3::new(1.0, 2.0, 3.0), VECTOR)]);
    table("array(3, f32)", &[(Vec3A::new(1.0, 2.0, 3.0), VECTOR)]);
    table("array(3, f32)", &[(Vector3::new(1.0_f32, 2.0, 3.0), VECTOR)]);
    table("array(2, i32)", &[(IVec2::new(-1, 300), "02 61 09")]);
    table("array(2, i8)", &[(I8Vec2::new(-1, 3), "FF 03")]);
    table("array(4, u8)", &[(U8Vec4::new(1, 2, 3, 255), "08 01 02 03 FF")]);
    table("array(3, u64)", &[(USizeVec3::new(1, 2, 3), "02 04 06")]);
    table("array(3, bool)", &[(BVec3::new(true, false, true), "05")]);
    table("array(2, u8)", &[(Point2::new(1_u8, 2), "01 02")]);
    table("list(u8)", &[(DVector::from_vec(vec![1_u8, 2]), "04 01 02")]);
}

#[test]
fn each_crate_reads_what_the_other_wrote() {
    reads(&DVec3::new(1.0, -0.0, 3.0), &Vector3::new(1.0, -0.0, 3.0));
    reads(&Vector3::new(1.0_f32, 2.0, 3.0), &[1.0_f32, 2.0, 3.0]);
    reads(&Quat::from_xyzw(0.0, 0.6, 0.0, 0.8), &Quaternion::new(0.8_f32, 0.0, 0.6, 0.0));
    let columns = [[1.0_f32, 2.0], [3.0, 4.0]];
    reads(&Mat2::from_cols_array_2d(&columns), &Matrix2::from(columns));
    reads(&Matrix2::from(columns), &columns);
}

/// The bytes are those of arrays, and every value survives.
#[track_caller]
fn as_arrays<T: Encode + DecodeOwned + std::fmt::Debug>(value: &T, form: &impl Encode) {
    let (bytes, expected) = (to_vec(value).unwrap(), to_vec(form).unwrap());
    assert_eq!(hex(&bytes), hex(&expected), "{value:?}");
    assert_eq!(format!("{:?}", from_slice::<T>(&bytes).unwrap()), format!("{value:?}"));
}

#[test]
fn matrices_are_arrays_of_their_columns() {
    let columns = [[1.0_f64, 2.0, 3.0], [4.0, 5.0, 6.0]];
    as_arrays(&Matrix3x2::from(columns), &columns);
    let columns = [[1.0_f32, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [10.0, 11.0, 12.0]];
    as_arrays(&Affine3A::from_cols_array_2d(&columns), &columns);
    as_arrays(&vec![Vec3::ONE; 100], &vec![[1.0_f32; 3]; 100]);
    let rotation = UnitQuaternion::new_unchecked(Quaternion::new(0.8_f64, 0.1, 0.6, -0.0));
    as_arrays(&rotation, &[0.1_f64, 0.6, -0.0, 0.8]);
}

fn line(points: &[(f64, f64)]) -> LineString {
    points.iter().map(|&point| Coord::from(point)).collect()
}

#[test]
fn shapes_are_structs_of_coordinates() {
    let coord = "struct Coord {x: i32, y: i32}";
    let at = |x, y| Coord { x, y };
    table(coord, &[(at(1, -1), "04 02")]);
    table(coord, &[(Point::new(1, -1), "04 02")]);
    table(
        &format!("struct Line {{start: {coord}, end: {coord}}}"),
        &[(Line::new(at(1, 2), at(3, 4)), "04 08 0C 10")],
    );
    table(
        &format!("list({coord})"),
        &[(LineString::new(vec![at(1, 2), at(3, 4)]), "04 04 0C 08 10")],
    );
    table(&format!("list({coord})"), &[(MultiPoint::new(vec![Point::new(1, 2)]), "02 04 08")]);
    table(
        &format!("array(3, {coord})"),
        &[(Triangle::new(at(1, 2), at(3, 4), at(5, 6)), "04 0C 14 08 10 18")],
    );
    table(
        &format!("struct Rect {{min: {coord}, max: {coord}}}"),
        &[(Rect::new(at(1, 2), at(3, 4)), "04 08 0C 10")],
    );
}

#[test]
fn every_geometry_survives() {
    let ring = line(&[(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 0.0)]);
    let hole = line(&[(1.0, 1.0), (2.0, 1.0), (2.0, 2.0), (1.0, 1.0)]);
    let polygon = Polygon::new(ring.clone(), vec![hole]);
    let shapes = vec![
        Geometry::Point(Point::new(-0.0, f64::NAN)),
        Geometry::Line(Line::new((0.0, 1.0), (2.0, 3.0))),
        Geometry::LineString(line(&[])),
        Geometry::Polygon(polygon.clone()),
        Geometry::MultiPoint(MultiPoint::new(vec![Point::new(1.0, 2.0)])),
        Geometry::MultiLineString(MultiLineString::new(vec![ring, line(&[(1.5, 2.5)])])),
        Geometry::MultiPolygon(MultiPolygon::new(vec![polygon])),
        Geometry::Rect(Rect::new((-0.0, 0.0), (0.0, 4.0))),
        Geometry::Triangle(Triangle::new((0.0, 0.0).into(), (1.0, 0.0).into(), (0.0, 1.0).into())),
    ];
    let inner = GeometryCollection::new_from(shapes.clone());
    let all =
        GeometryCollection::new_from([shapes, vec![Geometry::GeometryCollection(inner)]].concat());
    let bytes = to_vec(&all).unwrap();
    let back: GeometryCollection = from_slice(&bytes).unwrap();
    assert_eq!(format!("{back:?}"), format!("{all:?}"));
}

#[test]
fn rejects_a_rectangle_whose_corners_are_out_of_order() {
    #[derive(Encode)]
    #[holdall(rename = "Coord")]
    struct At {
        x: f64,
        y: f64,
    }
    #[derive(Encode)]
    #[holdall(rename = "Rect")]
    struct Corners {
        min: At,
        max: At,
    }
    for min in [2.0, f64::NAN] {
        let corners = Corners { min: At { x: min, y: 0.0 }, max: At { x: 1.0, y: 1.0 } };
        assert_eq!(refused::<Rect>(&corners), ("unconvertible", "$".to_owned()));
    }
}
