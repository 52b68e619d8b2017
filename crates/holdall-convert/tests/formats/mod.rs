//! NDJSON, CSV, MessagePack, CBOR, BSON, DLHN and codings of the program to holdall and back.

mod addresses;
mod bson;
mod bytes;
mod cbor;
mod cbor_tags;
mod csv;
mod dlhn;
mod dlhn_records;
#[cfg(feature = "serde")]
mod dlhn_serde;
mod dlhn_types;
mod laws;
mod msgpack;
mod ndjson;
mod options;
mod peers;
mod registered;
mod scale;
#[cfg(feature = "serde")]
mod serde;
#[cfg(feature = "serde")]
mod serde_calls;
#[cfg(feature = "serde")]
mod serde_forms;
#[cfg(feature = "serde")]
mod serde_peers;
mod spelled;
mod times;
mod typed;
mod values;
