//! The values as Protocol Buffers have them: numbers of 32 bits at least, and every message inside another one optional.

mod flat;
mod saves;

pub use flat::{
    Contacts, Floats, Ints, Logs, Mesh, NewOrders, OldOrders, Rows, Small, Strings, Updates,
};
pub use saves::Saves;
