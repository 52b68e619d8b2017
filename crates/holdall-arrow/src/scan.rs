//! Rows as record batches, one for each block.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, RecordBatchReader};
use arrow_schema::{ArrowError, Field, FieldRef, Schema, SchemaRef};
use holdall::view::{Extent, SomeRows, ViewSite};
use holdall::{Code, Error, Result, Value, ValueBuilder, View};

use crate::fault::{of_arrow, to_arrow, unmappable};
use crate::memory::{InMemory, Memory};
use crate::merge::{adapt, merge, nulls};
use crate::parallel;
use crate::rows::{Options, RowPath, column_name, missing, with_builder};
use crate::unmappable::OnUnmappable;

/// Reads the rows at a place of a view as record batches.
///
/// The rows are the items of a list, the values of a stream, or the values of any other place. A record's fields are
/// the columns.
#[derive(Clone)]
pub struct Scan {
    view: Arc<View<'static>>,
    site: usize,
    rows: Range<u64>,
    options: Options,
    schema: OnceLock<SchemaRef>,
}

impl fmt::Debug for Scan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scan")
            .field("site", &self.site)
            .field("rows", &self.rows)
            .finish_non_exhaustive()
    }
}

impl Scan {
    /// All columns and rows of a view's root.
    #[must_use]
    pub fn new(view: Arc<View<'static>>) -> Scan {
        let memory = view
            .bytes()
            .is_some()
            .then(|| Arc::new(InMemory(Arc::clone(&view))) as Arc<dyn Memory>);
        let options = Options { memory, ..Options::default() };
        Scan { view, site: 0, rows: 0..u64::MAX, options, schema: OnceLock::new() }
    }

    /// Reads the rows of another place, by its [number](ViewSite::number).
    #[must_use]
    pub fn at(mut self, site: usize) -> Scan {
        (self.site, self.schema) = (site, OnceLock::new());
        self
    }

    /// Reads these columns only, in this order.
    #[must_use]
    pub fn columns<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Scan {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        // A schema that was read already has theirs.
        let known = self.schema.get().and_then(|schema| {
            let places: Result<Vec<usize>, _> =
                names.iter().map(|name| schema.index_of(name)).collect();
            schema.project(&places.ok()?).ok()
        });
        self.schema = known.map_or_else(OnceLock::new, |schema| OnceLock::from(Arc::new(schema)));
        self.options.columns = Some(names);
        self
    }

    /// Reads these rows only.
    #[must_use]
    pub fn rows(mut self, rows: Range<u64>) -> Scan {
        self.rows = rows;
        self
    }

    /// Sets how a scan treats columns that have no Arrow type. By default they are errors.
    #[must_use]
    pub fn on_unmappable(mut self, on_unmappable: OnUnmappable) -> Scan {
        (self.options.on_unmappable, self.schema) = (on_unmappable, OnceLock::new());
        self
    }

    /// Uses parts of the view's bytes in place, such as those of a memory map.
    #[must_use]
    pub fn memory(mut self, memory: Arc<dyn Memory>) -> Scan {
        self.options.memory = Some(memory);
        self
    }

