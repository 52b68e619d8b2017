//! Values written to their places give what they give by events, wherever the walk turns from one to the other.

use std::sync::Arc;

use holdall::bindings::{Open, Opened, Row};
use holdall::{Encoder, LogicalType, Profile, Result, Shredder, Sink, Source};
use proptest::prelude::*;

/// What is emitted.
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

/// A list of trees: this many values in place, and the rest by events.
struct Walk<'t> {
    items: &'t [Tree],
    in_place: usize,
    root: Option<Row>,
    date: Arc<LogicalType>,
    uuid: Arc<LogicalType>,
}

enum Waiting<'t> {
    Value(usize, &'t Tree),
    Rest(Open, Vec<&'t Tree>),
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
            Tree::Root => return shredder.row_again(self.root.expect("the root has begun")),
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

    /// Returns what waits, the innermost first.
    fn tell(
        &mut self,
        shredder: &mut Shredder,
        tree: &'t Tree,
        place: usize,
    ) -> Result<Vec<Waiting<'t>>> {
        if self.in_place == 0 {
            return Ok(vec![Waiting::Value(place, tree)]);
        }
        self.in_place -= 1;
        let mut open: Open = match tree {
            Tree::List(_) => shredder.open_list(place).into(),
            Tree::Tuple(items) => shredder.open_tuple(place, items.len())?,
            Tree::Mapping(fields) => {
                shredder.open_mapping(place, fields.iter().map(|(key, _)| &**key))?
            }
            scalar => {
                match scalar {
                    Tree::Bool(bool) => shredder.bool_at(place, *bool),
                    Tree::Int(int) => shredder.int_at(place, *int),
                    Tree::Float(float) => shredder.f64_at(place, *float),
                    Tree::Text(text) => shredder.string_at(place, text),
                    Tree::Bytes(bytes) => shredder.bytes_at(place, bytes),
                    Tree::Date(days) => {
                        let inside = shredder.logical_at(place, &self.date)?;
                        shredder.int_at(inside, *days);
                    }
                    Tree::Uuid(bytes) => {
                        let inside = shredder.logical_at(place, &self.uuid)?;
                        shredder.fixed_at(inside, bytes);
                    }
                    Tree::Root => {
                        shredder.row_again_at(place, self.root.expect("the root has begun"))?;
                    }
                    _ => shredder.null_at(place),
                }
                return Ok(Vec::new());
            }
        };
        let mut inside = tree.inside().into_iter();
        while let Some(inner) = inside.next() {
            let place = open.place(shredder)?;
            let mut waiting = self.tell(shredder, inner, place)?;
            if !waiting.is_empty() {
                waiting.push(Waiting::Rest(open, inside.collect()));
                return Ok(waiting);
            }
        }
        open.close(shredder)?;
        Ok(Vec::new())
    }
}

impl Source for Walk<'_> {
    fn drive(&mut self, shredder: &mut Shredder) -> Result<()> {
        shredder.begin_list(self.items.len())?;
        self.root = shredder.latest_row();
        let by_events = self.in_place == 0;
        for item in self.items {
            if by_events {
                self.event(shredder, item)?;
                continue;
            }
            let place = shredder.take_place()?;
            let mut left = Vec::new();
            let waiting = self.tell(shredder, item, place)?;
            let mut opened = Vec::new();
            for each in waiting {
                match each {
                    Waiting::Value(place, tree) => {
                        opened.push(Err(place));
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
                    Ok(open) => shredder.put_back(open),
                    Err(place) => shredder.give_back(place),
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
    fn values_told_to_their_places_are_those_of_events(
        items in prop::collection::vec(tree(), 0..6),
        in_place in 0..60_usize,
    ) {
        for profile in [Profile::Fast, Profile::Balanced] {
            let message = |in_place| {
                let ty = |kind| Arc::new(LogicalType::new(kind, &[]).unwrap());
                let (date, uuid) = (ty(LogicalType::DATE), ty(LogicalType::UUID));
                let mut walk = Walk { items: &items, in_place, root: None, date, uuid };
                Encoder::new().profile(profile).message(&mut walk)
            };
            let by_events = message(0).unwrap();
            prop_assert_eq!(&message(in_place).unwrap(), &by_events);
            prop_assert_eq!(&message(usize::MAX).unwrap(), &by_events);
        }
    }
}

/// A list of trees, those that are alike in one piece.
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
            let told = shredder.strings(texts)? + dates.len();
            shredder.logical_ints(&self.date, &dates)?;
            run[told..].iter().try_for_each(|_| shredder.null())?;
        }
        shredder.end()
    }
}

proptest! {
    #[test]
    fn items_told_in_one_piece_are_those_of_events(
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
            let mut walk = Walk { items: &items, in_place: 0, root: None, date, uuid };
            let by_events = Encoder::new().profile(profile).message(&mut walk).unwrap();
            let mut runs = Runs { items: &items, date: ty(LogicalType::DATE) };
            prop_assert_eq!(Encoder::new().profile(profile).message(&mut runs).unwrap(), by_events);
        }
    }
}
