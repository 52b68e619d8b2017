//! JSON, NDJSON, CSV, MessagePack and CBOR to holdall and back, in one program, because building each takes time.

mod formats;
mod json;
