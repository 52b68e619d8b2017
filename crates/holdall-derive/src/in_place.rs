//! `Decode` where values are made in their places: many rows field by field, or over what was there.

use proc_macro2::TokenStream;
use quote::quote;
use syn::DeriveInput;

use crate::decode::{Context, site_of, sites};
use crate::fields::{AllFields, Form, OneField};

impl Context<'_> {
    /// Whether a field is read for many rows at once, if its type can be.
    fn reads_rows(field: &OneField<'_>) -> bool {
        let attributes = &field.attributes;
        field.number.is_some() && attributes.with.is_none() && attributes.default.is_none()
    }

    /// Reads a field in place of what it was, of which there is a mutable reference.
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

    /// Reads the payload of a variant: in place of that of the same one, else in place of the whole value.
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

    /// Reads each field in place of what it was.
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
        // Places are aligned.
        if is_packed(item) {
            return None;
        }
        let (krate, input) = (self.krate, self.input);
        let (mut places, mut fill, mut finish) = (vec![], vec![], vec![]);
        for field in &fields.all {
            let (variable, member, ty) = (&field.variable, &field.member, field.ty);
            let site = site(field);
            places.push(quote! {
                const {
                    let is_aligned = ::core::mem::offset_of!(Self, #member) % ::core::mem::align_of::<#ty>() == 0
                        && ::core::mem::align_of::<Self>() >= ::core::mem::align_of::<#ty>();
                    assert!(is_aligned, "put #[derive(holdall::Decode)] behind what makes it repr(packed)");
                }
                // SAFETY: the field has this type and this offset, is aligned, and its places are taken once.
                let mut #variable =
                    unsafe { places.field::<#ty>(::core::mem::offset_of!(Self, #member)) };
            });
            fill.push(if Self::reads_rows(field) {
                quote! {
                    <#ty as #krate::Decode<#input>>::read_rows(&mut #variable, #site, rows)?;
                }
            } else {
                let read = self.read(field, &site);
                quote!(while #variable.left() > 0 { #variable.push(#read); })
            });
            finish.push(quote!(#variable.finish();));
        }
        Some(quote! {
            #(#places)*
            #(#fill)*
            #(#finish)*
            // SAFETY: these are all fields.
            unsafe { places.complete() };
            ::core::result::Result::Ok(())
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
        // What cannot be understood is not relied on.
        is_packed || parsed.is_err()
    })
}
