//! Law: CBOR that packs, unpacks to CBOR that packs to the same bytes.

#![no_main]

use holdall_convert::cbor;
use holdall_fuzz::items::Grammar;
use holdall_fuzz::mutate_as;
use holdall_fuzz::mutator::Form;

mutate_as!(Form::Item(Grammar::Cbor));

holdall_fuzz::packs_stably!(cbor);
