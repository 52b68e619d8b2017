//! Pointers: boxes and references, which are stored as their targets, and counted pointers, which keep their
//! identity.

use alloc::borrow::{Cow, ToOwned};
use alloc::boxed::Box;
use alloc::rc::{self, Rc};
use alloc::sync::{self, Arc};
use alloc::vec::Vec;
use core::any::Any;

use crate::error::Result;
use crate::memory::GrowMap;
use crate::typed::rows::{Known, Reference};
use crate::typed::{
    Columns, Decode, Description, Encode, InlineColumns, InlineRows, RowSizes, Rows, Site, Types,
};

macro_rules! transparent {
    ($($(#[$doc:meta])* <$($lifetime:lifetime,)? $generic:ident $(: $bound:path)?> $ty:ty;)*) => {$(
        impl<$($lifetime,)? $generic: Encode + ?Sized $(+ $bound)?> Encode for $ty {
            const SIZES: RowSizes = $generic::SIZES;

            fn describe(types: &mut Types) -> Description {
                Description::alias(types.written::<$generic>())
            }

            #[inline]
            fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
                $generic::write(self, site, columns)
            }

            #[inline]
            fn write_inline(&self, columns: &mut InlineColumns<'_>) -> Result<()> {
                $generic::write_inline(self, columns)
            }
        }
    )*};
}

transparent! {
    <'a, T> &'a T;
    <'a, T> &'a mut T;
    <T> Box<T>;
    <'a, T: ToOwned> Cow<'a, T>;
}

impl<'de, T: Decode<'de>> Decode<'de> for Box<T> {
    fn describe(types: &mut Types) -> Description {
        Description::alias(types.read::<T>())
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        rows.allocate::<T>(1)?;
        T::read(site, rows).map(Box::new)
    }

    fn read_inline(rows: &mut InlineRows<'_, 'de>) -> Option<Self> {
        T::read_inline(rows).map(Box::new)
    }

    fn read_over(&mut self, site: Site, rows: &mut Rows<'_, 'de>) -> Result<()> {
        rows.allocate::<T>(1)?;
        T::read_over(self, site, rows)
    }
}

impl<'de, T: Decode<'de> + Clone> Decode<'de> for Cow<'_, T> {
    fn describe(types: &mut Types) -> Description {
        Description::alias(types.read::<T>())
    }

    fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
        T::read(site, rows).map(Cow::Owned)
    }
}

/// The target of a pointer that keeps its identity.
enum PointerTarget<S, W> {
    Read(S),
    /// A value around this one, not complete yet.
    Begun(W),
}

