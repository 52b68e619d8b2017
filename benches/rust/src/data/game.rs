//! Updates that a game sends to its players: lists of structs with tiny lists, options, enums, small numbers and bools.

use holdall_bench_measure::random::Random;

use super::owned;

owned! {
    pub struct Game {
        pub updates: Vec<Update>,
    }

    pub struct Update {
        pub player: u16,
        pub contacts: Vec<(u32, Option<Contact>)>,
        pub score: u32,
        pub radius: f32,
        pub chunks: Vec<Chunk>,
    }

    pub struct Chunk {
        pub id: u8,
        pub is_root: bool,
        pub heights: Vec<u8>,
    }

    pub struct Contact {
        pub damage: u8,
        pub kind: Option<Kind>,
        pub place: Place,
        pub course: Course,
        pub player: Option<u16>,
        pub loaded: Option<Vec<bool>>,
        pub turrets: Option<Vec<u16>>,
        pub order: Order,
    }

    pub struct Place {
        pub x: f32,
        pub y: f32,
        pub altitude: i8,
        pub angle: u16,
    }

    pub struct Course {
        pub direction: u16,
        pub speed: i16,
    }

    #[derive(Copy)]
    pub enum Kind {
        Boat,
        Tanker,
        Hovercraft,
        Submarine,
        Torpedo,
        Shell,
        Buoy,
    }

    pub enum Order {
        Hold,
        Follow(u16),
        Move { x: i16, y: i16 },
        Patrol(Vec<(i16, i16)>),
    }
}

#[must_use]
pub fn make(count: usize, seed: u64) -> Game {
    let random = &mut Random(seed);
    Game { updates: (0..count).map(|_| update(random)).collect() }
}

fn update(random: &mut Random) -> Update {
    Update {
        player: random.bits() as u16,
        contacts: (0..random.below(200))
            .map(|_| (random.bits() as u32, (!random.one_in(5)).then(|| contact(random))))
            .collect(),
        score: random.skewed(100_000) as u32,
        radius: coordinate(random),
        chunks: (0..random.below(3))
            .map(|_| Chunk {
                id: random.bits() as u8,
                is_root: random.one_in(4),
                heights: (0..random.below(30)).map(|_| random.below(9) as u8).collect(),
            })
            .collect(),
    }
}

fn coordinate(random: &mut Random) -> f32 {
    (random.unit() * 2_000.0 - 1_000.0) as f32
}

fn contact(random: &mut Random) -> Contact {
    const KINDS: [Kind; 7] = [
        Kind::Boat,
        Kind::Tanker,
        Kind::Hovercraft,
        Kind::Submarine,
        Kind::Torpedo,
        Kind::Shell,
        Kind::Buoy,
    ];
    let small = |random: &mut Random| random.below(100) as i16 - 50;
    Contact {
        damage: if random.one_in(10) { random.bits() as u8 } else { 0 },
        kind: (!random.one_in(10)).then(|| KINDS[random.below(7) as usize]),
        place: Place {
            x: coordinate(random),
            y: coordinate(random),
            altitude: random.skewed(60) as i8,
            angle: random.bits() as u16,
        },
        course: Course { direction: random.bits() as u16, speed: small(random) },
        player: random.one_in(2).then(|| random.bits() as u16),
        loaded: random.one_in(2).then(|| (0..random.below(6)).map(|_| random.one_in(2)).collect()),
        turrets: random
            .one_in(2)
            .then(|| (0..random.below(4)).map(|_| random.bits() as u16).collect()),
        order: match random.below(10) {
            0 => Order::Follow(random.bits() as u16),
            1 => Order::Move { x: small(random), y: small(random) },
            2 => Order::Patrol((0..random.below(4)).map(|_| (small(random), 0)).collect()),
            _ => Order::Hold,
        },
    }
}
