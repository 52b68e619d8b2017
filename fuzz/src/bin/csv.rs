//! Law: CSV that packs, unpacks to CSV that packs to the same bytes.

#![no_main]

use holdall_convert::csv;

holdall_fuzz::packs_stably!(csv);
