//! Reads lists, arrays, tuples, byte strings and tensors as each other (F-78, lines 21 and 22).

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::convert::{Converter, ROW, behind};
use super::frames::{OpenContainer, Steps};
use super::plan::{PlanStep, StepId};
use super::rules::{PairId, Rule, Scale, Sequence};
use crate::dynamic::{Entry, Event, Sink, TUPLE_ITEMS, TensorRef, TextKind};
use crate::error::Result;
use crate::memory::{self, GrowVec};
use crate::schema::{DType, LogicalType, Scalar, Type};

impl<'p, S: Sink> Converter<'p, '_, S> {
    /// Reads a logical value whose storage is at a position. A long tuple is emitted as a tuple (F-74).
    pub(super) fn logical(
        &mut self,
        ty: &'p Arc<LogicalType>,
        at: usize,
        storage: PairId,
        scale: Option<Scale>,
    ) -> Result<()> {
        if ty.kind() == LogicalType::LONG_TUPLE {
            let (at, step) = self.enter(at, storage)?;
            let len = match self.tape.entries[at] {
                Entry::Items { len, .. } => len,
                Entry::Text(TextKind::Bytes | TextKind::Fixed, span) => span.len(),
                Entry::Tensor { number, .. } => self.tape.tensor_at(number).len(),
                _ => 0,
            };
            let steps = match self.plan.step(step) {
                PlanStep::Rule(Rule::Items(_, pair)) => Some(Steps::All(*pair)),
                PlanStep::Rule(Rule::Each(_, pairs)) => Some(Steps::Each(pairs)),
                _ => None,
            };
            if let Some(steps) = steps
                && len > TUPLE_ITEMS
            {
                return self.items(at, step, Sequence::Tuple(len as u64), steps, None);
            }
        }
        self.sink.event(Event::Logical(ty))?;
        self.one(at, storage, scale, None)
    }

    /// Reads the items of a list, array, tuple, tensor or byte string (F-78, line 22).
    pub(super) fn items(
        &mut self,
        at: usize,
        step: StepId,
        target: Sequence,
        steps: Steps<'p>,
        scale: Option<Scale>,
    ) -> Result<()> {
        let mark = self.tape.mark();
        let (len, first, forget) = match self.tape.entries[at] {
            Entry::Items { len, .. } => (len, at + 1, None),
            Entry::Text(TextKind::Bytes | TextKind::Fixed, span) => {
                let len = span.len();
                self.fits(target, len, at, step)?;
                self.charge(len.saturating_mul(ROW))?;
                self.tape.expand_bytes(span);
                (len, mark.at, Some(mark))
            }
            Entry::Tensor { number, .. } => {
                let [len] = **self.tape.tensor_at(number).dimensions().0 else {
                    return Err(self.unfit(at, step));
                };
                let len = usize::try_from(len).map_err(|_| self.too_much())?;
                self.fits(target, len, at, step)?;
                self.expand_tensor(number)?;
                (len, mark.at, Some(mark))
            }
            _ => return Err(self.unfit(at, step)),
        };
        self.fits(target, len, at, step)?;
        match target {
            Sequence::List => self.sink.event(Event::List(len))?,
            Sequence::Array(_) => self.sink.event(Event::Array(len))?,
            Sequence::Tuple(_) => self.sink.event(Event::Tuple(len))?,
            Sequence::Bytes | Sequence::Fixed(_) | Sequence::Tensor(_) => {
                self.joined(target, len, first, steps)?;
                self.tape.truncate(mark);
                return Ok(());
            }
        }
        self.stack.put(OpenContainer::Items { next: first, index: 0, len, steps, scale, forget });
        Ok(())
    }

    /// Records a tensor's elements on the tape. Even an element of a few bytes can consist of many nested values.
    fn expand_tensor(&mut self, number: usize) -> Result<()> {
        let tensor = self.tape.tensor_at(number);
        let (values, bytes) = (tensor.values(), tensor.bytes().len());
        self.charge(values.saturating_mul(ROW).saturating_add(bytes))?;
        self.tape.expand_tensor(number)
    }

    fn fits(&self, target: Sequence, len: usize, at: usize, step: StepId) -> Result<()> {
        match target.len() {
            Some(own) if own != len as u64 => Err(self.unfit(at, step)),
            _ => Ok(()),
        }
    }

    /// Joins items into one value: a byte string, or a tensor of rank 1.
    fn joined(
        &mut self,
        target: Sequence,
        len: usize,
        mut next: usize,
        steps: Steps<'p>,
    ) -> Result<()> {
        let mut bytes = Vec::new();
        for index in 0..len {
            let out = self.enter(next, steps.of(index)).and_then(|(at, step)| {
                match self.plan.scalar(self.tape, at, step, None) {
                    Some(out) => Ok(out),
                    None => Err(self.unfit(at, step)),
                }
            });
            match out {
                Ok(out) => out.write(&mut bytes),
                Err(error) => return Err(error.with_path(|| format!("[{index}]"))),
            }
            next = behind(self.tape, next, &mut self.budget)?;
        }
        self.charge(bytes.len())?;
        match target {
            Sequence::Fixed(_) => self.sink.event(Event::Fixed(&bytes)),
            Sequence::Tensor(scalar) => self.sink.event(Event::Tensor(
                TensorRef {
                    dtype: &DType::of_scalar(scalar).into(),
                    shape: &[len as u64],
                    column_major: false,
                    elements: &bytes,
                },
                None,
            )),
            _ => self.sink.event(Event::Bytes(&bytes)),
        }
    }

    /// Converts the elements of a tensor to another scalar type (F-78, line 21).
    pub(super) fn tensor(&mut self, number: usize, pair: PairId) -> Result<()> {
        let mark = self.tape.mark();
        self.expand_tensor(number)?;
        let step = self.plan.step_for(pair);
        let mut bytes = Vec::new();
        for at in mark.at..self.tape.entries.len() {
            match self.plan.scalar(self.tape, at, step, None) {
                Some(out) => out.write(&mut bytes),
                None => {
                    let (shape, column_major) = self.tape.tensor_at(number).dimensions();
                    let path = element_path(shape, column_major, at - mark.at);
                    return Err(self.unfit(at, step).with_path(|| path));
                }
            }
        }
        self.tape.truncate(mark);
        self.charge(bytes.len())?;
        let scalar = match self.plan.types.get(self.plan.sides(step).1) {
            Type::Scalar(scalar) => *scalar,
            _ => Scalar::Bool,
        };
        let (shape, column_major) = self.tape.tensor_at(number).dimensions();
        self.sink.event(Event::Tensor(
            TensorRef {
                dtype: &DType::of_scalar(scalar).into(),
                shape,
                column_major,
                elements: &bytes,
            },
            None,
        ))
    }
}

/// Returns the indices of an element as a path, given its position among the elements.
fn element_path(shape: &[u64], column_major: bool, place: usize) -> String {
    let mut indices = memory::filled(0, shape.len());
    let mut left = place as u64;
    let mut split = |dimension: usize| {
        indices[dimension] = left % shape[dimension].max(1);
        left /= shape[dimension].max(1);
    };
    match column_major {
        true => (0..shape.len()).for_each(&mut split),
        false => (0..shape.len()).rev().for_each(&mut split),
    }
    indices.iter().map(|index| format!("[{index}]")).collect::<Vec<_>>().concat()
}
