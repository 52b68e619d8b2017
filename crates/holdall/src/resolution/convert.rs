//! Emits the values of a message to a sink, one after the other, as a plan describes.
//!
//! Nothing recurses on the depth of the data. A shared value that is read into an equal type is emitted as a reference (F-80), so
//! each value is emitted once, however many paths lead to it.

use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::vec::Vec;

use super::enter::NEAR;
use super::frames::{ConvertedMap, OpenContainer, Steps, path_of};
use super::plan::{PlanStep, ResolutionPlan, StepId};
use super::rows::{FieldValue, RowPlans, ShapeIndex};
use super::rule_ids;
use super::rules::{PairId, Rule, Scale};
use super::scalars::{describe, integer};
use crate::dynamic::{Entry, Event, RowId, ScalarKey, Sink, Tape};
use crate::error::{Code, Error, Result};
use crate::limits::Budget;
use crate::memory::{GrowMap, GrowSet, GrowVec};
use crate::platform::{HashMap, HashSet};
use crate::schema::path;

/// The units of a value, the same as those of a row (F-26).
pub(super) const ROW: usize = 8;

/// The values that are shared, by position.
#[derive(Default)]
pub(super) struct SharedValues(HashSet<usize>);

pub(super) fn charge(budget: &mut Budget, units: usize) -> Result<()> {
    let units = units as u128;
    budget.charge(units).map_err(|left| Error::over_budget(units, left))
}

/// Returns the position after a value. Charges for each choice and identity before it, because hostile data can have any number of
/// them.
pub(super) fn behind(tape: &Tape<'_>, at: usize, budget: &mut Budget) -> Result<usize> {
    let marks = tape.marks_at(at);
    if marks > 0 {
        charge(budget, marks)?;
    }
    Ok(tape.end_of(at + marks))
}

#[cold]
fn inside_itself() -> Error {
    Error::new(Code::Unrepresentable)
        .expected(
            "a value that does not contain itself, or a type with pointers that can refer to it",
        )
        .got("one that contains itself and would be copied without end")
        .by(rule_ids::IDENTITY)
}

pub(super) struct Converter<'p, 's, S> {
    pub(super) plan: &'p ResolutionPlan,
    pub(super) tape: &'s mut Tape<'static>,
    pub(super) sink: &'s mut S,
    pub(super) stack: Vec<OpenContainer<'p>>,
    /// The positions of the values of the open rows.
    pub(super) places: Vec<usize>,
    pub(super) rows: RowPlans,
    pub(super) shapes: ShapeIndex,
    /// The emitted values that have an identity, by position and class of type.
    emitted: HashMap<(usize, usize), usize>,
    count: usize,
    /// The identities of the next value.
    pub(super) own: Vec<usize>,
    /// How many options of r the next value is present in.
    pub(super) present: usize,
    /// Shortcuts past long chains of identities: for an identity and a step, the position and step at which [`Converter::enter`]
    /// arrives, and how many options it passes.
    pub(super) shortcuts: HashMap<(usize, StepId), (usize, StepId, usize)>,
    /// The identities on the way to the next value, with step and option count, if there are enough of them to remember.
    pub(super) passed: Vec<(usize, StepId, usize)>,
    /// The shared values that are still open, each with the number of frames around it.
    open: Vec<(usize, usize)>,
    is_open: HashSet<usize>,
    /// The values that the previous pass found to be shared, and those that this pass finds.
    shared: &'s SharedValues,
    found: SharedValues,
    pub(super) budget: Budget,
}

impl<'p, 's, S: Sink> Converter<'p, 's, S> {
    pub(super) fn new(
        plan: &'p ResolutionPlan,
        tape: &'s mut Tape<'static>,
        sink: &'s mut S,
        shared: &'s SharedValues,
        budget: Budget,
    ) -> Self {
        Converter {
            plan,
            tape,
            sink,
            stack: Vec::new(),
            places: Vec::new(),
            rows: HashMap::new(),
            shapes: ShapeIndex::default(),
            emitted: HashMap::new(),
            count: 0,
            own: Vec::new(),
            present: 0,
            shortcuts: HashMap::new(),
            passed: Vec::new(),
            open: Vec::new(),
            is_open: HashSet::new(),
            shared,
            found: SharedValues::default(),
            budget,
        }
    }

