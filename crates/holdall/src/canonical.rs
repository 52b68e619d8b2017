//! The option `canonical`: members without an order of their own are written in that of the format (F-75, F-96).

use alloc::borrow::ToOwned;
use alloc::rc::Rc;
use alloc::vec::Vec;
use core::cell::RefCell;

use crate::error::{Code, Error, Result};
use crate::memory::{GrowMap, GrowVec};
use crate::platform::HashMap;

/// The maximum depth of sets within members of sets.
pub const DEEPEST: usize = 32;

/// The orders of the sets and maps of one value, by their addresses. Sorting a set encodes each member alone, with the
/// sets in it. Without this cache the time would double with each level.
#[derive(Default)]
pub(crate) struct Orders {
    found: RefCell<HashMap<usize, Rc<[usize]>>>,
    /// The sets being sorted, outermost first.
    open: RefCell<Vec<usize>>,
}

impl Orders {
    /// Returns the member indices of a set in order, computed by `find`.
    ///
    /// # Errors
    /// Those of `find`; `unsupported_value` for a set that contains itself through a member.
    pub(crate) fn of(
        &self,
        address: usize,
        len: usize,
        find: impl FnOnce() -> Result<Vec<usize>>,
    ) -> Result<Rc<[usize]>> {
        let found = self.found.borrow().get(&address).cloned();
        if let Some(found) = found.filter(|found| found.len() == len) {
            return Ok(found);
        }
        {
            let mut open = self.open.borrow_mut();
            if open.len() == DEEPEST || open.contains(&address) {
                return Err(without_order(open.len() == DEEPEST));
            }
            open.put(address);
        }
        let order = find();
        self.open.borrow_mut().pop();
        let order: Rc<[usize]> = order?.into();
        self.found.borrow_mut().put(address, Rc::clone(&order));
        Ok(order)
    }
}

/// The address that identifies a set or map.
pub(crate) fn address<T: ?Sized>(of: &T) -> usize {
    core::ptr::from_ref(of).cast::<()>() as usize
}

/// The error for a set that is too deep in members of other sets, or contains itself.
#[cold]
#[must_use]
pub fn without_order(is_deep: bool) -> Error {
    Error::new(Code::UnsupportedValue).expected("sets that have a canonical order").got(
        match is_deep {
            true => format!("one inside members of {DEEPEST} others"),
            false => "one inside a member of itself".to_owned(),
        },
    )
}
