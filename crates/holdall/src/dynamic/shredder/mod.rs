//! Values to columns: events come in, sites grow (spec, chapter 11).

mod again;
mod events;
mod mappings;
mod places;
mod roots;
mod structs;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use foldhash::quality::RandomState;

use super::RowId;
use super::records::RecordType;
use super::sites::{Body, Kind, Label, RowType, RowTypeId, Site, SiteId, Variant};
use super::tensors::TensorRows;
use crate::error::{Code, Error, Result};
use crate::number::IntKind;
use crate::schema::names::Names;
use crate::schema::path;
use crate::schema::{LogicalType, Scalar, Storage};

pub use again::RowShape;
pub use places::{Open, OpenList, OpenMap, OpenRow, Opened};

/// From this depth on, and from this many sites on, each kind of row type is one for the whole message (F-51).
const GATHER_DEPTH: u8 = 32;
const GATHER_SITES: usize = 16_384;
/// A record has no more fields than this; a mapping that needs more goes to a map (F-49).
const FIELDS: usize = 256;
/// Tuples are types of their own up to this many items (F-52).
pub(crate) const TUPLE_ITEMS: usize = 8;

/// Takes one value as events and keeps it as columns, finding its schema on the way.
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
    stack: Vec<Frame>,
    latest: Option<Row>,
    /// What the record or struct had whose fields were all known last.
    latest_shape: Option<RowShape>,
    /// How many containers sources keep open themselves.
    opened: usize,
    /// The identities of the value that comes now, as a reader told them, and the rows of those before.
    told: Vec<RowId>,
    known: HashMap<RowId, Row, RandomState>,
    begun: bool,
    /// How many rows each row type had before this root, of those that it had then.
    before_root: Vec<usize>,
    /// An error was answered within a value; it will not become whole, whatever comes.
    failed: bool,
    /// Whether text is kept by its entries as soon as it repeats.
    by_entries: bool,
    /// Whether members without an order of their own are told in canonical order.
    canonical: bool,
}

/// A value other than null and scalars among those that a shredder was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Row {
    row_type: RowTypeId,
    row: usize,
}

/// A container that is begun and not ended.
enum Frame {
    List {
        row_type: RowTypeId,
        row: usize,
        item: SiteId,
        len: u64,
    },
    /// A tuple's or record's next member.
    Members {
        next: usize,
        first: usize,
        end: usize,
    },
    Map {
        row_type: RowTypeId,
        row: usize,
        key: SiteId,
        value: SiteId,
        len: u64,
        on_value: bool,
    },
    KeyedMap(KeyedMap),
    Struct {
        row_type: RowTypeId,
        row: usize,
        state: u32,
        site: Option<SiteId>,
        keys: Option<(Arc<[Arc<str>]>, usize)>,
    },
    Choice {
        site: SiteId,
        payload: Option<SiteId>,
    },
    Array {
        item: SiteId,
        len: usize,
        left: usize,
    },
    /// A logical value or extension: its row, and what is inside if that is still to come.
    Wrapped {
        row: Option<Row>,
        inside: Option<SiteId>,
    },
    /// The place of the next value, which is in what stands before. It is gone when that is taken.
    Given(SiteId),
}

/// A mapping that is stored as a map: the keys were told at its start.
struct KeyedMap {
    row_type: RowTypeId,
    row: usize,
    key: SiteId,
    value: SiteId,
    len: u64,
    keys: std::vec::IntoIter<Box<str>>,
}

impl KeyedMap {
    /// Tells the next key; answers the site of its value.
    fn next(&mut self, sites: &mut [Site]) -> Result<SiteId> {
        let text = self.keys.next().ok_or_else(|| bad_source("one value for each key"))?;
        self.len += 1;
        // What identities were told are the value's.
        sites[self.key].text(Scalar::String, text.as_bytes());
        Ok(self.value)
    }
}

