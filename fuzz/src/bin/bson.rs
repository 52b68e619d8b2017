//! Law: BSON that packs, unpacks to BSON that packs to the same bytes.

#![no_main]

use holdall_convert::bson;

holdall_fuzz::packs_stably!(bson);
