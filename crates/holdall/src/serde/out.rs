//! Where a value goes: at once into the shredder, or onto a tape.

use alloc::sync::Arc;
use alloc::vec::Vec;
use std::collections::HashMap;

use foldhash::quality::RandomState;

use super::events::{EventTarget, OpenMap, OpenRow, Recorder};
use super::formats::SerdeForms;
use super::handover;
use crate::dynamic::{Event, Shredder, Sink};
use crate::error::{Code, Error, Result};
use crate::memory::{self, GrowVec};
use crate::value::{Value, ValueBuilder};

/// Takes the calls of a type's `serialize`.
#[derive(Default)]
pub(super) struct Out<'s> {
    /// None to record everything.
    shredder: Option<&'s mut Shredder>,
    recorder: Recorder,
    /// How many of the open containers need all keys in advance.
    waiting: usize,
    names: NameCache,
    /// Whether sets and maps without an order of their own are emitted in canonical order (F-96).
    canonical: bool,
    pub(super) forms: SerdeForms,
}

/// The names of structs and variants, each made once.
#[derive(Default)]
struct NameCache {
    all: Vec<Arc<str>>,
    numbers: HashMap<&'static str, usize, RandomState>,
    /// The last one, which is repeated most often.
    last: Option<(&'static str, usize)>,
}

impl NameCache {
    fn number(&mut self, name: &'static str) -> usize {
        if let Some((last, number)) = self.last
            && core::ptr::eq(last, name)
        {
            return number;
        }
        let number = *self.numbers.entry(name).or_insert_with(|| {
            self.all.put(memory::shared(name));
            self.all.len() - 1
        });
        self.last = Some((name, number));
        number
    }
}

impl<'s> Out<'s> {
    pub(super) fn to(shredder: &'s mut Shredder) -> Out<'s> {
        let canonical = shredder.is_canonical();
        Out { shredder: Some(shredder), canonical, ..Out::default() }
    }

    /// One that records everything, in canonical order.
    pub(super) fn canonical() -> Out<'s> {
        Out { canonical: true, ..Out::default() }
    }

    pub(super) fn is_canonical(&self) -> bool {
        self.canonical
    }

    /// Takes a value whole.
    pub(super) fn whole(&mut self, value: Value) -> Result<()> {
        match self.live() {
            Some(shredder) => shredder.value(&value),
            None => self.recorder.value(value),
        }
    }

    /// The value, where all its events were recorded.
    pub(super) fn into_value(self) -> Result<Value> {
        let mut builder = ValueBuilder::new();
        self.into_recorder()?.replay(&mut builder)?;
        builder.finish()
    }

    /// The events, where all of them were recorded.
    pub(super) fn into_recorder(self) -> Result<Recorder> {
        if self.waiting > 0 {
            return Err(Error::new(Code::BadSource).expected("the end of the open container"));
        }
        Ok(self.recorder)
    }

    /// The shredder, if the next event may go to it.
    #[inline]
    fn live(&mut self) -> Option<&mut Shredder> {
        if self.waiting == 0 { self.shredder.as_deref_mut() } else { None }
    }

    /// Replays what was recorded to the shredder, unless a key is missing.
    fn flush(&mut self) -> Result<()> {
        if self.waiting == 0
            && let Some(shredder) = self.shredder.as_deref_mut()
        {
            self.recorder.emit(shredder)?;
        }
        Ok(())
    }

    /// Takes a scalar, or the begin or end of a container whose keys need not be known.
    #[inline(always)]
    pub(super) fn event(&mut self, event: Event<'_>) -> Result<()> {
        if let Some(shredder) = self.live() {
            return shredder.event(event);
        }
        self.recorder.tape().event(event)
    }

    /// Ends a list or tuple of this many items.
    #[inline]
    pub(super) fn end_items(&mut self, count: usize) -> Result<()> {
        match self.live() {
            Some(shredder) => shredder.event(Event::End),
            None => self.recorder.tape().end_with(count),
        }
    }

    pub(super) fn char(&mut self, value: char) -> Result<()> {
        match self.live() {
            Some(shredder) => shredder.char(value),
            None => self.recorder.char(value),
        }
    }

