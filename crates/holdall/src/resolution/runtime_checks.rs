//! The conditions that only the rows can decide: the steps of a plan at which a value can fail.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use super::fields::Absent;
use super::floats::FloatKind;
use super::plan::{PlanStep, ResolutionPlan, StepId};
use super::rules::{Rule, Scale};
use super::serde_compat::SerdeOption;
use crate::memory::{GrowSet, GrowVec};
use crate::number::IntKind;
use crate::platform::HashSet;
use crate::schema::{Scalar, Type, path};

/// A place in the data, and the condition under which its rows can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RuntimeCheck {
    /// The place in the schemas, such as `$.users[].age`.
    pub path: String,
    /// The writer's type as text.
    pub writer: String,
    /// The reader's type as text.
    pub reader: String,
    /// The condition on rows.
    pub condition: String,
}

impl fmt::Display for RuntimeCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RuntimeCheck { path, writer, reader, condition } = self;
        write!(f, "{path}: {writer} into {reader}, {condition}")
    }
}

impl RuntimeCheck {
    fn bytes(&self) -> usize {
        let RuntimeCheck { path, writer, reader, condition } = self;
        size_of::<RuntimeCheck>() + path.len() + writer.len() + reader.len() + condition.len()
    }
}

/// The maximum size of the reported conditions and their paths, in bytes.
const MOST_CHECKS: usize = 1 << 26;
/// The maximum number of types named in one condition.
const MOST_NAMED: usize = 8;

impl ResolutionPlan {
    /// Returns the conditions on rows, in the reader's order; none if all of the writer's data can be read. Values in encodings of
    /// later versions, which no reader can read, do not count. If there are too many conditions, the last one says that there may
    /// be more.
    #[must_use]
    pub fn checks(&self) -> Vec<RuntimeCheck> {
        let mut checks = Vec::new();
        let mut seen = HashSet::new();
        let mut stack = vec![(self.step_for(0), "$".to_owned())];
        let mut bytes = 0;
        while let Some((step, path)) = stack.pop() {
            if !seen.put(step) {
                continue;
            }
            let mut check = |path: String, condition: String| {
                let check = self.check(step, path, condition);
                bytes += check.bytes();
                if bytes <= MOST_CHECKS {
                    checks.put(check);
                }
            };
            let above = stack.len();
            match self.step(step) {
                PlanStep::Fail | PlanStep::Null => {}
                PlanStep::Logical(_, inner)
                | PlanStep::Extension(_, inner)
                | PlanStep::Present(inner)
                | PlanStep::Variant(_, inner) => {
                    stack.put((self.step_for(*inner), path));
                }
                PlanStep::Rule(rule) => {
                    if let Some(condition) = self.condition(step, rule) {
                        check(path.clone(), condition);
                    }
                    if let Rule::Variants(variants) = rule {
                        let unread = variants.iter().filter(|(_, into)| match into {
                            Some((_, pair)) => pair.is_some_and(|pair| self.fails(pair)),
                            None => true,
                        });
                        for (name, _) in unread {
                            let path = path::join(&path, &path::variant(name));
                            check(
                                path,
                                "if no value is this variant, which the reader lacks".to_owned(),
                            );
                        }
                    }
                    if let Rule::Fields(fields) = rule {
                        for field in &fields.fields {
                            if field.may_be_absent && matches!(field.absent, Absent::Missing) {
                                let path = path::join(&path, &path::field(&field.name));
                                check(path, "if no row lacks the field".to_owned());
                            }
                        }
                    }
                    rule.for_each_with_path(&mut |pair, label| {
                        if bytes <= MOST_CHECKS {
                            let path = path::join(&path, &label);
                            bytes += path.len();
                            stack.put((self.step_for(pair), path));
                        }
                    });
                }
            }
            if bytes > MOST_CHECKS {
                let condition = "with more conditions than these".to_owned();
                checks.put(self.check(self.step_for(0), "$".to_owned(), condition));
                break;
            }
            stack[above..].reverse();
        }
        checks
    }

    fn check(&self, step: StepId, path: String, condition: String) -> RuntimeCheck {
        let (writer, reader) = self.sides(step);
        let [writer, reader] = [writer, reader].map(|id| self.types.text(id));
        RuntimeCheck { path, writer, reader, condition }
    }

    fn fails(&self, pair: StepId) -> bool {
        matches!(self.step(self.step_for(pair)), PlanStep::Fail)
    }

