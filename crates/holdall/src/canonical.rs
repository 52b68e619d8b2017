//! The option `canonical`: members without an order of their own stand in the format's (F-75, F-96).

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use crate::error::{Code, Error, Result};

/// So many sets can be inside members of each other.
pub const DEEPEST: usize = 32;

/// The orders of the sets and maps of one value, by their addresses. To order the members of one, each is written alone, with
/// the sets in it: without a memory of these, the time would double with each level.
#[derive(Default)]
pub(crate) struct Orders {
    found: RefCell<HashMap<usize, Rc<[usize]>>>,
    /// Those that are being ordered, from the outermost on.
    open: RefCell<Vec<usize>>,
}

impl Orders {
    /// The places of the members of a set, in order; `find` finds it.
    ///
    /// # Errors
    /// Those of `find`; `unsupported_value` for a set that is inside a member of itself.
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
            open.push(address);
        }
        let order = find();
        self.open.borrow_mut().pop();
        let order: Rc<[usize]> = order?.into();
        self.found.borrow_mut().insert(address, Rc::clone(&order));
        Ok(order)
    }
}

/// The address that a set or map is known by.
pub(crate) fn address<T: ?Sized>(of: &T) -> usize {
    std::ptr::from_ref(of).cast::<()>() as usize
}

/// The error of a set that is inside members of too many others, or else inside a member of itself.
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
