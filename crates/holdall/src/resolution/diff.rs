//! What changed between two schemas, and whether each can read the other's data.

use alloc::borrow::ToOwned;
use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::mem::{Discriminant, discriminant};

use super::floats::FloatKind;
use super::resolver::Resolver;
use super::runtime_checks::RuntimeCheck;
use super::types::{MOST_PAIRS, ReaderTypes};
use crate::error::Error;
use crate::memory::{self, GrowSet, GrowVec};
use crate::platform::{HashMap, HashSet};
use crate::schema::{Fields, Scalar, Schema, Type, TypeId, path};

/// The changes from one schema to another, found by [`Diff::between`].
///
/// ```
/// use holdall::resolution::Reads;
/// use holdall::{Schema, Value};
///
/// let schema = |value: Value| Schema::of_message(&holdall::to_vec(&value)?);
/// let old = schema(Value::record([("id", Value::U64(7))]))?;
/// let new = schema(Value::record([("id", Value::U32(7)), ("name", Value::from("Ada"))]))?;
///
/// let diff = holdall::Diff::between(&old, &new);
/// assert_eq!(diff.to_string(), "\
/// $.name: field added, string
/// $.id: type changed, u64 to u32
/// old reads new: always
/// new reads old: never
///   missing_field in $.name: expected a field \"name\" of type string, or a default for it, got record {id: u64} (F-79)
/// ");
/// assert!(matches!(diff.old_reads_new, Reads::Always));
/// # Ok::<(), holdall::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Diff {
    /// The changes, in the old schema's order.
    pub changes: Vec<Change>,
    /// Whether the list may be incomplete, because the schemas differ in too many places to compare them completely.
    pub is_cut: bool,
    /// Whether the old schema reads data written with the new one.
    pub old_reads_new: Reads,
    /// Whether the new schema reads data written with the old one.
    pub new_reads_old: Reads,
}

/// Whether values of one schema can be read into another.
#[derive(Clone, Debug)]
pub enum Reads {
    /// All values.
    Always,
    /// It depends on the values at these places.
    Depends(Vec<RuntimeCheck>),
    /// No value, for this reason.
    Never(Error),
}

/// One change between two schemas.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// The place, such as `$.users[].name`.
    pub path: String,
    /// The kind of change.
    pub kind: ChangeKind,
    /// The old type as text, if there is one.
    pub old: Option<String>,
    /// The new type as text, if there is one.
    pub new: Option<String>,
}

/// Kinds of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ChangeKind {
    /// A field was added to a struct or record.
    FieldAdded,
    /// A field was removed from a struct or record.
    FieldRemoved,
    /// The fields of a struct or record changed their order.
    FieldsReordered,
    /// A struct was renamed.
    StructRenamed,
    /// A variant was added to a union.
    VariantAdded,
    /// A variant was removed from a union.
    VariantRemoved,
    /// A type became an option of that type.
    MadeOptional,
    /// An option became the type inside it.
    MadeRequired,
    /// Any other change of a type.
    TypeChanged,
}

impl ChangeKind {
    fn text(self) -> &'static str {
        match self {
            ChangeKind::FieldAdded => "field added",
            ChangeKind::FieldRemoved => "field removed",
            ChangeKind::FieldsReordered => "fields reordered",
            ChangeKind::StructRenamed => "struct renamed",
            ChangeKind::VariantAdded => "variant added",
            ChangeKind::VariantRemoved => "variant removed",
            ChangeKind::MadeOptional => "made optional",
            ChangeKind::MadeRequired => "made required",
            ChangeKind::TypeChanged => "type changed",
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.kind.text())?;
        match (&self.old, &self.new) {
            (Some(old), Some(new)) => write!(f, ", {old} to {new}"),
            (Some(ty), None) | (None, Some(ty)) => write!(f, ", {ty}"),
            (None, None) => Ok(()),
        }
    }
}