    fn site(&self) -> Result<ViewSite<'_>> {
        self.view.numbered(self.site).ok_or_else(|| missing("a site", String::new()))
    }

    /// Returns the schema of the batches. Reads the heads of all blocks, and of their columns those from whose values
    /// the type follows.
    ///
    /// # Errors
    /// `unsupported` if a column has no Arrow type; `missing_field` if there is no column of a name; the faults of what
    /// is read.
    pub fn schema(&self) -> Result<SchemaRef> {
        if let Some(schema) = self.schema.get() {
            return Ok(Arc::clone(schema));
        }
        let (mut announced, count) = (0, self.view.block_count());
        while announced < count {
            announced = self.announce(announced..count, Extent::Beginnings)?;
        }
        let blocks = parallel::map(self.view.block_count(), |number| self.block_fields(number))?;
        let mut fields: Vec<Field> = Vec::new();
        for (number, block) in blocks.iter().enumerate() {
            for field in block {
                match fields.iter_mut().find(|own| own.name() == field.name()) {
                    Some(own) => *own = self.merged(own, field)?,
                    None => fields
                        .push((**field).clone().with_nullable(field.is_nullable() || number > 0)),
                }
            }
            for own in
                fields.iter_mut().filter(|own| block.iter().all(|field| field.name() != own.name()))
            {
                *own = own.clone().with_nullable(true);
            }
        }
        fields.retain(|field| OnUnmappable::of(field) != Some(OnUnmappable::Drop));
        if let Some(names) = &self.options.columns {
            let path = || self.site().map_or_else(|_| String::new(), ViewSite::path);
            let named = names.iter().map(|name| {
                let found = fields.iter().find(|field| field.name() == name);
                found.cloned().ok_or_else(|| missing(name, path()))
            });
            fields = named.collect::<Result<_>>()?;
        }
        let metadata = self.view.metadata().iter();
        let metadata: HashMap<String, String> =
            metadata.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
        let schema = Arc::new(Schema::new_with_metadata(fields, metadata));
        Ok(Arc::clone(self.schema.get_or_init(|| schema)))
    }

    /// The field of a column that has these fields in two blocks.
    fn merged(&self, one: &Field, other: &Field) -> Result<Field> {
        let is_unmappable = |field: &&Field| OnUnmappable::of(field).is_some();
        if let Some(own) = [one, other].into_iter().find(is_unmappable) {
            return Ok(own.clone());
        }
        match merge(one, other, "$") {
            Err(error) if error.code() == Code::Unsupported => {
                let found = self.options.on_unmappable.found(error)?;
                Ok((*found.into_field(one.name())).clone())
            }
            merged => merged,
        }
    }

    /// Announces the columns of some blocks. Returns the block after them.
    fn announce(&self, blocks: Range<usize>, extent: Extent) -> Result<usize> {
        let site = self.site()?;
        self.view.announce(blocks, extent, |block| match RowPath::of(&self.view, site, block)? {
            Some(path) => {
                with_builder(block, None, |builder| Ok(builder.columns_of(&path, &self.options)))
            }
            None => Ok(Vec::new()),
        })
    }

    fn block_fields(&self, number: usize) -> Result<Vec<FieldRef>> {
        let (site, block) = (self.site()?, self.view.block(number)?);
        let Some(path) = RowPath::of(&self.view, site, &block)? else { return Ok(Vec::new()) };
        with_builder(&block, None, |builder| {
            let (_, members) = builder.columns(&path, &column_name(site), &self.options)?;
            Ok(members.into_iter().map(|member| member.field).collect())
        })
    }

    /// Returns the batches: one for each block.
    ///
    /// # Errors
    /// As [`Scan::schema`].
    pub fn batches(&self) -> Result<Batches> {
        let ((next, before), end) = (self.first_block(), self.end_block());
        // Before the schema, which is found in the same columns.
        let announced = self.announce(next..end, Extent::All)?;
        let (schema, scan, ready) = (self.schema()?, self.clone(), VecDeque::new());
        Ok(Batches { scan, schema, announced, next, end, before, ready, failed: false })
    }

    /// The first block with wanted rows, and the number of rows before it. Other blocks are not read.
    fn first_block(&self) -> (usize, u64) {
        if !self.view.is_stream() || self.site != 0 {
            return (0, 0);
        }
        let blocks = 1..self.view.block_count();
        let before = |block: usize| self.view.first_value(block) <= self.rows.start;
        let first = blocks.take_while(|block| before(*block)).last().unwrap_or(0);
        (first, if first == 0 { 0 } else { self.view.first_value(first) })
    }

    /// The block after the last one with wanted rows.
    fn end_block(&self) -> usize {
        let count = self.view.block_count();
        if !self.view.is_stream() || self.site != 0 {
            return count;
        }
        (0..count).take_while(|block| self.view.first_value(*block) < self.rows.end).count()
    }

    /// Returns all rows of the only column as one array.
    ///
    /// # Errors
    /// As [`Scan::schema`], and the faults of the column.
    pub fn array(&self) -> Result<(FieldRef, ArrayRef)> {
        let schema = self.schema()?;
        let mut scan = self.clone();
        if self.view.block_count() > 1 {
            // The batches are copied into one, and a mapped file must not be read here.
            scan.options.memory = None;
        }
        let batches: Result<Vec<RecordBatch>, ArrowError> = scan.batches()?.collect();
        let batches = batches.map_err(|error| of_arrow(&error))?;
        let all = arrow_select::concat::concat_batches(&schema, &batches)
            .map_err(|error| of_arrow(&error))?;
        if schema.fields().len() == 1 && self.is_column()? {
            return Ok((Arc::clone(&schema.fields()[0]), Arc::clone(all.column(0))));
        }
        let rows = arrow_array::StructArray::from(all);
        let field = Field::new_struct("", schema.fields().clone(), false);
        Ok((Arc::new(field), Arc::new(rows)))
    }

    /// Whether the place has values that are no records.
    fn is_column(&self) -> Result<bool> {
        let schema = self.schema()?;
        let site = self.site()?;
        Ok(site.names().is_empty() && schema.field(0).name() == &column_name(site))
    }

    /// The rows of a block as values, for columns that have no Arrow type.
    fn values(&self, block: usize, rows: Range<u64>) -> Result<Vec<Value>> {
        if self.view.is_stream() && self.site == 0 {
            return self.view.block_values(block);
        }
        let site = self.site()?;
        if site.len()?.is_none() {
            let got = "a column without a type, inside of other rows";
            return Err(unmappable(got, || site.path()));
        }
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let some = SomeRows { first: rows.start, count: rows.end - rows.start, step: 1 };
        let mut builder = ValueBuilder::new();
        site.emit_rows(some, &mut builder)?;
        match builder.finish()? {
            Value::List(values) => Ok(values.into_vec()),
            other => Ok(vec![other]),
        }
    }

    /// Makes the batches of some blocks. There are `before` rows before them.
    fn read(
        &self,
        schema: &SchemaRef,
        blocks: Range<usize>,
        before: u64,
    ) -> Result<Vec<RecordBatch>> {
        let first = blocks.start;
        let site = self.site()?;
        let memory = self.options.memory.as_deref();
        let name = column_name(site);
        let opened = blocks.map(|number| {
            let block = self.view.block(number)?;
            let Some(path) = RowPath::of(&self.view, site, &block)? else {
                return Ok((block, 0, Vec::new()));
            };
            let (len, members) = with_builder(&block, memory, |builder| {
                builder.columns(&path, &name, &self.options)
            })?;
            Ok((block, len, members))
        });
        let opened: Vec<_> = opened.collect::<Result<_>>()?;
        let width = schema.fields().len();
        let mut starts = vec![before];
        for (_, len, _) in &opened {
            starts.push(starts[starts.len() - 1] + *len as u64);
        }
        let is_unmappable = |field: &FieldRef| OnUnmappable::of(field).is_some();
        let needs_values = schema.fields().iter().any(is_unmappable);
        let values = parallel::map(if needs_values { opened.len() } else { 0 }, |block| {
            self.values(first + block, starts[block]..starts[block + 1])
        })?;
        let columns = parallel::map(opened.len() * width, |task| {
            let ((block, len, members), field) =
                (&opened[task / width], schema.field(task % width));
            let charge = |bytes| block.charge_absent(0, bytes);
            let Some(own) = members.iter().find(|own| own.field.name() == field.name()) else {
                return nulls(field.data_type(), *len, &charge);
            };
            if let Some(how) = OnUnmappable::of(field) {
                let cell =
                    |row| if own.is_row { Some(row) } else { Value::field(row, field.name()) };
                return how.array(values[task / width].iter().map(cell));
            }
            with_builder(block, memory, |builder| {
                adapt(&builder.build(own.id, &own.field, &own.mask)?, field, &charge)
            })
        })?;
        let mut columns = columns.into_iter();
        let batches = opened.iter().map(|(_, len, _)| {
            let own = columns.by_ref().take(width).collect();
            let options = RecordBatchOptions::new().with_row_count(Some(*len));
            RecordBatch::try_new_with_options(Arc::clone(schema), own, &options)
                .map_err(|error| of_arrow(&error))
        });
        batches.collect()
    }
}

