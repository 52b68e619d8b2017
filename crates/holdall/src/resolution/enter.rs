//! What precedes a value on the tape: identities, choices, and wrappers such as options.

use super::convert::{Converter, ROW};
use super::plan::{PlanStep, StepId};
use super::rule_ids;
use super::rules::{PairId, Rule};
use super::serde_compat::SerdeOption;
use super::types::SOME;
use crate::dynamic::{Entry, Sink};
use crate::error::{Code, Error, Result};
use crate::memory::{GrowSet, GrowVec};
use crate::platform::HashSet;

/// Chains of identities up to this length are walked again each time, rather than remembered.
pub(super) const NEAR: usize = 16;

impl<S: Sink> Converter<'_, '_, S> {
    /// Skips everything before the actual value: records its identities, and follows the choices that w has made.
    ///
    /// Rows can refer to each other in long chains that many values share. [`Converter::value`] remembers where long chains end,
    /// and each hop is charged.
    pub(super) fn enter(&mut self, mut at: usize, step: PairId) -> Result<(usize, StepId)> {
        self.own.clear();
        self.passed.clear();
        self.present = 0;
        let mut step = self.plan.step_for(step);
        let mut before = step;
        let mut hops = 0;
        // The identities on the way, once there are many.
        let mut met: Option<HashSet<usize>> = None;
        loop {
            let entry = self.tape.entries[at];
            match entry {
                Entry::Identity => {
                    self.hop(&mut hops)?;
                    self.own.put(at);
                    if let Some(&(end, step, present)) = self.shortcuts.get(&(at, step)) {
                        // The value at the end was emitted, if there was one.
                        self.present += present;
                        return Ok((end, step));
                    }
                    self.passed.put((at, step, self.present));
                    if hops > NEAR {
                        let met = met.get_or_insert_with(|| self.own.iter().copied().collect());
                        met.put(at);
                    }
                    at += 1;
                    continue;
                }
                Entry::Ref(place) => {
                    self.hop(&mut hops)?;
                    let is_known = match &met {
                        None => self.own.contains(&place),
                        Some(met) => met.contains(&place),
                    };
                    if is_known {
                        return Err(Error::new(Code::Unconvertible)
                            .expected("a value")
                            .got("one that is nothing but itself"));
                    }
                    at = place;
                    continue;
                }
                _ => {}
            }
            let rule = match self.plan.step(step) {
                PlanStep::Rule(Rule::Present(inner)) | PlanStep::Present(inner) => {
                    self.present += 1;
                    step = self.plan.step_for(*inner);
                    continue;
                }
                PlanStep::Rule(rule) => rule,
                PlanStep::Fail => return Err(self.unfit_row(at, step, before)),
                _ => return Ok((at, step)),
            };
            let inside = match (rule, entry) {
                // Values have one null, and the variants of unnamed unions show themselves.
                (Rule::Any, Entry::Choice(_)) => {
                    self.hop(&mut hops)?;
                    at += 1;
                    continue;
                }
                (Rule::Options(some), Entry::Choice(_)) => {
                    self.present += 1;
                    at += 1;
                    *some
                }
                (Rule::SerdeOptions(some) | Rule::Option { some, .. }, Entry::Choice(_)) => {
                    at += 1;
                    *some
                }
                (Rule::Option { null, .. }, Entry::Null) => *null,
                (
                    Rule::SerdeOption(SerdeOption { some, rest, .. }),
                    Entry::Variant { name, .. },
                ) => {
                    self.present += 1;
                    match rest {
                        _ if **self.tape.name(name) == *SOME => {
                            at += 1;
                            *some
                        }
                        Some(rest) => *rest,
                        None => return Err(self.unfit(at, step)),
                    }
                }
                (Rule::Union(variants), Entry::Choice(variant)) => match variants.get(variant) {
                    Some(pair) => {
                        at += 1;
                        *pair
                    }
                    None => return Err(self.unfit(at, step)),
                },
                (Rule::Inside(inner), Entry::Logical { .. } | Entry::Extension { .. }) => {
                    at += 1;
                    *inner
                }
                // A long tuple is emitted as a tuple.
                (Rule::Inside(inner), Entry::Items { .. }) => *inner,
                _ => return Ok((at, step)),
            };
            self.hop(&mut hops)?;
            before = step;
            step = self.plan.step_for(inside);
        }
    }

    fn hop(&mut self, hops: &mut usize) -> Result<()> {
        *hops += 1;
        self.charge(ROW)
    }

    /// The error for a value whose pair cannot be read. Only the lines that decide row by row lead to one; `before` is the step of
    /// that line.
    #[cold]
    fn unfit_row(&self, at: usize, step: StepId, before: StepId) -> Error {
        let rule = match self.plan.step(before) {
            PlanStep::Rule(
                rule @ (Rule::Option { .. } | Rule::Union(_) | Rule::SerdeOption(_)),
            ) => rule.name(),
            // A variant's value is emitted separately, so the line before it is that of the variant.
            _ => rule_ids::VARIANTS,
        };
        self.unfit(at, step).by(rule)
    }
}