    /// Emits the value at a position. Returns the shared values, and the rest of the budget.
    pub(super) fn run(mut self, root: usize) -> Result<(SharedValues, Budget)> {
        let emitted = self.value(root, 0, None).and_then(|()| self.rest());
        match emitted {
            Ok(()) => Ok((self.found, self.budget)),
            Err(error) if error.path().is_empty() || error.path().starts_with('$') => {
                Err(error.with_path(|| path_of(&self.stack)))
            }
            // Adds the path within the row.
            Err(error) => {
                let path = path_of(&self.stack) + error.path();
                Err(error.at_path(path))
            }
        }
    }

    fn rest(&mut self) -> Result<()> {
        while let Some(frame) = self.stack.last_mut() {
            match frame {
                OpenContainer::Items { next, index, len, steps, scale, forget } => {
                    if index == len {
                        if let Some(len) = *forget {
                            self.tape.truncate(len);
                        }
                        self.end()?;
                        continue;
                    }
                    let (at, step, scale) = (*next, steps.of(*index), scale.take());
                    *next = behind(self.tape, at, &mut self.budget)?;
                    *index += 1;
                    self.value(at, step, scale)?;
                }
                OpenContainer::Row { plan, first, index }
                | OpenContainer::Entries { plan, first, index } => {
                    let Some(&value) = plan.values.get(*index) else {
                        let first = *first;
                        self.places.truncate(first);
                        self.end()?;
                        continue;
                    };
                    let (plan, first, at) = (Rc::clone(plan), *first, *index);
                    *index += 1;
                    if let Some(OpenContainer::Entries { .. }) = self.stack.last() {
                        let key = &plan.shape.keys()[at];
                        self.charge(ROW + key.len())?;
                        self.sink.event(Event::String(key))?;
                    }
                    match value {
                        FieldValue::Taken(place, pair) => {
                            self.value(self.places[first + place], pair, None)?;
                        }
                        FieldValue::Default(number, pair) => {
                            self.value(self.plan.defaults[number], pair, None)?;
                        }
                        FieldValue::Null => {
                            self.charge(ROW)?;
                            self.sink.event(Event::Null)?;
                        }
                        FieldValue::Unknown => self.unknown(&plan, first)?,
                    }
                }
                OpenContainer::Map(_) => self.next_of_map()?,
                OpenContainer::One { inside, .. } => match inside.take() {
                    Some((at, step, scale)) => self.value(at, step, scale)?,
                    None => self.end()?,
                },
            }
        }
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        self.stack.pop();
        while let Some((number, _)) = self.open.pop_if(|(_, around)| *around >= self.stack.len()) {
            self.is_open.remove(&number);
        }
        self.sink.event(Event::End)
    }

    fn next_of_map(&mut self) -> Result<()> {
        let Some(OpenContainer::Map(map)) = self.stack.last_mut() else { return Ok(()) };
        let at = map.next;
        if map.on_value {
            map.on_value = false;
            map.next = behind(self.tape, at, &mut self.budget)?;
            let step = map.value;
            return self.value(at, step, None);
        }
        if map.index == map.len {
            return self.end();
        }
        map.on_value = true;
        map.index += 1;
        map.next = behind(self.tape, at, &mut self.budget)?;
        let step = map.key;
        if map.seen.is_some() {
            let (place, key_step) = self.enter(at, step)?;
            let key = self.plan.scalar(self.tape, place, key_step, None);
            let key = key
                .and_then(|key| ScalarKey::of(key.event(&mut [0; 17])).map(ScalarKey::into_owned));
            if let Some(OpenContainer::Map(map)) = self.stack.last_mut()
                && let (Some(seen), Some(key)) = (&mut map.seen, key)
                && !seen.put(key)
            {
                return Err(Error::new(Code::DuplicateKey)
                    .expected("each key once")
                    .got(format!("{} twice", describe(self.tape, self.tape.entries[place])))
                    .by(rule_ids::MAPS));
            }
        }
        self.value(at, step, None)
    }