impl fmt::Display for Reads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reads::Always => writeln!(f, "always"),
            Reads::Depends(checks) => {
                writeln!(f, "depends on the values")?;
                checks.iter().try_for_each(|check| writeln!(f, "  {check}"))
            }
            Reads::Never(error) => writeln!(f, "never\n  {error}"),
        }
    }
}

impl fmt::Display for Diff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.changes.iter().try_for_each(|change| writeln!(f, "{change}"))?;
        if self.is_cut {
            writeln!(f, "and more")?;
        }
        write!(f, "old reads new: {}new reads old: {}", self.old_reads_new, self.new_reads_old)
    }
}

impl Resolver {
    /// Returns whether values of a schema can be read.
    #[must_use]
    pub fn reads(&self, writer: &Schema) -> Reads {
        match self.plan(writer) {
            Err(error) => Reads::Never(error),
            Ok(plan) => match plan.checks() {
                checks if checks.is_empty() => Reads::Always,
                checks => Reads::Depends(checks),
            },
        }
    }
}

impl Diff {
    /// Finds the changes from one schema to a newer one, and whether each can read the other's data without aliases or defaults.
    #[must_use]
    pub fn between(older: &Schema, newer: &Schema) -> Diff {
        let (changes, is_cut) = DiffWalk::new(older, newer).run();
        Diff {
            changes,
            is_cut,
            old_reads_new: Resolver::new(older.clone()).reads(newer),
            new_reads_old: Resolver::new(newer.clone()).reads(older),
        }
    }
}

/// The maximum number of bytes of names and paths compared for a diff, and of changes reported.
const MOST_DIFF: usize = 1 << 26;
/// The bytes charged for a pair, or for finding a member, in addition to its path and name.
const PAIR: usize = size_of::<(TypeId, TypeId, String)>();

/// A walk over both schemas, pair by pair.
struct DiffWalk {
    types: ReaderTypes,
    seen: HashSet<(TypeId, TypeId)>,
    /// The pairs still to compare; the next one is last.
    stack: Vec<(TypeId, TypeId, String)>,
    changes: Vec<Change>,
    /// Numbers that equal types share; `None` if there are too many types.
    classes: Option<Vec<usize>>,
    /// The bytes of names and paths compared so far, and of changes reported.
    looked_at: usize,
    made: usize,
    is_cut: bool,
}

/// How variants are matched.
#[derive(PartialEq, Eq, Hash)]
enum Kinship {
    Class(usize),
    Struct(usize),
    Int,
    Float,
    Scalar(Discriminant<Scalar>),
    Type(Discriminant<Type>),
}

impl DiffWalk {
    fn new(old: &Schema, new: &Schema) -> DiffWalk {
        let types = ReaderTypes::of(&[old, new]);
        let stack = vec![(types.root(0), types.root(1), "$".to_owned())];
        DiffWalk {
            types,
            seen: HashSet::new(),
            stack,
            changes: Vec::new(),
            classes: None,
            looked_at: 0,
            made: 0,
            is_cut: false,
        }
    }

    /// Returns the changes, and whether there may be more.
    fn run(mut self) -> (Vec<Change>, bool) {
        while let Some((old, new, path)) = self.stack.pop() {
            let (old, new) = (self.types.meant(old), self.types.meant(new));
            // Two types that are too large to compare count as different.
            if self.types.are_equal(old, new).unwrap_or(false) || !self.seen.put((old, new)) {
                continue;
            }
            let above = self.stack.len();
            self.compare(old, new, &path);
            self.stack[above..].reverse();
        }
        (self.changes, self.is_cut)
    }

    /// Charges this many bytes of names and paths; `false` if that exceeds the limit.
    fn can_look_at(&mut self, bytes: usize) -> bool {
        self.looked_at = self.looked_at.saturating_add(bytes);
        self.is_cut |= self.looked_at > MOST_DIFF;
        self.looked_at <= MOST_DIFF
    }

