//! Saved games: deeply nested records, enums with payloads, many options and short lists.

use holdall_bench_measure::random::Random;

use super::{Lend, owned, text};

owned! {
    #[derive(fory::ForyStruct)]
    pub struct Saves {
        pub players: Vec<Player>,
    }

    #[derive(fory::ForyStruct)]
    pub struct Player {
        pub id: [u8; 16],
        pub name: String,
        pub level: u32,
        pub experience: f32,
        pub mode: Mode,
        pub body: Body,
        pub abilities: Abilities,
        pub inventory: Vec<Slot>,
        pub chest: Vec<Slot>,
        pub mount: Option<Box<Mount>>,
        pub quests: Vec<Quest>,
        pub recipes: Vec<String>,
        pub home: Option<Place>,
        pub last_death: Option<Place>,
    }

    #[derive(Copy)]
    #[derive(fory::ForyEnum)]
    pub enum Mode {
        Survival,
        Creative,
        Adventure,
        Spectator,
    }

    #[derive(fory::ForyStruct)]
    pub struct Body {
        pub position: [f64; 3],
        pub motion: [f64; 3],
        pub rotation: [f32; 2],
        pub health: f32,
        pub food: i32,
        pub air: i16,
        pub fire: i16,
        pub on_ground: bool,
        pub effects: Vec<Effect>,
    }

    #[derive(Copy)]
    #[derive(fory::ForyStruct)]
    pub struct Effect {
        pub kind: u8,
        pub strength: u8,
        pub ticks: i32,
        pub visible: bool,
    }

    #[derive(Copy)]
    #[derive(fory::ForyStruct)]
    pub struct Abilities {
        pub walk_speed: f32,
        pub fly_speed: f32,
        pub may_fly: bool,
        pub flying: bool,
        pub invulnerable: bool,
        pub may_build: bool,
    }

    #[derive(fory::ForyStruct)]
    pub struct Slot {
        pub slot: u8,
        pub count: u8,
        pub item: String,
        pub damage: Option<u16>,
        pub label: Option<String>,
        pub enchantments: Vec<Enchantment>,
    }

    #[derive(fory::ForyStruct)]
    pub struct Enchantment {
        pub name: String,
        pub level: i16,
    }

    #[derive(fory::ForyStruct)]
    pub struct Mount {
        pub kind: String,
        pub body: Body,
        pub tame: bool,
        pub bags: Vec<Slot>,
    }

    #[derive(fory::ForyStruct)]
    pub struct Quest {
        pub title: String,
        pub state: State,
    }

    #[derive(fory::ForyUnion)]
    pub enum State {
        #[fory(default)]
        Open,
        Active { step: u16, since: u64 },
        Done(u64),
        Failed { reason: String },
    }

    #[derive(fory::ForyStruct)]
    pub struct Place {
        pub world: String,
        pub position: [i32; 3],
    }
}

pub mod lent {
    use super::{Abilities, Body, Mode};
    use crate::data::lent;

    lent! {
        pub struct Saves<'a> {
            #[serde(borrow)]
            pub players: Vec<Player<'a>>,
        }

        pub struct Player<'a> {
            pub id: [u8; 16],
            pub name: &'a str,
            pub level: u32,
            pub experience: f32,
            pub mode: Mode,
            pub body: Body,
            pub abilities: Abilities,
            #[serde(borrow)]
            pub inventory: Vec<Slot<'a>>,
            #[serde(borrow)]
            pub chest: Vec<Slot<'a>>,
            #[serde(borrow)]
            pub mount: Option<Box<Mount<'a>>>,
            #[serde(borrow)]
            pub quests: Vec<Quest<'a>>,
            #[serde(borrow)]
            pub recipes: Vec<&'a str>,
            #[serde(borrow)]
            pub home: Option<Place<'a>>,
            #[serde(borrow)]
            pub last_death: Option<Place<'a>>,
        }

        pub struct Slot<'a> {
            pub slot: u8,
            pub count: u8,
            pub item: &'a str,
            pub damage: Option<u16>,
            pub label: Option<&'a str>,
            #[serde(borrow)]
            pub enchantments: Vec<Enchantment<'a>>,
        }

        pub struct Enchantment<'a> {
            pub name: &'a str,
            pub level: i16,
        }

        pub struct Mount<'a> {
            pub kind: &'a str,
            pub body: Body,
            pub tame: bool,
            #[serde(borrow)]
            pub bags: Vec<Slot<'a>>,
        }

        pub struct Quest<'a> {
            pub title: &'a str,
            #[serde(borrow)]
            pub state: State<'a>,
        }

        pub enum State<'a> {
            Open,
            Active { step: u16, since: u64 },
            Done(u64),
            Failed { reason: &'a str },
        }

        pub struct Place<'a> {
            pub world: &'a str,
            pub position: [i32; 3],
        }
    }
}

impl Lend for Saves {
    type Lent<'a> = lent::Saves<'a>;
}

