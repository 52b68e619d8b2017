use prost::{Enumeration, Message};

use crate::data::pairs::Contact;
use crate::data::schema::{Order, old};
use crate::data::{logs, mesh, row, updates};

#[derive(Clone, PartialEq, Message)]
pub struct Logs {
    #[prost(message, repeated, tag = "1")]
    pub records: Vec<Record>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Record {
    #[prost(fixed32, tag = "1")]
    pub client: u32,
    #[prost(uint64, tag = "2")]
    pub at: u64,
    #[prost(enumeration = "Method", tag = "3")]
    pub method: i32,
    #[prost(string, tag = "4")]
    pub path: String,
    #[prost(uint32, tag = "5")]
    pub status: u32,
    #[prost(uint64, tag = "6")]
    pub bytes: u64,
    #[prost(float, tag = "7")]
    pub seconds: f32,
    #[prost(string, optional, tag = "8")]
    pub referrer: Option<String>,
    #[prost(uint32, optional, tag = "9")]
    pub user: Option<u32>,
    #[prost(string, tag = "10")]
    pub agent: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Enumeration)]
#[repr(i32)]
pub enum Method {
    Get = 0,
    Head = 1,
    Post = 2,
    Put = 3,
    Delete = 4,
}

impl From<&logs::Logs> for Logs {
    fn from(logs: &logs::Logs) -> Logs {
        let record = |record: &logs::Record| Record {
            client: u32::from_le_bytes(record.client),
            at: record.at,
            method: record.method as i32,
            path: record.path.clone(),
            status: record.status.into(),
            bytes: record.bytes,
            seconds: record.seconds,
            referrer: record.referrer.clone(),
            user: record.user,
            agent: record.agent.clone(),
        };
        Logs { records: logs.records.iter().map(record).collect() }
    }
}

