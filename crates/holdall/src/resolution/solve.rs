//! Which pairs can be read, and the first fault of those that cannot.
//!
//! A pair can be read unless it cannot: all are taken to be readable, and what a pair without a line brings down is found
//! from there. So types that lead to themselves need no care, and no pair rests on another that falls later.

use std::collections::HashSet;

use super::choice::{Candidate, Target};
use super::fields::{Absent, FieldsRule};
use super::rule_ids::{self, FIELDS, NO_LINE};
use super::rules::{Pair, PairId, Pairs, Rule};
use super::serde_compat::SerdeOption;
use crate::error::{Code, Error};
use crate::schema::{Type, TypeId, path};

/// Which pairs can be read.
pub(super) struct Readable(Vec<bool>);

impl Readable {
    pub(super) fn of(pairs: &Pairs<'_>) -> Readable {
        let mut parents: Vec<Vec<PairId>> = vec![Vec::new(); pairs.pairs.len()];
        for (number, pair) in pairs.pairs.iter().enumerate() {
            pair.rule.for_each(&mut |inside| parents[inside].push(number));
        }
        let needs: Vec<Needs> = pairs.pairs.iter().map(|pair| Needs::of(&pair.rule)).collect();
        let mut readable = Readable(vec![true; pairs.pairs.len()]);
        // Of rules that need one of many, how many there still are.
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
                fallen.push(number);
            }
        }
        while let Some(number) = fallen.pop() {
            // A parent stands here as often as it has the pair.
            for parent in parents[number].iter().copied() {
                counts[parent] = match needs[parent] {
                    Needs::One(_) => counts[parent].saturating_sub(1),
                    Needs::All | Needs::More => 0,
                };
                if counts[parent] == 0 && readable.0[parent] {
                    readable.0[parent] = false;
                    fallen.push(parent);
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

    /// The variant that w is read as: the first of its kind that takes it, else the first that does (F-78).
    pub(super) fn variant<'t>(&self, variants: &'t [Candidate]) -> Option<&'t Target> {
        let takes = |variant: &&Candidate| self.reaches(&variant.target);
        let kin = variants.iter().filter(|variant| variant.kin).find(takes);
        let found = kin.or_else(|| variants.iter().find(takes));
        found.map(|variant| &variant.target)
    }

    /// Why the pair of the roots cannot be read: the first fault, in r's order.
    pub(super) fn first_fault(&self, pairs: &Pairs<'_>) -> Error {
        let mut path = vec!["$".to_owned()];
        let mut seen = HashSet::new();
        // What is left to look at of each pair on the way, its last first.
        let mut stack = vec![(0, vec![Step::Pair(0, String::new())])];
        while let Some((number, steps)) = stack.last_mut() {
            let Some(step) = steps.pop() else {
                stack.pop();
                path.pop();
                continue;
            };
            match step {
                Step::Fault(code, name) => {
                    return field_fault(pairs, *number, (code, &name), &path);
                }
                Step::Here(reader, rule) => {
                    let writer = pairs.pairs[*number].writer;
                    return incompatible(pairs, (writer, reader), rule, &path);
                }
                Step::Pair(pair, label) => {
                    if self.is(pair) || !seen.insert(pair) {
                        continue;
                    }
                    path.push(label);
                    stack.push((pair, self.steps(pairs, pair)));
                }
            }
        }
        // A pair that falls leads to one without a line.
        let Pair { writer, reader, .. } = pairs.pairs[0];
        incompatible(pairs, (writer, reader), NO_LINE, &["$".to_owned()])
    }

    /// What to look at for a pair's fault, the last first.
    fn steps(&self, pairs: &Pairs<'_>, pair: PairId) -> Vec<Step> {
        let Pair { reader, rule, .. } = &pairs.pairs[pair];
        let mut steps = match rule {
            Rule::None(_) | Rule::Union(_) | Rule::Variants(_) | Rule::SerdeOption(_) => {
                vec![Step::Here(*reader, rule.name())]
            }
            Rule::Option { some, .. } => vec![Step::Pair(*some, String::new())],
            Rule::Into(target) => vec![step_into(pairs, target)],
            Rule::Fields(fields) => fields_steps(fields),
            rule => {
                let mut steps = Vec::new();
                rule.for_each_with_path(&mut |inside, label| steps.push(Step::Pair(inside, label)));
                steps
            }
        };
        steps.reverse();
        steps
    }
}

/// Where the fault of a target is, which comes down to nothing.
fn step_into(pairs: &Pairs<'_>, target: &Target) -> Step {
    match target {
        Target::Pair(inside) => Step::Pair(*inside, String::new()),
        Target::Null(reader) | Target::Dead(reader) | Target::Union(reader, _) => {
            Step::Here(*reader, rule_ids::choice(pairs.types.get(*reader)))
        }
        Target::Option(inner)
        | Target::Only(inner)
        | Target::Wrapped(_, inner)
        | Target::Version { inner, .. } => step_into(pairs, inner),
    }
}

/// What a rule needs of the pairs inside.
#[derive(Clone, Copy)]
enum Needs {
    All,
    /// One of so many, those counted that are read in any case.
    One(usize),
    /// It cannot be read, whatever they are.
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

/// Where a fault may be.
enum Step {
    Pair(PairId, String),
    /// At w with this type of r's, by this rule.
    Here(TypeId, &'static str),
    /// At a field.
    Fault(Code, std::sync::Arc<str>),
}

fn fields_steps(rule: &FieldsRule) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut faults = rule.faults.iter().peekable();
    for (number, field) in rule.fields.iter().enumerate() {
        while let Some(fault) = faults.next_if(|fault| fault.before <= number) {
            steps.push(Step::Fault(fault.code, fault.name.clone()));
        }
        let default = match field.absent {
            Absent::Default(_, pair) => Some(pair),
            _ => None,
        };
        let pairs = field.pairs.iter().copied().chain(default);
        steps.extend(pairs.map(|pair| Step::Pair(pair, path::field(&field.name))));
    }
    steps.extend(faults.map(|fault| Step::Fault(fault.code, fault.name.clone())));
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

/// A field that w lacks, or r does.
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
    /// Each pair inside.
    fn for_each(&self, look: &mut dyn FnMut(PairId)) {
        match self {
            Rule::Into(target) => target.for_each(look),
            rule => rule.for_each_with_path(&mut |pair, _| look(pair)),
        }
    }

    /// Each pair inside with the step of the path that leads to it, as the schema has it.
    pub(super) fn for_each_with_path(&self, look: &mut dyn FnMut(PairId, String)) {
        match self {
            Rule::None(_)
            | Rule::Never
            | Rule::Same
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
                    if let Step::Pair(pair, label) = step {
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
    /// The pairs and nulls that it may come down to: it is readable if one of them is.
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
