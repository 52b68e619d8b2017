//! The fields of a struct or variant, with their names and attributes.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{Fields, Ident, Index, Member, Path, Result, Type, ext::IdentExt};

use crate::attributes::{Fallback, OfField};
use crate::names::Spelling;

/// One field.
pub struct OneField<'a> {
    pub member: Member,
    pub ty: &'a Type,
    /// The name in the schema.
    pub name: String,
    pub attributes: OfField,
    /// A variable for its value.
    pub variable: Ident,
    /// Its number among the fields of the type in the data.
    pub number: Option<usize>,
}

impl OneField<'_> {
    /// Returns what the program calls the field.
    pub fn member_name(&self) -> String {
        self.member.to_token_stream().to_string()
    }
}

/// The form of the fields in the schema.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Named,
    /// Without names.
    Tuple,
    Unit,
}

/// All fields.
pub struct AllFields<'a> {
    pub form: Form,
    pub all: Vec<OneField<'a>>,
}

impl<'a> AllFields<'a> {
    pub fn of(
        fields: &'a Fields,
        spelling: Option<Spelling>,
        default: Option<&Fallback>,
        is_explicit: bool,
    ) -> Result<AllFields<'a>> {
        let form = match fields {
            Fields::Named(_) => Form::Named,
            Fields::Unnamed(_) => Form::Tuple,
            Fields::Unit => Form::Unit,
        };
        let mut all: Vec<OneField<'a>> = Vec::new();
        let mut next = 0;
        for (index, field) in fields.iter().enumerate() {
            let mut attributes = OfField::of(field)?;
            attributes.skip |= is_explicit && !attributes.keep && !attributes.unknown;
            // The fields of a flat field are missing one by one, as its own struct says.
            let is_missing_whole = !attributes.unknown && !attributes.flatten;
            if attributes.said.at("default").is_none() && is_missing_whole {
                let whole = default.map(|whole| match whole {
                    Fallback::Path(path) => Fallback::OfContainer(Some(path.clone())),
                    _ => Fallback::OfContainer(None),
                });
                attributes.default = whole.or(attributes.default);
            }
            let own = match &field.ident {
                Some(ident) => ident.unraw().to_string(),
                None => index.to_string(),
            };
            let name = match (&attributes.rename, spelling, &field.ident) {
                (Some(name), _, _) => name.clone(),
                (None, Some(spelling), Some(_)) => spelling.of(&own),
                _ => own,
            };
            let number = (!attributes.skip && !attributes.unknown).then(|| {
                next += 1;
                next - 1
            });
            let member = match &field.ident {
                Some(ident) => Member::Named(ident.clone()),
                None => Member::Unnamed(Index { index: index as u32, span: Span::call_site() }),
            };
            let variable = format_ident!("field_{index}");
            all.push(OneField { member, ty: &field.ty, name, attributes, variable, number });
        }
        Ok(AllFields { form, all })
    }

    /// Returns the fields that are in the data, without the one that keeps unknown fields.
    pub fn kept(&self) -> impl Iterator<Item = (&OneField<'a>, usize)> {
        self.all.iter().filter_map(|field| field.number.map(|number| (field, number)))
    }

    /// Returns the only field in the data, of a tuple struct or a transparent one.
    pub fn only(&self) -> Option<&OneField<'a>> {
        let mut kept = self.kept();
        match (kept.next(), kept.next()) {
            (Some((only, _)), None) => Some(only),
            _ => None,
        }
    }

    /// Returns the field that is the payload of a variant: its only field, without a name.
    pub fn payload(&self) -> Option<&OneField<'a>> {
        self.only().filter(|_| self.form == Form::Tuple && self.all.len() == 1)
    }

    /// Returns the number of the type of a variant's payload, from that of a field's type; `named` describes named
    /// fields.
    pub fn describe_payload(
        &self,
        krate: &Path,
        number: impl Fn(&OneField<'_>) -> TokenStream,
        named: impl FnOnce(&TokenStream) -> TokenStream,
    ) -> TokenStream {
        match (self.form, self.payload()) {
            (Form::Unit, _) => quote!(types.add(#krate::typed::Description::null())),
            (_, Some(only)) => number(only),
            (Form::Named, None) => {
                let keeping = self.keeping();
                let body =
                    named(&quote!(types.add(#krate::typed::Description::record(fields)#keeping)));
                quote!({ #body })
            }
            (Form::Tuple, None) => {
                let numbers = self.kept().map(|(field, _)| number(field));
                quote!({
                    let items = [#(#numbers),*];
                    types.add(#krate::typed::Description::tuple(items))
                })
            }
        }
    }

    /// Returns a pattern or expression of all fields as variables.
    pub fn by_variables(&self, path: &TokenStream) -> TokenStream {
        let parts =
            self.all.iter().map(|OneField { member, variable, .. }| quote!(#member: #variable));
        quote!(#path { #(#parts),* })
    }
}
