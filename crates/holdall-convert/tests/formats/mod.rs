//! NDJSON, CSV, MessagePack, CBOR and DLHN to holdall and back.

mod bson;
mod bytes;
mod cbor;
mod csv;
mod dlhn;
mod laws;
mod msgpack;
mod ndjson;
mod options;
mod peers;
mod scale;
mod values;
