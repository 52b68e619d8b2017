//! The fields of structs and records (F-79).

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::annotations::Annotation;
use super::options::{Field, Options};
use super::rules::{PairId, Pairs, Rule};
use crate::error::{Code, Result};
use crate::memory::{GrowMap, GrowVec};
use crate::platform::{HashMap, HashSet};
use crate::schema::{Fields, Form, Type, TypeId};

/// How the fields of r are read.
pub(super) struct FieldsRule {
    /// The name of the reader's struct; `None` for a record.
    pub(super) name: Option<Arc<str>>,
    pub(super) fields: Vec<FieldRule>,
    /// The fields of w, or the keys of its maps, by name.
    pub(super) sources: HashMap<Arc<str>, FieldSource>,
    /// Whether rows of r may lack fields: they keep the fields of w's rows, in w's order.
    pub(super) keeps_shape: bool,
    /// Whether w is a map, so that the fields vary by row.
    pub(super) of_map: bool,
    /// The field that takes a record of the fields that no other takes, and the pair of their values.
    pub(super) unknown: Option<(usize, PairId)>,
    /// Whether keys that no field takes are errors.
    pub(super) deny_unknown: bool,
    pub(super) faults: Vec<Fault>,
}

/// A field of r.
pub(super) struct FieldRule {
    pub(super) name: Arc<str>,
    /// The fields of w that can provide its value.
    pub(super) pairs: Vec<PairId>,
    pub(super) absent: Absent,
    /// Whether rows may lack it.
    pub(super) may_be_absent: bool,
}

/// A field of w that provides a field of r.
#[derive(Clone, Copy, Debug)]
pub(super) struct FieldSource {
    /// The field of r.
    pub(super) field: usize,
    /// If a row has several sources, the one of the lowest rank is used: first the field's name, then the aliases in order.
    pub(super) rank: usize,
    /// `None` if a source of a lower rank is in every row, so this one is never used.
    pub(super) pair: Option<PairId>,
}

/// The value of a field that a row lacks.
#[derive(Clone, Copy, Debug)]
pub(super) enum Absent {
    /// A default: the index of its schema, and the pair that reads it.
    Default(usize, PairId),
    Null,
    /// No value, since rows of r may lack the field.
    Left,
    /// The field takes unknown fields; whether w can have some.
    Unknown(bool),
    Missing,
}

/// A fault that is known from the schemas alone.
pub(super) struct Fault {
    pub(super) code: Code,
    /// The field of r before which it is reported.
    pub(super) before: usize,
    pub(super) name: Arc<str>,
}

