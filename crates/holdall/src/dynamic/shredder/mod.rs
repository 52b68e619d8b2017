//! Values to columns: rows arrive by handles or events, and sites grow (spec, chapter 11).

mod events;
mod handles;
mod mappings;
mod open;
mod recycled;
mod roots;
mod several;
mod shapes;
mod slots;
mod structs;
mod walk_path;

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::mem::take;
#[cfg(feature = "std")]
use core::sync::atomic::{AtomicU64, Ordering};

use foldhash::quality::RandomState;

use super::RowId;
use super::records::RecordType;
use super::row_types::{Label, RowBody, RowKind, RowType, RowTypeId};
use super::sites::{ShreddedSite, SiteId};
use crate::column::tensors::TensorRows;
use crate::error::{Code, Error, Result};
use crate::memory::{Collect, GrowMap, GrowVec};
use crate::platform::HashMap;
use crate::schema::names::Names;
use crate::schema::{LogicalType, Storage};

use recycled::Recycled;

pub use handles::{Container, Handle, ListHandle};
pub use mappings::is_data;
pub use shapes::RowShape;

/// From this depth or this number of sites on, the whole message shares one row type of each kind (F-51).
const GATHER_DEPTH: u8 = 32;
const GATHER_SITES: usize = 16_384;
/// The most fields of a record. A mapping that needs more becomes a map (F-49).
const FIELDS: usize = 256;
/// The number of labels that are searched before they are hashed.
const LATEST_LABELS: usize = 8;
/// A stream keeps no schema larger than this from one block to the next.
const LARGEST_EXTENT: usize = 1 << 16;
/// The most items of a tuple type (F-52).
pub(crate) const TUPLE_ITEMS: usize = 8;

/// Takes values by handles or events, stores them as columns, and infers their schema.
///
/// It is a [`Sink`](crate::events::Sink) and also accepts mappings whose keys arrive as strings ([`Shredder::begin_mapping`]). It never
/// recurses, so only memory limits how deep a value can nest.
pub struct Shredder {
    #[cfg(feature = "std")]
    mark: u64,
    pub(crate) sites: Vec<ShreddedSite>,
    pub(crate) row_types: Vec<RowType>,
    /// The sites of tuple items and shape fields, each run in order.
    pub(crate) members: Vec<SiteId>,
    gathered: HashMap<RowKind, RowTypeId, RandomState>,
    structs: HashMap<Arc<str>, RowTypeId, RandomState>,
    pub(crate) labels: Vec<Label>,
    label_numbers: HashMap<Label, usize, RandomState>,
    /// The open containers of the event walk.
    stack: Vec<Handle>,
    latest: Option<Row>,
    /// The shape of the last record or struct whose fields were all known.
    latest_shape: Option<RowShape>,
    /// How many containers are open, on the stack or as handles of a source.
    open: usize,
    /// The identities of the next value, as a reader emitted them, and the rows of earlier ones.
    identities: Vec<RowId>,
    identified: HashMap<RowId, Row, RandomState>,
    begun: bool,
    /// How many rows each row type had before this root, for the types that existed then.
    before_root: Vec<usize>,
    /// Whether an error was returned within a value, which can then not be completed.
    failed: bool,
    /// Whether to keep text as a dictionary once it repeats.
    uses_dictionaries: bool,
    /// Whether unordered members must arrive in canonical order.
    canonical: bool,
    /// Whether there may be rows of bytes that others hold, too.
    shares: bool,
    /// Memory from earlier values.
    recycled: Recycled,
}

/// A row of a shredder; everything but null and scalars has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Row {
    row_type: RowTypeId,
    row: usize,
}

impl Default for Shredder {
    fn default() -> Self {
        let mut shredder = Shredder::without_root();
        shredder.sites.put(ShreddedSite::new(None, 0, false));
        shredder
    }
}

impl Shredder {
    /// Makes a shredder that lacks the site of its root.
    fn without_root() -> Self {
        Shredder {
            #[cfg(feature = "std")]
            mark: MARKS.fetch_add(1, Ordering::Relaxed),
            sites: Vec::new(),
            row_types: Vec::new(),
            members: Vec::new(),
            gathered: HashMap::default(),
            structs: HashMap::default(),
            labels: Vec::new(),
            label_numbers: HashMap::default(),
            stack: Vec::new(),
            latest: None,
            latest_shape: None,
            open: 0,
            identities: Vec::new(),
            identified: HashMap::default(),
            begun: false,
            before_root: Vec::new(),
            failed: false,
            uses_dictionaries: false,
            canonical: false,
            shares: false,
            recycled: Recycled::default(),
        }
    }
}

