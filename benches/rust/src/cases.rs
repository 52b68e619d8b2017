//! Which peers take part in which case: who is missing cannot do it.

use crate::case::{Builder, Case};
use crate::data::{
    floats, graph, ints, logs, mesh, pairs, proto, row, saves, schema, strings, updates,
};
use crate::peers::{
    Bare, Bitcode, Borsh, Dlhn, Fory, Holdall, Json, MessagePack, NamedMessagePack, Postcard,
    Prost, Rkyv, Savefile, Small, VersionedSavefile, Wincode, ZippedBitcode,
};

/// How much data: as much as a program has, or as much as a test needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// For measurements.
    Full,
    /// For tests.
    Test,
}

impl Size {
    fn of(self, full: usize) -> usize {
        match self {
            Size::Full => full,
            Size::Test => full.div_ceil(1000).max(20),
        }
    }
}

/// Makes a case from data of a seed.
pub type Make = fn(Size, u64) -> Case;

/// All cases, by their names.
pub const CASES: &[(&str, Make)] = &[
    ("logs", |size, seed| {
        let count = size.of(10_000);
        Builder::new(logs::make(count, seed))
            .borrowing::<Holdall>()
            .borrowing::<Bare>()
            .peer::<Small>()
            .peer::<ZippedBitcode>()
            .borrowing::<Bitcode>()
            .borrowing::<Wincode>()
            .borrowing::<Postcard>()
            .borrowing::<Rkyv>()
            .peer::<Savefile>()
            .peer::<Borsh>()
            .borrowing::<MessagePack>()
            .borrowing::<Json>()
            .peer::<Dlhn>()
            .mirrored::<Prost, proto::Logs, proto::Logs>()
            .peer::<Fory<_>>()
            .build("logs", format!("{count} records of a web server"))
    }),
    ("mesh", |size, seed| {
        let count = size.of(125_000);
        Builder::new(mesh::make(count, seed))
            .peer::<Holdall>()
            .peer::<Bare>()
            .peer::<Small>()
            .peer::<ZippedBitcode>()
            .peer::<Bitcode>()
            .peer::<Wincode>()
            .peer::<Postcard>()
            .borrowing::<Rkyv>()
            .peer::<Savefile>()
            .peer::<Borsh>()
            .peer::<MessagePack>()
            .peer::<Json>()
            .peer::<Dlhn>()
            .mirrored::<Prost, proto::Mesh, proto::Mesh>()
            .peer::<Fory<_>>()
            .build("mesh", format!("{count} triangles of f32"))
    }),
    ("saves", |size, seed| {
        let count = size.of(500);
        Builder::new(saves::make(count, seed))
            .borrowing::<Holdall>()
            .borrowing::<Bare>()
            .peer::<Small>()
            .peer::<ZippedBitcode>()
            .borrowing::<Bitcode>()
            .borrowing::<Wincode>()
            .borrowing::<Postcard>()
            .borrowing::<Rkyv>()
            .peer::<Savefile>()
            .peer::<Borsh>()
            .borrowing::<MessagePack>()
            .borrowing::<Json>()
            .peer::<Dlhn>()
            .mirrored::<Prost, proto::Saves, proto::Saves>()
            .peer::<Fory<_>>()
            .build("saves", format!("saved games of {count} players"))
    }),
    ("updates", |size, seed| {
        let count = size.of(10_000);
        Builder::new(updates::make(count, seed))
            .peer::<Holdall>()
            .peer::<Bare>()
            .peer::<Small>()
            .peer::<ZippedBitcode>()
            .peer::<Bitcode>()
            .peer::<Wincode>()
            .peer::<Postcard>()
            .borrowing::<Rkyv>()
            .peer::<Savefile>()
            .peer::<Borsh>()
            .peer::<MessagePack>()
            .peer::<Json>()
            .peer::<Dlhn>()
            .mirrored::<Prost, proto::Updates, proto::Updates>()
            .peer::<Fory<_>>()
            .build("updates", format!("{count} updates of a game, with tiny vectors"))
    }),
    ("struct", |_, seed| {
        Builder::new(row::small(seed))
            .borrowing::<Holdall>()
            .borrowing::<Bare>()
            .borrowing::<Bitcode>()
            .borrowing::<Wincode>()
            .borrowing::<Postcard>()
            .borrowing::<Rkyv>()
            .peer::<Savefile>()
            .peer::<Borsh>()
            .borrowing::<MessagePack>()
            .borrowing::<Json>()
            .peer::<Dlhn>()
            .mirrored::<Prost, proto::Small, proto::Small>()
            .peer::<Fory<_>>()
            .build("struct", "one struct of six fields".to_owned())
    }),
    ("rows", |size, seed| {
        let count = size.of(100);
        Builder::new(row::rows(count, seed))
            .peer::<Holdall>()
            .peer::<Bare>()
            .peer::<Bitcode>()
            .peer::<Wincode>()
            .peer::<Postcard>()
            .borrowing::<Rkyv>()
            .peer::<Savefile>()
            .peer::<Borsh>()
            .peer::<MessagePack>()
            .peer::<Json>()
            .peer::<Dlhn>()
            .mirrored::<Prost, proto::Rows, proto::Rows>()
            .peer::<Fory<_>>()
            .build("rows", format!("{count} structs of (i64, u8, f64)"))
    }),
    ("floats", |size, seed| {
        let count = size.of(1 << 20);
        Builder::new(floats::make(count, seed))
            .peer::<Holdall>()
            .peer::<Bare>()
            .peer::<Small>()
            .peer::<ZippedBitcode>()
            .peer::<Bitcode>()
            .peer::<Wincode>()
            .peer::<Postcard>()
            .borrowing::<Rkyv>()
            .peer::<Savefile>()
            .peer::<Borsh>()
            .peer::<MessagePack>()
            .peer::<Json>()
            .peer::<Dlhn>()
            .mirrored::<Prost, proto::Floats, proto::Floats>()
            .peer::<Fory<_>>()
            .build("floats", format!("{count} f64"))
    }),
    ("ints", |size, seed| {
        let count = size.of(1_000_000);
        Builder::new(ints::make(count, seed))
            .peer::<Holdall>()
            .peer::<Bare>()
            .peer::<Small>()
            .peer::<ZippedBitcode>()
            .peer::<Bitcode>()
            .peer::<Wincode>()
            .peer::<Postcard>()
            .borrowing::<Rkyv>()
            .peer::<Savefile>()
            .peer::<Borsh>()
            .peer::<MessagePack>()
            .peer::<Json>()
            .peer::<Dlhn>()
            .mirrored::<Prost, proto::Ints, proto::Ints>()
            .peer::<Fory<_>>()
            .build("ints", format!("{count} i64 from -8 to 999"))
    }),
    ("strings", |size, seed| {
        let count = size.of(100_000);
        Builder::new(strings::make(count, seed))
            .borrowing::<Holdall>()
            .borrowing::<Bare>()
            .peer::<Small>()
            .peer::<ZippedBitcode>()
            .borrowing::<Bitcode>()
            .borrowing::<Wincode>()
            .borrowing::<Postcard>()
            .borrowing::<Rkyv>()
            .peer::<Savefile>()
            .peer::<Borsh>()
            .borrowing::<MessagePack>()
            .borrowing::<Json>()
            .peer::<Dlhn>()
            .mirrored::<Prost, proto::Strings, proto::Strings>()
            .peer::<Fory<_>>()
            .build("strings", format!("{count} strings, of 2000 different ones"))
    }),
    ("pairs", |size, seed| {
        let count = size.of(100_000);
        Builder::new(pairs::make(count, seed))
            .borrowing::<Holdall>()
            .borrowing::<Bare>()
            .peer::<Small>()
            .peer::<ZippedBitcode>()
            .borrowing::<Bitcode>()
            .borrowing::<Wincode>()
            .borrowing::<Postcard>()
            .borrowing::<Rkyv>()
            .peer::<Savefile>()
            .peer::<Borsh>()
            .borrowing::<MessagePack>()
            .borrowing::<Json>()
            .peer::<Dlhn>()
            .mirrored::<Prost, proto::Contacts, proto::Contacts>()
            .peer::<Fory<_>>()
            .build("pairs", format!("{count} structs of two strings"))
    }),
    ("graph", |size, seed| {
        let count = size.of(20_000);
        Builder::new(graph::make(count, seed))
            .peer::<Holdall>()
            .peer::<Bare>()
            .peer::<Small>()
            .borrowing::<Rkyv>()
            .peer::<Fory<_>>()
            .build("graph", format!("{count} nodes that share others by Arc"))
    }),
    ("schema", |size, seed| {
        let count = size.of(20_000);
        let old = schema::make(count, seed);
        let new: Vec<schema::Order> = old.iter().map(schema::Order::from).collect();
        Builder::changed(old, new)
            .peer::<Holdall>()
            .peer::<NamedMessagePack>()
            .peer::<Json>()
            .mirrored::<Prost, proto::OldOrders, proto::NewOrders>()
            .mirrored::<VersionedSavefile, schema::OldSave, schema::NewSave>()
            .build("schema", format!("{count} records read with two fields fewer and one more"))
    }),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_comes_back_equal_from_every_peer() {
        for (name, make) in CASES {
            for seed in [1, 2] {
                assert_eq!(make(Size::Test, seed).name, *name);
            }
        }
    }
}
