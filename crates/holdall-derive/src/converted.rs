//! `with`, `items`, `skip_if` and `default`: fields that are written and read as a value of another type, and fields that
//! are missing.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Path, Type};

use crate::attributes::{Fallback, OfField};
use crate::decode::Context;
use crate::fields::OneField;
use crate::items::Items;

impl OfField {
    /// Whether the field is written as another type.
    pub fn is_converted(&self) -> bool {
        self.with.is_some() || self.items.is_some() || self.skip_if.is_some()
    }
}

impl OneField<'_> {
    /// Returns what is written in place of a field, from a reference to it.
    pub fn written(&self, krate: &Path, value: &TokenStream) -> TokenStream {
        let own = &self.attributes;
        let written = match (&own.with, &own.items) {
            (Some(with), _) => quote!(#with::encode(#value)),
            (None, Some(items)) => items.written(krate, self.ty, &self.inside(items), value),
            (None, None) => value.clone(),
        };
        match &own.skip_if {
            Some(is_skipped) => quote! {
                if #is_skipped(#value) {
                    ::core::option::Option::None
                } else {
                    ::core::option::Option::Some(#written)
                }
            },
            None => written,
        }
    }

    /// The containers in the field whose items are converted. Others than the type shows were refused.
    fn inside(&self, items: &Items) -> Vec<&Type> {
        items.inside(self.ty).unwrap_or_default()
    }

    /// Returns the number of the type that is written.
    pub fn written_number(&self, krate: &Path) -> TokenStream {
        let (ty, own) = (self.ty, &self.attributes);
        if own.flatten {
            let own = self.member_name();
            return quote!(types.written_flat::<Self, #ty>(#own));
        }
        match (&own.with, &own.items, &own.skip_if) {
            (None, None, None) => quote!(types.written::<#ty>()),
            (None, None, Some(_)) => quote!(types.written::<::core::option::Option<#ty>>()),
            (Some(with), _, None) => quote!(types.written_by::<#ty, _>(#with::encode)),
            _ => {
                let written = self.written(krate, &quote!(value));
                quote!(types.written_by::<#ty, _>(|value| #written))
            }
        }
    }

    /// Returns a function from what is read to the field's value.
    pub fn reading(&self, krate: &Path) -> TokenStream {
        let (ty, own) = (self.ty, &self.attributes);
        let inner = match (&own.with, &own.items) {
            (Some(with), _) => Some(quote!(#with::decode)),
            (None, Some(items)) => Some(items.reading(krate, ty, &self.inside(items))),
            (None, None) => None,
        };
        if own.skip_if.is_none() {
            return inner.unwrap_or_default();
        }
        let fallback = Context::fallback(self);
        match inner {
            Some(inner) => quote! {
                |value: ::core::option::Option<_>| match value {
                    ::core::option::Option::Some(value) => (#inner)(value),
                    ::core::option::Option::None => ::core::result::Result::Ok(#fallback),
                }
            },
            None => quote! {
                |value: ::core::option::Option<#ty>| {
                    ::core::result::Result::<#ty, ::core::convert::Infallible>::Ok(
                        value.unwrap_or_else(|| #fallback),
                    )
                }
            },
        }
    }
}

impl Context<'_> {
    /// Returns the value of a field that is missing in the data.
    pub fn fallback(field: &OneField<'_>) -> TokenStream {
        let (member, ty) = (&field.member, field.ty);
        match &field.attributes.default {
            None | Some(Fallback::Default) => quote!(<#ty as ::core::default::Default>::default()),
            Some(Fallback::Path(path)) => quote!(#path()),
            Some(Fallback::OfContainer(None)) => {
                quote!(<Self as ::core::default::Default>::default().#member)
            }
            Some(Fallback::OfContainer(Some(path))) => quote!({
                let whole: Self = #path();
                whole.#member
            }),
        }
    }
}
