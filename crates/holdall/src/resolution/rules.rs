//! Chooses the line of F-78 for a pair of types, and the inner pairs that this line needs.
//!
//! It does not check whether the inner pairs can be read, which is known only once all pairs are collected.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::annotations::Annotation;
use super::choice::{MOST_TARGETS, Target};
use super::fields::FieldsRule;
use super::floats::FloatKind;
use super::options::Options;
use super::rule_ids::{self, NO_LINE};
use super::serde_compat::{Seconds, SerdeOption};
use super::types::{MOST_PAIRS, Presence, ReaderTypes, too_many};
use crate::error::Result;
use crate::memory::{self, GrowVec};
use crate::number::IntKind;
use crate::platform::HashMap;
use crate::schema::{LogicalType, Scalar, Type, TypeId, Union};

/// The index of a pair of types.
pub(super) type PairId = usize;

/// A type of the writer, and one of the reader.
pub(super) struct Pair {
    pub(super) writer: TypeId,
    pub(super) reader: TypeId,
    pub(super) rule: Rule,
}

/// How a pair is read. Most rules apply only if their inner pairs can be read.
pub(super) enum Rule {
    /// The pair cannot be read: either no line fits, or the types contradict the line of this name. Pairs that are not resolved yet
    /// also have this rule.
    None(&'static str),
    /// Line 1.
    Never,
    /// Null, bool, string, bytes, and types of later versions, each read as itself.
    Same,
    /// Any value, read as itself with all its parts: r has no type of its own.
    Any,
    /// Line 2, for present values.
    Options(PairId),
    /// Line 2, if the present value has a variant `Some`: it is read as the entire option of r.
    SerdeOptions(PairId),
    /// Line 5 for a union with the variant `Some`, row by row.
    SerdeOption(SerdeOption),
    /// Line 15, from seconds and nanoseconds.
    Seconds(Seconds),
    /// Line 14, into seconds and nanoseconds.
    Parts(Seconds),
    /// A field that the data has, read into an option that marks it as present.
    Present(PairId),
    /// Line 3, decided for each row: null or the present value.
    Option { null: PairId, some: PairId },
    /// Line 4, decided for each row.
    Union(Vec<PairId>),
    /// Lines 5, 6, 11 and 15: the same type of w, read into a type inside r.
    Into(Target),
    /// Line 7, decided for each row: w's names, each with r's variant.
    Variants(Vec<(Arc<str>, Option<VariantRule>)>),
    /// Lines 12 and 13.
    Logical { ty: Arc<LogicalType>, storage: PairId, scale: Option<Scale> },
    /// Line 9.
    Extension(Arc<str>, PairId),
    /// Lines 10 and 14.
    Inside(PairId),
    /// Line 17.
    Int(IntKind),
    /// Line 18.
    IntAsFloat(FloatKind),
    /// Line 19.
    Float(FloatKind),
    /// Line 20: into bytes, or into byte strings of this length.
    Blob(Option<u64>),
    /// Line 21, for equal elements.
    SameTensor,
    /// Line 21.
    Tensor(PairId),
    /// Line 22, if all items are the same pair.
    Items(Sequence, PairId),
    /// Line 22, if each item has its own pair.
    Each(Sequence, Vec<PairId>),
    /// Line 23.
    Fields(FieldsRule),
    /// Line 24.
    Entries(Vec<(Arc<str>, PairId)>),
    /// Line 25.
    Map { key: PairId, value: PairId },
}

/// The name of r's variant, and the pair of payloads, or `None` to skip w's payload.
pub(super) type VariantRule = (Arc<str>, Option<PairId>);

/// The sequence type that items are read into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sequence {
    List,
    Array(u64),
    Tuple(u64),
    Bytes,
    Fixed(u64),
    /// A tensor of rank 1 of this type.
    Tensor(Scalar),
}

impl Sequence {
    /// Returns the number of items, if it is the same for all values.
    pub(super) fn len(self) -> Option<u64> {
        match self {
            Sequence::Array(len) | Sequence::Tuple(len) | Sequence::Fixed(len) => Some(len),
            Sequence::List | Sequence::Bytes | Sequence::Tensor(_) => None,
        }
    }
}

/// A conversion from one unit of time to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scale {
    Times(u32),
    /// Only for whole multiples of the coarser unit.
    Divided(u32),
}

/// This many bytes of names count as one unit of work, the same as a pair.
const NAME_BYTES: usize = 64;

/// All pairs that the roots lead to.
pub(super) struct Pairs<'o> {
    pub(super) types: ReaderTypes,
    pub(super) options: &'o Options,
    pub(super) pairs: Vec<Pair>,
    numbers: HashMap<(TypeId, TypeId), PairId>,
    pub(super) presence: Presence,
    /// The work counted so far.
    pub(super) work: usize,
}

