//! How serde writes options and times, for which its data model has no types (F-97).
//!
//! serde writes a present option as its value, or as a variant `Some` if that value is null or such a variant itself. It writes a
//! `Duration` as two fields.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::annotations::Annotation;
use super::choice::DEEPEST;
use super::convert::{Converter, ROW, behind};
use super::integers::Integer;
use super::options::Options;
use super::plan::StepId;
use super::rule_ids::{INTO_OPTION, UNKNOWN};
use super::rules::{PairId, Pairs, Rule};
use super::scalars::{ScalarOut, describe, integer};
use super::types::{ReaderTypes, SOME};
use crate::dynamic::{Entry, Event, Sink};
use crate::error::{Error, Result};
use crate::number::IntKind;
use crate::schema::{Fields, Form, LogicalType, Scalar, Type, TypeId, Union};

/// A union with a variant `Some`, which marks an option as present.
pub(super) struct SerdeOption {
    /// The payload of `Some`.
    pub(super) some: PairId,
    /// The other variants, if there are any.
    pub(super) rest: Option<PairId>,
    /// The pair of the payload of w's `Some` and the payload of a `Some` of r itself, and the pair to use if that one can be read:
    /// w unchanged.
    pub(super) whole: Option<(PairId, PairId)>,
}

/// Where a named union of r has a variant of w (line 7).
enum Place {
    Nowhere,
    /// The variant for unknown ones, which ignores the payload.
    Other,
    Variant(TypeId),
}

impl Pairs<'_> {
    /// Whether w, the value of an option, has the variant `Some`.
    pub(super) fn has_some(&mut self, w: TypeId) -> Result<bool> {
        let writer = self.types.handle(w);
        Ok(match &*writer {
            Type::Union(of) if of.names.is_none() => {
                self.work(of.variants.len())?;
                of.variants.iter().any(|variant| self.types.explicit_some(*variant).is_some())
            }
            _ => self.types.explicit_some(w).is_some(),
        })
    }

    /// Whether w uses the variant `Some` to mark this option of r as present.
    pub(super) fn is_serde_compat(&mut self, w: TypeId, r: TypeId, reader: &Type) -> Result<bool> {
        let Type::Option(into) = reader else { return Ok(false) };
        if self.types.explicit_some(w).is_none()
            || matches!(self.annotation(r), Some(Annotation::Field))
        {
            return Ok(false);
        }
        Ok(!matches!(self.place_of_some(*into)?, None | Some(Place::Other)))
    }

    /// Finds `Some` in the value inside all options of r. Returns `None` if r leaves a choice there or the options are nested too
    /// deep.
    fn place_of_some(&mut self, r: TypeId) -> Result<Option<Place>> {
        let mut r = self.types.meant(r);
        for _ in 0..DEEPEST {
            r = match &*self.types.handle(r) {
                Type::Option(inner) | Type::Logical(_, inner) | Type::Extension(_, inner) => {
                    self.types.meant(*inner)
                }
                Type::Union(Union { names: None, .. }) => return Ok(None),
                Type::Union(Union { names: Some(names), variants }) => {
                    self.work(names.len())?;
                    return Ok(Some(self.place_in(r, names, variants)));
                }
                _ => return Ok(Some(Place::Nowhere)),
            };
        }
        Ok(None)
    }

    fn place_in(&self, r: TypeId, names: &[Arc<str>], variants: &[TypeId]) -> Place {
        if matches!(self.annotation(r), Some(Annotation::Versions(_))) {
            return Place::Nowhere;
        }
        let is_alias = |name: &Arc<str>| {
            let aliases = Options::aliases_of(&self.options.variants, name);
            aliases.iter().any(|alias| **alias == *SOME)
        };
        let own = names.iter().position(|name| **name == *SOME);
        match own.or_else(|| names.iter().position(is_alias)) {
            Some(number) => Place::Variant(variants[number]),
            None if self.other_of(r, names, variants).is_some() => Place::Other,
            None => Place::Nowhere,
        }
    }

    /// Line 5 for a union with the variant `Some`.
    pub(super) fn serde_rule(&mut self, w: TypeId, r: TypeId) -> Result<Rule> {
        let (writer, reader) = (self.types.handle(w), self.types.handle(r));
        let (Some(number), Type::Union(from), Type::Option(into)) =
            (self.types.explicit_some(w), &*writer, &*reader)
        else {
            return Ok(Rule::None(INTO_OPTION));
        };
        let payload = from.variants[number];
        let whole = match self.place_of_some(*into)? {
            Some(Place::Variant(place)) => Some((self.pair(payload, place)?, self.pair(w, *into)?)),
            _ => None,
        };
        self.work(from.variants.len())?;
        let rest = match self.types.without_some(w, number) {
            Some(rest) => Some(self.pair(rest, *into)?),
            None => None,
        };
        Ok(Rule::SerdeOption(SerdeOption { some: self.pair(payload, *into)?, rest, whole }))
    }

    /// Line 15 for a struct or record that represents a time, and line 14 for the reverse.
    pub(super) fn seconds(&self, row: &Type, time: &Type) -> Option<Seconds> {
        let Type::Logical(ty, storage) = time else { return None };
        match self.types.get(*storage) {
            Type::Scalar(Scalar::Int(kind)) => seconds(&self.types, row, ty, *kind),
            _ => None,
        }
    }
}

