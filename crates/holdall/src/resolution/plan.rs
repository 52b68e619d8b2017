//! How values of one schema are read into another: the result of resolution, computed once.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::bind::Binding;
use super::choice::Target;
use super::rules::{PairId, Pairs, Rule};
use super::serde_compat::SerdeOption;
use super::solve::Readable;
use super::types::ReaderTypes;
use crate::dynamic::{Tape, is_comparable};
use crate::error::Result;
use crate::memory::{self, GrowMap, GrowSet, GrowVec};
use crate::platform::{HashMap, HashSet, OnceLock};
use crate::schema::{LogicalType, Schema, Type, TypeId, Union};

/// The index of a step.
pub(super) type StepId = usize;

/// Describes how to read values of a writer's schema into a reader's. [`Resolver::plan`](super::Resolver::plan) makes it once for
/// any number of values.
pub struct ResolutionPlan {
    pub(super) types: ReaderTypes,
    /// The first steps are those of the pairs, in the same order.
    steps: Vec<PlanStep>,
    /// For each step, the step to use in its place: where r offers only one choice, the chosen one.
    stands_for: Vec<StepId>,
    /// The types of each step.
    sides: Vec<(TypeId, TypeId)>,
    /// For each type, whether its values can be shared (F-80).
    classes: Vec<usize>,
    /// For variants and map entries, their positions by w's names.
    pub(super) names: HashMap<StepId, HashMap<Arc<str>, usize>>,
    /// The maps whose keys can become equal.
    pub(super) compared: HashSet<StepId>,
    pub(super) round: bool,
    /// The defaults on a tape, and the position of each.
    pub(super) prelude: Tape<'static>,
    pub(super) defaults: Vec<usize>,
    writer: Schema,
    reader: Schema,
    size: usize,
    binding: OnceLock<Option<Binding>>,
}

/// Keys whose types lead to more pairs are always compared, because definitions can make endless paths through options and unions.
const MOST_KEY_PAIRS: usize = 64;

/// What to do with a value.
pub(super) enum PlanStep {
    /// No value can be read.
    Fail,
    Null,
    Logical(Arc<LogicalType>, StepId),
    Extension(Arc<str>, StepId),
    /// Read as the present value of an option.
    Present(StepId),
    /// Read as a variant of r's that w does not have.
    Variant(Arc<str>, StepId),
    Rule(Rule),
}

/// The defaults that the reader's program provides, recorded one after the other, and their positions.
pub(super) struct Defaults {
    pub(super) tape: Tape<'static>,
    pub(super) places: Vec<usize>,
    pub(super) schemas: Vec<Schema>,
}

impl Default for Defaults {
    fn default() -> Self {
        Defaults { tape: Tape::detailed(), places: Vec::new(), schemas: Vec::new() }
    }
}

impl ResolutionPlan {
    pub(super) fn new(
        pairs: Pairs<'_>,
        defaults: Defaults,
        (writer, reader): (&Schema, &Schema),
    ) -> Result<ResolutionPlan> {
        let readable = Readable::of(&pairs);
        if !readable.is(0) {
            return Err(readable.first_fault(&pairs));
        }
        let shared =
            |schema: &Schema| schema.types().iter().any(|ty| matches!(ty, Type::Shared(_)));
        let classes = match shared(writer) || defaults.schemas.iter().any(shared) {
            true => pairs.types.classes()?,
            false => Vec::new(),
        };
        let round = pairs.options.round;
        let Pairs { types, pairs, work, .. } = pairs;
        let size = types.len().saturating_add(work);
        let mut plan = ResolutionPlan {
            types,
            steps: memory::with_capacity(pairs.len()),
            stands_for: (0..pairs.len()).collect(),
            sides: pairs.iter().map(|pair| (pair.writer, pair.reader)).collect(),
            classes,
            names: HashMap::new(),
            compared: HashSet::new(),
            round,
            prelude: defaults.tape,
            defaults: defaults.places,
            writer: writer.clone(),
            reader: reader.clone(),
            size,
            binding: OnceLock::new(),
        };
        let mut chosen = Vec::new();
        for (number, pair) in pairs.into_iter().enumerate() {
            let step = match pair.rule {
                _ if !readable.is(number) => PlanStep::Fail,
                Rule::Into(target) => {
                    chosen.put((number, target));
                    PlanStep::Fail
                }
                Rule::SerdeOption(SerdeOption { whole: Some((own, whole)), .. })
                    if readable.is(own) =>
                {
                    PlanStep::Present(whole)
                }
                // Otherwise rows and checks gain nothing from the wrapper.
                Rule::SerdeOption(option) => {
                    PlanStep::Rule(Rule::SerdeOption(SerdeOption { whole: None, ..option }))
                }
                rule => {
                    plan.prepare(number, &rule);
                    PlanStep::Rule(rule)
                }
            };
            plan.steps.put(step);
        }
        for (number, target) in chosen {
            plan.stands_for[number] = plan.choose(&readable, &target, plan.sides[number].0);
        }
        for step in 0..plan.steps.len() {
            if plan.can_keys_meet(step)? {
                plan.compared.put(step);
            }
        }
        plan.types.settle();
        Ok(plan)
    }

