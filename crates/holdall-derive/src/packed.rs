//! `packed`: the fields of a struct without gaps, in rows of one width.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::{DeriveInput, Ident, Lifetime, Path, spanned::Spanned};

use crate::attributes::Container;
use crate::bounds::{arguments, bounded};
use crate::decode::Context;
use crate::fields::{AllFields, Form, OneField};

/// The input of both implementations.
pub struct Packed<'f, 'a> {
    pub krate: &'f Path,
    pub name: &'f str,
    pub fields: &'f AllFields<'a>,
}

impl Packed<'_, '_> {
    /// Returns the items that `Pack` and `Unpack` share: the width of a row, whether memory has the same layout,
    /// and the description.
    fn items(&self, of: &Ident) -> TokenStream {
        let (krate, name) = (self.krate, self.name);
        let part = |field: &OneField<'_>| {
            let ty = field.ty;
            // The span makes the compiler point at a field that cannot be packed.
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
        // A skipped field is made by a function, never from bytes, whatever its size.
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
                    let fields: #krate::typed::alloc::vec::Vec<(&str, #krate::typed::TypeNumber)> =
                        #krate::typed::alloc::vec![#((#names, #rows)),*];
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
    fn pack(&self) -> TokenStream {
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

    /// Reads the bytes of all fields except skipped ones.
    fn unpack(&self) -> TokenStream {
        let krate = self.krate;
        let parts = self.fields.all.iter().map(|field| {
            let (ty, variable) = (field.ty, &field.variable);
            if field.number.is_none() {
                let value = Context::fallback(field);
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

    /// `Encode` and `Pack`: rows of one width.
    pub fn implement_pack(&self, input: &DeriveInput, container: &Container) -> TokenStream {
        let krate = self.krate;
        let generics = bounded(input, container, &quote!(#krate::typed::Pack));
        let (params, _, clause) = generics.split_for_impl();
        let (ident, arguments) = (&input.ident, arguments(input));
        let (items, pack) = (self.items(&format_ident!("Pack")), self.pack());
        quote! {
            #[automatically_derived]
            #[allow(clippy::all, clippy::pedantic, unused_qualifications)]
            impl #params #krate::Encode for #ident #arguments #clause {
                const IS_DIRECT: bool = true;
                const SIZES: #krate::typed::RowSizes =
                    #krate::typed::RowSizes::raw(<Self as #krate::typed::Pack>::WIDTH);

                fn write_direct(list: &[Self], columns: &mut #krate::typed::InlineColumns<'_>) {
                    columns.pack_list(list);
                }

                fn describe(types: &mut #krate::typed::Types) -> #krate::typed::Description {
                    let row = <Self as #krate::typed::Pack>::describe_row(types);
                    let row = types.add(row);
                    #krate::typed::Description::packed(row)
                }

                fn write(
                    &self,
                    site: #krate::typed::Site,
                    columns: &mut #krate::typed::Columns<'_>,
                ) -> #krate::Result<()> {
                    columns.pack(site, #krate::typed::Refs::of(::core::slice::from_ref(self)))
                }

                fn write_rows(
                    rows: #krate::typed::Refs<'_, Self>,
                    site: #krate::typed::Site,
                    columns: &mut #krate::typed::Columns<'_>,
                ) -> #krate::Result<()> {
                    columns.pack(site, rows)
                }

                fn write_lists(
                    lists: &[&[Self]],
                    site: #krate::typed::Site,
                    columns: &mut #krate::typed::Columns<'_>,
                ) -> #krate::Result<()> {
                    lists.iter().try_for_each(|list| columns.pack(site, #krate::typed::Refs::of(list)))
                }
            }

            #[automatically_derived]
            #[allow(clippy::all, clippy::pedantic, unused_qualifications)]
            // SAFETY: `IS_SAME` holds only if each field begins where those before it end and has the same layout
            // itself, up to the end of the struct: no byte is padding.
            unsafe impl #params #krate::typed::Pack for #ident #arguments #clause {
                #items
                #pack
            }
        }
    }

    /// `Unpack` and `BorrowList`.
    pub fn implement_unpack(&self, input: &DeriveInput, container: &Container) -> TokenStream {
        let krate = self.krate;
        let generics = bounded(input, container, &quote!(#krate::typed::Unpack));
        let (params, _, clause) = generics.split_for_impl();
        let (ident, arguments) = (&input.ident, arguments(input));
        let (items, unpack) = (self.items(&format_ident!("Unpack")), self.unpack());
        quote! {
            #[automatically_derived]
            #[allow(clippy::all, clippy::pedantic, unused_qualifications)]
            // SAFETY: `IS_SAME` holds only if each field begins where those before it end and has the same layout
            // itself, up to the end of the struct; any bytes are a value of each field then.
            unsafe impl #params #krate::typed::Unpack for #ident #arguments #clause {
                #items
                #unpack
            }

            #[automatically_derived]
            impl #params #krate::typed::BorrowList for #ident #arguments #clause {
                const IS_SAME: bool = <Self as #krate::typed::Unpack>::IS_SAME;
            }
        }
    }

    /// Describes packed rows, except for data with another schema.
    pub fn describe(&self, others: &TokenStream) -> TokenStream {
        let krate = self.krate;
        quote! {
            if types.reads_packed() {
                let row = <Self as #krate::typed::Unpack>::describe_row(types);
                let row = types.add(row);
                return #krate::typed::Description::packed(row);
            }
            #others
        }
    }

    /// Reads a row.
    pub fn read(&self, others: &TokenStream) -> TokenStream {
        quote! {
            if rows.is_packed(site) {
                return rows.unpack::<Self>(site);
            }
            #others
        }
    }

    /// Reads many rows.
    pub fn read_rows(&self, others: &TokenStream) -> TokenStream {
        quote! {
            if rows.is_packed(site) {
                return Self::read_row_major(slots, site, rows);
            }
            #others
        }
    }

    /// The methods of `Decode` for lists.
    pub fn lists(&self, lifetime: &Lifetime) -> TokenStream {
        let krate = self.krate;
        quote! {
            fn read_list(
                count: usize,
                site: #krate::typed::Site,
                rows: &mut #krate::typed::Rows<'_, #lifetime>,
            ) -> #krate::Result<#krate::typed::alloc::vec::Vec<Self>> {
                match rows.is_packed(site) {
                    true => rows.unpack_list(count, site),
                    false => Self::read_list_in_slots(count, site, rows),
                }
            }

            fn borrow_list<'__list>(
                count: usize,
                site: #krate::typed::Site,
                rows: &mut #krate::typed::Rows<'_, #lifetime>,
            ) -> #krate::Result<::core::option::Option<&'__list [Self]>>
            where
                #lifetime: '__list,
                Self: '__list,
            {
                match rows.is_packed(site) {
                    true => rows.borrow_packed(count, site),
                    false => ::core::result::Result::Ok(::core::option::Option::None),
                }
            }
        }
    }
}