    #[inline]
    pub(super) fn string(&mut self, value: &str) -> Result<()> {
        match self.live() {
            Some(shredder) => shredder.string(value),
            None => self.recorder.string(value),
        }
    }

    /// Takes a [`Value`] whole from its own `Serialize`, by `ask`; false if it was something else by that name.
    pub(super) fn value(&mut self, ask: impl FnOnce() -> Result<()>) -> Result<bool> {
        if let Some(shredder) = self.live() {
            let (taken, emitted) = handover::emit(core::mem::take(shredder), ask);
            *shredder = taken;
            return emitted;
        }
        let asked = handover::ask(ask)?;
        let is_one = asked.is_some();
        asked.map_or(Ok(()), |value| self.recorder.value(value))?;
        Ok(is_one)
    }

    pub(super) fn begin_variant(&mut self, name: &'static str) -> Result<()> {
        let number = self.names.number(name);
        let event = Event::Variant(&self.names.all[number]);
        match self.shredder.as_deref_mut().filter(|_| self.waiting == 0) {
            Some(shredder) => shredder.event(event),
            None => self.recorder.tape().event(event),
        }
    }

    pub(super) fn unit_variant(&mut self, name: &'static str) -> Result<()> {
        let number = self.names.number(name);
        let name = &self.names.all[number];
        match self.shredder.as_deref_mut().filter(|_| self.waiting == 0) {
            Some(shredder) => shredder.unit_variant(name),
            None => self.recorder.tape().push_unit_variant(name),
        }
    }

    pub(super) fn unit_struct(&mut self, name: &'static str) -> Result<()> {
        match self.begin_struct(name)? {
            Some(open) => self.recorder.end_unit(&open, &self.names.all[open.name]),
            None => self.event(Event::End),
        }
    }

    /// Wraps a value in `Some` variants, one for each option around it.
    pub(super) fn begin_somes(&mut self, count: usize) -> Result<()> {
        (0..count).try_for_each(|_| match self.live() {
            Some(shredder) => shredder.begin_some().map(drop),
            None => self.recorder.tape().begin_some(),
        })
    }

    pub(super) fn end_all(&mut self, count: usize) -> Result<()> {
        (0..count).try_for_each(|_| self.event(Event::End))
    }

    /// Begins a struct; where it is recorded, with its fields to come.
    #[inline]
    pub(super) fn begin_struct(&mut self, name: &'static str) -> Result<Option<OpenRow>> {
        let number = self.names.number(name);
        if self.waiting == 0
            && let Some(shredder) = self.shredder.as_deref_mut()
        {
            shredder.begin_open_struct(&self.names.all[number])?;
            return Ok(None);
        }
        self.recorder.begin_row(number).map(Some)
    }

    /// Names the next field of a struct.
    pub(super) fn field_of_struct(&mut self, name: &'static str) -> Result<()> {
        match self.live() {
            Some(shredder) => shredder.field_of_struct(name),
            None => {
                self.recorder.field(name);
                Ok(())
            }
        }
    }

    pub(super) fn end_struct(&mut self, open: Option<&OpenRow>) -> Result<()> {
        match open {
            Some(open) => self.recorder.end_row(open, Some(&self.names.all[open.name])),
            None => self.event(Event::End),
        }
    }

    /// Begins the record of a variant, whose keys are known at its end.
    pub(super) fn begin_record(&mut self, variant: &'static str) -> Result<OpenRow> {
        self.waiting += 1;
        let number = self.names.number(variant);
        self.recorder.begin_row(number)
    }

    pub(super) fn end_record(&mut self, open: &OpenRow) -> Result<()> {
        self.recorder.end_row(open, None)?;
        self.waiting -= 1;
        self.flush()
    }

    /// Begins a mapping or map: which of them, and its keys, are known at its end.
    pub(super) fn begin_map(&mut self) -> Result<OpenMap> {
        self.waiting += 1;
        self.recorder.begin_map()
    }

    pub(super) fn recorder(&mut self) -> &mut Recorder {
        &mut self.recorder
    }

    /// Ends a mapping or map with this many entries.
    pub(super) fn end_map(&mut self, open: &OpenMap, count: usize) -> Result<()> {
        self.recorder.end_map(open, count)?;
        self.waiting -= 1;
        self.flush()
    }
}
