//! Enums inside enums: drawings.

use holdall_bench_measure::random::Random;

use super::{owned, text};

owned! {
    pub enum Shape {
        Point(Point),
        Line { from: Point, to: Point, style: Style },
        Polygon { corners: Vec<Point>, style: Style },
        Text { at: Point, text: String, font: Font },
    }

    pub struct Point {
        pub x: i32,
        pub y: i32,
    }

    pub enum Style {
        Plain,
        Stroke { color: Color, width: u8 },
        Fill(Color),
        Both { stroke: Color, fill: Color, dashes: Option<Vec<u8>> },
    }

    pub enum Color {
        Named(Name),
        Rgb(u8, u8, u8),
        Inherited,
    }

    pub enum Name {
        Red,
        Green,
        Blue,
        Black,
        White,
    }

    pub enum Font {
        Default,
        Family(String),
        Sized { family: String, points: f32 },
    }
}

#[must_use]
pub fn make(count: usize, seed: u64) -> Vec<Shape> {
    let random = &mut Random(seed);
    (0..count).map(|_| shape(random)).collect()
}

fn point(random: &mut Random) -> Point {
    Point { x: random.below(4_000) as i32 - 2_000, y: random.below(4_000) as i32 - 2_000 }
}

fn shape(random: &mut Random) -> Shape {
    match random.below(4) {
        0 => Shape::Point(point(random)),
        1 => Shape::Line { from: point(random), to: point(random), style: style(random) },
        2 => Shape::Polygon {
            corners: (0..3 + random.skewed(6)).map(|_| point(random)).collect(),
            style: style(random),
        },
        _ => Shape::Text {
            at: point(random),
            text: text::slug(random, 1_000),
            font: match random.below(3) {
                0 => Font::Family(text::word(random)),
                1 => Font::Sized {
                    family: text::word(random),
                    points: random.below(40) as f32 / 2.0,
                },
                _ => Font::Default,
            },
        },
    }
}

fn style(random: &mut Random) -> Style {
    match random.below(4) {
        0 => Style::Plain,
        1 => Style::Stroke { color: color(random), width: random.below(6) as u8 },
        2 => Style::Fill(color(random)),
        _ => Style::Both {
            stroke: color(random),
            fill: color(random),
            dashes: random.one_in(3).then(|| (0..random.below(4)).map(|dash| dash as u8).collect()),
        },
    }
}

fn color(random: &mut Random) -> Color {
    match random.below(7) {
        0 => Color::Named(Name::Red),
        1 => Color::Named(Name::Green),
        2 => Color::Named(Name::Blue),
        3 => Color::Named(Name::Black),
        4 => Color::Named(Name::White),
        5 => Color::Rgb(random.bits() as u8, random.bits() as u8, random.bits() as u8),
        _ => Color::Inherited,
    }
}