impl<'o> Pairs<'o> {
    /// Returns all pairs that the roots lead to; the pair of the roots is the first.
    pub(super) fn of(types: ReaderTypes, options: &'o Options) -> Result<Pairs<'o>> {
        let (writer, reader) = (types.root(0), types.root(1));
        let mut pairs = Pairs {
            types,
            options,
            pairs: Vec::new(),
            numbers: HashMap::new(),
            presence: Presence::default(),
            work: 0,
        };
        pairs.pair(writer, reader)?;
        let mut next = 0;
        while let Some(&Pair { writer, reader, .. }) = pairs.pairs.get(next) {
            let rule = pairs.rule(writer, reader)?;
            pairs.pairs[next].rule = rule;
            next += 1;
        }
        Ok(pairs)
    }

    /// Returns the index of a pair, adding it if needed.
    pub(super) fn pair(&mut self, writer: TypeId, reader: TypeId) -> Result<PairId> {
        let (writer, reader) = (self.types.meant(writer), self.types.meant(reader));
        self.work(1)?;
        let new = self.pairs.len();
        let number = *self.numbers.entry((writer, reader)).or_insert(new);
        if number == new {
            self.pairs.put(Pair { writer, reader, rule: Rule::None(NO_LINE) });
        }
        Ok(number)
    }

    /// Counts work. A hostile schema could demand the product of its types and the reader's.
    pub(super) fn work(&mut self, units: usize) -> Result<()> {
        self.work = self.work.saturating_add(units);
        if self.pairs.len() >= MOST_PAIRS || self.work > 4 * MOST_PAIRS {
            return Err(too_many());
        }
        Ok(())
    }

    /// Counts the names that are looked up, because one long name can occur in many types.
    pub(super) fn look_up<'n>(
        &mut self,
        names: impl IntoIterator<Item = &'n Arc<str>>,
    ) -> Result<()> {
        let bytes = names.into_iter().fold(0_usize, |sum, name| sum.saturating_add(name.len()));
        self.work(bytes / NAME_BYTES)
    }

    fn pair_all(
        &mut self,
        pairs: impl IntoIterator<Item = (TypeId, TypeId)>,
    ) -> Result<Vec<PairId>> {
        pairs.into_iter().map(|(writer, reader)| self.pair(writer, reader)).collect()
    }

    /// Returns the first line that fits.
    fn rule(&mut self, w: TypeId, r: TypeId) -> Result<Rule> {
        if self.types.is_empty(w) {
            return Ok(Rule::Never);
        }
        if self.is_any(r) {
            return Ok(Rule::Any);
        }
        let (writer, reader) = (self.types.handle(w), self.types.handle(r));
        Ok(match (&*writer, &*reader) {
            (_, Type::Option(inner)) if matches!(self.annotation(r), Some(Annotation::Field)) => {
                Rule::Present(self.pair(w, *inner)?)
            }
            (Type::Option(inner), Type::Option(_)) if self.has_some(*inner)? => {
                Rule::SerdeOptions(self.pair(*inner, r)?)
            }
            (Type::Option(inner), Type::Option(into)) => Rule::Options(self.pair(*inner, *into)?),
            (Type::Option(inner), _) => {
                let null = self.types.null();
                Rule::Option { null: self.pair(null, r)?, some: self.pair(*inner, r)? }
            }
            (Type::Union(of), _) if of.names.is_none() => {
                Rule::Union(self.pair_all(of.variants.iter().map(|variant| (*variant, r)))?)
            }
            (_, reader) if self.is_serde_compat(w, r, reader)? => self.serde_rule(w, r)?,
            (writer, reader) if self.leaves_choice(w, writer, r, reader)? => {
                let mut left = MOST_TARGETS;
                Rule::Into(self.target(w, r, &mut Vec::new(), &mut left)?)
            }
            (Type::Union(from), Type::Union(into)) => self.variants(from, r, into)?,
            (Type::Logical(from, inner), Type::Logical(ty, storage)) => {
                self.logical((from, *inner), (ty, *storage))?
            }
            (Type::Extension(from, inner), Type::Extension(name, into)) => match from == name {
                true => Rule::Extension(Arc::clone(name), self.pair(*inner, *into)?),
                false => Rule::None(NO_LINE),
            },
            (Type::Logical(_, inner) | Type::Extension(_, inner), reader) => {
                if let Some(time) = self.seconds(reader, &writer) {
                    return Ok(Rule::Parts(time));
                }
                Rule::Inside(self.pair(*inner, r)?)
            }
            (writer, reader @ Type::Logical(..)) => {
                self.seconds(writer, reader).map_or(Rule::None(NO_LINE), Rule::Seconds)
            }
            (Type::Null, Type::Null) => Rule::Same,
            (Type::Unknown(..), Type::Unknown(..)) => Rule::Same,
            (Type::Scalar(from), Type::Scalar(into)) => match scalars(*from, *into) {
                Some(rule) => rule,
                None => self.sequences(w, r)?,
            },
            (Type::Tensor(from), Type::Tensor(into)) => self.tensors(*from, *into)?,
            (Type::Struct(_, from) | Type::Record(from), Type::Struct(_, _) | Type::Record(_)) => {
                self.fields(w, from, r)?
            }
            (Type::Map(key, value), Type::Struct(_, _) | Type::Record(_)) => {
                match self.is_string(*key) {
                    true => self.fields_of_map(*value, r)?,
                    false => Rule::None(NO_LINE),
                }
            }
            (own @ (Type::Struct(_, from) | Type::Record(from)), Type::Map(key, value)) => {
                // A mapping without entries is written as a record, whatever the type of its keys would be.
                let is_empty = matches!(own, Type::Record(_)) && from.fields.is_empty();
                match is_empty || self.is_string(*key) {
                    false => Rule::None(NO_LINE),
                    true => {
                        self.look_up(from.fields.iter().map(|(name, _)| name))?;
                        let fields = from.fields.iter();
                        let entries = fields
                            .map(|(name, of)| Ok((Arc::clone(name), self.pair(*of, *value)?)));
                        Rule::Entries(entries.collect::<Result<_>>()?)
                    }
                }
            }
            (Type::Map(key, value), Type::Map(into_key, into_value)) => {
                let key = self.pair(*key, *into_key)?;
                Rule::Map { key, value: self.pair(*value, *into_value)? }
            }
            (_, _) => self.sequences(w, r)?,
        })
    }

