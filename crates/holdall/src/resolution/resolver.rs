//! The reader's side: its schema, its options, and its cached plans.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::annotations::Annotations;
use super::convert::{Converter, SharedValues};
use super::options::{Field, Options};
use super::plan::{Defaults, ResolutionPlan};
use super::rules::Pairs;
use super::types::ReaderTypes;
use crate::block::Block;
use crate::dynamic::{NullSink, Sink, Tape, assemble_each, read_message};
use crate::error::Result;
use crate::input::Input;
use crate::limits::{Budget, Limits};
use crate::memory::{GrowMap, GrowSet, GrowVec};
use crate::message::{MessageReader, read_block};
use crate::platform::{Cache, HashMap};
use crate::schema::Schema;

/// Reads values of other schemas into your own, which can differ in added, removed and reordered fields, types of
/// numbers, and options (spec, chapter 13).
///
/// It compares the schema of a message with the reader's once, and keeps the plan for later messages with the same
/// schema.
///
/// ```
/// use holdall::{Encoder, Field, Resolver, Schema, Value};
///
/// let old = holdall::to_vec(&Value::record([("name", Value::from("Ada")), ("age", Value::from(36))]))?;
/// // What the program has today: another order, a field by another name, a new one.
/// let today = Value::record([("years", Value::F64(0.0)), ("name", Value::from("")), ("tags", Value::list([]))]);
/// let today = Schema::of_message(&holdall::to_vec(&today)?)?;
///
/// let resolver = Resolver::new(today)
///     .alias(Field::of_record("years"), ["age"])
///     .default(Field::of_record("tags"), Value::list([]));
/// let user = resolver.read(&old)?;
/// assert_eq!(user["name"].as_str(), Some("Ada"));
/// assert_eq!(user["years"], Value::F64(36.0));
/// assert_eq!(user["tags"], Value::list([]));
/// # Ok::<(), holdall::Error>(())
/// ```
pub struct Resolver {
    reader: Schema,
    options: Options,
    plans: Cache<ResolverPlans>,
}

/// The maximum number of cached plans; the least recently used one is evicted.
const PLANS: usize = 64;
/// The maximum size of all cached plans. Size needs its own limit, because even small schemas can make many pairs of types.
const KEPT: usize = 1 << 20;
/// Plans larger than this are not cached.
const LARGEST_KEPT: usize = 1 << 16;

/// The cached plans, by the bytes of the writer's schema. Fingerprints could be forged.
#[derive(Default)]
struct ResolverPlans {
    known: HashMap<Box<[u8]>, (Arc<ResolutionPlan>, u64)>,
    clock: u64,
    /// The total size of all plans.
    size: usize,
}

impl ResolverPlans {
    fn get(&mut self, writer: &Schema) -> Option<Arc<ResolutionPlan>> {
        self.clock += 1;
        let (plan, used) = self.known.get_mut(writer.as_bytes())?;
        *used = self.clock;
        Some(Arc::clone(plan))
    }

    fn keep(&mut self, writer: &Schema, plan: &Arc<ResolutionPlan>) {
        if writer.as_bytes().len() > LARGEST_KEPT || plan.size() > KEPT {
            return;
        }
        // Another thread may have made the plan in the meantime.
        self.forget(writer.as_bytes());
        while self.known.len() >= PLANS || self.size + plan.size() > KEPT {
            let oldest = self.known.iter().min_by_key(|(_, (_, used))| *used);
            let Some(oldest) = oldest.map(|(bytes, _)| bytes.clone()) else { break };
            self.forget(&oldest);
        }
        self.size += plan.size();
        self.known.put(writer.as_bytes().into(), (Arc::clone(plan), self.clock));
    }

    fn forget(&mut self, writer: &[u8]) {
        if let Some((plan, _)) = self.known.remove(writer) {
            self.size -= plan.size();
        }
    }
}

impl Resolver {
    /// Creates a resolver that reads into values of this schema.
    #[must_use]
    pub fn new(reader: Schema) -> Resolver {
        Resolver { reader, options: Options::default(), plans: Cache::default() }
    }

