//! The path of the current value, such as `$.users[3].name`, for errors.

use alloc::borrow::ToOwned;
use alloc::string::String;

use super::handles::{ArrayHandle, KeyedMapHandle, ListHandle, MapHandle};
use super::{Handle, Shredder};
use crate::dynamic::row_types::RowBody;
use crate::schema::path;

impl Shredder {
    #[cold]
    pub(super) fn path(&self, handles: &[Handle]) -> String {
        let mut text = "$".to_owned();
        for handle in handles {
            text += &self.path_step(handle).unwrap_or_default();
        }
        text
    }

    /// Returns the step to the value that a handle placed last, if any.
    fn path_step(&self, handle: &Handle) -> Option<String> {
        let item = |len: u64| Some(format!("[{}]", len.saturating_sub(1)));
        match handle {
            Handle::List(ListHandle { len, .. })
            | Handle::Map(MapHandle { len, on_value: false, .. })
            | Handle::KeyedMap(KeyedMapHandle { len, .. }) => item(*len),
            Handle::Map(MapHandle { len, .. }) => Some(format!("[{}].key", len.saturating_sub(1))),
            Handle::Array(ArrayHandle { len, left, .. }) => item((len - left) as u64),
            Handle::Row(row) => {
                let at = row.next.checked_sub(1).filter(|at| *at >= row.first)?;
                let site = self.members[at];
                match &self.row_types[self.sites[site].owner?].body {
                    RowBody::Record(record) | RowBody::Struct(_, record) => {
                        let field = record.sites().iter().position(|own| *own == site)?;
                        Some(path::field(&record.names()[field]))
                    }
                    _ => Some(format!("[{}]", at - row.first)),
                }
            }
            Handle::Struct(of) => match &self.row_types[of.fields.row_type].body {
                RowBody::Struct(_, record) => {
                    record.last_name(of.fields.state).map(|name| path::field(name))
                }
                _ => None,
            },
            Handle::Variant(variant) => {
                let owner = self.sites[variant.payload].owner?;
                let RowBody::NamedUnion { names, payloads, .. } = &self.row_types[owner].body
                else {
                    return None;
                };
                let number = payloads.iter().position(|own| *own == variant.payload)?;
                Some(path::variant(&names.as_slice()[number]))
            }
            Handle::Wrapped(_) | Handle::Slot(_) => None,
        }
    }
}
