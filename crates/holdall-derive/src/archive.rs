//! `archive`: the archived form of a type.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::spanned::Spanned;
use syn::{
    Attribute, Data, DeriveInput, Error, Field, Fields, GenericParam, Generics, Ident, Lifetime,
    Member, Path, Result, WherePredicate, parse_quote,
};

use crate::attributes::Container;
use crate::bounds::{arguments, krate};
use crate::encode::{are_units, transparent, variant_names};
use crate::fields::{AllFields, Form, OneField};

/// The input of the implementation.
struct Archive<'a> {
    krate: &'a Path,
    input: &'a DeriveInput,
    /// The generics of the type, without defaults.
    generics: Generics,
    /// The name of the archived form of a value.
    name: Ident,
    /// The lifetime of the archive.
    lifetime: Lifetime,
}

/// Implements `Archived`, if the type has the attribute.
pub fn implement(input: &DeriveInput, container: &Container) -> Result<Option<TokenStream>> {
    let Some(name) = &container.archive else { return Ok(None) };
    let name = name.clone().unwrap_or_else(|| format_ident!("{}Ref", input.ident));
    let mut generics = input.generics.clone();
    for param in &mut generics.params {
        match param {
            GenericParam::Type(param) => (param.eq_token, param.default) = (None, None),
            GenericParam::Const(param) => (param.eq_token, param.default) = (None, None),
            GenericParam::Lifetime(_) => {}
        }
    }
    let (krate, lifetime) = (krate(container), parse_quote!('__archive));
    let archive = Archive { krate: &krate, input, generics, name, lifetime };
    if container.packed {
        return Ok(Some(archive.packed()));
    }
    if let Some(from) = container.from.as_ref().or(container.try_from.as_ref()) {
        return Ok(Some(archive.same(&quote!(#from))));
    }
    match &input.data {
        Data::Struct(of) => {
            let fields = AllFields::of(&of.fields, None, None, container.explicit)?;
            match transparent(container, &fields) {
                Some(only) => match archive.stored(only) {
                    Some(ty) => Ok(Some(archive.same(&ty))),
                    None => Err(Error::new_spanned(
                        only.ty,
                        "a function converts this field, so that its type in an archive is not known: remove `archive`",
                    )),
                },
                None => Ok(Some(archive.structure(&of.fields, &fields))),
            }
        }
        Data::Enum(of) if are_units(of) => Ok(Some(archive.units(of))),
        Data::Enum(of) => archive.variants(of, container).map(Some),
        // Reading it is an error already.
        Data::Union(_) => Ok(None),
    }
}

impl Archive<'_> {
    /// The type of what is stored for a field; none if only a function knows it.
    fn stored(&self, field: &OneField<'_>) -> Option<TokenStream> {
        let (ty, own) = (field.ty, &field.attributes);
        match (&own.with, &own.items, &own.skip_if) {
            (None, None, None) => Some(quote!(#ty)),
            (None, None, Some(_)) => Some(quote!(::core::option::Option<#ty>)),
            _ => None,
        }
    }

    /// The generics of an implementation, in which each type parameter can be read in place.
    fn bounded(&self) -> Generics {
        let krate = self.krate;
        self.bounded_by(&quote!(#krate::archive::Archived))
    }

    fn bounded_by(&self, bound: &TokenStream) -> Generics {
        let mut generics = self.generics.clone();
        let predicates: Vec<WherePredicate> = generics
            .type_params()
            .map(|param| {
                let ident = &param.ident;
                parse_quote!(#ident: #bound)
            })
            .collect();
        if !predicates.is_empty() {
            generics.make_where_clause().predicates.extend(predicates);
        }
        generics
    }

    /// Adds the lifetime of the archive to generics, and a parameter at the end.
    fn extended(&self, mut generics: Generics, last: Option<GenericParam>) -> Generics {
        let lifetime = &self.lifetime;
        generics.params.insert(0, parse_quote!(#lifetime));
        generics.params.extend(last);
        generics
    }

    /// The arguments of the archived form of a value, in an archive of this lifetime.
    fn arguments(&self, lifetime: &TokenStream, last: Option<TokenStream>) -> TokenStream {
        let own = self.generics.params.iter().map(|param| match param {
            GenericParam::Lifetime(param) => {
                let lifetime = &param.lifetime;
                quote!(#lifetime)
            }
            GenericParam::Type(param) => {
                let ident = &param.ident;
                quote!(#ident)
            }
            GenericParam::Const(param) => {
                let ident = &param.ident;
                quote!(#ident)
            }
        });
        let all = std::iter::once(lifetime.clone()).chain(own).chain(last);
        quote!(<#(#all),*>)
    }

    /// Implements the trait.
    fn archived(&self, generics: &Generics, form: &TokenStream, at: &TokenStream) -> TokenStream {
        let (krate, lifetime) = (self.krate, &self.lifetime);
        let (ident, arguments) = (&self.input.ident, arguments(self.input));
        let (params, _, clause) = generics.split_for_impl();
        quote! {
            #[automatically_derived]
            #[allow(clippy::all, clippy::pedantic, unused_qualifications)]
            impl #params #krate::archive::Archived for #ident #arguments #clause {
                type Ref<#lifetime> = #form;

                #[inline]
                fn at(place: #krate::archive::ArchivedPlace<'_>) -> Self::Ref<'_> {
                    #at
                }
            }
        }
    }

    /// A type that is stored as another.
    fn same(&self, ty: &TokenStream) -> TokenStream {
        let (krate, lifetime) = (self.krate, &self.lifetime);
        let form = quote!(<#ty as #krate::archive::Archived>::Ref<#lifetime>);
        self.archived(
            &self.bounded(),
            &form,
            &quote!(<#ty as #krate::archive::Archived>::at(place)),
        )
    }

    /// A type whose values are copied from their bytes.
    fn packed(&self) -> TokenStream {
        let krate = self.krate;
        let mut generics = self.bounded_by(&quote!(#krate::typed::Unpack));
        if !generics.params.is_empty() {
            let clause = generics.make_where_clause();
            clause.predicates.push(parse_quote!(Self: ::core::marker::Copy));
        }
        let archived = self.archived(&generics, &quote!(Self), &quote!(place.unpack()));
        let (ident, arguments) = (&self.input.ident, arguments(self.input));
        let (params, _, clause) = generics.split_for_impl();
        quote! {
            #archived

            #[automatically_derived]
            impl #params #krate::archive::ArchivedNumber for #ident #arguments #clause {
                fn slice(
                    list: #krate::archive::ArchivedList<'_, Self>,
                ) -> ::core::option::Option<&[Self]> {
                    list.packed()
                }
            }
        }
    }

    /// A struct: a type with a method for each field, which is a value or that of all items of a list.
    fn structure(&self, of: &Fields, fields: &AllFields<'_>) -> TokenStream {
        let (krate, lifetime, name) = (self.krate, &self.lifetime, &self.name);
        let (vis, ident, own) = (&self.input.vis, &self.input.ident, arguments(self.input));
        let position: GenericParam = parse_quote!(__P: #krate::archive::Position);
        let generics = self.extended(self.bounded(), Some(position));
        let (params, _, clause) = generics.split_for_impl();
        let position: GenericParam = parse_quote!(__P = #krate::archive::One);
        let declared = self.extended(self.generics.clone(), Some(position));
        let (declared_params, declared_clause) = (&declared.params, &declared.where_clause);
        let plain =
            self.extended(self.generics.clone(), Some(parse_quote!(__P: ::core::marker::Copy)));
        let (plain_params, _, plain_clause) = plain.split_for_impl();
        let arguments = self.arguments(&quote!(#lifetime), Some(quote!(__P)));
        let of_one = self.arguments(&quote!(#lifetime), Some(quote!(#krate::archive::One)));
        let of_many = self.arguments(&quote!(#lifetime), Some(quote!(#krate::archive::Many)));
        let many_here = self.arguments(&quote!('_), Some(quote!(#krate::archive::Many)));
        let methods = fields.kept().filter_map(|(field, number)| {
            let own =
                of.iter().nth(fields.all.iter().position(|other| std::ptr::eq(other, field))?)?;
            let (ty, docs, vis) = (self.stored(field)?, docs(own, field), &own.vis);
            let method = match &own.ident {
                Some(ident) => ident.clone(),
                None => format_ident!("_{}", number_of(field), span = field.ty.span()),
            };
            Some(quote! {
                #docs
                #[inline]
                #[must_use]
                #vis fn #method(self) -> <__P as #krate::archive::Position>::Of<#lifetime, #ty> {
                    self.0.field::<#ty>(#number)
                }
            })
        });
        let about = format!("A [`{ident}`] in an archive, or the fields of a list of them.");
        let shown = name.to_string();
        let archived = self.archived(
            &self.bounded(),
            &quote!(#name #of_one),
            &quote!(#name(place, ::core::marker::PhantomData)),
        );
        let bounded = self.bounded();
        let (bounded_params, _, bounded_clause) = bounded.split_for_impl();
        quote! {
            #[doc = #about]
            #[allow(clippy::type_complexity)]
            #vis struct #name<#declared_params>(
                #krate::archive::ArchivedPlace<#lifetime, __P>,
                ::core::marker::PhantomData<fn() -> #ident #own>,
            ) #declared_clause;

            #[automatically_derived]
            #[allow(clippy::all, clippy::pedantic, dead_code, unused_qualifications)]
            impl #params #name #arguments #clause {
                #(#methods)*
            }

            #[automatically_derived]
            impl #plain_params ::core::clone::Clone for #name #arguments #plain_clause {
                #[inline]
                fn clone(&self) -> Self {
                    *self
                }
            }

            #[automatically_derived]
            impl #plain_params ::core::marker::Copy for #name #arguments #plain_clause {}

            #[automatically_derived]
            impl #plain_params ::core::fmt::Debug for #name #arguments #plain_clause {
                fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                    f.write_str(#shown)
                }
            }

            #archived

            #[automatically_derived]
            #[allow(clippy::all, clippy::pedantic, unused_qualifications)]
            impl #bounded_params #krate::archive::ArchivedFields for #ident #own #bounded_clause {
                type Columns<#lifetime> = #name #of_many;

                #[inline]
                fn columns(
                    place: #krate::archive::ArchivedPlace<'_, #krate::archive::Many>,
                ) -> #name #many_here {
                    #name(place, ::core::marker::PhantomData)
                }
            }
        }
    }

    /// An enum without payloads, which is its own archived form.
    fn units(&self, of: &syn::DataEnum) -> TokenStream {
        let arms = of.variants.iter().enumerate().map(|(number, variant)| {
            let ident = &variant.ident;
            quote!(#number => Self::#ident,)
        });
        let at = quote! {
            match place.variant().0 {
                #(#arms)*
                _ => ::core::unreachable!("the variants were checked"),
            }
        };
        self.archived(&self.bounded(), &quote!(Self), &at)
    }

    /// An enum: one with the same variants, of the archived forms of their fields.
    fn variants(&self, of: &syn::DataEnum, container: &Container) -> Result<TokenStream> {
        let (krate, lifetime, name) = (self.krate, &self.lifetime, &self.name);
        let (vis, ident) = (&self.input.vis, &self.input.ident);
        let (mut declared, mut arms, mut is_empty) = (Vec::new(), Vec::new(), true);
        for (index, (variant, _)) in
            of.variants.iter().zip(variant_names(of, container)?).enumerate()
        {
            let fields = AllFields::of(&variant.fields, None, None, false)?;
            let own = &variant.ident;
            let payload = fields.payload().is_some();
            let stored = fields.kept().filter_map(|(field, number)| {
                let ty = self.stored(field)?;
                let form = quote!(<#ty as #krate::archive::Archived>::Ref<#lifetime>);
                let value = match payload {
                    true => quote!(<#ty as #krate::archive::Archived>::at(payload)),
                    false => quote!(payload.field::<#ty>(#number)),
                };
                let (declared, made) = match &field.member {
                    Member::Named(name) => {
                        let about = format!("The field `{name}`.");
                        (quote!(#[doc = #about] #name: #form), quote!(#name: #value))
                    }
                    Member::Unnamed(_) => (form, value),
                };
                Some((declared, made))
            });
            let (parts, values): (Vec<_>, Vec<_>) = stored.unzip();
            is_empty &= parts.is_empty();
            let (parts, make) = match fields.form {
                Form::Unit => (TokenStream::new(), TokenStream::new()),
                Form::Named => (quote!({ #(#parts),* }), quote!({ #(#values),* })),
                Form::Tuple => (quote!((#(#parts),*)), quote!((#(#values),*))),
            };
            let about = format!("As [`{ident}::{own}`].");
            declared.push(quote!(#[doc = #about] #own #parts));
            arms.push(quote!((#index, payload) => #name::#own #make,));
        }
        if is_empty {
            return Err(Error::new_spanned(
                ident,
                "functions convert all fields, so that their types in an archive are not known: remove `archive`",
            ));
        }
        let generics = self.extended(self.bounded(), None);
        let (params, _, clause) = generics.split_for_impl();
        let (declared_params, declared_clause) = (&generics.params, &generics.where_clause);
        let arguments = self.arguments(&quote!(#lifetime), None);
        let about = format!("A [`{ident}`] in an archive.");
        let archived = self.archived(
            &self.bounded(),
            &quote!(#name #arguments),
            &quote! {
                match place.variant() {
                    #(#arms)*
                    _ => ::core::unreachable!("the variants were checked"),
                }
            },
        );
        Ok(quote! {
            #[doc = #about]
            #[allow(clippy::all, clippy::pedantic, dead_code)]
            #vis enum #name<#declared_params> #declared_clause {
                #(#declared),*
            }

            #[automatically_derived]
            impl #params ::core::clone::Clone for #name #arguments #clause {
                #[inline]
                fn clone(&self) -> Self {
                    *self
                }
            }

            #[automatically_derived]
            impl #params ::core::marker::Copy for #name #arguments #clause {}

            #archived
        })
    }
}

/// The docs of a field, or its name.
fn docs(own: &Field, field: &OneField<'_>) -> TokenStream {
    let docs: Vec<&Attribute> =
        own.attrs.iter().filter(|attribute| attribute.path().is_ident("doc")).collect();
    if docs.is_empty() {
        let about = format!("The field `{}`.", field.name);
        return quote!(#[doc = #about]);
    }
    quote!(#(#docs)*)
}

/// The position of a field without a name in its struct.
fn number_of(field: &OneField<'_>) -> u32 {
    match &field.member {
        Member::Unnamed(index) => index.index,
        Member::Named(_) => 0,
    }
}
