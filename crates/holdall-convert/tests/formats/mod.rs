//! NDJSON, CSV, MessagePack and CBOR to holdall and back.

mod bytes;
mod cbor;
mod csv;
mod laws;
mod msgpack;
mod ndjson;
mod options;
mod peers;
mod scale;
mod values;
