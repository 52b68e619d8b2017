//! `packed`: the fields of a struct side by side, in rows of one width.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Ident, Path, spanned::Spanned};

use crate::fields::{AllFields, Form, OneField};

/// What both implementations need.
pub struct Packed<'f, 'a> {
    pub krate: &'f Path,
    pub name: &'f str,
    pub fields: &'f AllFields<'a>,
}

impl Packed<'_, '_> {
    /// The items that `Pack` and `Unpack` share: how wide a row is, whether the memory has it so, and what it is.
    pub fn items(&self, of: &Ident) -> TokenStream {
        let (krate, name) = (self.krate, self.name);
        let part = |field: &OneField<'_>| {
            let ty = field.ty;
            // So that the compiler points at a field that cannot be packed.
            quote_spanned!(ty.span()=> <#ty as #krate::typed::#of>)
        };
        let kept = || self.fields.kept().map(|(field, _)| field);
        let widths = kept().map(|field| {
            let part = part(field);
            quote!(#part::WIDTH)
        });
        let ends = kept().map(|field| {
            let (member, part) = (&field.member, part(field));
            quote! {
                let width = if #part::IS_SAME {
                    ::core::option::Option::Some(#part::WIDTH)
                } else {
                    ::core::option::Option::None
                };
                let end = #krate::typed::same_end(end, ::core::mem::offset_of!(Self, #member), width);
            }
        });
        // What is skipped is made by a function, never of bytes, whatever its size.
        let makes = of == "Unpack" && kept().count() < self.fields.all.len();
        let rows: Vec<TokenStream> = kept()
            .map(|field| {
                let part = part(field);
                quote!({
                    let row = #part::describe_row(types);
                    types.add(row)
                })
            })
            .collect();
        let row = match (self.fields.form, &rows[..]) {
            (Form::Tuple, [only]) => quote! {
                let row = #only;
                #krate::typed::Description::named(row)
            },
            _ => {
                let names = kept().map(|field| &field.name);
                quote! {
                    let fields: ::std::vec::Vec<(&str, #krate::typed::TypeNumber)> =
                        ::std::vec![#((#names, #rows)),*];
                    #krate::typed::Description::structure(#name, fields)
                }
            }
        };
        quote! {
            const WIDTH: usize = {
                let width = 0 #(+ #widths)*;
                assert!(width >= 1 && width <= 1 << 20, "a packed struct takes 1 byte to 1 MiB");
                width
            };
            const IS_SAME: bool = {
                let end = ::core::option::Option::Some(0);
                #(#ends)*
                !#makes
                    && matches!(end, ::core::option::Option::Some(end) if end == ::core::mem::size_of::<Self>())
            };

            fn describe_row(types: &mut #krate::typed::Types) -> #krate::typed::Description {
                #row
            }
        }
    }

    /// Writes the bytes of all fields, one after the other.
    pub fn pack(&self) -> TokenStream {
        let krate = self.krate;
        let parts = self.fields.kept().map(|(field, _)| {
            let (ty, member) = (field.ty, &field.member);
            quote! {
                let (own, rest) = rest.split_at_mut(<#ty as #krate::typed::Pack>::WIDTH);
                #krate::typed::Pack::pack(&self.#member, own);
            }
        });
        quote! {
            #[inline]
            fn pack(&self, bytes: &mut [u8]) {
                let rest = bytes;
                #(#parts)*
                let _ = rest;
            }
        }
    }

    /// Reads the bytes of all fields; one that is skipped is what `fallback` says.
    pub fn unpack(&self, fallback: impl Fn(&OneField<'_>) -> TokenStream) -> TokenStream {
        let krate = self.krate;
        let parts = self.fields.all.iter().map(|field| {
            let (ty, variable) = (field.ty, &field.variable);
            if field.number.is_none() {
                let value = fallback(field);
                return quote!(let #variable = #value;);
            }
            quote! {
                let (own, rest) = rest.split_at(<#ty as #krate::typed::Unpack>::WIDTH);
                let #variable = <#ty as #krate::typed::Unpack>::unpack(own);
            }
        });
        let make = self.fields.by_variables(&quote!(Self));
        quote! {
            #[inline]
            fn unpack(bytes: &[u8]) -> Self {
                let rest = bytes;
                #(#parts)*
                let _ = rest;
                #make
            }
        }
    }
}