    fn change(&mut self, kind: ChangeKind, path: String, old: Option<TypeId>, new: Option<TypeId>) {
        if self.made > MOST_DIFF {
            self.is_cut = true;
            return;
        }
        let [old, new] = [old, new].map(|id| id.map(|id| self.types.text(id)));
        let texts = [&old, &new].map(|text| text.as_ref().map_or(0, String::len));
        self.made += size_of::<Change>() + path.len() + texts[0] + texts[1];
        self.changes.put(Change { path, kind, old, new });
    }

    fn go(&mut self, old: TypeId, new: TypeId, path: String) {
        if self.seen.len() + self.stack.len() > MOST_PAIRS {
            self.is_cut = true;
        } else if self.can_look_at(PAIR + path.len()) {
            self.stack.put((old, new, path));
        }
    }

    fn compare(&mut self, old: TypeId, new: TypeId, path: &str) {
        let here = || path.to_owned();
        let both = (Some(old), Some(new));
        let types = (self.types.handle(old), self.types.handle(new));
        match (&*types.0, &*types.1) {
            (Type::Option(from), Type::Option(into)) => self.go(*from, *into, here()),
            (Type::Option(from), into) if *into != Type::Null => {
                self.change(ChangeKind::MadeRequired, here(), both.0, both.1);
                self.go(*from, new, here());
            }
            (from, Type::Option(into)) if *from != Type::Null => {
                self.change(ChangeKind::MadeOptional, here(), both.0, both.1);
                self.go(old, *into, here());
            }
            (Type::Struct(name, from), Type::Struct(other, into)) => {
                if name != other {
                    self.change(ChangeKind::StructRenamed, here(), both.0, both.1);
                }
                self.fields(from, into, path);
            }
            (Type::Record(from), Type::Record(into)) => self.fields(from, into, path),
            (Type::Record(from), Type::Struct(_, into))
            | (Type::Struct(_, from), Type::Record(into)) => {
                self.change(ChangeKind::TypeChanged, here(), both.0, both.1);
                self.fields(from, into, path);
            }
            (Type::Union(from), Type::Union(into)) => match (&from.names, &into.names) {
                (Some(names), Some(others)) => {
                    let named = |names: &[Arc<str>], of: &[TypeId]| {
                        names.iter().cloned().zip(of.iter().copied()).collect::<Vec<_>>()
                    };
                    let from = named(names, &from.variants);
                    let into = named(others, &into.variants);
                    let kinds = (ChangeKind::VariantRemoved, ChangeKind::VariantAdded);
                    self.members(&from, &into, path, path::variant, kinds);
                }
                (None, None) => self.variants(&from.variants, &into.variants, path),
                _ => self.change(ChangeKind::TypeChanged, here(), both.0, both.1),
            },
            (Type::List(from), Type::List(into)) => self.go(*from, *into, path::join(path, "[]")),
            (Type::Array(len, from), Type::Array(other, into)) if len == other => {
                self.go(*from, *into, path::join(path, "[]"));
            }
            (Type::Tuple(from), Type::Tuple(into)) if from.len() == into.len() => {
                for (index, (from, into)) in from.iter().zip(into).enumerate() {
                    self.go(*from, *into, path::join(path, &format!("[{index}]")));
                }
            }
            (Type::Map(key, value), Type::Map(other, into)) => {
                self.go(*key, *other, path::join(path, "[].key"));
                self.go(*value, *into, path::join(path, "[]"));
            }
            (Type::Logical(ty, from), Type::Logical(other, into)) if ty == other => {
                self.go(*from, *into, here());
            }
            (Type::Extension(name, from), Type::Extension(other, into)) if name == other => {
                self.go(*from, *into, here());
            }
            _ => self.change(ChangeKind::TypeChanged, here(), both.0, both.1),
        }
    }

