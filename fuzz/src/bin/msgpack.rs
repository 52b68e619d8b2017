//! Law: MessagePack that packs, unpacks to MessagePack that packs to the same bytes.

#![no_main]

use holdall_convert::msgpack;
use holdall_fuzz::items::Grammar;
use holdall_fuzz::mutate_as;
use holdall_fuzz::mutator::Form;

mutate_as!(Form::Item(Grammar::Msgpack));

holdall_fuzz::packs_stably!(msgpack);
