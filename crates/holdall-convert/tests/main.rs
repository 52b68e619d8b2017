//! JSON, NDJSON, CSV, MessagePack, CBOR and DLHN to holdall and back, in one program, because building each takes time.

#[path = "../../holdall/tests/common/counting.rs"]
mod counting;
mod exhaustion;
mod formats;
mod json;
