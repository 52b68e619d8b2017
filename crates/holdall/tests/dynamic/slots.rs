//! Values placed at slots give the same result as events, wherever the walk switches between the two.

use std::sync::Arc;

use holdall::bindings::{Container, Handle, Row};
use holdall::events::{Shredder, Source};
use holdall::{Encoder, LogicalType, Profile, Result};
use proptest::prelude::*;

/// The value to write.
#[derive(Clone, Debug)]
enum Tree {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    Bytes(Vec<u8>),
    List(Vec<Tree>),
    Tuple(Vec<Tree>),
    Mapping(Vec<(String, Tree)>),
    Date(i64),
    Uuid([u8; 16]),
    /// The root list again.
    Root,
}

impl Tree {
    fn inside(&self) -> Vec<&Tree> {
        match self {
            Tree::List(items) | Tree::Tuple(items) => items.iter().collect(),
            Tree::Mapping(fields) => fields.iter().map(|(_, value)| value).collect(),
            _ => Vec::new(),
        }
    }
}

fn tree() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        Just(Tree::Null),
        any::<bool>().prop_map(Tree::Bool),
        any::<i64>().prop_map(Tree::Int),
        (-9.0..9.0).prop_map(Tree::Float),
        "[a-d]{0,4}".prop_map(Tree::Text),
        prop::collection::vec(any::<u8>(), 0..3).prop_map(Tree::Bytes),
        (0..9_i64).prop_map(Tree::Date),
        any::<[u8; 16]>().prop_map(Tree::Uuid),
        Just(Tree::Root),
    ];
    // Some keys are those of maps (F-49).
    let key = prop_oneof![Just("a"), Just("b"), Just("c"), Just("2024-01-01"), Just("2024-01-02")];
    leaf.prop_recursive(4, 40, 10, move |inner| {
        let fields = prop::collection::btree_map(key.clone(), inner.clone(), 0..5);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Tree::List),
            prop::collection::vec(inner, 0..10).prop_map(Tree::Tuple),
            fields.prop_map(|fields| {
                Tree::Mapping(
                    fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect(),
                )
            }),
        ]
    })
}

/// A list of trees: this many values at slots, and the rest as events.
struct Walk<'t> {
    items: &'t [Tree],
    by_slots: usize,
    root: Option<Row>,
    date: Arc<LogicalType>,
    uuid: Arc<LogicalType>,
}

enum Waiting<'t> {
    Value(usize, &'t Tree),
    Rest(Handle, Vec<&'t Tree>),
}

impl<'t> Walk<'t> {
    fn event(&mut self, shredder: &mut Shredder, tree: &Tree) -> Result<()> {
        match tree {
            Tree::Null => return shredder.null(),
            Tree::Bool(bool) => return shredder.bool(*bool),
            Tree::Int(int) => return shredder.int(*int),
            Tree::Float(float) => return shredder.f64(*float),
            Tree::Text(text) => return shredder.string(text),
            Tree::Bytes(bytes) => return shredder.bytes(bytes),
            Tree::Root => return shredder.back_reference(self.root.expect("the root has begun")),
            Tree::Date(days) => {
                shredder.begin_logical(&self.date)?;
                shredder.int(*days)?;
                return shredder.end();
            }
            Tree::Uuid(bytes) => {
                shredder.begin_logical(&self.uuid)?;
                shredder.fixed(bytes)?;
                return shredder.end();
            }
            Tree::List(items) => shredder.begin_list(items.len())?,
            Tree::Tuple(items) => shredder.begin_tuple(items.len())?,
            Tree::Mapping(fields) => {
                shredder.begin_mapping(fields.iter().map(|(key, _)| &**key))?;
            }
        }
        tree.inside().into_iter().try_for_each(|inner| self.event(shredder, inner))?;
        shredder.end()
    }

    /// Returns the open containers, innermost first.
    fn place(
        &mut self,
        shredder: &mut Shredder,
        tree: &'t Tree,
        slot: usize,
    ) -> Result<Vec<Waiting<'t>>> {
        if self.by_slots == 0 {
            return Ok(vec![Waiting::Value(slot, tree)]);
        }
        self.by_slots -= 1;
        let mut handle: Handle = match tree {
            Tree::List(_) => shredder.open_list(slot).into(),
            Tree::Tuple(items) => shredder.open_tuple(slot, items.len())?,
            Tree::Mapping(fields) => {
                shredder.open_mapping(slot, fields.iter().map(|(key, _)| &**key))?
            }
            scalar => {
                match scalar {
                    Tree::Bool(bool) => shredder.at(slot).bool(*bool),
                    Tree::Int(int) => shredder.at(slot).int(*int),
                    Tree::Float(float) => shredder.at(slot).f64(*float),
                    Tree::Text(text) => shredder.at(slot).string(text),
                    Tree::Bytes(bytes) => shredder.at(slot).bytes(bytes),
                    Tree::Date(days) => {
                        let inside = shredder.logical_at(slot, &self.date)?;
                        shredder.at(inside).int(*days);
                    }
                    Tree::Uuid(bytes) => {
                        let inside = shredder.logical_at(slot, &self.uuid)?;
                        shredder.at(inside).fixed(bytes);
                    }
                    Tree::Root => {
                        shredder.back_reference_at(slot, self.root.expect("the root has begun"))?;
                    }
                    _ => shredder.at(slot).null(),
                }
                return Ok(Vec::new());
            }
        };
        let mut inside = tree.inside().into_iter();
        while let Some(inner) = inside.next() {
            let slot = handle.slot(shredder)?;
            let mut waiting = self.place(shredder, inner, slot)?;
            if !waiting.is_empty() {
                waiting.push(Waiting::Rest(handle, inside.collect()));
                return Ok(waiting);
            }
        }
        handle.close(shredder)?;
        Ok(Vec::new())
    }
}

