//! `unknown`: a field that keeps the fields of the data that the struct lacks.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Ident, Path};

use crate::fields::{AllFields, OneField};

impl AllFields<'_> {
    /// Returns the field that keeps unknown ones.
    pub fn unknown(&self) -> Option<&OneField<'_>> {
        self.all.iter().find(|field| field.attributes.unknown)
    }

    /// Returns what follows a description of the fields.
    pub fn keeping(&self) -> Option<TokenStream> {
        self.unknown().map(|_| quote!(.keeping_unknown()))
    }

    /// Returns what follows the fields that are read, before they are described.
    pub fn describe_unknown(&self) -> Option<TokenStream> {
        self.unknown().map(|_| {
            quote! {
                let fields = {
                    let mut all = fields;
                    all.extend(types.read_unknown());
                    all
                };
            }
        })
    }

    /// Writes the unknown fields of a row: what precedes its own fields, and what follows them.
    fn write_unknown(
        &self,
        krate: &Path,
        field: impl FnOnce(&OneField<'_>) -> TokenStream,
        site: &TokenStream,
    ) -> Option<[TokenStream; 2]> {
        let unknown = self.unknown()?;
        let (ty, field) = (unknown.ty, field(unknown));
        Some([
            quote!(columns.begin_unknown(#site)?;),
            // The span makes the compiler point at a field of another type.
            quote_spanned! {ty.span()=>
                let unknown: &#krate::value::Record = #field;
                columns.unknown(#site, unknown)?;
            },
        ])
    }

    /// Looks at them in a row that is written without columns.
    pub fn inline_unknown(
        &self,
        krate: &Path,
        field: impl FnOnce(&OneField<'_>) -> TokenStream,
    ) -> Option<TokenStream> {
        let unknown = self.unknown()?;
        let (ty, field) = (unknown.ty, field(unknown));
        Some(quote_spanned! {ty.span()=>
            let unknown: &#krate::value::Record = #field;
            columns.unknown(unknown);
        })
    }

    /// Adds them to what writes a row of a struct, and to what writes many.
    pub fn write_unknown_rows(
        &self,
        krate: &Path,
        one: &mut Vec<TokenStream>,
        all: &mut Vec<TokenStream>,
    ) {
        let of = |row: TokenStream| {
            let field = |OneField { member, .. }: &OneField<'_>| quote!(&#row.#member);
            self.write_unknown(krate, field, &quote!(site))
        };
        if let (Some([begin, end]), Some(many)) = (of(quote!(self)), of(quote!(row))) {
            one.insert(0, begin);
            one.push(end);
            all.push(quote!(for row in rows.iter() { #(#many)* }));
        }
    }

    /// Adds them to what writes the fields of a variant from its variables.
    pub fn around_unknown(
        &self,
        krate: &Path,
        own: impl Iterator<Item = TokenStream>,
        payload: &TokenStream,
    ) -> Vec<TokenStream> {
        let variable = |field: &OneField<'_>| field.variable.to_token_stream();
        match self.write_unknown(krate, variable, payload) {
            Some([begin, end]) => std::iter::once(begin).chain(own).chain([end]).collect(),
            None => own.collect(),
        }
    }

    /// Writes those of many rows of a variant.
    pub fn write_unknown_rows_of(
        &self,
        krate: &Path,
        ident: &Ident,
        payload: &TokenStream,
    ) -> Option<TokenStream> {
        let OneField { member, .. } = self.unknown()?;
        let [begin, end] = self.write_unknown(krate, |_| quote!(field), &quote!(payload))?;
        Some(quote! {
            let payload = #payload;
            for row in rows.iter() {
                if let Self::#ident { #member: field, .. } = row { #begin #end }
            }
        })
    }

    /// Finds the site of the unknown fields, in a site with as many fields of its own.
    pub fn unknown_site(&self, site: &TokenStream) -> Option<TokenStream> {
        let own = self.kept().count();
        self.unknown().map(|_| quote!(let unknown_site = rows.unknown_site(#site, #own);))
    }
}

/// Reads the unknown fields of a row.
pub fn read(krate: &Path, field: &OneField<'_>) -> TokenStream {
    quote_spanned! {field.ty.span()=> {
        let unknown: #krate::value::Record = rows.unknown(unknown_site);
        unknown
    }}
}
