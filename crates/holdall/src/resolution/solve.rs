//! Finds the pairs that can be read, and the first fault of the others.
//!
//! It assumes that all pairs can be read, then removes those that no line fits, and with them every pair that needs a removed one.
//! So recursive types need no special case, and no readable pair depends on a removed one.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use super::choice::{Candidate, Target};
use super::fields::{Absent, FieldsRule};
use super::rule_ids::{self, FIELDS, NO_LINE};
use super::rules::{Pair, PairId, Pairs, Rule};
use super::serde_compat::SerdeOption;
use crate::error::{Code, Error};
use crate::memory::{self, GrowSet, GrowVec};
use crate::platform::HashSet;
use crate::schema::{Type, TypeId, path};

/// Which pairs can be read.
pub(super) struct Readable(Vec<bool>);

impl Readable {
    pub(super) fn of(pairs: &Pairs<'_>) -> Readable {
        let mut parents: Vec<Vec<PairId>> = memory::filled(Vec::new(), pairs.pairs.len());
        for (number, pair) in pairs.pairs.iter().enumerate() {
            pair.rule.for_each(&mut |inside| parents[inside].put(number));
        }
        let needs: Vec<Needs> = pairs.pairs.iter().map(|pair| Needs::of(&pair.rule)).collect();
        let mut readable = Readable(memory::filled(true, pairs.pairs.len()));
        // For a rule that needs one of several pairs, how many of them are left.
        let mut counts: Vec<usize> = needs
            .iter()
            .map(|needs| match needs {
                Needs::One(count) => *count,
                Needs::All => 1,
                Needs::More => 0,
            })
            .collect();
        let mut fallen: Vec<PairId> = Vec::new();
        for (number, count) in counts.iter().enumerate() {
            if *count == 0 {
                readable.0[number] = false;
                fallen.put(number);
            }
        }
        while let Some(number) = fallen.pop() {
            // A parent is listed once for each of its uses of the pair.
            for parent in parents[number].iter().copied() {
                counts[parent] = match needs[parent] {
                    Needs::One(_) => counts[parent].saturating_sub(1),
                    Needs::All | Needs::More => 0,
                };
                if counts[parent] == 0 && readable.0[parent] {
                    readable.0[parent] = false;
                    fallen.put(parent);
                }
            }
        }
        readable
    }

    pub(super) fn is(&self, pair: PairId) -> bool {
        self.0[pair]
    }

    fn reaches(&self, target: &Target) -> bool {
        match target {
            Target::Pair(pair) => self.is(*pair),
            Target::Null(_) => true,
            Target::Dead(_) => false,
            Target::Option(inner)
            | Target::Only(inner)
            | Target::Wrapped(_, inner)
            | Target::Version { inner, .. } => self.reaches(inner),
            Target::Union(_, variants) => {
                variants.iter().any(|variant| self.reaches(&variant.target))
            }
        }
    }

    /// Returns the variant that w is read as: the first readable one of w's kind, or else the first readable one (F-78).
    pub(super) fn variant<'t>(&self, variants: &'t [Candidate]) -> Option<&'t Target> {
        let takes = |variant: &&Candidate| self.reaches(&variant.target);
        let kin = variants.iter().filter(|variant| variant.kin).find(takes);
        let found = kin.or_else(|| variants.iter().find(takes));
        found.map(|variant| &variant.target)
    }

    /// Returns why the pair of the roots cannot be read: the first fault, in r's order.
    pub(super) fn first_fault(&self, pairs: &Pairs<'_>) -> Error {
        let mut path = vec!["$".to_owned()];
        let mut seen = HashSet::new();
        // The remaining steps for each pair on the path; the next step is last.
        let mut stack = vec![(0, vec![FaultStep::Pair(0, String::new())])];
        while let Some((number, steps)) = stack.last_mut() {
            let Some(step) = steps.pop() else {
                stack.pop();
                path.pop();
                continue;
            };
            match step {
                FaultStep::Fault(code, name) => {
                    return field_fault(pairs, *number, (code, &name), &path);
                }
                FaultStep::Here(reader, rule) => {
                    let writer = pairs.pairs[*number].writer;
                    return incompatible(pairs, (writer, reader), rule, &path);
                }
                FaultStep::Pair(pair, label) => {
                    if self.is(pair) || !seen.put(pair) {
                        continue;
                    }
                    path.put(label);
                    stack.put((pair, self.steps(pairs, pair)));
                }
            }
        }
        // A pair that cannot be read leads to one that no line fits.
        let Pair { writer, reader, .. } = pairs.pairs[0];
        incompatible(pairs, (writer, reader), NO_LINE, &["$".to_owned()])
    }

    /// Returns the steps that search for a pair's fault; the next one is last.
    fn steps(&self, pairs: &Pairs<'_>, pair: PairId) -> Vec<FaultStep> {
        let Pair { reader, rule, .. } = &pairs.pairs[pair];
        let mut steps = match rule {
            Rule::None(_) | Rule::Union(_) | Rule::Variants(_) | Rule::SerdeOption(_) => {
                vec![FaultStep::Here(*reader, rule.name())]
            }
            Rule::Option { some, .. } => vec![FaultStep::Pair(*some, String::new())],
            Rule::Into(target) => vec![step_into(pairs, target)],
            Rule::Fields(fields) => fields_steps(fields),
            rule => {
                let mut steps = Vec::new();
                rule.for_each_with_path(&mut |inside, label| {
                    steps.put(FaultStep::Pair(inside, label));
                });
                steps
            }
        };
        steps.reverse();
        steps
    }
}