#[cold]
fn bad_source(expected: &'static str) -> Error {
    Error::new(Code::BadSource).expected(expected)
}

/// The last mark that was assigned.
#[cfg(feature = "std")]
static MARKS: AtomicU64 = AtomicU64::new(1);

impl Shredder {
    /// Makes an empty shredder.
    #[must_use]
    pub fn new() -> Self {
        Shredder::default()
    }

    /// Identifies the shredder, within the process, to which slots and shapes ([`RowShape`]) belong. It changes when the shredder
    /// drops its schema; until then, slots and shapes stay valid from value to value.
    #[must_use]
    #[cfg(feature = "std")]
    pub fn mark(&self) -> u64 {
        self.mark
    }

    /// Drops everything except the memory of small sites and types.
    pub(crate) fn forget(&mut self) {
        let (mut sites, mut row_types) = (take(&mut self.sites), take(&mut self.row_types));
        let (mut members, mut recycled) = (take(&mut self.members), take(&mut self.recycled));
        members.clear();
        recycled.take(&mut sites, &mut row_types);
        sites.put(recycled.site(None, 0, false));
        *self = Shredder { sites, row_types, members, recycled, ..Shredder::without_root() };
    }

    /// Sets whether to keep text as a dictionary once it repeats, which is how most repeated text is written (F-62).
    pub(crate) fn use_dictionaries(&mut self, uses_dictionaries: bool) {
        if self.uses_dictionaries != uses_dictionaries {
            self.uses_dictionaries = uses_dictionaries;
            self.sites.iter_mut().for_each(|site| site.uses_dictionaries = uses_dictionaries);
        }
    }

    /// Whether unordered members of sets and keys of maps must arrive in canonical order (F-96), as
    /// [`Encoder::canonical`](crate::Encoder::canonical) requests. Ordering them is up to the [`Source`](super::Source).
    #[must_use]
    pub fn is_canonical(&self) -> bool {
        self.canonical
    }

    pub(crate) fn set_canonical(&mut self, canonical: bool) {
        self.canonical = canonical;
    }

    /// Drops the rows but keeps the inferred schema.
    pub(crate) fn clear(&mut self) {
        self.sites.iter_mut().for_each(ShreddedSite::clear);
        self.row_types.iter_mut().for_each(RowType::clear);
        self.stack.clear();
        self.latest = None;
        self.latest_shape = None;
        self.open = 0;
        self.identities.clear();
        self.identified.clear();
        self.begun = false;
        self.before_root.clear();
        self.failed = false;
    }

    /// Drops the rows of bytes that others hold, too.
    pub(crate) fn release_shared(&mut self) {
        if !take(&mut self.shares) {
            return;
        }
        for row_type in &mut self.row_types {
            if let RowBody::Tensor(_, rows) = &mut row_type.body {
                rows.clear();
            }
        }
    }

    /// Drops the rows but keeps the inferred schema, unless that is large: values of ever new shapes must not fill the memory.
    pub(crate) fn clear_rows(&mut self) {
        match self.extent() < LARGEST_EXTENT {
            true => self.clear(),
            false => self.forget(),
        }
    }

    /// Measures the inferred schema. It only grows, so an equal extent means an unchanged schema.
    pub(crate) fn extent(&self) -> usize {
        let of_sites: usize = self.sites.iter().map(ShreddedSite::extent).sum();
        let of_row_types: usize = self.row_types.iter().map(RowType::extent).sum();
        of_sites + of_row_types
    }

    /// Whether a fresh shredder would infer the same sites and row types from the same value. If so, what earlier values left does
    /// not affect the output.
    pub(crate) fn is_repeatable(&self) -> bool {
        self.is_complete()
            && self.sites.iter().all(ShreddedSite::is_repeatable)
            && self.row_types.iter().all(RowType::is_repeatable)
    }

    /// Whether one complete value has arrived.
    pub(crate) fn is_complete(&self) -> bool {
        self.begun && self.stack.is_empty() && self.open == 0 && !self.failed
    }

    /// Adds the current path to an error. The current value cannot be completed after it.
    fn located<T>(&mut self, result: Result<T>) -> Result<T> {
        result.map_err(|error| {
            self.failed = true;
            error.with_path(|| self.path(&self.stack))
        })
    }

