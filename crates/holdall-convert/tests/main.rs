//! JSON, NDJSON, CSV, MessagePack, CBOR and DLHN to holdall and back, in one program, because building each takes time.

mod formats;
mod json;