macro_rules! counted {
    ($pointer:ident, $weak:ident, $find:ident, $keep:expr, $keep_weak:expr) => {
        /// Writes the value once, then back-references to it.
        impl<T: Encode + 'static> Encode for $pointer<T> {
            fn describe(types: &mut Types) -> Description {
                let inner = types.written::<T>();
                Description::shared(inner, types)
            }

            fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
                $keep(self, columns);
                let address = $pointer::as_ptr(self).addr();
                columns.shared(site, address, |columns, site| T::write(self, site, columns))
            }
        }

        /// As a pointer to one value.
        impl<T: Encode + 'static> Encode for $pointer<[T]> {
            fn describe(types: &mut Types) -> Description {
                let inner = types.written::<[T]>();
                Description::shared(inner, types)
            }

            fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
                $keep(self, columns);
                let address = $pointer::as_ptr(self).addr();
                columns.shared(site, address, |columns, site| <[T]>::write(self, site, columns))
            }
        }

        impl<'de, T: Decode<'de> + 'static> Decode<'de> for $pointer<[T]> {
            fn describe(types: &mut Types) -> Description {
                let inner = types.read::<Vec<T>>();
                Description::shared(inner, types)
            }

            fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
                let (definition, reference) = rows.reference(site)?;
                let (row, body) = match reference {
                    Reference::New(row, body) => (row, body),
                    Reference::Back(row) => {
                        return match rows.known().get(&(definition, row)) {
                            Some(Known::Read(known)) => known.downcast_ref().cloned(),
                            Some(Known::Begun(_)) => return Err(rows.reference_to_itself(site)),
                            None => None,
                        }
                        .ok_or_else(|| rows.pointer_of_another_kind(site));
                    }
                };
                rows.known().put((definition, row), Known::Begun(None));
                let list = rows.enter_definition(body, |rows, body| Vec::read(body, rows))?;
                let pointer: $pointer<[T]> = list.into();
                let known = Known::Read(Box::new($pointer::clone(&pointer)));
                rows.known().put((definition, row), known);
                Ok(pointer)
            }
        }

        /// Writes an option: absent if the target is gone. A value that is read and has only weak pointers is
        /// dropped when reading ends.
        impl<T: Encode + 'static> Encode for $weak<T> {
            fn describe(types: &mut Types) -> Description {
                Description::option(types.written::<$pointer<T>>())
            }

            fn write(&self, site: Site, columns: &mut Columns<'_>) -> Result<()> {
                let pointer = self.upgrade();
                columns.buffers.push(site, pointer.is_some())?;
                let Some(pointer) = pointer else { return Ok(()) };
                $keep_weak(&pointer, columns);
                pointer.write(columns.child(site, 0), columns)
            }
        }

        fn $find<'de, T: Decode<'de> + 'static>(
            site: Site,
            rows: &mut Rows<'_, 'de>,
        ) -> Result<PointerTarget<$pointer<T>, $weak<T>>> {
            let (definition, reference) = rows.reference(site)?;
            let (row, body) = match reference {
                Reference::New(row, body) => (row, body),
                Reference::Back(row) => {
                    let found = match rows.known().get(&(definition, row)) {
                        Some(Known::Read(known)) => {
                            known.downcast_ref().cloned().map(PointerTarget::Read)
                        }
                        Some(Known::Begun(Some(known))) => {
                            known.downcast_ref().cloned().map(PointerTarget::Begun)
                        }
                        Some(Known::Begun(None)) => Some(PointerTarget::Begun($weak::new())),
                        // The row was read as a value of its own.
                        None => None,
                    };
                    return found.ok_or_else(|| rows.pointer_of_another_kind(site));
                }
            };
            rows.allocate::<T>(1)?;
            let key = (definition, row);
            let pointer = if rows.makes_weak_pointers() {
                $pointer::new_cyclic(|weak: &$weak<T>| {
                    let handle: Box<dyn Any> = Box::new($weak::clone(weak));
                    rows.known().put(key, Known::Begun(Some(handle)));
                    // Errors cannot be returned from here: the dry run has read everything before.
                    rows.enter_definition(body, |rows, body| T::read(body, rows))
                        .expect("the dry run read the same rows")
                })
            } else {
                rows.known().put(key, Known::Begun(None));
                $pointer::new(rows.enter_definition(body, |rows, body| T::read(body, rows))?)
            };
            rows.known().put(key, Known::Read(Box::new($pointer::clone(&pointer))));
            Ok(PointerTarget::Read(pointer))
        }

        impl<'de, T: Decode<'de> + 'static> Decode<'de> for $pointer<T> {
            fn describe(types: &mut Types) -> Description {
                let inner = types.read::<T>();
                Description::shared(inner, types)
            }

            fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
                match $find(site, rows)? {
                    PointerTarget::Read(pointer) => Ok(pointer),
                    PointerTarget::Begun(_) => Err(rows.reference_to_itself(site)),
                }
            }
        }

        impl<'de, T: Decode<'de> + 'static> Decode<'de> for $weak<T> {
            fn describe(types: &mut Types) -> Description {
                types.has_weak = true;
                Description::option(types.read::<$pointer<T>>())
            }

            fn read(site: Site, rows: &mut Rows<'_, 'de>) -> Result<Self> {
                if !rows.bit(site)? {
                    return Ok($weak::new());
                }
                Ok(match $find(rows.child(site, 0), rows)? {
                    PointerTarget::Read(pointer) => $pointer::downgrade(&pointer),
                    PointerTarget::Begun(weak) => weak,
                })
            }
        }
    };
}

type WeakRc<T> = rc::Weak<T>;
type WeakArc<T> = sync::Weak<T>;

/// Keeps a pointer alive while another thread could drop it, behind a lock or a weak pointer: its address would be
/// reused.
fn keep_behind_lock<T: ?Sized + 'static>(pointer: &Arc<T>, columns: &mut Columns<'_>) {
    if columns.is_behind_lock() {
        keep(pointer, columns);
    }
}

fn keep<T: ?Sized + 'static>(pointer: &Arc<T>, columns: &mut Columns<'_>) {
    columns.keep(Box::new(Arc::clone(pointer)));
}

counted!(Rc, WeakRc, find_rc, |_, _: &mut Columns<'_>| {}, |_, _: &mut Columns<'_>| {});
counted!(Arc, WeakArc, find_arc, keep_behind_lock, keep);
