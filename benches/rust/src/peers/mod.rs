//! The serializers, each in its own file, in the fastest way that is safe for any input.
//!
//! The data is valid: a failure means that the benchmark is wrong, so all of them panic.

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

/// A serializer of a type, with the memory that a program keeps between messages. It can read another type.
pub trait Peer<T: ?Sized, R = T>: Default + 'static {
    /// The name in tables.
    const NAME: &'static str;

    /// Whether it is holdall.
    const OURS: bool = false;

    /// Whether it aims at few bytes more than at speed: such peers are compared with each other.
    const IS_PROFILE_SMALL: bool = false;

    /// Whether it takes part. With feature `few`, only peers that set this are compiled.
    const IN: bool = !cfg!(feature = "few");

    /// Writes into new memory.
    fn to_vec(&mut self, value: &T) -> Vec<u8>;

    /// Writes into existing memory.
    fn write(&mut self, value: &T) -> &[u8];

    /// Reads a value that owns its contents.
    fn read(&mut self, bytes: &[u8]) -> R;
}

/// A serializer that can also read values that borrow from the bytes.
pub trait Borrowing<T>: Peer<T> {
    /// The borrowing value.
    type Lent<'a>;

    /// Reads it.
    fn borrow<'a>(&mut self, bytes: &'a [u8]) -> Self::Lent<'a>;

    /// Whether it equals this value.
    fn same(value: &T, lent: &Self::Lent<'_>) -> bool;
}

pub(crate) const VALID: &str = "the data is valid";