    pub(super) fn charge(&mut self, units: usize) -> Result<()> {
        charge(&mut self.budget, units)
    }

    /// The error for a value that does not fit.
    #[cold]
    pub(super) fn unfit(&self, at: usize, step: StepId) -> Error {
        let (writer, reader) = self.plan.sides(step);
        let types = &self.plan.types;
        let entry = self.tape.entries[at];
        let value = describe(self.tape, entry);
        let rule = match (entry, self.plan.step(step)) {
            (Entry::Unknown, _) => rule_ids::UNKNOWN,
            (_, PlanStep::Rule(rule)) => rule.name(),
            _ => rule_ids::NO_LINE,
        };
        Error::new(Code::Unconvertible)
            .expected(types.text(reader))
            .got(format!("{value} of type {}", types.text(writer)))
            .by(rule)
    }

    /// The error for a scalar that does not fit. For a time, the unit may be the reason.
    #[cold]
    fn unfit_scalar(&self, at: usize, step: StepId, scale: Option<Scale>) -> Error {
        let error = self.unfit(at, step);
        let Some(Scale::Divided(divisor)) = scale else { return error };
        match integer(self.tape, self.tape.entries[at]) {
            Some(time) if time.divided(divisor).is_none() => {
                let (_, reader) = self.plan.sides(step);
                let reader = self.plan.types.text(reader);
                error.expected(format!("{reader}, a multiple of {divisor}")).by(rule_ids::UNITS)
            }
            _ => error,
        }
    }

    /// Reads the value at a position: emits a scalar, or begins a container.
    fn value(&mut self, at: usize, step: PairId, scale: Option<Scale>) -> Result<()> {
        let (at, step) = self.enter(at, step)?;
        for _ in 0..self.present {
            self.sink.event(Event::Choice(0))?;
        }
        let frames = self.stack.len();
        if !self.own.is_empty() {
            if self.passed.len() > NEAR {
                let present = self.present;
                let passed = self.passed.drain(..);
                self.shortcuts.put_each(
                    passed.map(|(from, by, before)| ((from, by), (at, step, present - before))),
                );
            }
            let class = self.plan.class(step);
            let known = self.own.iter().find_map(|own| self.emitted.get(&(*own, class)).copied());
            let number = known.unwrap_or(self.count);
            self.emitted.put_each(self.own.drain(..).map(|own| ((own, class), number)));
            let row = RowId { definition: 0, row: number };
            if known.is_some() {
                self.found.0.put(number);
                if self.sink.refers(row) {
                    self.charge(ROW)?;
                    return self.sink.event(Event::Reference(row));
                }
                if self.is_open.contains(&number) {
                    return Err(inside_itself());
                }
            } else {
                self.count += 1;
            }
            if self.shared.0.contains(&number) {
                self.sink.event(Event::Identity(row))?;
                self.emit(at, step, scale)?;
                if self.stack.len() > frames {
                    self.is_open.put(number);
                    self.open.put((number, frames));
                }
                return Ok(());
            }
        }
        self.emit(at, step, scale)
    }