/// Returns where to look for the fault of a target that cannot be read into.
fn step_into(pairs: &Pairs<'_>, target: &Target) -> FaultStep {
    match target {
        Target::Pair(inside) => FaultStep::Pair(*inside, String::new()),
        Target::Null(reader) | Target::Dead(reader) | Target::Union(reader, _) => {
            FaultStep::Here(*reader, rule_ids::choice(pairs.types.get(*reader)))
        }
        Target::Option(inner)
        | Target::Only(inner)
        | Target::Wrapped(_, inner)
        | Target::Version { inner, .. } => step_into(pairs, inner),
    }
}

/// The inner pairs that a rule needs.
#[derive(Clone, Copy)]
enum Needs {
    All,
    /// One of this many, including those that can always be read.
    One(usize),
    /// No inner pairs would be enough.
    More,
}

impl Needs {
    fn of(rule: &Rule) -> Needs {
        match rule {
            Rule::None(_) => Needs::More,
            Rule::Fields(fields) if !fields.faults.is_empty() => Needs::More,
            Rule::Option { .. } => Needs::One(2),
            Rule::SerdeOption(SerdeOption { rest, whole, .. }) => {
                Needs::One(1 + usize::from(rest.is_some()) + usize::from(whole.is_some()))
            }
            Rule::Union(pairs) => Needs::One(pairs.len()),
            Rule::Variants(variants) => {
                Needs::One(variants.iter().filter(|(_, into)| into.is_some()).count())
            }
            Rule::Into(target) => Needs::One(target.leaves()),
            _ => Needs::All,
        }
    }
}

/// A place where a fault may be.
enum FaultStep {
    Pair(PairId, String),
    /// Here: w cannot be read as this type of r, because of this rule.
    Here(TypeId, &'static str),
    /// At a field.
    Fault(Code, alloc::sync::Arc<str>),
}

fn fields_steps(rule: &FieldsRule) -> Vec<FaultStep> {
    let mut steps = Vec::new();
    let mut faults = rule.faults.iter().peekable();
    for (number, field) in rule.fields.iter().enumerate() {
        while let Some(fault) = faults.next_if(|fault| fault.before <= number) {
            steps.put(FaultStep::Fault(fault.code, fault.name.clone()));
        }
        let default = match field.absent {
            Absent::Default(_, pair) => Some(pair),
            _ => None,
        };
        let pairs = field.pairs.iter().copied().chain(default);
        steps.put_each(pairs.map(|pair| FaultStep::Pair(pair, path::field(&field.name))));
    }
    steps.put_each(faults.map(|fault| FaultStep::Fault(fault.code, fault.name.clone())));
    steps
}

#[cold]
fn incompatible(
    pairs: &Pairs<'_>,
    (writer, reader): (TypeId, TypeId),
    rule: &'static str,
    path: &[String],
) -> Error {
    Error::new(Code::Incompatible)
        .expected(pairs.types.text(reader))
        .got(pairs.types.text(writer))
        .by(rule)
        .with_path(|| path.concat())
}

/// The error for a field that w lacks, or that r lacks.
#[cold]
fn field_fault(
    pairs: &Pairs<'_>,
    pair: PairId,
    (code, name): (Code, &str),
    path: &[String],
) -> Error {
    let Pair { writer, reader, .. } = pairs.pairs[pair];
    let own = |of: TypeId| match pairs.types.get(of) {
        Type::Struct(_, of) | Type::Record(of) => {
            let field = of.fields.iter().find(|(own, _)| **own == *name);
            field.map_or_else(String::new, |(_, ty)| pairs.types.text(*ty))
        }
        _ => String::new(),
    };
    let error = Error::new(code).by(FIELDS).with_path(|| path.concat() + &path::field(name));
    match code {
        Code::MissingField => error
            .expected(format!("a field {name:?} of type {}, or a default for it", own(reader)))
            .got(pairs.types.text(writer)),
        _ => error
            .expected(format!("only fields of {}", pairs.types.text(reader)))
            .got(format!("{name:?} of type {}", own(writer))),
    }
}

impl Rule {
    /// Calls a function for each inner pair.
    fn for_each(&self, look: &mut dyn FnMut(PairId)) {
        match self {
            Rule::Into(target) => target.for_each(look),
            rule => rule.for_each_with_path(&mut |pair, _| look(pair)),
        }
    }

