//! The serializers, each in its own file, by its own fastest way that is safe on any input.
//!
//! The data are valid: a failure means that the benchmark is wrong, so all of them panic.

mod bitcode;
mod borsh;
mod dlhn;
mod fory;
mod holdall;
mod json;
mod messagepack;
mod postcard;
mod prost;
mod rkyv;
mod savefile;
mod wincode;
mod zipped;

pub use bitcode::Bitcode;
pub use borsh::Borsh;
pub use dlhn::Dlhn;
pub use fory::{CompatibleFory, Fory};
pub use holdall::{Aligned, Bare, Holdall, SameSchema, Small};
pub use json::Json;
pub use messagepack::{MessagePack, NamedMessagePack};
pub use postcard::Postcard;
pub use prost::Prost;
pub use rkyv::Rkyv;
pub use savefile::{Savefile, VersionedSavefile};
pub use wincode::Wincode;
pub use zipped::ZippedBitcode;

/// A serializer of a type, with what a program keeps from one message to the next. What it reads can be another type.
pub trait Peer<T: ?Sized, R = T>: Default + 'static {
    /// What the tables call it.
    const NAME: &'static str;

    /// Whether it is holdall.
    const OURS: bool = false;

    /// Whether it is after few bytes more than after speed: such ones are compared among themselves.
    const SMALL: bool = false;

    /// Whether it takes part. With feature `few` it is compiled only if it says so itself.
    const IN: bool = !cfg!(feature = "few");

    /// Writes into new memory.
    fn to_vec(&mut self, value: &T) -> Vec<u8>;

    /// Writes into memory that is kept.
    fn write(&mut self, value: &T) -> &[u8];

    /// Reads a value that owns all it has.
    fn read(&mut self, bytes: &[u8]) -> R;
}

/// A serializer that can also read values which borrow from the bytes.
pub trait Borrowing<T>: Peer<T> {
    /// Such a value.
    type Lent<'a>;

    /// Reads it.
    fn borrow<'a>(&mut self, bytes: &'a [u8]) -> Self::Lent<'a>;

    /// Whether it is this value.
    fn same(value: &T, lent: &Self::Lent<'_>) -> bool;
}

const VALID: &str = "the data are valid";