impl Source for Walk<'_> {
    fn drive(&mut self, shredder: &mut Shredder) -> Result<()> {
        shredder.begin_list(self.items.len())?;
        self.root = shredder.latest_row();
        let by_events = self.by_slots == 0;
        for item in self.items {
            if by_events {
                self.event(shredder, item)?;
                continue;
            }
            let slot = shredder.take_slot()?;
            let mut left = Vec::new();
            let waiting = self.place(shredder, item, slot)?;
            let mut opened = Vec::new();
            for each in waiting {
                match each {
                    Waiting::Value(slot, tree) => {
                        opened.push(Err(slot));
                        left.push((vec![tree], false));
                    }
                    Waiting::Rest(open, rest) => {
                        opened.push(Ok(open));
                        left.push((rest, true));
                    }
                }
            }
            for each in opened.into_iter().rev() {
                match each {
                    Ok(open) => shredder.resume(open),
                    Err(slot) => shredder.return_slot(slot),
                }
            }
            for (rest, ends) in left {
                rest.into_iter().try_for_each(|tree| self.event(shredder, tree))?;
                if ends {
                    shredder.end()?;
                }
            }
        }
        shredder.end()
    }
}

proptest! {
    #[test]
    fn values_placed_at_slots_are_those_of_events(
        items in prop::collection::vec(tree(), 0..6),
        by_slots in 0..60_usize,
    ) {
        for profile in [Profile::Fast, Profile::Balanced] {
            let message = |by_slots| {
                let ty = |kind| Arc::new(LogicalType::new(kind, &[]).unwrap());
                let (date, uuid) = (ty(LogicalType::DATE), ty(LogicalType::UUID));
                let mut walk = Walk { items: &items, by_slots, root: None, date, uuid };
                Encoder::new().profile(profile).message(&mut walk)
            };
            let by_events = message(0).unwrap();
            prop_assert_eq!(&message(by_slots).unwrap(), &by_events);
            prop_assert_eq!(&message(usize::MAX).unwrap(), &by_events);
        }
    }
}

/// A list of trees, in which runs of similar ones are written in one piece.
struct Runs<'t> {
    items: &'t [Tree],
    date: Arc<LogicalType>,
}

impl Source for Runs<'_> {
    fn drive(&mut self, shredder: &mut Shredder) -> Result<()> {
        shredder.begin_list(self.items.len())?;
        let is_alike = |a: &Tree, b: &Tree| std::mem::discriminant(a) == std::mem::discriminant(b);
        for run in self.items.chunk_by(is_alike) {
            let texts = run.iter().map_while(|item| match item {
                Tree::Text(text) => Some(&**text),
                _ => None,
            });
            let dates: Vec<u64> = run
                .iter()
                .map_while(|item| match item {
                    Tree::Date(days) => Some(days.cast_unsigned()),
                    _ => None,
                })
                .collect();
            let placed = shredder.strings(texts)? + dates.len();
            shredder.logical_ints(&self.date, &dates)?;
            run[placed..].iter().try_for_each(|_| shredder.null())?;
        }
        shredder.end()
    }
}

proptest! {
    #[test]
    fn items_written_in_one_piece_are_those_of_events(
        items in prop::collection::vec(prop_oneof![
            Just(Tree::Null),
            "[a-d]{0,4}".prop_map(Tree::Text),
            (0..9_i64).prop_map(Tree::Date),
        ], 0..40),
        repeats in 1..50_usize,
    ) {
        let items: Vec<Tree> =
            items.iter().flat_map(|item| std::iter::repeat_n(item.clone(), repeats)).collect();
        let ty = |kind| Arc::new(LogicalType::new(kind, &[]).unwrap());
        for profile in [Profile::Fast, Profile::Balanced] {
            let (date, uuid) = (ty(LogicalType::DATE), ty(LogicalType::UUID));
            let mut walk = Walk { items: &items, by_slots: 0, root: None, date, uuid };
            let by_events = Encoder::new().profile(profile).message(&mut walk).unwrap();
            let mut runs = Runs { items: &items, date: ty(LogicalType::DATE) };
            prop_assert_eq!(Encoder::new().profile(profile).message(&mut runs).unwrap(), by_events);
        }
    }
}
