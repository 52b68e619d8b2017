//! JSON, NDJSON, CSV, MessagePack, CBOR and DLHN to holdall and back, in one program, because building each takes time.

#[allow(dead_code, reason = "used in part")]
#[path = "../../holdall/tests/common/chance.rs"]
mod chance;
#[path = "../../holdall/tests/common/counting.rs"]
mod counting;
mod exhaustion;
mod formats;
mod json;