    /// Returns an error of a source about the next value, with the path of that value if the error has none.
    ///
    /// The current root cannot be completed after it.
    #[cold]
    pub fn refuse(&mut self, error: Error) -> Error {
        // Advances the path to the value. If no value is due, the path is the container's.
        let _ = self.slot();
        match self.located(Err::<(), _>(error)) {
            Ok(()) => bad_source("an error"),
            Err(error) => error,
        }
    }

    // Row types

    /// Whether a site takes the row types that the whole message shares (F-51).
    fn is_gathering(&self, site: SiteId) -> bool {
        if self.sites[site].is_storage {
            return false;
        }
        self.sites[site].depth >= GATHER_DEPTH || self.sites.len() >= GATHER_SITES
    }

    /// Whether this many more fields fit (F-49).
    fn has_room(&self, fields: usize, more: usize) -> bool {
        fields + more <= FIELDS && self.sites.len() + more <= GATHER_SITES
    }

    fn add_site(&mut self, owner: RowTypeId) -> SiteId {
        let home = &self.row_types[owner];
        let depth = match home.body {
            RowBody::Struct(..) => 0,
            _ if home.gathered => GATHER_DEPTH,
            _ => self.sites[home.home].depth + 1,
        };
        self.sites.put(self.recycled.site(Some(owner), depth, self.uses_dictionaries));
        self.sites.len() - 1
    }

    fn add_row_type(&mut self, home: SiteId, gathered: bool, kind: RowKind) -> RowTypeId {
        let id = self.row_types.len();
        // Sites take their depth from the row type that contains them, so it comes first.
        let users = self.recycled.users();
        self.row_types.put(RowType::new(home, gathered, RowBody::Undecided, users));
        self.row_types[id].body = match kind {
            RowKind::List => {
                let lengths = self.recycled.lengths();
                RowBody::List { lengths, item: self.add_site(id) }
            }
            RowKind::Tuple(len) => {
                let items: Vec<SiteId> = (0..len).map(|_| self.add_site(id)).collected();
                if let Some(Storage::Tuple(parts)) = self.storage(home) {
                    for (&item, part) in items.iter().zip(parts) {
                        self.sites[item].widens_to_int = matches!(part, Storage::Whole);
                    }
                }
                let first = self.members.len();
                self.members.put_each(items);
                RowBody::Tuple { first, len }
            }
            RowKind::Record => RowBody::Record(self.recycled.record()),
            RowKind::Map => self.map_body(id),
            RowKind::Undecided => RowBody::Undecided,
            RowKind::NamedUnion => RowBody::NamedUnion {
                which: Vec::new(),
                names: Names::default(),
                payloads: Vec::new(),
            },
            RowKind::Array(len) => RowBody::Array { item: self.add_site(id), len },
            RowKind::Labelled(label) => match self.labels[label] {
                Label::Tensor(ref dtype) => RowBody::Tensor(label, TensorRows::of(dtype)),
                Label::Extension(_) => RowBody::Wrapped(label, self.add_site(id)),
                Label::Logical(ref ty) => {
                    // If any type is allowed as storage, treat it like the value of an extension. It could otherwise nest deeper
                    // than readers accept.
                    let of_kind = ty.storage();
                    let is_storage = !matches!(of_kind, Storage::Any);
                    let storage = self.add_site(id);
                    if is_storage {
                        self.sites[storage].is_storage = true;
                        self.sites[storage].widens_to_int = matches!(of_kind, Storage::Whole);
                        self.sites[storage].depth = self.sites[home].depth;
                    }
                    RowBody::Wrapped(label, storage)
                }
            },
        };
        id
    }

    fn map_body(&mut self, row_type: RowTypeId) -> RowBody {
        let (key, value) = (self.add_site(row_type), self.add_site(row_type));
        RowBody::Map { lengths: Vec::new(), key, value }
    }

    /// Returns the kind of the row types with a label.
    fn labelled(&mut self, label: Label) -> RowKind {
        // Most values have the label of the previous one.
        if self.labels.last() == Some(&label) {
            return RowKind::Labelled(self.labels.len() - 1);
        }
        let next = self.labels.len();
        let number = *self.label_numbers.entry(label.clone()).or_insert(next);
        if number == next {
            self.labels.put(label);
        }
        RowKind::Labelled(number)
    }

