//! Where a value goes: at once into the shredder, or to the events that are kept.

use std::collections::HashMap;
use std::sync::Arc;

use super::SOME;
use super::events::{self, Events, Kept, Open, Target};
use super::handover;
use crate::dynamic::Shredder;
use crate::error::{Code, Error, Result};
use crate::number::{IntKind, shorten_big};
use crate::value::{Value, ValueBuilder};

/// Takes the calls of a type's `serialize`.
#[derive(Default)]
pub(super) struct Out<'s> {
    /// None to keep everything.
    shredder: Option<&'s mut Shredder>,
    kept: Events,
    /// How many of the open containers need all keys in advance.
    waiting: usize,
    names: Names,
    /// Whether sets and maps without an order of their own are emitted in canonical order (F-96).
    canonical: bool,
}

/// The names of structs and variants, each made once.
#[derive(Default)]
struct Names {
    all: Vec<Arc<str>>,
    numbers: HashMap<&'static str, usize>,
    /// The last one, which is repeated most often.
    last: Option<(&'static str, usize)>,
}

impl Names {
    fn number(&mut self, name: &'static str) -> usize {
        if let Some((last, number)) = self.last
            && std::ptr::eq(last, name)
        {
            return number;
        }
        let number = *self.numbers.entry(name).or_insert_with(|| {
            self.all.push(Arc::from(name));
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

    /// One that keeps everything, in canonical order.
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
            None => {
                self.kept.value(value);
                Ok(())
            }
        }
    }

    /// The value, where all its events were stored.
    pub(super) fn into_value(self) -> Result<Value> {
        if self.waiting > 0 {
            return Err(Error::new(Code::BadSource).expected("the end of the open container"));
        }
        let mut builder = ValueBuilder::new();
        self.kept.emit(&self.names.all, &mut builder)?;
        builder.finish()
    }

    /// The shredder, if the next event may go to it.
    #[inline]
    fn live(&mut self) -> Option<&mut Shredder> {
        if self.waiting == 0 { self.shredder.as_deref_mut() } else { None }
    }

    /// Replays the stored events to the shredder, unless a key is missing.
    fn flush(&mut self) -> Result<()> {
        if self.waiting == 0
            && let Some(shredder) = self.shredder.as_deref_mut()
        {
            self.kept.emit(&self.names.all, shredder)?;
            self.kept.clear();
        }
        Ok(())
    }

    #[inline]
    fn event(
        &mut self,
        emit: impl FnOnce(&mut Shredder) -> Result<()>,
        keep: impl FnOnce(&mut Events),
    ) -> Result<()> {
        match self.live() {
            Some(shredder) => emit(shredder),
            None => {
                keep(&mut self.kept);
                Ok(())
            }
        }
    }

    pub(super) fn null(&mut self) -> Result<()> {
        self.event(Shredder::null, |kept| kept.push(Kept::Null))
    }

    pub(super) fn bool(&mut self, value: bool) -> Result<()> {
        self.event(|to| to.bool(value), |kept| kept.push(Kept::Bool(value)))
    }

    pub(super) fn int(&mut self, kind: IntKind, bits: u64) -> Result<()> {
        self.event(|to| to.fixed_int(kind, bits), |kept| kept.push(Kept::Int(kind, bits)))
    }

    /// A number that does not fit 64 bits, by its two's complement.
    pub(super) fn big(&mut self, kind: IntKind, bytes: &[u8]) -> Result<()> {
        self.event(|to| to.big_int(kind, shorten_big(bytes)), |kept| kept.big(kind, bytes))
    }

    pub(super) fn f32(&mut self, value: f32) -> Result<()> {
        self.event(|to| to.f32(value), |kept| kept.push(Kept::F32(value)))
    }

    pub(super) fn f64(&mut self, value: f64) -> Result<()> {
        self.event(|to| to.f64(value), |kept| kept.push(Kept::F64(value)))
    }

    pub(super) fn char(&mut self, value: char) -> Result<()> {
        self.event(|to| events::char(to, value), |kept| kept.push(Kept::Char(value)))
    }

    pub(super) fn string(&mut self, value: &str) -> Result<()> {
        self.event(|to| to.string(value), |kept| kept.string(value))
    }

    pub(super) fn bytes(&mut self, value: &[u8]) -> Result<()> {
        self.event(|to| to.bytes(value), |kept| kept.bytes(value))
    }

    /// Takes a [`Value`] whole from its own `Serialize`, by `ask`; false if it was something else by that name.
    pub(super) fn value(&mut self, ask: impl FnOnce() -> Result<()>) -> Result<bool> {
        if let Some(shredder) = self.live() {
            let (taken, emitted) = handover::emit(std::mem::take(shredder), ask);
            *shredder = taken;
            return emitted;
        }
        let asked = handover::ask(ask)?;
        let is_one = asked.is_some();
        asked.into_iter().for_each(|value| self.kept.value(value));
        Ok(is_one)
    }

    pub(super) fn begin_list(&mut self) -> Result<()> {
        self.event(|to| to.begin_list(0), |kept| kept.push(Kept::List))
    }

    pub(super) fn begin_tuple(&mut self, len: usize) -> Result<()> {
        self.event(|to| to.begin_tuple(len), |kept| kept.push(Kept::Tuple(len)))
    }

    pub(super) fn begin_variant(&mut self, name: &'static str) -> Result<()> {
        let number = self.names.number(name);
        if self.waiting == 0
            && let Some(shredder) = self.shredder.as_deref_mut()
        {
            return shredder.begin_variant(&self.names.all[number]);
        }
        self.kept.push(Kept::Variant(number));
        Ok(())
    }

    /// Ends containers without keys, and structs that are emitted at once.
    pub(super) fn end(&mut self) -> Result<()> {
        self.event(Shredder::end, |kept| kept.push(Kept::End))
    }

    /// Wraps a value in `Some` variants, one for each option around it.
    pub(super) fn begin_somes(&mut self, count: usize) -> Result<()> {
        (0..count).try_for_each(|_| self.begin_variant(SOME))
    }

    pub(super) fn end_all(&mut self, count: usize) -> Result<()> {
        (0..count).try_for_each(|_| self.end())
    }

    /// Begins a struct; where it is kept, with its keys to come.
    pub(super) fn begin_struct(&mut self, name: &'static str) -> Result<Option<Open>> {
        let number = self.names.number(name);
        if self.waiting == 0
            && let Some(shredder) = self.shredder.as_deref_mut()
        {
            shredder.begin_open_struct(&self.names.all[number])?;
            return Ok(None);
        }
        Ok(Some(self.kept.open(Kept::Struct(number, 0))))
    }

    /// Names the next field of a struct.
    pub(super) fn field_of_struct(&mut self, name: &'static str) -> Result<()> {
        self.event(
            |to| to.field_of_struct(name),
            |kept| {
                kept.name(name);
                kept.push(Kept::Field(name));
            },
        )
    }

    pub(super) fn end_struct(&mut self, open: Option<&Open>) -> Result<()> {
        match open {
            Some(open) => self.kept.close(open),
            None => self.end(),
        }
    }

    /// Begins a mapping or map: which of them, and its keys, are known at its end.
    pub(super) fn begin_map(&mut self) -> Open {
        self.waiting += 1;
        self.kept.open(Kept::Mapping(0))
    }

    pub(super) fn kept(&mut self) -> &mut Events {
        &mut self.kept
    }

    pub(super) fn end_map(&mut self, open: &Open) -> Result<()> {
        self.kept.close(open)?;
        self.waiting -= 1;
        self.flush()
    }
}
