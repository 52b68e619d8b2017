//! Objects of named types: one type per message for each name, fields as they come (F-47, F-53).

use std::sync::Arc;

use super::{FIELDS, Frame, Shredder, bad_source, duplicate};
use crate::dynamic::records::{RecordType, START};
use crate::dynamic::sites::{Body, RowType, RowTypeId, SiteId};
use crate::error::{Code, Error, Result};
use crate::schema::path;

impl Shredder {
    /// Begins an object of a named type; [`Shredder::field_of_struct`] goes before each value, [`Sink::end`](crate::Sink::end) after the last.
    ///
    /// # Errors
    /// `bad_source` if no value is due here.
    pub fn begin_open_struct(&mut self, name: &Arc<str>) -> Result<()> {
        let site = self.target()?;
        let row_type = match self.structs.get(name) {
            Some(row_type) => *row_type,
            None => {
                let row_type = self.row_types.len();
                let body = Body::Struct(Arc::clone(name), RecordType::new());
                self.row_types.push(RowType {
                    home: site,
                    gathered: false,
                    users: Vec::new(),
                    referenced: false,
                    rows: 0,
                    body,
                });
                self.structs.insert(Arc::clone(name), row_type);
                row_type
            }
        };
        let known = self.sites[site].of_row_type(row_type);
        let variant = known.unwrap_or_else(|| self.adopt(site, row_type));
        let row = self.begin_row(site, variant, row_type);
        self.stack.push(Frame::Struct { row_type, row, state: START, site: None, keys: None });
        Ok(())
    }

    /// Names the field whose value comes next.
    ///
    /// # Errors
    /// `duplicate_key`; `unsupported_value` beyond 256 fields.
    pub fn field_of_struct(&mut self, name: &str) -> Result<()> {
        let found = self.step_into(name)?;
        if let Some(Frame::Struct { site, .. }) = self.stack.last_mut()
            && site.replace(found).is_some()
        {
            self.failed = true;
            return Err(bad_source("a value after its field"));
        }
        Ok(())
    }

    /// The site of a struct's next field.
    pub(super) fn step_into(&mut self, name: &str) -> Result<SiteId> {
        self.find_field(name).map_err(|error| {
            self.failed = true;
            let around = &self.stack[..self.stack.len().saturating_sub(1)];
            error.with_path(|| self.path(around) + &path::field(name))
        })
    }

    fn find_field(&mut self, name: &str) -> Result<SiteId> {
        let Some(Frame::Struct { row_type, state, .. }) = self.stack.last() else {
            return Err(bad_source("a field within a struct"));
        };
        let (row_type, state) = (*row_type, *state);
        let stepped = self.record_mut(row_type).and_then(|record| record.step(state, name));
        let (field, next) = match stepped {
            Some(stepped) => stepped,
            None => {
                let record = self.record_mut(row_type).ok_or_else(|| bad_source("a struct"))?;
                if record.names().len() >= FIELDS && record.field(name).is_none() {
                    return Err(Error::new(Code::UnsupportedValue)
                        .expected(format!("at most {FIELDS} fields in a struct")));
                }
                let field = self.field(row_type, name);
                let record = self.record_mut(row_type).ok_or_else(|| bad_source("a struct"))?;
                (field, record.extend(state, field).ok_or_else(|| duplicate(name))?)
            }
        };
        if let Some(Frame::Struct { state, .. }) = self.stack.last_mut() {
            *state = next;
        }
        self.record_mut(row_type)
            .map(|record| record.site(field))
            .ok_or_else(|| bad_source("a struct"))
    }

    pub(super) fn end_struct(&mut self, row_type: RowTypeId, row: usize, state: u32) {
        let mut members = std::mem::take(&mut self.members);
        let shape = self.record_mut(row_type).map(|record| {
            let shape =
                record.shape(state).unwrap_or_else(|| record.add_shape(state, &mut members));
            record.set_shape(row, shape);
            shape
        });
        self.members = members;
        self.latest_shape = shape.and_then(|shape| self.row_shape(row_type, shape));
    }
}