    /// Returns the kind of the row types of a logical type.
    #[inline]
    fn of_logical_type(&mut self, ty: &Arc<LogicalType>) -> RowKind {
        let is_it = |own: &Label| matches!(own, Label::Logical(own) if Arc::ptr_eq(own, ty));
        match self.latest_label(is_it) {
            Some(known) => known,
            None => self.labelled(Label::Logical(Arc::clone(ty))),
        }
    }

    /// Returns the kind of the row types of an extension.
    #[inline]
    fn of_extension(&mut self, name: &Arc<str>) -> RowKind {
        let is_it = |own: &Label| matches!(own, Label::Extension(own) if Arc::ptr_eq(own, name));
        match self.latest_label(is_it) {
            Some(known) => known,
            None => self.labelled(Label::Extension(Arc::clone(name))),
        }
    }

    /// Finds a label among the last ones, which costs less than hashing its text.
    #[inline]
    fn latest_label(&self, is_it: impl Fn(&Label) -> bool) -> Option<RowKind> {
        let first = self.labels.len().saturating_sub(LATEST_LABELS);
        let found = self.labels[first..].iter().rposition(is_it)?;
        Some(RowKind::Labelled(first + found))
    }

    /// Returns what a site must hold as storage, by the table of F-72.
    fn storage(&self, site: SiteId) -> Option<Storage> {
        let owner = self.sites[site].owner.filter(|_| self.sites[site].is_storage)?;
        match &self.row_types[owner].body {
            RowBody::Wrapped(label, _) => match &self.labels[*label] {
                Label::Logical(ty) => Some(ty.storage()),
                _ => None,
            },
            _ => None,
        }
    }

    /// Adds a row type as a variant of a site.
    fn adopt(&mut self, site: SiteId, row_type: RowTypeId) -> usize {
        let own = &mut self.row_types[row_type];
        let variant = self.sites[site].add_row_type(row_type, own.kind());
        own.users.put((site, variant));
        variant
    }

    /// Returns the site's variant of a kind. If there is none, uses the gathered row type or makes a new one (F-47, F-51).
    fn variant(&mut self, site: SiteId, kind: RowKind) -> (usize, RowTypeId) {
        if let Some(found) = self.sites[site].of_kind(kind) {
            return found;
        }
        let row_type = if self.is_gathering(site) {
            match self.gathered.get(&kind) {
                Some(row_type) => *row_type,
                None => {
                    let row_type = self.add_row_type(site, true, kind);
                    self.gathered.put(kind, row_type);
                    row_type
                }
            }
        } else {
            self.add_row_type(site, false, kind)
        };
        (self.adopt(site, row_type), row_type)
    }

    #[inline]
    fn begin_row(&mut self, site: SiteId, variant: usize, row_type: RowTypeId) -> usize {
        self.sites[site].row(variant);
        let row = self.row_types[row_type].begin();
        self.latest = Some(Row { row_type, row });
        if !self.identities.is_empty() {
            self.identified
                .put_each(self.identities.drain(..).map(|own| (own, Row { row_type, row })));
        }
        row
    }

    /// Returns the most recently begun row. A source keeps it for an object that may be shared.
    #[must_use]
    pub fn latest_row(&self) -> Option<Row> {
        self.latest
    }

    /// Refers to an earlier value. It is the same value, and may be one that contains this reference (F-65).
    ///
    /// # Errors
    /// `bad_source` for a row of another shredder or root, `unsupported_value` for a logical value or extension that is nothing but
    /// itself.
    pub fn back_reference(&mut self, row: Row) -> Result<()> {
        let slot = self.slot()?;
        // Readers reject such a value (F-64).
        let around = self.stack.iter().rev().map_while(|handle| match handle {
            Handle::Wrapped(wrapped) => Some(wrapped.row),
            _ => None,
        });
        if around.flatten().any(|own| own == row) {
            let error = Error::new(Code::UnsupportedValue)
                .expected("a value that is more than itself")
                .got("one of nothing but itself");
            return self.located(Err(error));
        }
        self.back_reference_at(slot, row)
    }

    #[inline]
    fn record_mut(&mut self, row_type: RowTypeId) -> Option<&mut RecordType> {
        match &mut self.row_types[row_type].body {
            RowBody::Record(record) | RowBody::Struct(_, record) => Some(record),
            _ => None,
        }
    }
}

#[cold]
fn duplicate(key: &str) -> Error {
    Error::new(Code::DuplicateKey).expected("each key once").got(format!("{key:?} twice"))
}