/// A struct or record of seconds and nanoseconds, and the corresponding duration or timestamp.
pub(super) struct Seconds {
    ty: Arc<LogicalType>,
    /// The integer type that stores the time.
    kind: IntKind,
    /// The unit of the time, in nanoseconds.
    unit: u32,
    /// The struct's name; `None` for a record.
    name: Option<Arc<str>>,
    /// The field names, and the integer types of the fields.
    keys: [Arc<str>; 2],
    kinds: [IntKind; 2],
    /// Whether the nanoseconds come first.
    is_swapped: bool,
}

const SECOND: u32 = 1_000_000_000;

/// The field names of a duration, and those of a timestamp.
pub(crate) const TIMES: [(u8, [&str; 2]); 2] = [
    (LogicalType::DURATION, ["secs", "nanos"]),
    (LogicalType::TIMESTAMP, ["secs_since_epoch", "nanos_since_epoch"]),
];

/// Matches a time with two fields. Returns `None` if these fields cannot represent it.
fn seconds(
    types: &ReaderTypes,
    row: &Type,
    ty: &Arc<LogicalType>,
    kind: IntKind,
) -> Option<Seconds> {
    let (name, of) = match row {
        Type::Struct(name, of) => (Some(Arc::clone(name)), of),
        Type::Record(of) => (None, of),
        _ => return None,
    };
    let Fields { fields, form: Form::One } = of else { return None };
    let [(first, first_type), (second, second_type)] = &**fields else { return None };
    let (_, names) = TIMES.iter().find(|(own, _)| *own == ty.kind())?;
    let (unit, zone) = ty.parameters().split_first()?;
    if ty.kind() == LogicalType::TIMESTAMP && zone != [LogicalType::UTC] {
        return None;
    }
    let is_swapped = match [&**first, &**second] {
        own if own == *names => false,
        [nanos, secs] if [secs, nanos] == *names => true,
        _ => return None,
    };
    let integer = |id: TypeId| match types.get(id) {
        Type::Scalar(Scalar::Int(kind)) => Some(*kind),
        _ => None,
    };
    Some(Seconds {
        ty: Arc::clone(ty),
        kind,
        unit: SECOND / 1000_u32.checked_pow((*unit).into())?,
        name,
        keys: [Arc::clone(first), Arc::clone(second)],
        kinds: [integer(*first_type)?, integer(*second_type)?],
        is_swapped,
    })
}

impl Seconds {
    /// Returns the conditions of line 15 on rows.
    pub(super) fn condition(&self) -> Option<String> {
        let is_short = matches!(self.kind_of_nanos(), IntKind::U8 | IntKind::U16);
        let conditions = [
            (!is_short, "the nanoseconds are below 10^9"),
            (self.unit > 1, "the times are multiples of its unit"),
            (self.kind != IntKind::Int, "the times are in its range"),
        ];
        let asked = conditions.into_iter().filter(|(is_asked, _)| *is_asked);
        let asked: Vec<&str> = asked.map(|(_, condition)| condition).collect();
        (!asked.is_empty()).then(|| format!("if {}", asked.join(" and ")))
    }

