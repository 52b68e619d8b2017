//! Values with identity: shared by several places, or containing themselves.

use alloc::sync::{Arc, Weak};

use super::Value;
use super::containers::{Contents, drop_flat, is_container};
use crate::platform::Settled;

/// A value with an identity. All clones of the handle hold the same value, which is written once.
///
/// Lists, tuples, mappings, structs and variants keep their identity when they are written and read. Scalars and tuples
/// of up to 8 scalars do not: of them only the value is kept.
///
/// ```
/// use holdall::{Shared, Value};
///
/// let shared = Value::Shared(Shared::new(Value::from(vec!["x"])));
/// let pair = Value::list([shared.clone(), shared]);
/// let Value::List(items) = holdall::from_slice::<holdall::Value>(&holdall::to_vec(&pair)?)? else { panic!() };
/// let (Value::Shared(a), Value::Shared(b)) = (&items[0], &items[1]) else { panic!() };
/// assert!(a.is_same(b));
/// # Ok::<(), holdall::Error>(())
/// ```
#[derive(Clone)]
pub struct Shared(Arc<Held>);

/// A handle that does not keep the value alive, for values that contain themselves.
///
/// A reader creates one for each back-reference of a value to itself. So a value that was read has no cycle of strong
/// handles, and all of it is freed when it is dropped.
#[derive(Clone)]
pub struct WeakShared(Weak<Held>);

/// The value, once it is complete. Dropped without recursion by the last handle.
struct Held(Settled<Value>);

impl Shared {
    /// Creates a value with a new identity.
    #[must_use]
    pub fn new(value: Value) -> Shared {
        Shared(Arc::new(Held(Settled::from(value))))
    }

    /// Creates a value that can contain itself, through clones of the weak handle. Until the value is complete, the
    /// handle leads to null; it also does if the value would be nothing but the handle.
    ///
    /// ```
    /// use holdall::{Shared, Value};
    ///
    /// let ring = Shared::cyclic(|weak| Value::list([Value::Weak(weak.clone())]));
    /// let Value::List(items) = ring.get() else { panic!() };
    /// let Value::Weak(weak) = &items[0] else { panic!() };
    /// assert!(weak.upgrade().unwrap().is_same(&ring));
    /// ```
    #[must_use]
    pub fn cyclic(make: impl FnOnce(&WeakShared) -> Value) -> Shared {
        let shared = Shared::unset();
        shared.set(make(&shared.downgrade()));
        shared
    }

    /// Creates an identity whose value follows.
    pub(super) fn unset() -> Shared {
        Shared(Arc::new(Held(Settled::default())))
    }

    pub(super) fn set(&self, value: Value) {
        let value = if self.is_behind(&value) { Value::Null } else { value };
        // Only the creator of the handle sets it, and once.
        self.0.0.set(value);
    }

    /// Whether handles alone lead from a value to this one. It would then be nothing but itself, and following the
    /// handles would never end.
    fn is_behind(&self, value: &Value) -> bool {
        let mut handle = value.handle();
        while let Some(shared) = handle {
            if shared.is_same(self) {
                return true;
            }
            handle = shared.get().handle();
        }
        false
    }

    pub(super) fn is_set(&self) -> bool {
        self.0.0.get().is_some()
    }

    /// Returns the value.
    #[must_use]
    pub fn get(&self) -> &Value {
        self.0.0.get().unwrap_or(&Value::Null)
    }

    /// Whether two handles hold the same value.
    #[must_use]
    pub fn is_same(&self, other: &Shared) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Returns a handle that does not keep the value alive.
    #[must_use]
    pub fn downgrade(&self) -> WeakShared {
        WeakShared(Arc::downgrade(&self.0))
    }

    pub(super) fn address(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }

    /// Returns the value, if this is the last handle that keeps it alive.
    pub(super) fn into_value(self) -> Option<Value> {
        Arc::into_inner(self.0)?.0.take()
    }
}

impl WeakShared {
    /// Returns the value, if it is still alive.
    #[must_use]
    pub fn upgrade(&self) -> Option<Shared> {
        self.0.upgrade().map(Shared)
    }

    pub(super) fn address(&self) -> usize {
        self.0.as_ptr().addr()
    }
}

impl Value {
    /// Returns the strong handle, if the value is alive.
    fn handle(&self) -> Option<Shared> {
        match self {
            Value::Shared(shared) => Some(shared.clone()),
            Value::Weak(weak) => weak.upgrade(),
            _ => None,
        }
    }

    /// Calls a function with the value behind all handles, weak ones included; if it was dropped, with the handle.
    pub(crate) fn behind<R>(&self, look: impl FnOnce(&Value) -> R) -> R {
        let Some(mut shared) = self.handle() else { return look(self) };
        while let Some(next) = shared.get().handle() {
            shared = next;
        }
        look(shared.get())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(value) = self.0.take()
            && is_container(&value)
        {
            drop_flat(Contents::Values(vec![value]));
        }
    }
}
