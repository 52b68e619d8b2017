//! Law: BSON that packs, unpacks to BSON that packs to the same bytes.

#![no_main]

use holdall_convert::bson;
use holdall_fuzz::items::Grammar;
use holdall_fuzz::mutate_as;
use holdall_fuzz::mutator::Form;

mutate_as!(Form::Item(Grammar::Bson));

holdall_fuzz::packs_stably!(bson);
