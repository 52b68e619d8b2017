//! The values: one file for each kind of data, with its types and their generator.
//!
//! Types with the same name in a module `lent` have their text borrowed from the bytes.
#![allow(missing_docs, reason = "types and fields are called what they are")]

use std::fmt::Debug;

pub mod floats;
pub mod game;
pub mod graph;
pub mod ints;
pub mod logs;
pub mod maps;
pub mod mesh;
pub mod outliers;
pub mod pairs;
pub mod proto;
pub mod random;
pub mod row;
pub mod rpc;
pub mod saves;
pub mod schema;
pub mod shapes;
pub mod strings;
pub mod text;
pub mod updates;
pub mod wide;
pub mod words;

/// Types that own their contents, with all derives of the peers.
macro_rules! owned {
    ($($item:item)*) => {$(
        #[derive(Clone, Debug, PartialEq)]
        #[derive(holdall::Encode, holdall::Decode)]
        #[derive(bitcode::Encode, bitcode::Decode)]
        #[derive(serde::Serialize, serde::Deserialize)]
        #[derive(wincode::SchemaWrite, wincode::SchemaRead)]
        #[derive(borsh::BorshSerialize, borsh::BorshDeserialize)]
        #[derive(rkyv::Archive, rkyv::Serialize, rkyv::Deserialize)]
        #[derive(savefile_derive::Savefile)]
        $item
    )*};
}

/// Types with borrowed text, with all derives of the peers that can read them.
macro_rules! lent {
    ($($item:item)*) => {$(
        #[derive(Debug, PartialEq)]
        #[derive(holdall::Encode, holdall::Decode)]
        #[derive(bitcode::Encode, bitcode::Decode)]
        #[derive(serde::Serialize, serde::Deserialize)]
        #[derive(wincode::SchemaWrite, wincode::SchemaRead)]
        $item
    )*};
}

pub(crate) use {lent, owned};

/// A type that has a counterpart with the same names, whose text is borrowed.
pub trait Lend: Debug + 'static {
    /// The counterpart.
    type Lent<'a>: Debug;

    /// Whether a counterpart equals this value in all names and values.
    fn is(&self, lent: &Self::Lent<'_>) -> bool {
        format!("{self:?}") == format!("{lent:?}")
    }
}
