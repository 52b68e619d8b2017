//! A mesh of triangles: a landscape of hills, in 32-bit floats.

use holdall_bench_measure::random::Random;

use super::{Lend, owned};

owned! {
    #[derive(fory::ForyStruct)]
    pub struct Mesh {
        pub triangles: Vec<Triangle>,
    }

    // The layout for a graphics card; some peers copy such types unchanged, holdall on request.
    #[derive(Copy)]
    #[repr(C)]
    #[holdall(packed)]
    #[derive(fory::ForyStruct)]
    pub struct Triangle {
        pub corners: [Point; 3],
        pub normal: Point,
    }

    #[derive(Copy)]
    #[repr(C)]
    #[holdall(packed)]
    #[derive(fory::ForyStruct)]
    pub struct Point {
        pub x: f32,
        pub y: f32,
        pub z: f32,
    }
}

pub mod lent {
    use super::Triangle;

    #[derive(Debug, holdall::Decode, wincode::SchemaWrite, wincode::SchemaRead)]
    pub struct Mesh<'a> {
        pub triangles: &'a [Triangle],
    }
}

impl Lend for Mesh {
    type Lent<'a> = lent::Mesh<'a>;
}

#[must_use]
pub fn make(count: usize, seed: u64) -> Mesh {
    let random = &mut Random(seed);
    let waves: Vec<[f64; 4]> = (0..12)
        .map(|_| {
            [random.unit() * 0.3, random.unit() * 0.3, random.unit() * 6.3, 0.2 + random.unit()]
        })
        .collect();
    // Two triangles in each cell of a grid.
    let cells = count.div_ceil(2);
    let across = cells.isqrt().max(1);
    let side = across + 1;
    let points: Vec<Point> = (0..side * (cells.div_ceil(across) + 1))
        .map(|index| {
            // Points of a scan: a grid with some jitter.
            let x = (index % side) as f64 + (random.unit() - 0.5) * 0.2;
            let y = (index / side) as f64 + (random.unit() - 0.5) * 0.2;
            let z: f64 = waves
                .iter()
                .map(|[a, b, shift, height]| height * (a * x + b * y + shift).sin())
                .sum();
            Point { x: x as f32, y: y as f32, z: z as f32 }
        })
        .collect();
    let triangles = (0..count).map(|index| {
        let (cell, upper) = (index / 2, index % 2 == 1);
        let corner = cell / across * side + cell % across;
        let corners = if upper {
            [points[corner + 1], points[corner + side + 1], points[corner + side]]
        } else {
            [points[corner], points[corner + 1], points[corner + side]]
        };
        Triangle { corners, normal: normal(corners) }
    });
    Mesh { triangles: triangles.collect() }
}

fn normal([a, b, c]: [Point; 3]) -> Point {
    let (u, v) = ([b.x - a.x, b.y - a.y, b.z - a.z], [c.x - a.x, c.y - a.y, c.z - a.z]);
    let cross = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    let length = cross.iter().map(|part| part * part).sum::<f32>().sqrt();
    Point { x: cross[0] / length, y: cross[1] / length, z: cross[2] / length }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normals_have_length_one_and_point_up() {
        for Triangle { normal, .. } in make(1000, 1).triangles {
            let length = (normal.x * normal.x + normal.y * normal.y + normal.z * normal.z).sqrt();
            assert!((length - 1.0).abs() < 1e-5 && normal.z > 0.0, "{normal:?}");
        }
    }
}
