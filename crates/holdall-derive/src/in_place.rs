//! `Decode` in place: many rows field by field, or over an existing value.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::DeriveInput;

use crate::decode::{Context, site_of, sites};
use crate::fields::{AllFields, Form, OneField};

impl Context<'_> {
    /// Whether a field is read for many rows at once, if its type can be.
    fn reads_rows(field: &OneField<'_>) -> bool {
        let attributes = &field.attributes;
        field.number.is_some() && !attributes.is_converted() && attributes.default.is_none()
    }

    /// Reads a field over its value, through a mutable reference.
    fn field_over(
        &self,
        field: &OneField<'_>,
        place: &TokenStream,
        site: &TokenStream,
    ) -> TokenStream {
        let (krate, input, ty) = (self.krate, self.input, field.ty);
        if Self::reads_rows(field) {
            return quote!(<#ty as #krate::Decode<#input>>::read_over(#place, #site, rows)?;);
        }
        let read = self.read(field, site);
        quote!(*#place = #read;)
    }

    /// Reads the payload of a variant: over the payload of the same variant, otherwise over the entire value.
    pub(crate) fn variant_over(
        &self,
        index: usize,
        ident: &syn::Ident,
        fields: &AllFields<'_>,
        payload: &TokenStream,
        reads: &[TokenStream],
    ) -> TokenStream {
        let make = fields.by_variables(&quote!(Self::#ident));
        let whole = quote! {
            #(#reads)*
            *self = #make;
            ::core::result::Result::Ok(())
        };
        if fields.form == Form::Unit {
            return quote!(#index => { #whole });
        }
        let is_only = fields.payload().is_some();
        let sites = if is_only { TokenStream::new() } else { sites(fields, &quote!(payload)) };
        let parts = fields.all.iter().map(|field| {
            let variable = &field.variable;
            let site = if is_only { quote!(payload) } else { site_of(field) };
            self.field_over(field, &quote!(#variable), &site)
        });
        quote! {
            #index => match self {
                #make => {
                    let payload = #payload;
                    #sites
                    #(#parts)*
                    ::core::result::Result::Ok(())
                }
                #[allow(unreachable_patterns)]
                _ => { #whole }
            }
        }
    }

    /// Reads the rows of one variant: its fields in batches, where their types can be.
    pub(crate) fn variant_rows(
        &self,
        index: usize,
        make: &TokenStream,
        fields: &AllFields<'_>,
        payload: &TokenStream,
    ) -> TokenStream {
        let (krate, input) = (self.krate, self.input);
        let is_only = fields.payload().is_some();
        let sites = if is_only { TokenStream::new() } else { sites(fields, &quote!(payload)) };
        let (mut batches, mut fills) = (Vec::new(), Vec::new());
        let (mut takes, mut values) = (Vec::new(), Vec::new());
        for field in &fields.all {
            let (variable, ty) = (&field.variable, field.ty);
            let site = if is_only { quote!(payload) } else { site_of(field) };
            let read = self.read(field, &site);
            if !Self::reads_rows(field) {
                values.push(quote!(let #variable = #read;));
                continue;
            }
            let batch = format_ident!("{variable}_batch");
            batches.push(quote! {
                let mut #batch = #krate::typed::Batch::<#ty>::default();
            });
            fills.push(quote! {
                if const { #krate::typed::is_movable::<#ty>() } {
                    #batch.fill(count, |slots| {
                        <#ty as #krate::Decode<#input>>::read_rows(slots, #site, rows)
                    })?;
                }
            });
            values.push(quote! {
                let #variable =
                    if const { #krate::typed::is_movable::<#ty>() } { #batch.one() } else { #read };
            });
            takes.push(quote! {
                let mut #batch = #batch.take(
                    if const { #krate::typed::is_movable::<#ty>() } { count } else { 0 }
                );
            });
        }
        quote! {
            #index => {
                let payload = #payload;
                #sites
                #(#batches)*
                while slots.left() > 0 {
                    let count = slots.at_once();
                    #(#fills)*
                    #(#takes)*
                    slots.fill(count, || -> #krate::Result<Self> {
                        #(#values)*
                        ::core::result::Result::Ok(#make)
                    })?;
                }
            }
        }
    }

    /// Reads each field over its value.
    pub(crate) fn read_over(
        &self,
        item: &DeriveInput,
        fields: &AllFields<'_>,
        site: impl Fn(&OneField<'_>) -> TokenStream,
    ) -> Option<TokenStream> {
        // Fields are borrowed.
        if is_packed(item) {
            return None;
        }
        let fields = fields.all.iter().map(|field| {
            let member = &field.member;
            self.field_over(field, &quote!(&mut self.#member), &site(field))
        });
        Some(quote!(#(#fields)* ::core::result::Result::Ok(())))
    }

    /// Reads many rows, one field after the other.
    pub(crate) fn read_rows(
        &self,
        item: &DeriveInput,
        fields: &AllFields<'_>,
        site: impl Fn(&OneField<'_>) -> TokenStream,
    ) -> Option<TokenStream> {
        let (krate, input) = (self.krate, self.input);
        let fill = |field: &OneField<'_>| {
            let (variable, ty, site) = (&field.variable, field.ty, site(field));
            if Self::reads_rows(field) {
                return quote! {
                    <#ty as #krate::Decode<#input>>::read_rows(&mut #variable, #site, rows)?;
                };
            }
            let read = self.read(field, &site);
            quote!(while #variable.left() > 0 { #variable.push(#read); })
        };
        let filled = Self::field_by_field(item, fields, fill)?;
        Some(quote!(#filled ::core::result::Result::Ok(())))
    }

    /// Reads a few rows of a struct, one field after the other; it can have a site of its own.
    pub(crate) fn flat(
        &self,
        item: &DeriveInput,
        fields: &AllFields<'_>,
        has_site: bool,
    ) -> Option<(TokenStream, TokenStream)> {
        if fields.kept().any(|(field, _)| field.attributes.is_converted()) {
            return None;
        }
        let (krate, input) = (self.krate, self.input);
        let fill = |field: &OneField<'_>| {
            let (variable, ty) = (&field.variable, field.ty);
            if field.number.is_some() {
                return quote!(<#ty as #krate::Decode<#input>>::read_flat(&mut #variable, rows)?;);
            }
            let fallback = Self::fallback(field);
            quote!(while #variable.left() > 0 { #variable.push(#fallback); })
        };
        let filled = Self::field_by_field(item, fields, fill)?;
        let charge = has_site.then(|| quote!(rows.charge(slots.left())?;));
        let types = fields.kept().map(|(field, _)| field.ty);
        Some((
            quote!(true #(&& <#types as #krate::Decode<#input>>::IS_FLAT)*),
            quote!(#charge #filled ::core::option::Option::Some(())),
        ))
    }

    /// Fills the slots of all fields, one after the other.
    fn field_by_field(
        item: &DeriveInput,
        fields: &AllFields<'_>,
        fill: impl Fn(&OneField<'_>) -> TokenStream,
    ) -> Option<TokenStream> {
        // Slots are aligned.
        if is_packed(item) {
            return None;
        }
        let slots = fields.all.iter().map(|OneField { variable, member, ty, .. }| {
            quote! {
                const {
                    let is_aligned = ::core::mem::offset_of!(Self, #member) % ::core::mem::align_of::<#ty>() == 0
                        && ::core::mem::align_of::<Self>() >= ::core::mem::align_of::<#ty>();
                    assert!(is_aligned, "put #[derive(holdall::Decode)] behind what makes it repr(packed)");
                }
                // SAFETY: the field has this type and this offset, is aligned, and its slots are taken once.
                let mut #variable =
                    unsafe { slots.field::<#ty>(::core::mem::offset_of!(Self, #member)) };
            }
        });
        let fills = fields.all.iter().map(fill);
        let finish = fields.all.iter().map(|OneField { variable, .. }| quote!(#variable.finish();));
        Some(quote! {
            #(#slots)*
            #(#fills)*
            #(#finish)*
            // SAFETY: these are all fields.
            unsafe { slots.complete() };
        })
    }
}

/// Whether fields of a type may not be aligned.
fn is_packed(item: &DeriveInput) -> bool {
    item.attrs.iter().filter(|attribute| attribute.path().is_ident("repr")).any(|attribute| {
        let mut is_packed = false;
        let parsed = attribute.parse_nested_meta(|meta| {
            is_packed |= meta.path.is_ident("packed");
            if meta.input.peek(syn::token::Paren) {
                let inside;
                syn::parenthesized!(inside in meta.input);
                inside.parse::<TokenStream>()?;
            }
            Ok(())
        });
        // An attribute that cannot be parsed may be `packed`.
        is_packed || parsed.is_err()
    })
}
