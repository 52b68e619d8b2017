use prost::{Enumeration, Message, Oneof};

use crate::data::saves;

#[derive(Clone, PartialEq, Message)]
pub struct Saves {
    #[prost(message, repeated, tag = "1")]
    pub players: Vec<Player>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Player {
    #[prost(bytes = "vec", tag = "1")]
    pub id: Vec<u8>,
    #[prost(string, tag = "2")]
    pub name: String,
    #[prost(uint32, tag = "3")]
    pub level: u32,
    #[prost(float, tag = "4")]
    pub experience: f32,
    #[prost(enumeration = "Mode", tag = "5")]
    pub mode: i32,
    #[prost(message, optional, tag = "6")]
    pub body: Option<Body>,
    #[prost(message, optional, tag = "7")]
    pub abilities: Option<Abilities>,
    #[prost(message, repeated, tag = "8")]
    pub inventory: Vec<Slot>,
    #[prost(message, repeated, tag = "9")]
    pub chest: Vec<Slot>,
    #[prost(message, optional, boxed, tag = "10")]
    pub mount: Option<Box<Mount>>,
    #[prost(message, repeated, tag = "11")]
    pub quests: Vec<Quest>,
    #[prost(string, repeated, tag = "12")]
    pub recipes: Vec<String>,
    #[prost(message, optional, tag = "13")]
    pub home: Option<Place>,
    #[prost(message, optional, tag = "14")]
    pub last_death: Option<Place>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Enumeration)]
#[repr(i32)]
pub enum Mode {
    Survival = 0,
    Creative = 1,
    Adventure = 2,
    Spectator = 3,
}