    /// Calls a function for each inner pair, with the step of its path in the schema.
    pub(super) fn for_each_with_path(&self, look: &mut dyn FnMut(PairId, String)) {
        match self {
            Rule::None(_)
            | Rule::Never
            | Rule::Same
            | Rule::Any
            | Rule::Int(_)
            | Rule::IntAsFloat(_)
            | Rule::Float(_)
            | Rule::Blob(_)
            | Rule::Seconds(_)
            | Rule::Parts(_)
            | Rule::SameTensor => {}
            Rule::Options(pair)
            | Rule::SerdeOptions(pair)
            | Rule::Present(pair)
            | Rule::Inside(pair)
            | Rule::Extension(_, pair) => {
                look(*pair, String::new());
            }
            Rule::Logical { storage, .. } => look(*storage, String::new()),
            Rule::Option { null, some } => {
                look(*null, String::new());
                look(*some, String::new());
            }
            Rule::SerdeOption(SerdeOption { some, rest, whole }) => {
                look(*some, String::new());
                let whole = whole.map(|(_, whole)| whole);
                rest.iter().chain(&whole).for_each(|pair| look(*pair, String::new()));
            }
            Rule::Union(pairs) => pairs.iter().for_each(|pair| look(*pair, String::new())),
            Rule::Into(target) => target.for_each(&mut |pair| look(pair, String::new())),
            Rule::Variants(variants) => {
                for (_, into) in variants {
                    if let Some((name, Some(pair))) = into {
                        look(*pair, path::variant(name));
                    }
                }
            }
            Rule::Tensor(pair) | Rule::Items(_, pair) => look(*pair, "[]".to_owned()),
            Rule::Each(_, pairs) => {
                for (index, pair) in pairs.iter().enumerate() {
                    look(*pair, format!("[{index}]"));
                }
            }
            Rule::Fields(fields) => {
                for step in fields_steps(fields) {
                    if let FaultStep::Pair(pair, label) = step {
                        look(pair, label);
                    }
                }
            }
            Rule::Entries(entries) => {
                entries.iter().for_each(|(name, pair)| look(*pair, path::field(name)));
            }
            Rule::Map { key, value } => {
                look(*key, "[].key".to_owned());
                look(*value, "[]".to_owned());
            }
        }
    }
}

impl Target {
    /// The number of pairs and nulls that the target may resolve to: it is readable if one of them is.
    fn leaves(&self) -> usize {
        match self {
            Target::Pair(_) | Target::Null(_) => 1,
            Target::Dead(_) => 0,
            Target::Option(inner)
            | Target::Only(inner)
            | Target::Wrapped(_, inner)
            | Target::Version { inner, .. } => inner.leaves(),
            Target::Union(_, variants) => {
                variants.iter().map(|variant| variant.target.leaves()).sum()
            }
        }
    }

    fn for_each(&self, look: &mut dyn FnMut(PairId)) {
        match self {
            Target::Pair(pair) => look(*pair),
            Target::Null(_) | Target::Dead(_) => {}
            Target::Option(inner)
            | Target::Only(inner)
            | Target::Wrapped(_, inner)
            | Target::Version { inner, .. } => inner.for_each(look),
            Target::Union(_, variants) => {
                variants.iter().for_each(|variant| variant.target.for_each(look));
            }
        }
    }
}