/// The batches of a scan, each made when it is asked for, and with it as many as there are cores.
pub struct Batches {
    scan: Scan,
    schema: SchemaRef,
    /// The block after those that were announced.
    announced: usize,
    next: usize,
    /// The block after the last one with wanted rows.
    end: usize,
    /// The number of rows in the batches before.
    before: u64,
    ready: VecDeque<RecordBatch>,
    failed: bool,
}

/// Blocks are read together up to this many rows, because to start threads takes as long as to decode thousands of numbers.
const TOGETHER: u64 = 1 << 17;

impl Batches {
    /// The block after those that are read together: at least as many as there are cores.
    fn run_end(&self) -> usize {
        let (view, next) = (&self.scan.view, self.next);
        let first = |block: usize| view.first_value(block);
        let is_near = |block: &usize| {
            *block < next + parallel::cores() || first(*block) - first(next) < TOGETHER
        };
        next + (next..self.end).take_while(is_near).count()
    }

    fn advance(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(batch) = self.ready.pop_front() {
                let (wanted, len) = (&self.scan.rows, batch.num_rows() as u64);
                let start = wanted.start.clamp(self.before, self.before + len) - self.before;
                let end = wanted.end.clamp(self.before, self.before + len) - self.before;
                self.before += len;
                if end > start || (len == 0 && self.scan.view.block_count() == 1) {
                    return Ok(Some(batch.slice(start as usize, (end - start) as usize)));
                }
                continue;
            }
            if self.next >= self.end || self.before >= self.scan.rows.end {
                return Ok(None);
            }
            if self.next >= self.announced {
                self.announced = self.scan.announce(self.next..self.end, Extent::All)?;
            }
            let end = self.run_end();
            self.ready = self.scan.read(&self.schema, self.next..end, self.before)?.into();
            self.next = end;
        }
    }
}

impl Iterator for Batches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let batch: Result<Option<RecordBatch>, Error> = self.advance();
        self.failed = batch.is_err();
        batch.map_err(to_arrow).transpose()
    }
}

impl RecordBatchReader for Batches {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}