    /// Adds other names of a field, which are tried in order if the data lacks its own name.
    #[must_use]
    pub fn alias<N: Into<Arc<str>>>(
        mut self,
        field: Field,
        names: impl IntoIterator<Item = N>,
    ) -> Resolver {
        self.options.fields.entry(field).or_default().put_each(names.into_iter().map(Into::into));
        self.changed()
    }

    /// Adds other names of a struct, for data that chooses among the structs of an unnamed union. Elsewhere, names of structs are
    /// not compared.
    #[must_use]
    pub fn struct_alias<N: Into<Arc<str>>>(
        mut self,
        name: impl Into<Arc<str>>,
        names: impl IntoIterator<Item = N>,
    ) -> Resolver {
        let aliases = self.options.structs.entry(name.into()).or_default();
        aliases.put_each(names.into_iter().map(Into::into));
        self.changed()
    }

    /// Adds other names of a named variant.
    #[must_use]
    pub fn variant_alias<N: Into<Arc<str>>>(
        mut self,
        name: impl Into<Arc<str>>,
        names: impl IntoIterator<Item = N>,
    ) -> Resolver {
        let aliases = self.options.variants.entry(name.into()).or_default();
        aliases.put_each(names.into_iter().map(Into::into));
        self.changed()
    }

    /// Sets the variant that replaces unknown ones. It applies to named unions of the reader that have a variant of this name with
    /// type null. The payloads of unknown variants are skipped.
    ///
    /// ```
    /// use holdall::{Encode, Resolver};
    ///
    /// #[derive(Encode)]
    /// enum Today {
    ///     Start,
    ///     Pause(u8),
    /// }
    ///
    /// #[derive(Encode)]
    /// enum Yesterday {
    ///     Start,
    ///     Unknown,
    /// }
    ///
    /// let resolver = Resolver::new(Yesterday::schema()?).other_variant("Unknown");
    /// let read = resolver.read(&holdall::to_vec(&Today::Pause(3))?)?;
    /// assert_eq!(holdall::to_vec(&read)?, b"\xC1\x10\x1C\x06\x1CUnknown\x01");
    /// # Ok::<(), holdall::Error>(())
    /// ```
    #[must_use]
    pub fn other_variant(mut self, name: impl Into<Arc<str>>) -> Resolver {
        self.options.others.put(name.into());
        self.changed()
    }

    /// Sets the annotations of types in the reader's schema.
    #[must_use]
    pub(crate) fn annotations(mut self, annotations: Annotations) -> Resolver {
        self.options.annotations = annotations;
        self.changed()
    }

    /// Sets the default for rows that lack a field, as a message. [`Resolver::plan`] returns its errors.
    pub(crate) fn default_message(mut self, field: Field, message: Result<Vec<u8>>) -> Resolver {
        self.options.defaults.retain(|(own, _)| *own != field);
        self.options.defaults.put((field, message));
        self.changed()
    }

    /// Makes a field take the type found in the data in place of the one in the reader's schema.
    #[must_use]
    pub fn open(mut self, field: Field) -> Resolver {
        self.options.open.put(field);
        self.changed()
    }

    /// Sets whether to round floats to the nearest of a narrower type. Otherwise a float that would change is an error.
    #[must_use]
    pub fn round_floats(mut self, round: bool) -> Resolver {
        self.options.round = round;
        self.changed()
    }

    /// Sets whether unknown fields in the data are an error. Otherwise they are skipped.
    #[must_use]
    pub fn deny_unknown_fields(mut self, deny: bool) -> Resolver {
        self.options.deny_unknown = deny;
        self.changed()
    }

    fn changed(mut self) -> Resolver {
        self.plans = Cache::default();
        self
    }

    /// Returns the reader's schema.
    #[must_use]
    pub fn reader(&self) -> &Schema {
        &self.reader
    }

