//! Scalars of a column that come together, because nothing is asked of each alone.

use holdall::Result;
use pyo3::prelude::*;

use super::types::Node;
use super::{Body, Builder, Content, OpenContainer};
use crate::signals;

impl<'py> Builder<'py, '_> {
    /// Whether scalars of a type can be added together: not where each has a type of its own.
    pub(super) fn takes_several(&self, takes: impl Fn(&Node) -> bool) -> bool {
        let have_own_types = self.stack.last().is_some_and(|frame| match frame.body {
            Body::Tuple { .. } => self.node(frame.node).is_some_and(|node| node.tuple.is_some()),
            Body::Map { .. } | Body::Struct { .. } => true,
            _ => false,
        });
        !have_own_types && self.node(self.expected()).is_none_or(|node| node.any || takes(node))
    }

    /// Adds several scalars, which are of the requested type.
    pub(super) fn several<T: Copy>(
        &mut self,
        values: &[T],
        object: impl Fn(T) -> PyResult<Bound<'py, PyAny>>,
    ) -> Result<()> {
        for some in values.chunks(signals::EACH) {
            self.ticks(some.len())?;
            if let Some(OpenContainer { body: Body::List(list), .. }) = self.stack.last() {
                let appended = some.iter().try_for_each(|&value| list.append(object(value)?));
                self.check(appended)?;
            } else {
                for &value in some {
                    let value = self.check(object(value))?;
                    self.put(Content::Now(value))?;
                }
            }
        }
        Ok(())
    }
}