impl Default for Shredder {
    fn default() -> Self {
        Shredder {
            mark: MARKS.fetch_add(1, Ordering::Relaxed),
            sites: vec![Site::new(None, 0, false)],
            row_types: Vec::new(),
            members: Vec::new(),
            gathered: HashMap::default(),
            structs: HashMap::default(),
            labels: Vec::new(),
            label_numbers: HashMap::default(),
            stack: Vec::new(),
            latest: None,
            latest_shape: None,
            opened: 0,
            told: Vec::new(),
            known: HashMap::default(),
            begun: false,
            before_root: Vec::new(),
            failed: false,
            by_entries: false,
            canonical: false,
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

    /// A number that says what places and shapes ([`RowShape`]) belong to: no other shredder of the process has it, and this one gets
    /// another when it forgets what it found. They hold from value to value as long as it is the same.
    #[must_use]
    pub fn mark(&self) -> u64 {
        self.mark
    }

    /// Forgets everything.
    pub(crate) fn forget(&mut self) {
        *self = Shredder::default();
    }

    /// Whether text is kept by its entries as soon as it repeats, as most of it is written then (F-62).
    pub(crate) fn text_by_entries(&mut self, by_entries: bool) {
        if self.by_entries != by_entries {
            self.by_entries = by_entries;
            self.sites.iter_mut().for_each(|site| site.by_entries = by_entries);
        }
    }

    /// Whether members of sets, and keys of maps, that have no order of their own are to be told in that of the format (F-96), by
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
        self.opened = 0;
        self.told.clear();
        self.known.clear();
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

    /// Whether a shredder that starts anew with the value told would come to the same sites and row types: then what was
    /// kept of the values before does not show.
    pub(crate) fn is_repeatable(&self) -> bool {
        self.is_complete()
            && self.sites.iter().all(Site::is_repeatable)
            && self.row_types.iter().all(RowType::is_repeatable)
    }

    /// Whether one whole value has been told.
    pub(crate) fn is_complete(&self) -> bool {
        self.begun && self.stack.is_empty() && self.opened == 0 && !self.failed
    }

    /// The site of the value that comes now.
    #[inline]
    fn target(&mut self) -> Result<SiteId> {
        match self.stack.last_mut() {
            Some(Frame::List { item, len, .. }) => {
                *len += 1;
                Ok(*item)
            }
            Some(Frame::Members { next, end, .. }) if *next < *end => {
                *next += 1;
                Ok(self.members[*next - 1])
            }
            _ => self.target_elsewhere(),
        }
    }

    fn target_elsewhere(&mut self) -> Result<SiteId> {
        let Some(frame) = self.stack.last_mut() else {
            if std::mem::replace(&mut self.begun, true) {
                return Err(bad_source("one value"));
            }
            return Ok(0);
        };
        match frame {
            Frame::Map { key, value, len, on_value, .. } => {
                *on_value = !*on_value;
                if *on_value {
                    *len += 1;
                    return Ok(*key);
                }
                Ok(*value)
            }
            Frame::KeyedMap(map) => map.next(&mut self.sites),
            Frame::Struct { site, keys, .. } => {
                if let Some(site) = site.take() {
                    return Ok(site);
                }
                let Some((names, next)) = keys else {
                    return Err(bad_source("a field before its value"));
                };
                let Some(name) = names.get(*next).cloned() else {
                    return Err(bad_source("one value for each field"));
                };
                *next += 1;
                self.step_into(&name)
            }
            Frame::Choice { payload, .. } => {
                payload.take().ok_or_else(|| bad_source("one payload"))
            }
            Frame::Array { item, left, .. } if *left > 0 => {
                *left -= 1;
                Ok(*item)
            }
            Frame::Wrapped { inside, .. } => {
                inside.take().ok_or_else(|| bad_source("one value inside"))
            }
            &mut Frame::Given(place) => {
                self.stack.pop();
                Ok(place)
            }
            Frame::List { .. } | Frame::Members { .. } | Frame::Array { .. } => {
                Err(bad_source("one value for each key or item"))
            }
        }
    }

    /// Adds where the walk is to an error; the value that is being told is lost.
    fn located<T>(&mut self, result: Result<T>) -> Result<T> {
        result.map_err(|error| {
            self.failed = true;
            error.with_path(|| self.path(&self.stack))
        })
    }

    /// An error of a source in the value that would come now: with the path of that, if the error has none.
    ///
    /// The value told is lost with it.
    #[cold]
    pub fn refuse(&mut self, error: Error) -> Error {
        // The step to the value is for the path; where none is due, the path is that of the container.
        let _ = self.target();
        match self.located(Err::<(), _>(error)) {
            Ok(()) => bad_source("an error"),
            Err(error) => error,
        }
    }

    #[inline]
    fn scalar(&mut self, scalar: Scalar) -> Result<&mut Variant> {
        Ok(self.scalar_site()?.scalar(scalar, 1))
    }

    /// Where the scalar to come goes. It has no identity.
    #[inline]
    fn scalar_site(&mut self) -> Result<&mut Site> {
        let site = self.target()?;
        self.told.clear();
        Ok(&mut self.sites[site])
    }

    #[inline]
    fn push_int(&mut self, kind: IntKind, bits: u64) -> Result<()> {
        let site = self.target()?;
        self.push_int_at(site, kind, bits);
        Ok(())
    }

    fn push_int_at(&mut self, site: SiteId, kind: IntKind, bits: u64) {
        self.told.clear();
        self.sites[site].int(kind, bits);
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
        self.sites.push(Site::new(Some(owner), depth, self.by_entries));
        self.sites.len() - 1
    }

    fn add_row_type(&mut self, home: SiteId, gathered: bool, kind: Kind) -> RowTypeId {
        let id = self.row_types.len();
        // Sites know their depth by the row type they are in, so it comes first.
        let body = Body::Undecided;
        self.row_types.push(RowType {
            home,
            gathered,
            users: Vec::new(),
            referenced: false,
            rows: 0,
            body,
        });
        self.row_types[id].body = match kind {
            Kind::List => Body::List { lengths: Vec::new(), item: self.add_site(id) },
            Kind::Tuple(len) => {
                let items: Vec<SiteId> = (0..len).map(|_| self.add_site(id)).collect();
                if let Some(Storage::Tuple(parts)) = self.storage(home) {
                    for (&item, part) in items.iter().zip(parts) {
                        self.sites[item].is_whole = matches!(part, Storage::Whole);
                    }
                }
                let first = self.members.len();
                self.members.extend(items);
                Body::Tuple { first, len }
            }
            Kind::Record => Body::Record(RecordType::new()),
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
                        self.sites[storage].is_whole = matches!(of_kind, Storage::Whole);
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

    /// Begins a row of a logical type or extension; answers the site of what is inside.
    fn begin_wrapped(&mut self, site: SiteId, kind: Kind) -> Result<SiteId> {
        let (variant, row_type) = self.variant(site, kind);
        self.begin_row(site, variant, row_type);
        match self.row_types[row_type].body {
            Body::Wrapped(_, inside) => Ok(inside),
            _ => Err(bad_source("a logical type or extension")),
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
        if !self.told.is_empty() {
            self.known.extend(self.told.drain(..).map(|told| (told, Row { row_type, row })));
        }
        row
    }

    /// The row begun last: what a source remembers of an object that may come again.
    #[must_use]
    pub fn latest_row(&self) -> Option<Row> {
        self.latest
    }

    /// A value that came before, the same one, within itself too (F-65).
    ///
    /// # Errors
    /// `bad_source` for a row of another value, `unsupported_value` for a logical value or extension of nothing but itself.
    pub fn row_again(&mut self, again: Row) -> Result<()> {
        let site = self.target()?;
        // Readers refuse it (F-64).
        let around = self.stack.iter().rev().map_while(|frame| match frame {
            Frame::Wrapped { row, .. } => Some(*row),
            _ => None,
        });
        if around.flatten().any(|own| own == again) {
            let error = Error::new(Code::UnsupportedValue)
                .expected("a value that is more than itself")
                .got("one of nothing but itself");
            return self.located(Err(error));
        }
        let told = self.tell_again(site, again);
        self.located(told)
    }

    fn tell_again(&mut self, site: SiteId, again: Row) -> Result<()> {
        let Row { row_type, row } = again;
        let first = self.before_root.get(row_type).copied().unwrap_or(0);
        if row < first || self.row_types.get(row_type).is_none_or(|own| row >= own.rows) {
            return Err(bad_source("a row of this value"));
        }
        let known = self.sites[site].of_row_type(row_type);
        let variant = known.unwrap_or_else(|| self.adopt(site, row_type));
        self.row_types[row_type].referenced = true;
        self.sites[site].row_again(variant, row);
        Ok(())
    }

    #[inline]
    fn record_mut(&mut self, row_type: RowTypeId) -> Option<&mut RecordType> {
        match &mut self.row_types[row_type].body {
            Body::Record(record) | Body::Struct(_, record) => Some(record),
            _ => None,
        }
    }

    /// Where the walk is: `$.users[3].name`.
    #[cold]
    fn path(&self, frames: &[Frame]) -> String {
        let mut text = "$".to_owned();
        for frame in frames {
            match frame {
                Frame::List { len, .. } => text += &format!("[{}]", len.saturating_sub(1)),
                Frame::Members { next, first, .. } => {
                    let name = next.checked_sub(1).filter(|at| at >= first).and_then(|at| {
                        let site = self.members[at];
                        match &self.row_types[self.sites[site].owner?].body {
                            Body::Record(record) | Body::Struct(_, record) => {
                                let field = record.sites().iter().position(|own| *own == site)?;
                                Some(path::field(&record.names()[field]))
                            }
                            _ => Some(format!("[{}]", at - first)),
                        }
                    });
                    text += &name.unwrap_or_default();
                }
                Frame::Map { len, on_value: true, .. } => {
                    text += &format!("[{}].key", len.saturating_sub(1));
                }
                Frame::Map { len, .. } | Frame::KeyedMap(KeyedMap { len, .. }) => {
                    text += &format!("[{}]", len.saturating_sub(1));
                }
                Frame::Struct { row_type, state, .. } => {
                    if let Body::Struct(_, record) = &self.row_types[*row_type].body
                        && let Some(name) = record.last_name(*state)
                    {
                        text += &path::field(name);
                    }
                }
                Frame::Array { len, left, .. } => {
                    text += &format!("[{}]", (len - left).saturating_sub(1));
                }
                Frame::Wrapped { .. } | Frame::Given(_) => {}
                Frame::Choice { site, .. } => {
                    let owner = self.sites[*site].owner.map(|owner| &self.row_types[owner].body);
                    if let Some(Body::Choice { names, payloads, .. }) = owner
                        && let Some(number) = payloads.iter().position(|own| own == site)
                    {
                        text += &path::variant(&names.as_slice()[number]);
                    }
                }
            }
        }
        text
    }
}

#[cold]
fn duplicate(key: &str) -> Error {
    Error::new(Code::DuplicateKey).expected("keys that differ").got(format!("{key:?} again"))
}
