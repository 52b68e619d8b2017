//! Law: JSON text that packs, unpacks to text that packs to the same bytes.

#![no_main]

use holdall_convert::json;

holdall_fuzz::packs_stably!(json);
