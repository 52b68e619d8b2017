//! Values to columns: rows come in by handles or events, sites grow (spec, chapter 11).

mod events;
mod handles;
mod mappings;
mod open;
mod recycled;
mod roots;
mod shapes;
mod slots;
mod structs;
mod walk_path;

use std::collections::HashMap;
use std::mem::take;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use foldhash::quality::RandomState;

use super::RowId;
use super::records::RecordType;
use super::row_types::{Body, Kind, Label, RowType, RowTypeId};
use super::sites::{Site, SiteId};
use super::tensors::TensorRows;
use crate::error::{Code, Error, Result};
use crate::schema::names::Names;
use crate::schema::{LogicalType, Storage};

use recycled::Recycled;

pub use handles::{Container, Handle, ListHandle};
pub use shapes::RowShape;

/// From this depth on, and from this many sites on, each kind of row type is one for the whole message (F-51).
const GATHER_DEPTH: u8 = 32;
const GATHER_SITES: usize = 16_384;
/// A record has no more fields than this; a mapping that needs more goes to a map (F-49).
const FIELDS: usize = 256;
/// Tuples are types of their own up to this many items (F-52).
pub(crate) const TUPLE_ITEMS: usize = 8;

/// Takes one value, by handles or events, and keeps it as columns, finding its schema on the way.
///
/// It is a [`Sink`](crate::Sink); besides, [`Shredder::begin_mapping`] takes a mapping whose keys come as strings. Nothing
/// recurses: a value may be nested as deep as memory allows.
pub struct Shredder {
    mark: u64,
    pub(crate) sites: Vec<Site>,
    pub(crate) row_types: Vec<RowType>,
    /// The sites of tuples' items and of shapes' fields, each run in its order.
    pub(crate) members: Vec<SiteId>,
    gathered: HashMap<Kind, RowTypeId, RandomState>,
    structs: HashMap<Arc<str>, RowTypeId, RandomState>,
    pub(crate) labels: Vec<Label>,
    label_numbers: HashMap<Label, usize, RandomState>,
    /// The containers that events are in.
    stack: Vec<Handle>,
    latest: Option<Row>,
    /// What the record or struct had whose fields were all known last.
    latest_shape: Option<RowShape>,
    /// How many containers are open, on the stack or by a source's own handles.
    open: usize,
    /// The identities of the next value, as a reader emitted them, and the rows of earlier ones.
    identities: Vec<RowId>,
    identified: HashMap<RowId, Row, RandomState>,
    begun: bool,
    /// How many rows each row type had before this root, of those that it had then.
    before_root: Vec<usize>,
    /// An error was returned within a value, which can no longer be completed.
    failed: bool,
    /// Whether text is kept as a dictionary as soon as it repeats.
    uses_dictionaries: bool,
    /// Whether members without an order of their own come in canonical order.
    canonical: bool,
    /// The memory of what was forgotten.
    recycled: Recycled,
}

/// A row of a shredder: a value other than null and scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Row {
    row_type: RowTypeId,
    row: usize,
}

impl Default for Shredder {
    fn default() -> Self {
        let mut shredder = Shredder::without_root();
        shredder.sites.push(Site::new(None, 0, false));
        shredder
    }
}

impl Shredder {
    /// A shredder that has no site yet.
    fn without_root() -> Self {
        Shredder {
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
            recycled: Recycled::default(),
        }
    }
}

#[cold]
fn bad_source(expected: &'static str) -> Error {
    Error::new(Code::BadSource).expected(expected)
}

/// The marks that were given.
static MARKS: AtomicU64 = AtomicU64::new(1);

impl Shredder {
    /// An empty shredder.
    #[must_use]
    pub fn new() -> Self {
        Shredder::default()
    }

    /// Identifies the shredder that slots and shapes ([`RowShape`]) belong to, among all of the process. It changes when the
    /// shredder forgets its schema; until then, they are valid from value to value.
    #[must_use]
    pub fn mark(&self) -> u64 {
        self.mark
    }

    /// Forgets everything. The memory of what was small stays.
    pub(crate) fn forget(&mut self) {
        let (mut sites, mut row_types) = (take(&mut self.sites), take(&mut self.row_types));
        let (mut members, mut recycled) = (take(&mut self.members), take(&mut self.recycled));
        members.clear();
        recycled.take(&mut sites, &mut row_types);
        sites.push(recycled.site(None, 0, false));
        *self = Shredder { sites, row_types, members, recycled, ..Shredder::without_root() };
    }

