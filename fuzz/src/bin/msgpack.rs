//! Law: MessagePack that packs, unpacks to MessagePack that packs to the same bytes.

#![no_main]

use holdall_convert::msgpack;

holdall_fuzz::packs_stably!(msgpack);
