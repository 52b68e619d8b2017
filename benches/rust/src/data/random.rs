//! Random types that `build.rs` generates, with random values: no serializer can be tuned to them.

use holdall_bench_measure::random::Random;

use super::text;
use crate::case::Builder;
use crate::cases::Make;
use crate::peers::{Bare, Bitcode, Holdall, Wincode};

/// Types with the derives of the fastest peers alone: those of the others would take minutes to compile.
macro_rules! generated {
    ($($item:item)*) => {$(
        #[derive(Clone, Debug, PartialEq)]
        #[derive(holdall::Encode, holdall::Decode)]
        #[derive(bitcode::Encode, bitcode::Decode)]
        #[derive(wincode::SchemaWrite, wincode::SchemaRead)]
        $item
    )*};
}

/// A case of a type, by its number, the function that makes values, and how many.
macro_rules! case {
    ($number:literal, $make:ident, $count:literal) => {
        (concat!("random", $number), |wanted| {
            let count = wanted.count($count);
            Builder::new($make(count, wanted.seed), wanted.who)
                .peer::<Holdall>()
                .peer::<Bare>()
                .peer::<Bitcode>()
                .peer::<Wincode>()
                .build(concat!("random", $number), format!("{count} values of a random type"))
        })
    };
}

include!(concat!(env!("OUT_DIR"), "/generated.rs"));