    /// Whether line 14 accepts every time.
    pub(super) fn takes_all(&self) -> bool {
        let nanos = Integer::Small((SECOND - self.unit).into());
        let takes_seconds = match self.kinds[usize::from(self.is_swapped)] {
            IntKind::Int => true,
            IntKind::I64 | IntKind::I128 => self.kind == IntKind::I64,
            _ => false,
        };
        takes_seconds && nanos.fits(self.kind_of_nanos())
    }

    fn kind_of_nanos(&self) -> IntKind {
        self.kinds[usize::from(!self.is_swapped)]
    }
}

impl<S: Sink> Converter<'_, '_, S> {
    /// Reads the row at a position as a time.
    pub(super) fn seconds(&mut self, at: usize, step: StepId, as_: &Seconds) -> Result<()> {
        let first = at + 1;
        let second = behind(self.tape, first, &mut self.budget)?;
        let (secs, nanos) = if as_.is_swapped { (second, first) } else { (first, second) };
        let Some(number) = self.number(secs, nanos, as_) else {
            return Err(self.unfit_time(at, step, &[secs, nanos]));
        };
        let out = ScalarOut::Int(as_.kind, number);
        self.charge_number(&out)?;
        self.sink.event(Event::Logical(&as_.ty))?;
        self.sink.event(out.event(&mut [0; 17]))?;
        self.sink.event(Event::End)
    }

    fn charge_number(&mut self, out: &ScalarOut<'_>) -> Result<()> {
        self.budget.charge((ROW + out.units()) as u128).map_err(|_| self.too_much())
    }

    /// Reads the time at a position as a row.
    pub(super) fn parts(&mut self, at: usize, step: StepId, as_: &Seconds) -> Result<()> {
        let Some([secs, nanos]) = self.integer_at(at).map(|number| {
            let (secs, nanos) = number.times(as_.unit).divided_down(SECOND);
            [secs, Integer::Small(nanos.into())]
        }) else {
            return Err(self.unfit_time(at, step, &[at]));
        };
        let parts = if as_.is_swapped { [nanos, secs] } else { [secs, nanos] };
        if parts.iter().zip(as_.kinds).any(|(part, kind)| !part.fits(kind)) {
            return Err(self.unfit(at, step));
        }
        let shape = self.shapes.of(as_.keys.to_vec());
        match &as_.name {
            Some(name) => self.sink.event(Event::Struct(name, &shape))?,
            None => self.sink.event(Event::Record(&shape))?,
        }
        for (part, kind) in parts.into_iter().zip(as_.kinds) {
            let out = ScalarOut::Int(kind, part);
            self.charge_number(&out)?;
            self.sink.event(out.event(&mut [0; 17]))?;
        }
        self.sink.event(Event::End)
    }

    fn number(&self, secs: usize, nanos: usize, as_: &Seconds) -> Option<Integer<'static>> {
        let Integer::Small(nanos) = self.integer_at(nanos)? else { return None };
        let nanos = u32::try_from(nanos).ok().filter(|nanos| *nanos < SECOND)?;
        let all = self.integer_at(secs)?.times(SECOND).plus(nanos);
        all.divided(as_.unit).filter(|number| number.fits(as_.kind))
    }

    fn integer_at(&self, at: usize) -> Option<Integer<'_>> {
        integer(self.tape, self.number_at(at))
    }

    /// Returns the entry at a position, following a reference. One step is enough, because a definition is never just a reference
    /// (F-20).
    fn number_at(&self, mut at: usize) -> Entry {
        if let Entry::Ref(place) = self.tape.entries[at] {
            at = place;
        }
        while let Entry::Identity = self.tape.entries[at] {
            at += 1;
        }
        self.tape.entries[at]
    }

    /// The error for a time that does not fit, or has a number in an unknown encoding.
    #[cold]
    fn unfit_time(&self, at: usize, step: StepId, numbers: &[usize]) -> Error {
        let error = self.unfit(at, step);
        let is_unknown = |number: &usize| matches!(self.number_at(*number), Entry::Unknown);
        match numbers.iter().any(is_unknown) {
            true => error.got(describe(self.tape, Entry::Unknown)).by(UNKNOWN),
            false => error,
        }
    }
}