    /// Whether a step's map can turn different keys into equal ones, which must then be compared (F-35).
    fn can_keys_meet(&mut self, step: StepId) -> Result<bool> {
        let PlanStep::Rule(Rule::Map { key, .. }) = self.steps[step] else { return Ok(false) };
        let (w, r) = self.sides[key];
        if !is_comparable(|id| self.types.get(id), r)
            || self.types.keys_differ(self.sides[step].0)
                && self.is_injective(key, &mut HashSet::new(), &mut { MOST_KEY_PAIRS })
        {
            return Ok(false);
        }
        Ok(!self.types.are_equal(w, r)?)
    }

    /// Whether different keys stay different when read. `types` are the types of r visited so far. The recursion is at most
    /// MOST_KEY_PAIRS levels deep.
    fn is_injective(&self, pair: PairId, types: &mut HashSet<TypeId>, left: &mut usize) -> bool {
        if *left == 0 {
            return false;
        }
        *left -= 1;
        let step = self.stands_for[pair];
        let rule = match &self.steps[step] {
            PlanStep::Rule(rule) => rule,
            PlanStep::Present(inner) => return self.is_injective(*inner, types, left),
            PlanStep::Fail => return true,
            _ => return types.put(self.types.null()),
        };
        let mut inner = |pair: &PairId| self.is_injective(*pair, types, left);
        match rule {
            Rule::Options(some) => inner(some) && types.put(self.types.null()),
            Rule::Option { null, some } => inner(null) && inner(some),
            Rule::Union(variants) => variants.iter().all(inner),
            Rule::Float(_) if self.round => false,
            Rule::Same | Rule::Int(_) | Rule::IntAsFloat(_) | Rule::Float(_) | Rule::Blob(_) => {
                types.put(self.sides[step].1)
            }
            Rule::Never => true,
            _ => false,
        }
    }

    /// Returns the step that a target resolves to. The recursion is as deep as the one that made the target.
    fn choose(&mut self, readable: &Readable, target: &Target, w: TypeId) -> StepId {
        match target {
            Target::Pair(pair) => *pair,
            // A shared null becomes an absent value of that option (F-80).
            Target::Null(option) => self.add(PlanStep::Null, (w, *option)),
            Target::Only(inner) => self.choose(readable, inner, w),
            Target::Option(inner) => {
                let inner = self.choose(readable, inner, w);
                self.add(PlanStep::Present(inner), self.sides[inner])
            }
            Target::Version { union, number, inner } => {
                let inner = self.choose(readable, inner, w);
                let name = match self.types.get(*union) {
                    Type::Union(Union { names: Some(names), .. }) => names.get(*number).cloned(),
                    _ => None,
                };
                let step = name.map_or(PlanStep::Fail, |name| PlanStep::Variant(name, inner));
                self.add(step, (w, *union))
            }
            Target::Wrapped(r, inner) => {
                let inner = self.choose(readable, inner, w);
                let step = match self.types.get(*r) {
                    Type::Logical(ty, _) => PlanStep::Logical(Arc::clone(ty), inner),
                    Type::Extension(name, _) => PlanStep::Extension(Arc::clone(name), inner),
                    _ => PlanStep::Fail,
                };
                self.add(step, (w, *r))
            }
            Target::Union(_, variants) => match readable.variant(variants) {
                Some(variant) => self.choose(readable, variant, w),
                None => self.add(PlanStep::Fail, (w, w)),
            },
            Target::Dead(_) => self.add(PlanStep::Fail, (w, w)),
        }
    }

    fn add(&mut self, step: PlanStep, sides: (TypeId, TypeId)) -> StepId {
        self.steps.put(step);
        self.sides.put(sides);
        self.stands_for.put(self.steps.len() - 1);
        self.steps.len() - 1
    }

    /// Computes facts about a step once rather than for each row.
    fn prepare(&mut self, step: StepId, rule: &Rule) {
        let names = |names: &mut dyn Iterator<Item = &Arc<str>>| {
            names.zip(0..).map(|(name, place)| (Arc::clone(name), place)).collect()
        };
        match rule {
            Rule::Variants(variants) => {
                self.names.put(step, names(&mut variants.iter().map(|(name, _)| name)));
            }
            Rule::Entries(entries) => {
                self.names.put(step, names(&mut entries.iter().map(|(name, _)| name)));
            }
            _ => {}
        }
    }

    /// Returns the step for a pair.
    pub(super) fn step_for(&self, pair: PairId) -> StepId {
        self.stands_for[pair]
    }

    pub(super) fn step(&self, step: StepId) -> &PlanStep {
        &self.steps[step]
    }

    /// Returns the types of a step, the writer's first.
    pub(super) fn sides(&self, step: StepId) -> (TypeId, TypeId) {
        self.sides[step]
    }

    /// Returns the size of the plan: the number of types, plus the work counted for their pairs.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Returns the class that all steps into equal types share.
    pub(super) fn class(&self, step: StepId) -> usize {
        self.classes.get(self.sides[step].1).copied().unwrap_or_default()
    }

    /// Returns how to derive the columns of r from those of w, if no value needs converting.
    pub(crate) fn binding(&self) -> Option<&Binding> {
        self.binding.get_or_init(|| Binding::of(self)).as_ref()
    }

    /// Returns the schema of the values.
    #[must_use]
    pub fn writer(&self) -> &Schema {
        &self.writer
    }

    /// Returns the schema that they are read into.
    #[must_use]
    pub fn reader(&self) -> &Schema {
        &self.reader
    }
}

impl core::fmt::Debug for ResolutionPlan {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Plan({} into {})", self.writer, self.reader)
    }
}