impl Pairs<'_> {
    /// Line 23 for structs and records.
    pub(super) fn fields(&mut self, w: TypeId, from: &Fields, r: TypeId) -> Result<Rule> {
        let (name, into) = self.reader_fields(r);
        self.work(into.fields.len().saturating_add(from.fields.len()))?;
        self.look_up(from.fields.iter().chain(&into.fields).map(|(name, _)| name).chain(&name))?;
        let presence = self.presence.of(from);
        let owners = self.owners(name.as_ref(), &into);
        let mut rule = self.fields_rule(name, &into, false)?;
        let places: HashMap<&Arc<str>, usize> =
            from.fields.iter().zip(0..).map(|((name, _), place)| (name, place)).collect();
        for (number, (own, of)) in into.fields.iter().enumerate() {
            if rule.unknown.is_some_and(|(unknown, _)| unknown == number) {
                continue;
            }
            let field = Field { owner: rule.name.clone(), name: Arc::clone(own) };
            let open = self.options.open.contains(&field);
            let aliases = Options::aliases_of(&self.options.fields, &field);
            // If every row has all fields, only the first source is used.
            let (mut looked_at, mut always) = (true, false);
            for (rank, name) in core::iter::once(own).chain(aliases).enumerate() {
                let Some(&source) = places.get(name).filter(|_| owners.get(name) == Some(&number))
                else {
                    continue;
                };
                if rule.sources.contains_key(name) {
                    continue;
                }
                let w = from.fields[source].1;
                let pair = match looked_at {
                    true => Some(self.pair(w, if open { w } else { *of })?),
                    false => None,
                };
                rule.fields[number].pairs.put_each(pair);
                rule.sources.put(Arc::clone(name), FieldSource { field: number, rank, pair });
                looked_at = from.form != Form::One;
                always |= match &presence {
                    Some(presence) => presence.get(source).copied().unwrap_or(false),
                    None => from.form == Form::One,
                };
            }
            let absent = match w == r {
                // A type read as itself, as in open fields, keeps its rows unchanged.
                true => Absent::Left,
                false => self.absent(&field, *of, &rule)?,
            };
            rule.fields[number].absent = absent;
            rule.fields[number].may_be_absent = !always;
            if rule.fields[number].pairs.is_empty() && matches!(absent, Absent::Missing) {
                let name = Arc::clone(own);
                rule.faults.put(Fault { code: Code::MissingField, before: number, name });
            }
        }
        if let Some((field, _)) = rule.unknown {
            let has_some = from.fields.iter().any(|(name, _)| !rule.sources.contains_key(name));
            rule.fields[field].absent = Absent::Unknown(has_some);
        }
        if self.options.deny_unknown {
            let unknown = from.fields.iter().filter(|(name, _)| !rule.sources.contains_key(name));
            let faults = unknown.map(|(name, _)| Fault {
                code: Code::UnknownField,
                before: into.fields.len(),
                name: Arc::clone(name),
            });
            rule.faults.put_each(faults.collect::<Vec<_>>());
        }
        Ok(Rule::Fields(rule))
    }

    /// Line 23 for a map with string keys and values of this type.
    pub(super) fn fields_of_map(&mut self, value: TypeId, r: TypeId) -> Result<Rule> {
        let (name, into) = self.reader_fields(r);
        self.work(into.fields.len())?;
        self.look_up(into.fields.iter().map(|(name, _)| name).chain(&name))?;
        let owners = self.owners(name.as_ref(), &into);
        let mut rule = self.fields_rule(name, &into, true)?;
        for (number, (own, of)) in into.fields.iter().enumerate() {
            if rule.unknown.is_some_and(|(unknown, _)| unknown == number) {
                continue;
            }
            let field = Field { owner: rule.name.clone(), name: Arc::clone(own) };
            let open = self.options.open.contains(&field);
            let pair = self.pair(value, if open { value } else { *of })?;
            rule.fields[number].pairs.put(pair);
            let aliases = Options::aliases_of(&self.options.fields, &field);
            for (rank, name) in core::iter::once(own).chain(aliases).enumerate() {
                if owners.get(name) == Some(&number) {
                    let source = FieldSource { field: number, rank, pair: Some(pair) };
                    rule.sources.entry(Arc::clone(name)).or_insert(source);
                }
            }
            rule.fields[number].absent = self.absent(&field, *of, &rule)?;
        }
        Ok(Rule::Fields(rule))
    }

    fn reader_fields(&self, r: TypeId) -> (Option<Arc<str>>, Fields) {
        match self.types.get(r) {
            Type::Struct(name, fields) => (Some(Arc::clone(name)), fields.clone()),
            Type::Record(fields) => (None, fields.clone()),
            _ => (None, Fields { fields: Box::new([]), form: Form::One }),
        }
    }

    fn fields_rule(
        &mut self,
        name: Option<Arc<str>>,
        into: &Fields,
        of_map: bool,
    ) -> Result<FieldsRule> {
        let field = |name: &Arc<str>| FieldRule {
            name: Arc::clone(name),
            pairs: Vec::new(),
            absent: Absent::Missing,
            may_be_absent: true,
        };
        let mut fields: Vec<FieldRule> = into.fields.iter().map(|(name, _)| field(name)).collect();
        let mut unknown = None;
        if let Some(number) = self.unknown_field(into) {
            // Every value is read as itself, so that one pair stands for all.
            let null = self.types.null();
            unknown = Some((number, self.pair(null, into.fields[number].1)?));
            fields[number].absent = Absent::Unknown(true);
        }
        Ok(FieldsRule {
            name,
            fields,
            sources: HashMap::new(),
            keeps_shape: into.form != Form::One,
            of_map,
            unknown,
            deny_unknown: self.options.deny_unknown,
            faults: Vec::new(),
        })
    }

    /// Returns the field of r that takes unknown ones.
    fn unknown_field(&self, into: &Fields) -> Option<usize> {
        let is_it = |(_, of): &(Arc<str>, TypeId)| {
            matches!(self.annotation(self.types.meant(*of)), Some(Annotation::Unknown))
        };
        into.fields.iter().position(is_it)
    }

    /// Returns the field of r that takes each name: the field of that name, or else the first with that alias.
    fn owners(&self, owner: Option<&Arc<str>>, into: &Fields) -> HashMap<Arc<str>, usize> {
        let own: HashSet<&Arc<str>> = into.fields.iter().map(|(name, _)| name).collect();
        let mut owners: HashMap<Arc<str>, usize> = HashMap::new();
        let unknown = self.unknown_field(into);
        for (number, (name, _)) in into.fields.iter().enumerate() {
            if unknown == Some(number) {
                continue;
            }
            owners.put(Arc::clone(name), number);
            let field = Field { owner: owner.cloned(), name: Arc::clone(name) };
            for alias in Options::aliases_of(&self.options.fields, &field) {
                if !own.contains(alias) {
                    owners.entry(Arc::clone(alias)).or_insert(number);
                }
            }
        }
        owners
    }

    /// Returns the value for a field of this type that a row lacks.
    fn absent(&mut self, field: &Field, of: TypeId, rule: &FieldsRule) -> Result<Absent> {
        if let Some(default) = self.options.default_of(field) {
            // The schemas of the writer and of the reader come before those of the defaults.
            let schema = default + 2;
            let from = self.types.root(schema);
            let into = if self.options.open.contains(field) { from } else { of };
            return Ok(Absent::Default(default, self.pair(from, into)?));
        }
        Ok(match self.types.get(of) {
            _ if rule.keeps_shape => Absent::Left,
            Type::Null | Type::Option(_) => Absent::Null,
            _ => Absent::Missing,
        })
    }
}