    /// Returns how to read values of a schema. Caches the plans of the 64 most recently used schemas, unless they are too large.
    ///
    /// ```
    /// use holdall::{Resolver, Schema, Value};
    ///
    /// let schema = |value: Value| Schema::of_message(&holdall::to_vec(&value)?);
    /// let resolver = Resolver::new(schema(Value::record([("a", Value::U8(0))]))?);
    /// assert!(resolver.plan(&schema(Value::record([("a", Value::from(1))]))?).is_ok());
    ///
    /// let error = resolver.plan(&schema(Value::record([("a", Value::from("x"))]))?).unwrap_err();
    /// assert_eq!(error.to_string(), "incompatible in $.a: expected u8, got string (F-78: no line fits)");
    /// # Ok::<(), holdall::Error>(())
    /// ```
    ///
    /// # Errors
    /// `incompatible`, `missing_field` and `unknown_field` with the path in the schemas, both types and the
    /// [`rule`](crate::Error::rule), if no value can be read; `limit_sites` if the schemas have too many pairs of
    /// types; those of [`to_vec`](crate::to_vec) for a default.
    pub fn plan(&self, writer: &Schema) -> Result<Arc<ResolutionPlan>> {
        // A plan is cached completely or not at all.
        if let Some(plan) = self.plans.with(|plans| plans.get(writer)) {
            return Ok(plan);
        }
        let defaults = self.defaults()?;
        let mut schemas = vec![writer, &self.reader];
        schemas.put_each(&defaults.schemas);
        let pairs = Pairs::of(ReaderTypes::of(&schemas), &self.options)?;
        let plan = Arc::new(ResolutionPlan::new(pairs, defaults, (writer, &self.reader))?);
        self.plans.with(|plans| plans.keep(writer, &plan));
        Ok(plan)
    }

    /// Makes the defaults, as written and as read: they are read again for each plan, which takes 3 % of making it.
    fn defaults(&self) -> Result<Defaults> {
        let mut defaults = Defaults::default();
        for (_, message) in &self.options.defaults {
            let message = message.as_ref().map_err(Clone::clone)?;
            defaults.places.put(defaults.tape.begin_message());
            let mut messages = MessageReader::default();
            defaults.schemas.put(read_message(&mut messages, message, &mut defaults.tape)?);
        }
        // The plan's messages begin after the defaults.
        defaults.tape.begin_message();
        Ok(defaults)
    }
}

impl ResolutionPlan {
    /// Reads the block at the end of an input; `len` is the input's length.
    pub(crate) fn block(
        &self,
        limits: Limits,
        input: Input<'_>,
        len: usize,
        sink: &mut impl Sink,
    ) -> Result<()> {
        let block = read_block(self.writer(), input, 1, false)?;
        self.roots(limits, block, 1, len, sink, |_| Ok(()))
    }

    /// Reads the roots of a block into a sink, and calls a function after each. All of them share one budget, which the length of
    /// the input sets.
    pub(crate) fn roots<S: Sink>(
        &self,
        limits: Limits,
        block: Block<'_>,
        roots: u64,
        len: usize,
        sink: &mut S,
        mut after: impl FnMut(&mut S) -> Result<()>,
    ) -> Result<()> {
        let mut tape = self.prelude.clone();
        let mut places = vec![tape.entries.len()];
        assemble_each(self.writer(), block, roots, &mut tape, |tape| {
            places.put(tape.entries.len());
            Ok(())
        })?;
        places.pop();
        let mut budgets = [limits.budget_for(len), limits.budget_for(len)];
        for root in places {
            self.emit(&mut tape, root, &mut budgets, sink)?;
            after(sink)?;
        }
        Ok(())
    }

    fn emit(
        &self,
        tape: &mut Tape<'static>,
        root: usize,
        [discarded, to_sink]: &mut [Budget; 2],
        sink: &mut impl Sink,
    ) -> Result<()> {
        let mut shared = SharedValues::default();
        // A sink needs identities before the values they belong to, but only a complete pass shows which are needed. So the first
        // pass runs into a `NullSink`.
        if tape.has_identities() {
            let budget = core::mem::take(discarded);
            let sink = &mut NullSink;
            (shared, *discarded) = Converter::new(self, tape, sink, &shared, budget).run(root)?;
        }
        let budget = core::mem::take(to_sink);
        (_, *to_sink) = Converter::new(self, tape, sink, &shared, budget).run(root)?;
        Ok(())
    }
}
