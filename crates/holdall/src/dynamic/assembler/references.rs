//! Rows of definitions, and references to them.

use super::reader::BlockReader;
use super::site::SiteType;
use super::{Assembler, FLOATS_PER_EVENT, OpenContainer};
use crate::dynamic::{Event, RowId, Sink};
use crate::error::{Code, Error, Result};
use crate::memory::GrowVec;
use crate::schema::TypeId;

impl<S: Sink> Assembler<'_, '_, '_, S> {
    /// Starts a new row of a definition. Returns the site of its value.
    pub(super) fn new_row(&mut self, definition: usize) -> Result<TypeId> {
        let body = self.reader.definitions[definition];
        let row = self.reader.sites[body].row;
        if self.reader.referenced[definition].contains(&row) {
            self.own.put(RowId { definition, row });
            self.sink.event(Event::Identity(RowId { definition, row }))?;
        }
        Ok(body)
    }

    /// Passes on valid references that follow each other as items of the innermost list, from a row of their site on. Returns
    /// how many the sink took.
    pub(super) fn references(
        &mut self,
        site: TypeId,
        definition: usize,
        row: usize,
    ) -> Result<usize> {
        let left = match self.stack.last() {
            Some(OpenContainer::List { item, left, .. }) if *item == site => {
                (*left).min(FLOATS_PER_EVENT)
            }
            _ => return Ok(0),
        };
        let BlockReader { sites, first, definitions, .. } = &*self.reader;
        let SiteType::Shared { numbers, .. } = &sites[site].kind else { return Ok(0) };
        let own = first[definition]..sites[definitions[definition]].row;
        let is_valid = |number: &&u64| {
            usize::try_from(number.wrapping_sub(1)).is_ok_and(|row| own.contains(&row))
        };
        let count = numbers[row..=row + left].iter().take_while(is_valid).count();
        self.sink.references(definition, &numbers[row..row + count])
    }

    /// Checks and emits a reference. Its row must have begun, and must not be this very value (F-64).
    pub(super) fn row_back_reference(
        &mut self,
        definition: usize,
        reference: u64,
        at: usize,
    ) -> Result<()> {
        let own = self.reader.first[definition]
            ..self.reader.sites[self.reader.definitions[definition]].row;
        let row = usize::try_from(reference - 1).ok().filter(|row| own.contains(row));
        match row.map(|row| RowId { definition, row }) {
            Some(row) if !self.own.contains(&row) => self.sink.event(Event::Reference(row)),
            Some(_) => Err(Error::at(Code::BadReference, at)
                .expected("a value that came before")
                .got("one that is nothing but itself")),
            None => Err(Error::at(Code::BadReference, at)
                .expected(format!("one of the rows {own:?} of definition {definition}"))
                .got(format!("row {}", reference - 1))),
        }
    }
}
