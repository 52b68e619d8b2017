//! Rectangles with areas proportional to numbers: squarified treemaps, after Bruls, Huizing and van Wijk, "Squarified
//! Treemaps" (2000).

/// A rectangle, from its top left corner.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Area {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

impl Area {
    /// Returns the area inside a border of this thickness, below a strip at the top; possibly empty.
    pub(crate) fn within(self, frame: f64, strip: f64) -> Area {
        Area {
            x: self.x + frame,
            y: self.y + frame + strip,
            width: (self.width - 2.0 * frame).max(0.0),
            height: (self.height - 2.0 * frame - strip).max(0.0),
        }
    }
}

/// Divides an area in proportion to numbers, largest first, into rectangles as close to squares as rows allow. A zero
/// gets an empty area.
pub(crate) fn divide(numbers: &[usize], area: Area) -> Vec<Area> {
    let total: f64 = numbers.iter().map(|number| *number as f64).sum();
    let scale = if total > 0.0 { area.width * area.height / total } else { 0.0 };
    let sizes: Vec<f64> = numbers.iter().map(|number| *number as f64 * scale).collect();
    let (mut areas, mut rest, mut left) = (Vec::with_capacity(sizes.len()), &sizes[..], area);
    while !rest.is_empty() {
        let len = row(rest, left.width.min(left.height));
        let (now, later) = rest.split_at(len);
        left = lay(now, left, &mut areas);
        rest = later;
    }
    areas
}

/// Returns how many sizes form a row along a side: as many as do not make its worst rectangle less square.
fn row(sizes: &[f64], side: f64) -> usize {
    let worst = |sum: f64, largest: f64, smallest: f64| {
        let (side, sum) = (side * side, sum * sum);
        (side * largest / sum).max(sum / (side * smallest))
    };
    let largest = sizes[0];
    let (mut sum, mut before) = (0.0, f64::INFINITY);
    for (index, &size) in sizes.iter().enumerate() {
        sum += size;
        let now = worst(sum, largest, size);
        // NaN if there is no area to divide: then everything goes into one row.
        if index > 0 && now > before {
            return index;
        }
        before = now;
    }
    sizes.len()
}

/// Lays out a row along the shorter side; returns the rest.
fn lay(sizes: &[f64], area: Area, areas: &mut Vec<Area>) -> Area {
    let sum: f64 = sizes.iter().sum();
    let is_wide = area.width > area.height;
    let side = area.width.min(area.height);
    let longer = area.width.max(area.height);
    let thickness = if side > 0.0 { (sum / side).min(longer) } else { 0.0 };
    let mut at = 0.0;
    for size in sizes {
        let len = if sum > 0.0 { side * size / sum } else { 0.0 };
        areas.push(if is_wide {
            Area { y: area.y + at, width: thickness, height: len, ..area }
        } else {
            Area { x: area.x + at, width: len, height: thickness, ..area }
        });
        at += len;
    }
    if is_wide {
        Area { x: area.x + thickness, width: area.width - thickness, ..area }
    } else {
        Area { y: area.y + thickness, height: area.height - thickness, ..area }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: Area = Area { x: 10.0, y: 20.0, width: 600.0, height: 400.0 };

    #[test]
    fn the_example_of_the_paper_is_reproduced() {
        let whole = Area { x: 0.0, y: 0.0, width: 6.0, height: 4.0 };
        let areas = divide(&[6, 6, 4, 3, 2, 2, 1], whole);
        let rounded = |value: f64| (value * 100.0).round() / 100.0;
        let shapes: Vec<(f64, f64)> =
            areas.iter().map(|area| (rounded(area.width), rounded(area.height))).collect();
        let expected = [
            (3.0, 2.0),
            (3.0, 2.0),
            (1.71, 2.33),
            (1.29, 2.33),
            (1.2, 1.67),
            (1.2, 1.67),
            (0.6, 1.67),
        ];
        assert_eq!(shapes, expected);
    }

    #[test]
    fn areas_are_proportional_inside_and_disjoint() {
        for numbers in [&[1][..], &[5, 5], &[100, 1, 1, 1], &[9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0]] {
            let areas = divide(numbers, WHOLE);
            assert_eq!(areas.len(), numbers.len());
            let total: usize = numbers.iter().sum();
            let apart = |one: &Area, other: &Area| {
                let beside = |a: f64, b: f64, width: f64| a + width <= b + 1e-6;
                beside(one.x, other.x, one.width)
                    || beside(other.x, one.x, other.width)
                    || beside(one.y, other.y, one.height)
                    || beside(other.y, one.y, other.height)
            };
            for (index, (area, number)) in areas.iter().zip(numbers).enumerate() {
                let expected = WHOLE.width * WHOLE.height * *number as f64 / total as f64;
                assert!((area.width * area.height - expected).abs() < 1e-6, "{numbers:?}");
                assert!(area.x >= WHOLE.x && area.x + area.width <= WHOLE.x + WHOLE.width + 1e-6);
                assert!(area.y >= WHOLE.y && area.y + area.height <= WHOLE.y + WHOLE.height + 1e-6);
                assert!(areas[..index].iter().all(|other| apart(area, other)), "{numbers:?}");
            }
        }
    }

    #[test]
    fn nothing_is_divided_into_nothing() {
        for (numbers, area) in [
            (&[][..], WHOLE),
            (&[0, 0], WHOLE),
            (&[3, 2, 1], WHOLE.within(300.0, 0.0)),
            (&[3, 2], Area { width: 0.0, ..WHOLE }),
        ] {
            let areas = divide(numbers, area);
            assert_eq!(areas.len(), numbers.len());
            for area in areas {
                assert_eq!(area.width * area.height, 0.0);
                assert!(area.x.is_finite() && area.y.is_finite());
            }
        }
    }
}