#[derive(Clone, PartialEq, Message)]
pub struct Mesh {
    #[prost(message, repeated, tag = "1")]
    pub triangles: Vec<Triangle>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Triangle {
    #[prost(message, optional, tag = "1")]
    pub a: Option<Point>,
    #[prost(message, optional, tag = "2")]
    pub b: Option<Point>,
    #[prost(message, optional, tag = "3")]
    pub c: Option<Point>,
    #[prost(message, optional, tag = "4")]
    pub normal: Option<Point>,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub struct Point {
    #[prost(float, tag = "1")]
    pub x: f32,
    #[prost(float, tag = "2")]
    pub y: f32,
    #[prost(float, tag = "3")]
    pub z: f32,
}

impl From<&mesh::Mesh> for Mesh {
    fn from(mesh: &mesh::Mesh) -> Mesh {
        let point = |mesh::Point { x, y, z }| Some(Point { x, y, z });
        let triangle = |triangle: &mesh::Triangle| {
            let [a, b, c] = triangle.corners.map(point);
            Triangle { a, b, c, normal: point(triangle.normal) }
        };
        Mesh { triangles: mesh.triangles.iter().map(triangle).collect() }
    }
}

#[derive(Clone, PartialEq, Message)]
pub struct Updates {
    #[prost(message, repeated, tag = "1")]
    pub updates: Vec<Update>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Update {
    #[prost(uint32, tag = "1")]
    pub tick: u32,
    #[prost(uint32, tag = "2")]
    pub entity: u32,
    #[prost(message, optional, tag = "3")]
    pub position: Option<Point>,
    #[prost(message, repeated, tag = "4")]
    pub moves: Vec<Move>,
    #[prost(message, repeated, tag = "5")]
    pub hits: Vec<Hit>,
    #[prost(uint32, repeated, tag = "6")]
    pub spawned: Vec<u32>,
    #[prost(uint32, repeated, tag = "7")]
    pub removed: Vec<u32>,
    #[prost(bytes = "vec", tag = "8")]
    pub sounds: Vec<u8>,
    #[prost(bool, repeated, tag = "9")]
    pub flags: Vec<bool>,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub struct Move {
    #[prost(sint32, tag = "1")]
    pub x: i32,
    #[prost(sint32, tag = "2")]
    pub y: i32,
    #[prost(sint32, tag = "3")]
    pub z: i32,
    #[prost(uint32, tag = "4")]
    pub turn: u32,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub struct Hit {
    #[prost(uint32, tag = "1")]
    pub by: u32,
    #[prost(enumeration = "Kind", tag = "2")]
    pub kind: i32,
    #[prost(float, tag = "3")]
    pub damage: f32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Enumeration)]
#[repr(i32)]
pub enum Kind {
    Fall = 0,
    Fire = 1,
    Sword = 2,
    Arrow = 3,
    Magic = 4,
}

impl From<&updates::Updates> for Updates {
    fn from(updates: &updates::Updates) -> Updates {
        let update = |update: &updates::Update| Update {
            tick: update.tick,
            entity: update.entity,
            position: update.position.map(|[x, y, z]| Point { x, y, z }),
            moves: update
                .moves
                .iter()
                .map(|&updates::Move { x, y, z, turn }| Move {
                    x: x.into(),
                    y: y.into(),
                    z: z.into(),
                    turn: turn.into(),
                })
                .collect(),
            hits: update
                .hits
                .iter()
                .map(|hit| Hit { by: hit.by, kind: hit.kind as i32, damage: hit.damage })
                .collect(),
            spawned: update.spawned.clone(),
            removed: update.removed.clone(),
            sounds: update.sounds.clone(),
            flags: update.flags.clone(),
        };
        Updates { updates: updates.updates.iter().map(update).collect() }
    }
}

#[derive(Clone, PartialEq, Message)]
pub struct Small {
    #[prost(uint64, tag = "1")]
    pub id: u64,
    #[prost(uint32, tag = "2")]
    pub kind: u32,
    #[prost(bool, tag = "3")]
    pub active: bool,
    #[prost(double, tag = "4")]
    pub score: f64,
    #[prost(string, tag = "5")]
    pub name: String,
    #[prost(uint32, optional, tag = "6")]
    pub parent: Option<u32>,
}

impl From<&row::Small> for Small {
    fn from(small: &row::Small) -> Small {
        Small {
            id: small.id,
            kind: small.kind.into(),
            active: small.active,
            score: small.score,
            name: small.name.clone(),
            parent: small.parent,
        }
    }
}

#[derive(Clone, PartialEq, Message)]
pub struct Rows {
    #[prost(message, repeated, tag = "1")]
    pub rows: Vec<Row>,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub struct Row {
    #[prost(sint64, tag = "1")]
    pub number: i64,
    #[prost(uint32, tag = "2")]
    pub kind: u32,
    #[prost(double, tag = "3")]
    pub value: f64,
}

impl From<&Vec<row::Row>> for Rows {
    fn from(rows: &Vec<row::Row>) -> Rows {
        let row =
            |row: &row::Row| Row { number: row.number, kind: row.kind.into(), value: row.value };
        Rows { rows: rows.iter().map(row).collect() }
    }
}

#[derive(Clone, PartialEq, Message)]
pub struct Floats {
    #[prost(double, repeated, tag = "1")]
    pub values: Vec<f64>,
}

impl From<&Vec<f64>> for Floats {
    fn from(values: &Vec<f64>) -> Floats {
        Floats { values: values.clone() }
    }
}

#[derive(Clone, PartialEq, Message)]
pub struct Ints {
    #[prost(sint64, repeated, tag = "1")]
    pub values: Vec<i64>,
}

impl From<&Vec<i64>> for Ints {
    fn from(values: &Vec<i64>) -> Ints {
        Ints { values: values.clone() }
    }
}

#[derive(Clone, PartialEq, Message)]
pub struct Strings {
    #[prost(string, repeated, tag = "1")]
    pub values: Vec<String>,
}

impl From<&Vec<String>> for Strings {
    fn from(values: &Vec<String>) -> Strings {
        Strings { values: values.clone() }
    }
}

#[derive(Clone, PartialEq, Message)]
pub struct Contacts {
    #[prost(message, repeated, tag = "1")]
    pub contacts: Vec<ContactMessage>,
}

#[derive(Clone, PartialEq, Message)]
pub struct ContactMessage {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(string, tag = "2")]
    pub mail: String,
}

impl From<&Vec<Contact>> for Contacts {
    fn from(contacts: &Vec<Contact>) -> Contacts {
        let contact = |contact: &Contact| ContactMessage {
            name: contact.name.clone(),
            mail: contact.mail.clone(),
        };
        Contacts { contacts: contacts.iter().map(contact).collect() }
    }
}

#[derive(Clone, PartialEq, Message)]
pub struct OldOrders {
    #[prost(message, repeated, tag = "1")]
    pub orders: Vec<OldOrder>,
}

#[derive(Clone, PartialEq, Message)]
pub struct OldOrder {
    #[prost(uint64, tag = "1")]
    pub id: u64,
    #[prost(string, tag = "2")]
    pub customer: String,
    #[prost(double, tag = "3")]
    pub amount: f64,
    #[prost(uint32, repeated, tag = "4")]
    pub items: Vec<u32>,
    #[prost(string, optional, tag = "5")]
    pub coupon: Option<String>,
    #[prost(bool, tag = "6")]
    pub paid: bool,
    #[prost(string, tag = "7")]
    pub note: String,
    #[prost(uint32, tag = "8")]
    pub day: u32,
}

impl From<&Vec<old::Order>> for OldOrders {
    fn from(orders: &Vec<old::Order>) -> OldOrders {
        let order = |order: &old::Order| OldOrder {
            id: order.id,
            customer: order.customer.clone(),
            amount: order.amount,
            items: order.items.clone(),
            coupon: order.coupon.clone(),
            paid: order.paid,
            note: order.note.clone(),
            day: order.day,
        };
        OldOrders { orders: orders.iter().map(order).collect() }
    }
}

#[derive(Clone, PartialEq, Message)]
pub struct NewOrders {
    #[prost(message, repeated, tag = "1")]
    pub orders: Vec<NewOrder>,
}

#[derive(Clone, PartialEq, Message)]
pub struct NewOrder {
    #[prost(uint64, tag = "1")]
    pub id: u64,
    #[prost(string, tag = "2")]
    pub customer: String,
    #[prost(double, tag = "3")]
    pub amount: f64,
    #[prost(uint32, repeated, tag = "4")]
    pub items: Vec<u32>,
    #[prost(bool, tag = "6")]
    pub paid: bool,
    #[prost(uint32, tag = "8")]
    pub day: u32,
    #[prost(uint32, optional, tag = "9")]
    pub rating: Option<u32>,
}

impl From<&Vec<Order>> for NewOrders {
    fn from(orders: &Vec<Order>) -> NewOrders {
        let order = |order: &Order| NewOrder {
            id: order.id,
            customer: order.customer.clone(),
            amount: order.amount,
            items: order.items.clone(),
            paid: order.paid,
            day: order.day,
            rating: order.rating.map(u32::from),
        };
        NewOrders { orders: orders.iter().map(order).collect() }
    }
}
