//! Trait objects, by a list of the types behind them.

use super::{Columns, Site};
use crate::error::{Code, Error, Result};

/// The result of generated code.
#[doc(hidden)]
pub type Done<T> = Result<T>;

impl Columns<'_> {
    /// The error for a value whose type is none of this many listed ones.
    #[doc(hidden)]
    #[cold]
    pub fn unlisted(&self, site: Site, listed: usize) -> Error {
        let error = Error::new(Code::UnsupportedValue)
            .expected(format!("one of the {listed} types in the list of `trait_objects`"))
            .got("another");
        self.refused(site, error)
    }
}

/// Lets `Box<dyn Trait>` be written and read, by the list of types that it can hold, each with a name for the data. It is
/// stored as an enum of these types would be. The trait needs the supertrait [`Any`](std::any::Any).
///
/// The list is closed, because the schema of a type has all its variants: a value of another type is the error
/// `unsupported_value`. Add types at any place of it; data are matched by name.
///
/// Other crates cannot add types to it, as they can with typetag, whose types register themselves. Then the schema and its fingerprint
/// would be those of what happens to be linked into a program, and data could make values of types that the code which reads them has
/// never named. A registry also needs code that runs before `main`, which not all targets have: the list works without std.
/// A program lists types of other crates under a trait of its own, which can have their trait as a supertrait.
///
/// ```
/// use std::any::Any;
/// use holdall::{Decode, Encode};
///
/// trait Shape: Any {
///     fn area(&self) -> f64;
/// }
///
/// #[derive(Encode, Decode)]
/// struct Square(f64);
/// impl Shape for Square {
///     fn area(&self) -> f64 { self.0 * self.0 }
/// }
///
/// #[derive(Encode, Decode)]
/// struct Group { parts: Vec<Box<dyn Shape>> }
/// impl Shape for Group {
///     fn area(&self) -> f64 { self.parts.iter().map(|part| part.area()).sum() }
/// }
///
/// holdall::trait_objects!(dyn Shape: "Square" = Square, "Group" = Group);
///
/// let shapes: Vec<Box<dyn Shape>> =
///     vec![Box::new(Square(2.0)), Box::new(Group { parts: vec![Box::new(Square(3.0))] })];
/// let bytes = holdall::to_vec(&shapes)?;
/// let back: Vec<Box<dyn Shape>> = holdall::from_slice(&bytes)?;
/// assert_eq!(back[1].area(), 9.0);
/// # Ok::<(), holdall::Error>(())
/// ```
#[macro_export]
macro_rules! trait_objects {
    ($object:ty: $($name:literal = $ty:ty),+ $(,)?) => {
        impl $crate::typed::Encode for $object {
            fn describe(types: &mut $crate::typed::Types) -> $crate::typed::Description {
                let variants = [$(($name, types.written::<$ty>())),+];
                $crate::typed::Description::variants(variants).entered()
            }

            fn write(
                &self,
                site: $crate::typed::Site,
                columns: &mut $crate::typed::Columns<'_>,
            ) -> $crate::typed::Done<()> {
                columns.enter(site, |columns, site| {
                    let any: &dyn ::core::any::Any = self;
                    let mut number = 0;
                    $(
                        if let ::core::option::Option::Some(value) = any.downcast_ref::<$ty>() {
                            columns.number(site, number as u64)?;
                            let payload = columns.child(site, number);
                            return $crate::typed::Encode::write(value, payload, columns);
                        }
                        number += 1;
                    )+
                    ::core::result::Result::Err(columns.unlisted(site, number))
                })
            }
        }

        impl<'de> $crate::typed::Decode<'de> for $crate::typed::alloc::boxed::Box<$object> {
            fn describe(types: &mut $crate::typed::Types) -> $crate::typed::Description {
                let variants = [$(($name, types.read::<$ty>())),+];
                $crate::typed::Description::variants(variants).entered()
            }

            fn read(
                site: $crate::typed::Site,
                rows: &mut $crate::typed::Rows<'_, 'de>,
            ) -> $crate::typed::Done<Self> {
                rows.enter(site, |rows, site| {
                    let (number, mut own) = (rows.number(site)?, 0);
                    $(
                        if number == own {
                            let payload = rows.child(site, own);
                            let value: $crate::typed::alloc::boxed::Box<$object> =
                                <$crate::typed::alloc::boxed::Box<$ty> as $crate::typed::Decode<'de>>::read(payload, rows)?;
                            return ::core::result::Result::Ok(value);
                        }
                        own += 1;
                    )+
                    let _ = own;
                    ::core::result::Result::Err(rows.no_variant(site))
                })
            }
        }
    };
}
