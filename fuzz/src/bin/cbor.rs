//! Law: CBOR that packs, unpacks to CBOR that packs to the same bytes.

#![no_main]

use holdall_convert::cbor;

holdall_fuzz::packs_stably!(cbor);
