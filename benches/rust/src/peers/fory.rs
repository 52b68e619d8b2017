use std::marker::PhantomData;

use fory::{Error, Serializer};

use super::{Peer, VALID};
use crate::data::schema::{Order, old};
use crate::data::{graph, logs, mesh, pairs, row, saves, updates};

/// Apache Fory between Rust programs that have the same types.
pub struct Fory<T> {
    fory: fory::Fory,
    bytes: Vec<u8>,
    of: PhantomData<T>,
}

/// A type that registers its inner types with Fory.
pub trait Registered {
    /// Assigns a number to each of them.
    ///
    /// # Errors
    /// Of Fory, if one has another already.
    fn register(fory: &mut fory::Fory) -> Result<(), Error>;
}

macro_rules! registered {
    ($($root:ty: $($inside:ty),*;)*) => {$(
        impl Registered for $root {
            fn register(_fory: &mut fory::Fory) -> Result<(), Error> {
                let mut _number = 100;
                $(
                    _fory.register::<$inside>(_number)?;
                    _number += 1;
                )*
                Ok(())
            }
        }
    )*};
}

registered! {
    logs::Logs: logs::Logs, logs::Record, logs::Method;
    mesh::Mesh: mesh::Mesh, mesh::Triangle, mesh::Point;
    saves::Saves: saves::Saves, saves::Player, saves::Mode, saves::Body, saves::Effect, saves::Abilities, saves::Slot,
        saves::Enchantment, saves::Mount, saves::Quest, saves::State, saves::Place;
    updates::Updates: updates::Updates, updates::Update, updates::Move, updates::Hit, updates::Kind;
    row::Small: row::Small;
    Vec<row::Row>: row::Row;
    Vec<f64>: ;
    Vec<i64>: ;
    Vec<String>: ;
    Vec<pairs::Contact>: pairs::Contact;
    graph::Graph: graph::Graph, graph::Node;
}

/// The same between programs with different versions of the type.
pub struct CompatibleFory {
    writer: fory::Fory,
    reader: fory::Fory,
    bytes: Vec<u8>,
}

impl Default for CompatibleFory {
    fn default() -> Self {
        let make = || fory::Fory::builder().xlang(false).compatible(true).build();
        let (mut writer, mut reader) = (make(), make());
        writer.register::<old::Order>(100).expect("it has a number of its own");
        reader.register::<Order>(100).expect("it has a number of its own");
        CompatibleFory { writer, reader, bytes: Vec::new() }
    }
}

impl Peer<Vec<old::Order>, Vec<Order>> for CompatibleFory {
    const NAME: &'static str = "fory";

    fn to_vec(&mut self, value: &Vec<old::Order>) -> Vec<u8> {
        self.writer.serialize(value).expect(VALID)
    }

    fn write(&mut self, value: &Vec<old::Order>) -> &[u8] {
        self.bytes.clear();
        self.writer.serialize_to(&mut self.bytes, value).expect(VALID);
        &self.bytes
    }

    fn read(&mut self, bytes: &[u8]) -> Vec<Order> {
        self.reader.deserialize(bytes).expect(VALID)
    }
}

impl<T: Registered> Default for Fory<T> {
    fn default() -> Self {
        let mut fory = fory::Fory::builder().xlang(false).compatible(false).build();
        T::register(&mut fory).expect("each type has a number of its own");
        Fory { fory, bytes: Vec::new(), of: PhantomData }
    }
}

impl<T: Registered + Serializer<Target = T> + 'static> Peer<T> for Fory<T> {
    const NAME: &'static str = "fory";

    fn to_vec(&mut self, value: &T) -> Vec<u8> {
        self.fory.serialize(value).expect(VALID)
    }

    fn write(&mut self, value: &T) -> &[u8] {
        self.bytes.clear();
        self.fory.serialize_to(&mut self.bytes, value).expect(VALID);
        &self.bytes
    }

    fn read(&mut self, bytes: &[u8]) -> T {
        self.fory.deserialize(bytes).expect(VALID)
    }
}
