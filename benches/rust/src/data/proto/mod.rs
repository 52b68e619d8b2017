//! The values in Protocol Buffers: numbers of at least 32 bits, and every nested message optional.

mod flat;
mod saves;

pub use flat::{
    Contacts, Floats, Ints, Logs, Mesh, NewOrders, OldOrders, Rows, Small, Strings, Updates,
};
pub use saves::Saves;
