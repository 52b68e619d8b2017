//! Objects of named types: a message has one type for each name, and fields arrive one at a time (F-47, F-53).

use alloc::sync::Arc;

use super::handles::{FieldCursor, StructHandle};
use super::{FIELDS, Handle, Shredder, bad_source, duplicate};
use crate::dynamic::row_types::{RowBody, RowType, RowTypeId};
use crate::dynamic::sites::SiteId;
use crate::dynamic::variants::RowVariant;
use crate::error::{Code, Error, Result};
use crate::memory::{GrowMap, GrowVec};
use crate::schema::{Shape, path};

impl Shredder {
    /// Begins an object of a named type. Call [`Shredder::field_of_struct`] before each value and [`Shredder::end`] after the last.
    ///
    /// # Errors
    /// `bad_source` if no value is due.
    pub fn begin_open_struct(&mut self, name: &Arc<str>) -> Result<()> {
        let slot = self.slot()?;
        let handle = self.open_struct(slot, name);
        self.stack.put(handle.into());
        Ok(())
    }

    /// Returns the row type of a name, making it if needed.
    pub(super) fn struct_type(&mut self, home: SiteId, name: &Arc<str>) -> RowTypeId {
        if let Some(row_type) = self.structs.get(name) {
            return *row_type;
        }
        let row_type = self.add_struct(home, name);
        self.structs.put(Arc::clone(name), row_type);
        row_type
    }

    fn add_struct(&mut self, home: SiteId, name: &Arc<str>) -> RowTypeId {
        let body = RowBody::Struct(Arc::clone(name), self.recycled.record());
        let users = self.recycled.users();
        self.row_types.put(RowType::new(home, false, body, users));
        self.row_types.len() - 1
    }

    /// Begins a root of a type that no other value has, whatever its fields are. Returns its row, to which
    /// [`Shredder::begin_fields`] adds them: in between, the fields of later rows can arrive.
    pub(crate) fn begin_object(&mut self) -> usize {
        let row_type = match self.sites[0].variants.first() {
            Some(RowVariant::Row(uses)) => uses.row_type,
            _ => self.add_struct(0, &"".into()),
        };
        let variant = self.variant_of_struct(0, row_type);
        self.begin_row(0, variant, row_type)
    }

    /// Begins the fields of such a row. One value for each follows, then [`Shredder::end`]. They have no back-references to the
    /// fields of other rows.
    pub(crate) fn begin_fields(&mut self, row: usize, shape: &Shape) {
        self.begin_value();
        self.begun = true;
        self.open += 1;
        let keys = Some((Arc::clone(shape.keys()), 0));
        // The first row type is that of the root.
        self.stack.put(StructHandle { fields: FieldCursor::new(0, row), slot: None, keys }.into());
    }

    /// Names the field of the next value.
    ///
    /// # Errors
    /// `duplicate_key`; `unsupported_value` beyond 256 fields.
    pub fn field_of_struct(&mut self, name: &str) -> Result<()> {
        let found = self.next_field(name)?;
        if let Some(Handle::Struct(of)) = self.stack.last_mut()
            && of.slot.replace(found).is_some()
        {
            self.failed = true;
            return Err(bad_source("a value after its field"));
        }
        Ok(())
    }

    /// Returns the slot of the next field of the innermost open struct.
    pub(super) fn next_field(&mut self, name: &str) -> Result<SiteId> {
        let found = match self.stack.last() {
            Some(Handle::Struct(of)) => {
                let mut fields = of.fields;
                self.field_slot(&mut fields, name).map(|slot| (slot, fields))
            }
            _ => Err(bad_source("a field within a struct")),
        };
        match found {
            Ok((slot, now)) => {
                if let Some(Handle::Struct(of)) = self.stack.last_mut() {
                    of.fields = now;
                }
                Ok(slot)
            }
            Err(error) => {
                self.failed = true;
                let around = &self.stack[..self.stack.len().saturating_sub(1)];
                Err(error.with_path(|| self.path(around) + &path::field(name)))
            }
        }
    }

    /// Returns the slot of a struct's next field (F-52, F-53).
    pub(super) fn field_slot(&mut self, fields: &mut FieldCursor, name: &str) -> Result<SiteId> {
        let FieldCursor { row_type, state, .. } = *fields;
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
        fields.state = next;
        self.record_mut(row_type)
            .map(|record| record.site(field))
            .ok_or_else(|| bad_source("a struct"))
    }

    pub(super) fn end_struct(&mut self, fields: FieldCursor) {
        let FieldCursor { row_type, row, state } = fields;
        let mut members = core::mem::take(&mut self.members);
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