    fn fields(&mut self, old: &Fields, new: &Fields, path: &str) {
        let kinds = (ChangeKind::FieldRemoved, ChangeKind::FieldAdded);
        let reordered = self.members(&old.fields, &new.fields, path, path::field, kinds);
        if reordered {
            self.change(ChangeKind::FieldsReordered, path.to_owned(), None, None);
        }
    }

    /// Compares members by name. Returns whether the remaining ones are in another order.
    fn members(
        &mut self,
        old: &[(Arc<str>, TypeId)],
        new: &[(Arc<str>, TypeId)],
        path: &str,
        step: fn(&str) -> String,
        (removed, added): (ChangeKind, ChangeKind),
    ) -> bool {
        let bytes =
            old.iter().chain(new).map(|(name, _)| PAIR + name.len() + path.len()).sum::<usize>();
        if !self.can_look_at(bytes) {
            return false;
        }
        let places: HashMap<&Arc<str>, usize> =
            new.iter().zip(0..).map(|((name, _), place)| (name, place)).collect();
        let mut stayed = Vec::new();
        for (name, from) in old {
            let path = path::join(path, &step(name));
            match places.get(name) {
                Some(&place) => {
                    stayed.put(place);
                    self.go(*from, new[place].1, path);
                }
                None => self.change(removed, path, Some(*from), None),
            }
        }
        let known: HashSet<usize> = stayed.iter().copied().collect();
        for (place, (name, into)) in new.iter().enumerate() {
            if !known.contains(&place) {
                self.change(added, path::join(path, &step(name)), None, Some(*into));
            }
        }
        !stayed.is_sorted()
    }

    /// Compares variants without names: matches equal ones, then structs by name, then by kind.
    fn variants(&mut self, old: &[TypeId], new: &[TypeId], path: &str) {
        if !self.can_look_at((old.len() + new.len()).saturating_mul(PAIR + path.len())) {
            return;
        }
        let classes = self.classes.take().or_else(|| self.types.classes().ok()).unwrap_or_default();
        let mut is_left = memory::filled(true, new.len());
        let mut without: Vec<TypeId> = old.to_vec();
        for round in 0..3 {
            let key = |types: &ReaderTypes, id: TypeId| match round {
                0 => classes.get(id).map(|class| Kinship::Class(*class)),
                1 => types.struct_name(id).map(Kinship::Struct),
                _ => kinship(types, id),
            };
            let mut places: HashMap<Kinship, VecDeque<usize>> = HashMap::new();
            for (place, into) in new.iter().enumerate().filter(|(place, _)| is_left[*place]) {
                if let Some(key) = key(&self.types, *into) {
                    places.entry(key).or_default().push_back(place);
                }
            }
            let mut still = Vec::new();
            for from in without {
                let known = key(&self.types, from).and_then(|key| places.get_mut(&key));
                match known.and_then(VecDeque::pop_front) {
                    Some(place) => {
                        is_left[place] = false;
                        self.go(from, new[place], path.to_owned());
                    }
                    None => still.put(from),
                }
            }
            without = still;
        }
        self.classes = Some(classes);
        let left: Vec<TypeId> =
            new.iter().zip(is_left).filter_map(|(id, left)| left.then_some(*id)).collect();
        for from in without {
            self.change(ChangeKind::VariantRemoved, path.to_owned(), Some(from), None);
        }
        for into in left {
            self.change(ChangeKind::VariantAdded, path.to_owned(), None, Some(into));
        }
    }
}

/// Returns the kind of a type, or `None` for a struct, which is matched by name.
fn kinship(types: &ReaderTypes, id: TypeId) -> Option<Kinship> {
    Some(match types.get(id) {
        Type::Struct(..) => return None,
        Type::Scalar(Scalar::Int(_)) => Kinship::Int,
        Type::Scalar(scalar) if FloatKind::of(*scalar).is_some() => Kinship::Float,
        Type::Scalar(scalar) => Kinship::Scalar(discriminant(scalar)),
        ty => Kinship::Type(discriminant(ty)),
    })
}
