//! Updates of a game, many per second: small numbers and mostly empty vectors.

use holdall_bench_measure::random::Random;

use super::owned;

owned! {
    #[derive(fory::ForyStruct)]
    pub struct Updates {
        pub updates: Vec<Update>,
    }

    #[derive(fory::ForyStruct)]
    pub struct Update {
        pub tick: u32,
        pub entity: u32,
        pub position: Option<[f32; 3]>,
        pub moves: Vec<Move>,
        pub hits: Vec<Hit>,
        pub spawned: Vec<u32>,
        pub removed: Vec<u32>,
        pub sounds: Vec<u8>,
        pub flags: Vec<bool>,
    }

    #[derive(Copy)]
    #[derive(fory::ForyStruct)]
    pub struct Move {
        pub x: i16,
        pub y: i16,
        pub z: i16,
        pub turn: u8,
    }

    #[derive(Copy)]
    #[derive(fory::ForyStruct)]
    pub struct Hit {
        pub by: u32,
        pub kind: Kind,
        pub damage: f32,
    }

    #[derive(Copy)]
    #[derive(fory::ForyEnum)]
    pub enum Kind {
        Fall,
        Fire,
        Sword,
        Arrow,
        Magic,
    }
}

#[must_use]
pub fn make(count: usize, seed: u64) -> Updates {
    let random = &mut Random(seed);
    let mut tick = 7_000;
    let updates = (0..count).map(|_| {
        tick += u32::from(random.one_in(40));
        update(random, tick)
    });
    Updates { updates: updates.collect() }
}

/// Rarely filled, with up to `most` items.
fn few<T>(
    random: &mut Random,
    filled: u64,
    most: u64,
    mut make: impl FnMut(&mut Random) -> T,
) -> Vec<T> {
    let count = if random.one_in(filled) { 1 + random.skewed(most) } else { 0 };
    (0..count).map(|_| make(random)).collect()
}

fn update(random: &mut Random, tick: u32) -> Update {
    let entity = |random: &mut Random| random.skewed(3_000) as u32;
    Update {
        tick,
        entity: entity(random),
        position: random.one_in(10).then(|| [0; 3].map(|_: u8| (random.unit() * 1000.0) as f32)),
        moves: few(random, 2, 3, |random| Move {
            x: random.below(129) as i16 - 64,
            y: random.below(9) as i16 - 4,
            z: random.below(129) as i16 - 64,
            turn: random.below(256) as u8,
        }),
        hits: few(random, 6, 2, |random| Hit {
            by: entity(random),
            kind: [Kind::Fall, Kind::Fire, Kind::Sword, Kind::Arrow, Kind::Magic]
                [random.below(5) as usize],
            damage: random.below(20) as f32 / 2.0,
        }),
        spawned: few(random, 20, 4, entity),
        removed: few(random, 20, 4, entity),
        sounds: few(random, 4, 3, |random| random.below(90) as u8),
        flags: few(random, 3, 4, |random| random.one_in(2)),
    }
}
