//! Generics of the implementations, with the bounds of each parameter.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, GenericParam, Generics, Lifetime, Path, WherePredicate, parse_quote};

use crate::attributes::Container;

/// The path of the crate.
pub fn krate(container: &Container) -> Path {
    container.krate.clone().unwrap_or_else(|| parse_quote!(::holdall))
}

/// Returns the generics with each type parameter bound by a trait, or with the bounds of the attribute.
pub fn bounded(input: &DeriveInput, container: &Container, bound: &TokenStream) -> Generics {
    let mut generics = input.generics.clone();
    let predicates: Vec<WherePredicate> = match &container.bound {
        Some(predicates) => predicates.clone(),
        None => generics
            .type_params()
            .map(|param| {
                let ident = &param.ident;
                parse_quote!(#ident: #bound)
            })
            .collect(),
    };
    if !predicates.is_empty() {
        generics.make_where_clause().predicates.extend(predicates);
    }
    generics
}

/// Adds a lifetime for the input that outlives all those of the type.
pub fn with_input(mut generics: Generics) -> (Lifetime, Generics) {
    let input: Lifetime = parse_quote!('__input);
    let own: Vec<Lifetime> = generics.lifetimes().map(|own| own.lifetime.clone()).collect();
    let param: GenericParam =
        if own.is_empty() { parse_quote!(#input) } else { parse_quote!(#input: #(#own)+*) };
    generics.params.insert(0, param);
    (input, generics)
}

/// Returns the generic arguments of the type.
pub fn arguments(input: &DeriveInput) -> TokenStream {
    let (_, arguments, _) = input.generics.split_for_impl();
    quote!(#arguments)
}