    /// Reads a value, ignoring its identity.
    fn emit(&mut self, at: usize, step: StepId, scale: Option<Scale>) -> Result<()> {
        self.charge(ROW)?;
        let plan = self.plan;
        let entry = self.tape.entries[at];
        let wrapped = match entry {
            Entry::Logical { .. } | Entry::Extension { .. } => at + 1,
            _ => at,
        };
        let rule = match plan.step(step) {
            PlanStep::Logical(ty, inner) => return self.logical(ty, at, *inner, None),
            PlanStep::Extension(name, inner) => {
                self.sink.event(Event::Extension(name))?;
                return self.one(at, *inner, None, None);
            }
            PlanStep::Variant(name, inner) => {
                self.sink.event(Event::Variant(name))?;
                return self.one(at, *inner, None, None);
            }
            PlanStep::Null => return self.sink.event(Event::Null),
            // An option was skipped before.
            PlanStep::Fail | PlanStep::Present(_) => return Err(self.unfit(at, step)),
            PlanStep::Rule(rule) => rule,
        };
        match (rule, entry) {
            (Rule::Any, _) => self.any(at, step),
            (Rule::Logical { ty, storage, scale }, _) => {
                self.logical(ty, wrapped, *storage, *scale)
            }
            (Rule::Extension(name, inner), _) => {
                self.sink.event(Event::Extension(name))?;
                self.one(wrapped, *inner, None, None)
            }
            (Rule::Variants(variants), Entry::Variant { name, .. }) => {
                let name = self.tape.name(name);
                let place = plan.names.get(&step).and_then(|names| names.get(name));
                match place.and_then(|place| variants[*place].1.as_ref()) {
                    Some((name, Some(pair))) => {
                        self.sink.event(Event::Variant(name))?;
                        self.one(at + 1, *pair, None, Some(name))
                    }
                    Some((name, None)) => {
                        self.charge(ROW)?;
                        self.sink.event(Event::Variant(name))?;
                        self.sink.event(Event::Null)?;
                        self.sink.event(Event::End)
                    }
                    None => {
                        let step_in = path::variant(name);
                        Err(self.unfit(at, step).with_path(|| step_in))
                    }
                }
            }
            (Rule::SameTensor, Entry::Tensor { number, .. }) => {
                let tensor = self.tape.tensor_at(number);
                let len = tensor.bytes().len() as u128;
                self.budget.charge(len).map_err(|_| self.too_much())?;
                tensor.emit(self.sink)
            }
            (Rule::Tensor(pair), Entry::Tensor { number, .. }) => self.tensor(number, *pair),
            (Rule::Items(target, pair), _) => {
                self.items(at, step, *target, Steps::All(*pair), scale)
            }
            (Rule::Each(target, pairs), _) => {
                self.items(at, step, *target, Steps::Each(pairs), scale)
            }
            (Rule::Fields(fields), Entry::Row { shape, .. }) => self.row(at, step, shape, fields),
            (Rule::Fields(fields), Entry::Map { len, .. }) => self.row_of_map(at, len, fields),
            (Rule::Seconds(time), Entry::Row { .. }) => self.seconds(at, step, time),
            (Rule::Parts(time), Entry::Logical { .. } | Entry::Extension { .. }) => {
                self.parts(wrapped, step, time)
            }
            (Rule::Entries(entries), Entry::Row { shape, .. }) => {
                self.row_as_map(at, step, shape, entries)
            }
            (Rule::Map { key, value }, Entry::Map { len, .. }) => {
                self.sink.event(Event::Map(len))?;
                self.stack.put(OpenContainer::Map(Box::new(ConvertedMap {
                    next: at + 1,
                    index: 0,
                    len,
                    on_value: false,
                    key: *key,
                    value: *value,
                    seen: plan.compared.contains(&step).then(HashSet::new),
                })));
                Ok(())
            }
            _ => {
                let Some(out) = plan.scalar(self.tape, at, step, scale) else {
                    return Err(self.unfit_scalar(at, step, scale));
                };
                self.budget.charge(out.units() as u128).map_err(|_| self.too_much())?;
                self.sink.event(out.event(&mut [0; 17]))
            }
        }
    }

    #[cold]
    pub(super) fn too_much(&self) -> Error {
        Error::new(Code::LimitBudget)
            .got("a conversion that needs more memory than the budget allows")
    }

    pub(super) fn one(
        &mut self,
        at: usize,
        step: StepId,
        scale: Option<Scale>,
        variant: Option<&'p str>,
    ) -> Result<()> {
        self.stack.put(OpenContainer::One { inside: Some((at, step, scale)), variant });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    #[test]
    fn skipped_prefixes_of_a_value_are_charged() {
        let mut tape = Tape::detailed();
        for _ in 0..3 {
            tape.event(Event::Choice(0)).unwrap();
        }
        tape.event(Event::Null).unwrap();
        let budget = |units| Limits::new().budget(units).budget_for(0);
        assert_eq!(behind(&tape, 0, &mut budget(3)).unwrap(), 4);
        let error = behind(&tape, 0, &mut budget(2)).unwrap_err();
        assert_eq!(error.code(), Code::LimitBudget);
    }
}
