//! JSON, NDJSON, CSV, MessagePack and CBOR to holdall and back. One program: each takes its time to build.

mod formats;
mod json;