    /// Whether text is kept as a dictionary as soon as it repeats, as most of it is written then (F-62).
    pub(crate) fn use_dictionaries(&mut self, uses_dictionaries: bool) {
        if self.uses_dictionaries != uses_dictionaries {
            self.uses_dictionaries = uses_dictionaries;
            self.sites.iter_mut().for_each(|site| site.uses_dictionaries = uses_dictionaries);
        }
    }

    /// Whether members of sets, and keys of maps, that have no order of their own are to come in that of the format (F-96), by
    /// [`Encoder::canonical`](crate::Encoder::canonical): that is up to a [`Source`](super::Source).
    #[must_use]
    pub fn is_canonical(&self) -> bool {
        self.canonical
    }

    pub(crate) fn set_canonical(&mut self, canonical: bool) {
        self.canonical = canonical;
    }

    /// Forgets the rows, keeps the schema found so far.
    pub(crate) fn clear(&mut self) {
        self.sites.iter_mut().for_each(Site::clear);
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

    /// How much of a schema there is: it only grows, so what has the same extent has not changed.
    pub(crate) fn extent(&self) -> usize {
        let of_sites: usize = self.sites.iter().map(Site::extent).sum();
        let of_row_types: usize = self.row_types.iter().map(RowType::extent).sum();
        of_sites + of_row_types
    }

    /// Whether a shredder that starts anew with the same value would come to the same sites and row types: then what was
    /// kept of the values before does not show.
    pub(crate) fn is_repeatable(&self) -> bool {
        self.is_complete()
            && self.sites.iter().all(Site::is_repeatable)
            && self.row_types.iter().all(RowType::is_repeatable)
    }

    /// Whether one whole value has come.
    pub(crate) fn is_complete(&self) -> bool {
        self.begun && self.stack.is_empty() && self.open == 0 && !self.failed
    }

    /// Adds where the walk is to an error; the value that is being walked is lost.
    fn located<T>(&mut self, result: Result<T>) -> Result<T> {
        result.map_err(|error| {
            self.failed = true;
            error.with_path(|| self.path(&self.stack))
        })
    }

    /// An error of a source in the value that would come now: with the path of that, if the error has none.
    ///
    /// The value is lost with it.
    #[cold]
    pub fn refuse(&mut self, error: Error) -> Error {
        // The step to the value is for the path; where none is due, the path is that of the container.
        let _ = self.slot();
        match self.located(Err::<(), _>(error)) {
            Ok(()) => bad_source("an error"),
            Err(error) => error,
        }
    }

    // Row types

    fn is_gathering(&self, site: SiteId) -> bool {
        if self.sites[site].is_storage {
            return false;
        }
        self.sites[site].depth >= GATHER_DEPTH || self.sites.len() >= GATHER_SITES
    }

    /// Room for so many more fields (F-49).
    fn has_room(&self, fields: usize, more: usize) -> bool {
        fields + more <= FIELDS && self.sites.len() + more <= GATHER_SITES
    }

    fn add_site(&mut self, owner: RowTypeId) -> SiteId {
        let home = &self.row_types[owner];
        let depth = match home.body {
            Body::Struct(..) => 0,
            _ if home.gathered => GATHER_DEPTH,
            _ => self.sites[home.home].depth + 1,
        };
        self.sites.push(self.recycled.site(Some(owner), depth, self.uses_dictionaries));
        self.sites.len() - 1
    }

    fn add_row_type(&mut self, home: SiteId, gathered: bool, kind: Kind) -> RowTypeId {
        let id = self.row_types.len();
        // Sites know their depth by the row type they are in, so it comes first.
        let users = self.recycled.users();
        self.row_types.push(RowType::new(home, gathered, Body::Undecided, users));
        self.row_types[id].body = match kind {
            Kind::List => {
                let lengths = self.recycled.lengths();
                Body::List { lengths, item: self.add_site(id) }
            }
            Kind::Tuple(len) => {
                let items: Vec<SiteId> = (0..len).map(|_| self.add_site(id)).collect();
                if let Some(Storage::Tuple(parts)) = self.storage(home) {
                    for (&item, part) in items.iter().zip(parts) {
                        self.sites[item].widens_to_int = matches!(part, Storage::Whole);
                    }
                }
                let first = self.members.len();
                self.members.extend(items);
                Body::Tuple { first, len }
            }
            Kind::Record => Body::Record(self.recycled.record()),
            Kind::Map => self.map_body(id),
            Kind::Undecided => Body::Undecided,
            Kind::Choice => {
                Body::Choice { which: Vec::new(), names: Names::default(), payloads: Vec::new() }
            }
            Kind::Array(len) => Body::Array { item: self.add_site(id), len },
            Kind::Labelled(label) => match self.labels[label] {
                Label::Tensor(ref dtype) => Body::Tensor(label, TensorRows::of(dtype)),
                Label::Extension(_) => Body::Wrapped(label, self.add_site(id)),
                Label::Logical(ref ty) => {
                    // Over any type, storage is like an extension's value: else it could nest deeper than readers take.
                    let of_kind = ty.storage();
                    let is_storage = !matches!(of_kind, Storage::Any);
                    let storage = self.add_site(id);
                    if is_storage {
                        self.sites[storage].is_storage = true;
                        self.sites[storage].widens_to_int = matches!(of_kind, Storage::Whole);
                        self.sites[storage].depth = self.sites[home].depth;
                    }
                    Body::Wrapped(label, storage)
                }
            },
        };
        id
    }

    fn map_body(&mut self, row_type: RowTypeId) -> Body {
        let (key, value) = (self.add_site(row_type), self.add_site(row_type));
        Body::Map { lengths: Vec::new(), key, value }
    }

    /// The kind of the row types with a label.
    fn labelled(&mut self, label: Label) -> Kind {
        // Most values have the label of the one before.
        if self.labels.last() == Some(&label) {
            return Kind::Labelled(self.labels.len() - 1);
        }
        let next = self.labels.len();
        let number = *self.label_numbers.entry(label.clone()).or_insert(next);
        if number == next {
            self.labels.push(label);
        }
        Kind::Labelled(number)
    }

    /// The kind of the row types of a logical type.
    #[inline]
    fn of_logical_type(&mut self, ty: &Arc<LogicalType>) -> Kind {
        match self.labels.last() {
            Some(Label::Logical(own)) if Arc::ptr_eq(own, ty) => {
                Kind::Labelled(self.labels.len() - 1)
            }
            _ => self.labelled(Label::Logical(Arc::clone(ty))),
        }
    }

    /// The kind of the row types of an extension.
    #[inline]
    fn of_extension(&mut self, name: &Arc<str>) -> Kind {
        match self.labels.last() {
            Some(Label::Extension(own)) if Arc::ptr_eq(own, name) => {
                Kind::Labelled(self.labels.len() - 1)
            }
            _ => self.labelled(Label::Extension(Arc::clone(name))),
        }
    }

    /// What a site must hold as the storage of a kind of F-72's table.
    fn storage(&self, site: SiteId) -> Option<Storage> {
        let owner = self.sites[site].owner.filter(|_| self.sites[site].is_storage)?;
        match &self.row_types[owner].body {
            Body::Wrapped(label, _) => match &self.labels[*label] {
                Label::Logical(ty) => Some(ty.storage()),
                _ => None,
            },
            _ => None,
        }
    }

    /// A row type becomes a variant of a site.
    fn adopt(&mut self, site: SiteId, row_type: RowTypeId) -> usize {
        let own = &mut self.row_types[row_type];
        let variant = self.sites[site].add_row_type(row_type, own.kind());
        own.users.push((site, variant));
        variant
    }

    /// The site's variant of a kind, made or gathered if it lacks one (F-47, F-51).
    fn variant(&mut self, site: SiteId, kind: Kind) -> (usize, RowTypeId) {
        if let Some(found) = self.sites[site].of_kind(kind) {
            return found;
        }
        let row_type = if self.is_gathering(site) {
            match self.gathered.get(&kind) {
                Some(row_type) => *row_type,
                None => {
                    let row_type = self.add_row_type(site, true, kind);
                    self.gathered.insert(kind, row_type);
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
                .extend(self.identities.drain(..).map(|own| (own, Row { row_type, row })));
        }
        row
    }

    /// The row begun last, which a source keeps for an object that may be shared.
    #[must_use]
    pub fn latest_row(&self) -> Option<Row> {
        self.latest
    }

    /// A value that came before, the same one, within itself too (F-65).
    ///
    /// # Errors
    /// `bad_source` for a row of another value, `unsupported_value` for a logical value or extension of nothing but itself.
    pub fn back_reference(&mut self, row: Row) -> Result<()> {
        let slot = self.slot()?;
        // Readers refuse it (F-64).
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
            Body::Record(record) | Body::Struct(_, record) => Some(record),
            _ => None,
        }
    }
}

#[cold]
fn duplicate(key: &str) -> Error {
    Error::new(Code::DuplicateKey).expected("keys that differ").got(format!("{key:?} again"))
}
