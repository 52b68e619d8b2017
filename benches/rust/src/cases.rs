//! The peers of each case: those that are missing cannot handle it.

use crate::case::{Builder, Case, Who};
use crate::data::{
    floats, game, graph, ints, logs, maps, mesh, outliers, pairs, proto, random, row, rpc, saves,
    schema, shapes, strings, updates, wide, words,
};
use crate::peers::{
    Aligned, Bare, Bitcode, Borsh, CompatibleFory, Dlhn, Fory, Holdall, Json, MessagePack,
    NamedMessagePack, Postcard, Prost, Rkyv, SameSchema, Savefile, Small, VersionedSavefile,
    Wincode, ZippedBitcode,
};

/// The amount of data: that of a program, or that of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// For measurements.
    Full,
    /// For tests.
    Test,
}

/// The settings of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The amount of data.
    pub size: Size,
    /// The seed.
    pub seed: u64,
    /// The peers.
    pub who: Who,
}

impl Wanted {
    /// The number of values, of which this many are measured.
    pub fn count(&self, full: usize) -> usize {
        match self.size {
            Size::Full => full,
            Size::Test => full.div_ceil(1000).max(20),
        }
    }
}

/// Builds a case.
pub type Make = fn(&Wanted) -> Case;

/// All cases, by their names.
pub fn all() -> impl Iterator<Item = &'static (&'static str, Make)> {
    CASES.iter().chain(&random::CASES)
}

/// Adds the peers that take every type with serde's derives or their own.
macro_rules! with_peers {
    ($builder:expr) => {
        $builder
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
    };
}

/// A case with these peers, by the function that makes a number of values.
macro_rules! case {
    ($name:literal, $make:path, $count:literal, $about:literal) => {
        ($name, |wanted| {
            let count = wanted.count($count);
            with_peers!(Builder::new($make(count, wanted.seed), wanted.who))
                .build($name, format!("{count} {}", $about))
        })
    };
}

/// The cases of types that are like those of programs.
const CASES: &[(&str, Make)] = &[
    ("logs", |wanted| {
        let count = wanted.count(10_000);
        Builder::new(logs::make(count, wanted.seed), wanted.who)
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
    ("mesh", |wanted| {
        let count = wanted.count(125_000);
        Builder::new(mesh::make(count, wanted.seed), wanted.who)
            .peer::<Holdall>()
            .peer::<Bare>()
            .borrowing::<Aligned>()
            .peer::<Small>()
            .peer::<ZippedBitcode>()
            .peer::<Bitcode>()
            .borrowing::<Wincode>()
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
    ("saves", |wanted| {
        let count = wanted.count(500);
        Builder::new(saves::make(count, wanted.seed), wanted.who)
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
    ("updates", |wanted| {
        let count = wanted.count(10_000);
        Builder::new(updates::make(count, wanted.seed), wanted.who)
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
    ("struct", |wanted| {
        Builder::new(row::small(wanted.seed), wanted.who)
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
    ("rows", |wanted| {
        let count = wanted.count(100);
        Builder::new(row::rows(count, wanted.seed), wanted.who)
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
    ("floats", |wanted| {
        let count = wanted.count(1 << 20);
        Builder::new(floats::make(count, wanted.seed), wanted.who)
            .peer::<Holdall>()
            .peer::<Bare>()
            .borrowing::<Aligned>()
            .peer::<Small>()
            .peer::<ZippedBitcode>()
            .peer::<Bitcode>()
            .borrowing::<Wincode>()
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
    ("ints", |wanted| {
        let count = wanted.count(1_000_000);
        Builder::new(ints::make(count, wanted.seed), wanted.who)
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
    ("strings", |wanted| {
        let count = wanted.count(100_000);
        Builder::new(strings::make(count, wanted.seed), wanted.who)
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
    ("pairs", |wanted| {
        let count = wanted.count(100_000);
        Builder::new(pairs::make(count, wanted.seed), wanted.who)
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
    case!("game", game::make, 100, "updates of a game to its players"),
    case!("wide", wide::make, 2_000, "records of 80 fields"),
    case!("shapes", shapes::make, 20_000, "drawings: enums inside enums"),
    case!("maps", maps::make, 500, "documents with maps"),
    case!("words", words::make, 100_000, "short strings"),
    case!("outliers", outliers::make, 100_000, "structs of small numbers with outliers"),
    ("rpc", |wanted| {
        with_peers!(Builder::new(rpc::make(wanted.seed), wanted.who))
            .build("rpc", "a remote call: request and answer".to_owned())
    }),
    case!("million", row::rows, 1_000_000, "structs of (i64, u8, f64)"),
    ("graph", |wanted| {
        let count = wanted.count(20_000);
        Builder::new(graph::make(count, wanted.seed), wanted.who)
            .peer::<Holdall>()
            .peer::<Bare>()
            .peer::<Small>()
            .borrowing::<Rkyv>()
            .peer::<Fory<_>>()
            .build("graph", format!("{count} nodes that share others by Arc"))
    }),
    ("schema", |wanted| {
        let count = wanted.count(20_000);
        let old = schema::make(count, wanted.seed);
        let new: Vec<schema::Order> = old.iter().map(schema::Order::from).collect();
        Builder::changed(old, new, wanted.who)
            .peer::<Holdall>()
            .mirrored::<SameSchema, schema::Now, schema::Now>()
            .peer::<CompatibleFory>()
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
    fn every_peer_preserves_every_value() {
        for (name, make) in all() {
            for seed in [1, 2] {
                let wanted = Wanted { size: Size::Test, seed, who: Who::All };
                assert_eq!(make(&wanted).name, *name);
            }
        }
    }
}
