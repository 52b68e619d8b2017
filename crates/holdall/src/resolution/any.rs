//! Values that are read as themselves, with all their parts: into types that take any.

use super::convert::Converter;
use super::frames::{OpenContainer, Steps};
use super::plan::StepId;
use crate::dynamic::{Entry, Sink};
use crate::error::Result;
use crate::memory::GrowVec;

impl<S: Sink> Converter<'_, '_, S> {
    /// Emits a scalar, or begins a container whose parts take the same step: it asks for no type of theirs.
    pub(super) fn any(&mut self, at: usize, step: StepId) -> Result<()> {
        let entry = self.tape.entries[at];
        let len = match entry {
            Entry::Items { len, .. } => len,
            Entry::Map { len, .. } => 2 * len,
            Entry::Row { shape, .. } => self.tape.shape(shape).keys().len(),
            Entry::Variant { .. } | Entry::Logical { .. } | Entry::Extension { .. } => 1,
            Entry::Text(_, span) | Entry::Big(_, span) => {
                self.charge(span.len())?;
                return self.tape.emit(entry, self.sink);
            }
            Entry::Tensor { number, .. } => {
                let tensor = self.tape.tensor_at(number);
                let len = tensor.bytes().len() as u128;
                self.budget.charge(len).map_err(|_| self.too_much())?;
                return tensor.emit(self.sink);
            }
            scalar => return self.tape.emit(scalar, self.sink),
        };
        self.tape.emit(entry, self.sink)?;
        self.stack.put(OpenContainer::Items {
            next: at + 1,
            index: 0,
            len,
            steps: Steps::All(step),
            scale: None,
            forget: None,
        });
        Ok(())
    }
}