    fn is_string(&self, key: TypeId) -> bool {
        *self.types.get(key) == Type::Scalar(Scalar::String)
    }

    /// Line 7.
    fn variants(&mut self, from: &Union, r: TypeId, into: &Union) -> Result<Rule> {
        let (Some(names), Some(known)) = (&from.names, &into.names) else {
            return Ok(Rule::None(NO_LINE));
        };
        self.look_up(names.iter().chain(known))?;
        self.work(known.len())?;
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        let aliases = known.iter().zip(0..).flat_map(|(name, number)| {
            let aliases = Options::aliases_of(&self.options.variants, name);
            aliases.iter().map(move |alias| (&**alias, number))
        });
        let own = known.iter().zip(0..).map(|(name, number)| (&**name, number));
        // A name takes precedence over an alias, and the first alias over the others.
        for (name, number) in own.chain(aliases) {
            numbers.entry(name).or_insert(number);
        }
        let other = self.other_of(r, known, &into.variants);
        let mut variants = memory::with_capacity(names.len());
        for (name, payload) in names.iter().zip(&from.variants) {
            let into = match numbers.get(&**name) {
                None => other.map(|number| (Arc::clone(&known[number]), None)),
                Some(&number) => {
                    let pair = self.pair(*payload, into.variants[number])?;
                    Some((Arc::clone(&known[number]), Some(pair)))
                }
            };
            variants.put((Arc::clone(name), into));
        }
        Ok(Rule::Variants(variants))
    }

    /// Returns the variant of a named union that replaces unknown variants.
    pub(super) fn other_of(
        &self,
        r: TypeId,
        names: &[Arc<str>],
        variants: &[TypeId],
    ) -> Option<usize> {
        let is_other = |number: &usize| {
            self.options.others.contains(&names[*number])
                && *self.types.get(variants[*number]) == Type::Null
        };
        match self.annotation(r) {
            Some(Annotation::Other(number)) => Some(*number),
            _ => (0..names.len()).find(is_other),
        }
    }

    /// Lines 12 and 13.
    fn logical(
        &mut self,
        (from, inner): (&LogicalType, TypeId),
        (ty, storage): (&Arc<LogicalType>, TypeId),
    ) -> Result<Rule> {
        let lists = [LogicalType::SET, LogicalType::FROZEN_SET, LogicalType::LONG_TUPLE];
        let scale = match time_scale(from, ty) {
            Some(scale) => scale,
            None if from == &**ty => None,
            None if from.kind() == ty.kind() && ty.kind() == LogicalType::COMPLEX => None,
            None if lists.contains(&from.kind()) && lists.contains(&ty.kind()) => None,
            None => return Ok(Rule::None(NO_LINE)),
        };
        Ok(Rule::Logical { ty: Arc::clone(ty), storage: self.pair(inner, storage)?, scale })
    }