#[derive(Clone, PartialEq, Message)]
pub struct Body {
    #[prost(double, repeated, tag = "1")]
    pub position: Vec<f64>,
    #[prost(double, repeated, tag = "2")]
    pub motion: Vec<f64>,
    #[prost(float, repeated, tag = "3")]
    pub rotation: Vec<f32>,
    #[prost(float, tag = "4")]
    pub health: f32,
    #[prost(int32, tag = "5")]
    pub food: i32,
    #[prost(sint32, tag = "6")]
    pub air: i32,
    #[prost(sint32, tag = "7")]
    pub fire: i32,
    #[prost(bool, tag = "8")]
    pub on_ground: bool,
    #[prost(message, repeated, tag = "9")]
    pub effects: Vec<Effect>,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub struct Effect {
    #[prost(uint32, tag = "1")]
    pub kind: u32,
    #[prost(uint32, tag = "2")]
    pub strength: u32,
    #[prost(int32, tag = "3")]
    pub ticks: i32,
    #[prost(bool, tag = "4")]
    pub visible: bool,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub struct Abilities {
    #[prost(float, tag = "1")]
    pub walk_speed: f32,
    #[prost(float, tag = "2")]
    pub fly_speed: f32,
    #[prost(bool, tag = "3")]
    pub may_fly: bool,
    #[prost(bool, tag = "4")]
    pub flying: bool,
    #[prost(bool, tag = "5")]
    pub invulnerable: bool,
    #[prost(bool, tag = "6")]
    pub may_build: bool,
}

#[derive(Clone, PartialEq, Message)]
pub struct Slot {
    #[prost(uint32, tag = "1")]
    pub slot: u32,
    #[prost(uint32, tag = "2")]
    pub count: u32,
    #[prost(string, tag = "3")]
    pub item: String,
    #[prost(uint32, optional, tag = "4")]
    pub damage: Option<u32>,
    #[prost(string, optional, tag = "5")]
    pub label: Option<String>,
    #[prost(message, repeated, tag = "6")]
    pub enchantments: Vec<Enchantment>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Enchantment {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(int32, tag = "2")]
    pub level: i32,
}

#[derive(Clone, PartialEq, Message)]
pub struct Mount {
    #[prost(string, tag = "1")]
    pub kind: String,
    #[prost(message, optional, tag = "2")]
    pub body: Option<Body>,
    #[prost(bool, tag = "3")]
    pub tame: bool,
    #[prost(message, repeated, tag = "4")]
    pub bags: Vec<Slot>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Quest {
    #[prost(string, tag = "1")]
    pub title: String,
    #[prost(oneof = "State", tags = "2, 3, 4, 5")]
    pub state: Option<State>,
}

#[derive(Clone, PartialEq, Oneof)]
pub enum State {
    #[prost(message, tag = "2")]
    Open(Open),
    #[prost(message, tag = "3")]
    Active(Active),
    #[prost(uint64, tag = "4")]
    Done(u64),
    #[prost(string, tag = "5")]
    Failed(String),
}

#[derive(Clone, Copy, PartialEq, Message)]
pub struct Open {}

#[derive(Clone, Copy, PartialEq, Message)]
pub struct Active {
    #[prost(uint32, tag = "1")]
    pub step: u32,
    #[prost(uint64, tag = "2")]
    pub since: u64,
}

#[derive(Clone, PartialEq, Message)]
pub struct Place {
    #[prost(string, tag = "1")]
    pub world: String,
    #[prost(sint32, repeated, tag = "2")]
    pub position: Vec<i32>,
}

impl From<&saves::Saves> for Saves {
    fn from(saves: &saves::Saves) -> Saves {
        Saves { players: saves.players.iter().map(Player::from).collect() }
    }
}

impl From<&saves::Player> for Player {
    fn from(player: &saves::Player) -> Player {
        let abilities = &player.abilities;
        Player {
            id: player.id.to_vec(),
            name: player.name.clone(),
            level: player.level,
            experience: player.experience,
            mode: player.mode as i32,
            body: Some(Body::from(&player.body)),
            abilities: Some(Abilities {
                walk_speed: abilities.walk_speed,
                fly_speed: abilities.fly_speed,
                may_fly: abilities.may_fly,
                flying: abilities.flying,
                invulnerable: abilities.invulnerable,
                may_build: abilities.may_build,
            }),
            inventory: player.inventory.iter().map(Slot::from).collect(),
            chest: player.chest.iter().map(Slot::from).collect(),
            mount: player.mount.as_deref().map(|mount| {
                Box::new(Mount {
                    kind: mount.kind.clone(),
                    body: Some(Body::from(&mount.body)),
                    tame: mount.tame,
                    bags: mount.bags.iter().map(Slot::from).collect(),
                })
            }),
            quests: player.quests.iter().map(Quest::from).collect(),
            recipes: player.recipes.clone(),
            home: player.home.as_ref().map(Place::from),
            last_death: player.last_death.as_ref().map(Place::from),
        }
    }
}

impl From<&saves::Body> for Body {
    fn from(body: &saves::Body) -> Body {
        let effect = |effect: &saves::Effect| Effect {
            kind: effect.kind.into(),
            strength: effect.strength.into(),
            ticks: effect.ticks,
            visible: effect.visible,
        };
        Body {
            position: body.position.to_vec(),
            motion: body.motion.to_vec(),
            rotation: body.rotation.to_vec(),
            health: body.health,
            food: body.food,
            air: body.air.into(),
            fire: body.fire.into(),
            on_ground: body.on_ground,
            effects: body.effects.iter().map(effect).collect(),
        }
    }
}

impl From<&saves::Slot> for Slot {
    fn from(slot: &saves::Slot) -> Slot {
        let enchantment = |enchantment: &saves::Enchantment| Enchantment {
            name: enchantment.name.clone(),
            level: enchantment.level.into(),
        };
        Slot {
            slot: slot.slot.into(),
            count: slot.count.into(),
            item: slot.item.clone(),
            damage: slot.damage.map(u32::from),
            label: slot.label.clone(),
            enchantments: slot.enchantments.iter().map(enchantment).collect(),
        }
    }
}

impl From<&saves::Quest> for Quest {
    fn from(quest: &saves::Quest) -> Quest {
        let state = match &quest.state {
            saves::State::Open => State::Open(Open {}),
            saves::State::Active { step, since } => {
                State::Active(Active { step: (*step).into(), since: *since })
            }
            saves::State::Done(when) => State::Done(*when),
            saves::State::Failed { reason } => State::Failed(reason.clone()),
        };
        Quest { title: quest.title.clone(), state: Some(state) }
    }
}

impl From<&saves::Place> for Place {
    fn from(place: &saves::Place) -> Place {
        Place { world: place.world.clone(), position: place.position.to_vec() }
    }
}