    /// Returns the condition that a rule sets for rows.
    fn condition(&self, step: StepId, rule: &Rule) -> Option<String> {
        let (w, r) = self.sides(step);
        let (writer, reader) = (self.types.get(w), self.types.get(r));
        let text = |condition: &str| Some(condition.to_owned());
        match rule {
            Rule::Option { null, .. } if self.fails(*null) => text("if no row is null"),
            Rule::Option { some, .. } if self.fails(*some) => text("if all rows are null"),
            Rule::SerdeOption(SerdeOption { some, .. }) if self.fails(*some) => {
                text("if no row is of variant Some")
            }
            Rule::SerdeOption(SerdeOption { rest: Some(rest), .. }) if self.fails(*rest) => {
                text("if all rows are of variant Some")
            }
            Rule::Seconds(time) => time.condition(),
            Rule::Parts(time) if !time.takes_all() => text("if the times are in its range"),
            Rule::Union(variants) => {
                let unread = || variants.iter().filter(|pair| self.fails(**pair));
                let (all, text) =
                    (unread().count(), |pair: &StepId| self.types.text(self.sides(*pair).0));
                let mut types: Vec<String> = unread().take(MOST_NAMED).map(text).collect();
                if all > types.len() {
                    types.put(format!("of {} others", all - types.len()));
                }
                let condition = format!("if no row is of type {}", types.join(" or "));
                (!types.is_empty()).then_some(condition)
            }
            Rule::Int(into) => match writer {
                Type::Scalar(Scalar::Int(from)) if holds_all(*into, *from) => None,
                _ => text("if the numbers are in its range"),
            },
            Rule::IntAsFloat(kind) => match writer {
                Type::Scalar(Scalar::Int(from))
                    if bits(*from).is_some_and(|bits| kind.holds_integers(bits)) =>
                {
                    None
                }
                _ => text("if it has exactly these numbers"),
            },
            Rule::Float(into) => match writer {
                Type::Scalar(scalar)
                    if FloatKind::of(*scalar).is_some_and(|from| into.holds_all(from)) =>
                {
                    None
                }
                _ if self.round => None,
                _ => text("if it has exactly these numbers"),
            },
            Rule::Blob(Some(len)) if matches!(writer, Type::Scalar(Scalar::Bytes)) => {
                Some(format!("if all rows have {len} bytes"))
            }
            Rule::Items(target, _) | Rule::Each(target, _) => {
                let fixed = matches!(
                    writer,
                    Type::Array(..) | Type::Tuple(_) | Type::Scalar(Scalar::Fixed(_))
                );
                match (writer, target.len()) {
                    (Type::Tensor(_), None) => text("if all rows have rank 1"),
                    (Type::Tensor(_), Some(len)) => {
                        Some(format!("if all rows have rank 1 and {len} elements"))
                    }
                    (_, Some(len)) if !fixed => Some(format!("if all rows have {len} items")),
                    _ => None,
                }
            }
            Rule::Fields(fields) if fields.of_map && fields.deny_unknown => {
                text("if no row has other keys")
            }
            Rule::Fields(fields) if fields.of_map && !self.types.keys_differ(w) => {
                text("if no key occurs twice")
            }
            Rule::Map { .. } if self.compared.contains(&step) => text("if keys stay different"),
            Rule::Logical { scale: Some(Scale::Divided(_)), .. } => {
                text("if the times are multiples of its unit")
            }
            Rule::Logical { scale: Some(Scale::Times(_)), .. } => match reader {
                // The storage of a zoned time is a tuple of the time and the zone.
                Type::Logical(_, storage) if !self.is_unlimited(*storage) => {
                    text("if the times are in its range")
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn is_unlimited(&self, storage: crate::schema::TypeId) -> bool {
        match self.types.get(storage) {
            Type::Tuple(items) => items.first().is_none_or(|first| self.is_unlimited(*first)),
            ty => *ty == Type::Scalar(Scalar::Int(IntKind::Int)),
        }
    }
}

/// Returns the bits of an integer without the sign, or `None` if there is no limit.
fn bits(kind: IntKind) -> Option<u32> {
    let bits = 8 * u32::try_from(kind.width()?).ok()?;
    Some(if kind.is_signed() { bits - 1 } else { bits })
}

/// Whether one kind can hold every integer of another.
fn holds_all(into: IntKind, from: IntKind) -> bool {
    if into == IntKind::Int || into == from {
        return true;
    }
    let fits = bits(from).zip(bits(into)).is_some_and(|(from, into)| from <= into);
    fits && (into.is_signed() || !from.is_signed())
}
