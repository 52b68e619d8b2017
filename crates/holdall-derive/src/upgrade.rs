//! `version` and `upgrade`: older versions of a struct, each read as a type of its own and converted by a function.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::meta::ParseNestedMeta;
use syn::spanned::Spanned;
use syn::{Error, ExprPath, LitInt, LitStr, Path, Result, Token, parenthesized};

use crate::attributes::Container;
use crate::known::instead;

/// The versions of a struct.
#[derive(Default)]
pub struct Versions {
    /// Its own version, 1 by default.
    pub own: Option<u32>,
    pub upgrades: Option<Vec<Upgrade>>,
}

/// An older version, and the function that converts it to the current one.
pub struct Upgrade {
    pub version: u32,
    pub function: ExprPath,
    pub span: Span,
}

fn number(literal: &LitInt, expected: &str) -> Result<u32> {
    match literal.base10_parse() {
        Ok(number @ 1..) if literal.suffix().is_empty() => Ok(number),
        _ => Err(Error::new(literal.span(), format!("versions are numbers from 1 on: {expected}"))),
    }
}

impl Versions {
    pub fn parse_own(meta: &ParseNestedMeta<'_>) -> Result<u32> {
        let value = meta.value()?;
        let span = value.span();
        match value.parse::<LitInt>() {
            Ok(literal) => number(&literal, &instead(meta)),
            Err(_) => Err(Error::new(span, instead(meta))),
        }
    }

    pub fn parse(meta: &ParseNestedMeta<'_>) -> Result<Vec<Upgrade>> {
        let list;
        parenthesized!(list in meta.input);
        let bad = |span| Error::new(span, instead(meta));
        let mut all = Vec::new();
        while !list.is_empty() {
            let span = list.span();
            let literal: LitInt = list.parse().map_err(|_| bad(span))?;
            let version = number(&literal, &instead(meta))?;
            list.parse::<Token![=]>().map_err(|_| bad(literal.span()))?;
            let text: LitStr = list.parse().map_err(|_| bad(literal.span()))?;
            let function = text.parse().map_err(|_| bad(text.span()))?;
            all.push(Upgrade { version, function, span: literal.span() });
            if !list.is_empty() {
                list.parse::<Token![,]>().map_err(|_| bad(list.span()))?;
            }
        }
        if all.is_empty() {
            return Err(Error::new(meta.path.span(), instead(meta)));
        }
        Ok(all)
    }

    fn number(&self) -> u32 {
        self.own.unwrap_or(1)
    }

    fn upgrades(&self) -> &[Upgrade] {
        self.upgrades.as_deref().unwrap_or_default()
    }

    /// Returns the errors in the set of versions.
    pub fn faults(&self, at: Option<Span>) -> Vec<Error> {
        let mut faults = Vec::new();
        if let (None, Some(span)) = (self.own, at) {
            let text = "give the type its own version too: `version = 2` or higher";
            faults.push(Error::new(span, text));
            return faults;
        }
        let own = self.number();
        for (place, Upgrade { version, span, .. }) in self.upgrades().iter().enumerate() {
            if *version >= own {
                let text = format!("`upgrade` takes versions below {own}, the version of the type");
                faults.push(Error::new(*span, text));
            } else if self.upgrades()[..place].iter().any(|other| other.version == *version) {
                faults.push(Error::new(*span, "given twice: keep one"));
            }
        }
        faults
    }

    /// Returns the name of a struct of this version in the data.
    pub fn name(&self, name: String) -> String {
        match self.number() {
            1 => name,
            number => format!("{name}@{number}"),
        }
    }
}

/// Describes a struct and its older versions.
pub fn describe(
    krate: &Path,
    container: &Container,
    name: &str,
    current: TokenStream,
) -> TokenStream {
    let upgrades = container.versions.upgrades();
    if upgrades.is_empty() {
        return current;
    }
    let (own, aliases) = (container.versions.number(), &container.aliases);
    let old = upgrades.iter().map(|Upgrade { version, function, .. }| {
        quote!((#version, |types| types.read_upgrade::<Self, _, _>(#function)))
    });
    quote! {{
        let current = #current;
        let old: &[#krate::typed::OldVersion] = &[#(#old),*];
        types.versions(current, #own, &[#name, #(#aliases),*], old)
    }}
}

/// Reads a row: an older version is converted, the current one is read by `current`.
pub fn read(container: &Container, current: TokenStream) -> TokenStream {
    let upgrades = container.versions.upgrades();
    if upgrades.is_empty() {
        return current;
    }
    let arms = upgrades.iter().zip(1_usize..).map(|(Upgrade { function, .. }, number)| {
        quote!(#number => return rows.upgraded::<Self, _, _>(site, of_version, #function),)
    });
    quote! {
        let (version, of_version) = rows.version(site)?;
        match version {
            #(#arms)*
            _ => {}
        }
        let site = of_version;
        #current
    }
}

/// Whether there are older versions.
pub fn has_older(container: &Container) -> bool {
    !container.versions.upgrades().is_empty()
}

/// Reads many rows: one by one if they can have older versions, otherwise by `current`.
pub fn read_rows(container: &Container, current: TokenStream) -> TokenStream {
    if !has_older(container) {
        return current;
    }
    quote! {
        if rows.has_versions(site) {
            return Self::read_row_major(slots, site, rows);
        }
        #current
    }
}