const ITEMS: &[&str] = &[
    "game:stone",
    "game:dirt",
    "game:oak_log",
    "game:oak_planks",
    "game:torch",
    "game:bread",
    "game:iron_ingot",
    "game:iron_pickaxe",
    "game:diamond_sword",
    "game:bow",
    "game:arrow",
    "game:water_bucket",
    "game:ender_pearl",
    "game:cooked_beef",
    "game:shield",
    "game:map",
    "game:compass",
    "game:leather_boots",
    "mod:copper_wire",
    "mod:gear",
];

const ENCHANTMENTS: &[&str] = &[
    "game:sharpness",
    "game:unbreaking",
    "game:efficiency",
    "game:mending",
    "game:protection",
    "game:looting",
];

const WORLDS: &[&str] = &["game:overworld", "game:nether", "game:end"];

#[must_use]
pub fn make(count: usize, seed: u64) -> Saves {
    let random = &mut Random(seed);
    Saves { players: (0..count).map(|_| player(random)).collect() }
}

fn some<T>(random: &mut Random, most: u64, mut make: impl FnMut(&mut Random, u64) -> T) -> Vec<T> {
    (0..random.below(most + 1)).map(|index| make(random, index)).collect()
}

fn player(random: &mut Random) -> Player {
    let mut id = [0; 16];
    id[..8].copy_from_slice(&random.bits().to_le_bytes());
    id[8..].copy_from_slice(&random.bits().to_le_bytes());
    Player {
        id,
        name: text::word(random) + &random.below(1000).to_string(),
        level: random.skewed(60) as u32,
        experience: random.unit() as f32,
        mode: match random.below(10) {
            0 => Mode::Creative,
            1 => Mode::Adventure,
            2 => Mode::Spectator,
            _ => Mode::Survival,
        },
        body: body(random),
        abilities: Abilities {
            walk_speed: 0.1,
            fly_speed: 0.05,
            may_fly: random.one_in(10),
            flying: random.one_in(20),
            invulnerable: random.one_in(10),
            may_build: !random.one_in(20),
        },
        inventory: some(random, 36, slot),
        chest: some(random, 27, slot),
        mount: random.one_in(6).then(|| Box::new(mount(random))),
        quests: some(random, 8, |random, _| quest(random)),
        recipes: some(random, 20, |random, _| random.pick(ITEMS).to_owned()),
        home: (!random.one_in(3)).then(|| place(random)),
        last_death: random.one_in(2).then(|| place(random)),
    }
}

fn body(random: &mut Random) -> Body {
    let mut position = || (random.unit() - 0.5) * 4000.0;
    Body {
        position: [position(), 64.0, position()],
        motion: if random.one_in(3) {
            [random.unit() - 0.5, -0.078_400_001_525_878_9, 0.0]
        } else {
            [0.0; 3]
        },
        rotation: [random.unit() as f32 * 360.0 - 180.0, random.unit() as f32 * 180.0 - 90.0],
        health: if random.one_in(3) { random.below(41) as f32 / 2.0 } else { 20.0 },
        food: 20 - random.skewed(20) as i32,
        air: 300,
        fire: -20,
        on_ground: !random.one_in(5),
        effects: some(random, 2, |random, _| Effect {
            kind: random.below(33) as u8,
            strength: random.skewed(4) as u8,
            ticks: random.skewed(9600) as i32,
            visible: !random.one_in(4),
        }),
    }
}

fn slot(random: &mut Random, slot: u64) -> Slot {
    let tool = random.one_in(5);
    Slot {
        slot: slot as u8,
        count: if tool { 1 } else { 1 + random.below(64) as u8 },
        item: random.pick(ITEMS).to_owned(),
        damage: tool.then(|| random.skewed(1561) as u16),
        label: random.one_in(12).then(|| text::slug(random, 10)),
        enchantments: if tool && random.one_in(2) {
            some(random, 3, |random, _| Enchantment {
                name: random.pick(ENCHANTMENTS).to_owned(),
                level: 1 + random.below(5) as i16,
            })
        } else {
            Vec::new()
        },
    }
}

fn mount(random: &mut Random) -> Mount {
    Mount {
        kind: random.pick(&["game:horse", "game:boat", "game:pig", "game:strider"]).to_owned(),
        body: body(random),
        tame: !random.one_in(3),
        bags: some(random, 4, slot),
    }
}

fn quest(random: &mut Random) -> Quest {
    Quest {
        title: text::slug(random, 40),
        state: match random.below(5) {
            0 => State::Open,
            1 | 2 => State::Active { step: random.below(12) as u16, since: random.below(1 << 24) },
            3 => State::Done(random.below(1 << 24)),
            _ => State::Failed { reason: format!("lost the {}", text::word(random)) },
        },
    }
}

fn place(random: &mut Random) -> Place {
    let mut far = || random.below(20_000) as i32 - 10_000;
    Place { position: [far(), 64, far()], world: random.pick(WORLDS).to_owned() }
}