    /// Line 21.
    fn tensors(&mut self, from: TypeId, into: TypeId) -> Result<Rule> {
        if self.types.are_equal(from, into)? {
            return Ok(Rule::SameTensor);
        }
        match (self.types.get(from), self.types.get(into)) {
            (Type::Scalar(w), Type::Scalar(r)) if is_element(*w) && is_element(*r) => {
                Ok(Rule::Tensor(self.pair(from, into)?))
            }
            _ => Ok(Rule::None(rule_ids::TENSORS)),
        }
    }

    /// Line 22.
    fn sequences(&mut self, w: TypeId, r: TypeId) -> Result<Rule> {
        let byte = self.types.byte();
        let (writer, reader) = (self.types.handle(w), self.types.handle(r));
        let (target, into) = match &*reader {
            Type::List(item) => (Sequence::List, Ok(*item)),
            Type::Array(len, item) => (Sequence::Array(*len), Ok(*item)),
            Type::Tuple(items) => (Sequence::Tuple(items.len() as u64), Err(items)),
            Type::Scalar(Scalar::Bytes) => (Sequence::Bytes, Ok(byte)),
            Type::Scalar(Scalar::Fixed(len)) => (Sequence::Fixed(*len), Ok(byte)),
            Type::Tensor(item) => match self.types.get(*item) {
                Type::Scalar(scalar) if is_element(*scalar) => {
                    (Sequence::Tensor(*scalar), Ok(*item))
                }
                _ => return Ok(Rule::None(NO_LINE)),
            },
            _ => return Ok(Rule::None(NO_LINE)),
        };
        let (len, from) = match &*writer {
            Type::List(item) | Type::Tensor(item) => (None, Ok(*item)),
            Type::Array(len, item) => (Some(*len), Ok(*item)),
            Type::Tuple(items) => (Some(items.len() as u64), Err(items)),
            Type::Scalar(Scalar::Bytes) => (None, Ok(byte)),
            Type::Scalar(Scalar::Fixed(len)) => (Some(*len), Ok(byte)),
            _ => return Ok(Rule::None(NO_LINE)),
        };
        if len.is_some() && target.len().is_some() && len != target.len() {
            return Ok(Rule::None(rule_ids::ITEMS));
        }
        Ok(match (from, into) {
            (Ok(from), Ok(into)) => Rule::Items(target, self.pair(from, into)?),
            (Ok(from), Err(into)) => {
                Rule::Each(target, self.pair_all(into.iter().map(|into| (from, *into)))?)
            }
            (Err(from), Ok(into)) => {
                Rule::Each(target, self.pair_all(from.iter().map(|from| (*from, into)))?)
            }
            (Err(from), Err(into)) => {
                Rule::Each(target, self.pair_all(from.iter().copied().zip(into.iter().copied()))?)
            }
        })
    }
}

/// Whether elements of this scalar type are converted individually: bools, integers and floats.
fn is_element(scalar: Scalar) -> bool {
    !matches!(scalar, Scalar::Fixed(_))
}

/// Lines 16 to 20.
fn scalars(w: Scalar, r: Scalar) -> Option<Rule> {
    Some(match (w, r) {
        (Scalar::Bool, Scalar::Bool)
        | (Scalar::String, Scalar::String)
        | (Scalar::Bytes, Scalar::Bytes) => Rule::Same,
        (Scalar::Int(_), Scalar::Int(kind)) => Rule::Int(kind),
        (Scalar::Int(_), r) => Rule::IntAsFloat(FloatKind::of(r)?),
        (Scalar::Fixed(_), Scalar::Bytes) => Rule::Blob(None),
        (Scalar::Bytes, Scalar::Fixed(len)) => Rule::Blob(Some(len)),
        (Scalar::Fixed(from), Scalar::Fixed(len)) => match from == len {
            true => Rule::Blob(Some(len)),
            false => Rule::None(rule_ids::BYTES),
        },
        (w, r) if FloatKind::of(w).is_some() => Rule::Float(FloatKind::of(r)?),
        _ => return None,
    })
}

/// Returns the scale between two times of the same kind and zone, or `None` if the types are not such times.
fn time_scale(from: &LogicalType, into: &LogicalType) -> Option<Option<Scale>> {
    let times = [LogicalType::TIME, LogicalType::TIMESTAMP, LogicalType::DURATION];
    let (unit, zone) = from.parameters().split_first()?;
    let (into_unit, into_zone) = into.parameters().split_first()?;
    if from.kind() != into.kind() || !times.contains(&from.kind()) || zone != into_zone {
        return None;
    }
    // Each unit is 1,000 times the next.
    let factor = |steps: u8| 1000_u32.checked_pow(steps.into());
    Some(match unit.cmp(into_unit) {
        core::cmp::Ordering::Equal => None,
        core::cmp::Ordering::Less => Some(Scale::Times(factor(into_unit - unit)?)),
        core::cmp::Ordering::Greater => Some(Scale::Divided(factor(unit - into_unit)?)),
    })
}
