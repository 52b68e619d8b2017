//! The values: one file for each kind of data, with its types and what makes them.
//!
//! Types whose name is the same in a module `lent` are the same with text that is borrowed from the bytes.
#![allow(missing_docs, reason = "types and fields are called what they are")]

use std::fmt::Debug;

pub mod floats;
pub mod graph;
pub mod ints;
pub mod logs;
pub mod mesh;
pub mod pairs;
pub mod proto;
pub mod row;
pub mod saves;
pub mod schema;
pub mod strings;
pub mod text;
pub mod updates;

/// Types that own all they have, with all that the peers derive.
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

/// Types with text that is borrowed, with all that the peers who can read them derive.
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

/// A type that has another one beside it, of the same names, whose text is borrowed.
pub trait Lend: Debug + 'static {
    /// That type.
    type Lent<'a>: Debug;

    /// Whether a lent value is this one: all names and values are the same.
    fn is(&self, lent: &Self::Lent<'_>) -> bool {
        format!("{self:?}") == format!("{lent:?}")
    }
}
