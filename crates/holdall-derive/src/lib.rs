//! `#[derive(holdall::Encode, holdall::Decode)]`. The crate `holdall` documents both.

mod archive;
mod attributes;
mod bounds;
mod checks;
mod converted;
mod decode;
mod encode;
mod fields;
mod in_place;
mod items;
mod known;
mod names;
mod packed;
mod unknown;
mod upgrade;

use proc_macro::TokenStream;
use syn::{DeriveInput, Error, Result, parse_macro_input};

use attributes::Container;

fn checked(input: &DeriveInput) -> Result<Container> {
    let container = Container::of(input)?;
    checks::check(input, &container)?;
    Ok(container)
}

/// Writes values of a type by its fields.
#[proc_macro_derive(Encode, attributes(holdall))]
pub fn derive_encode(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let tokens = checked(&input).and_then(|container| encode::implement(&input, &container));
    tokens.unwrap_or_else(Error::into_compile_error).into()
}

/// Reads values of a type by its fields.
#[proc_macro_derive(Decode, attributes(holdall))]
pub fn derive_decode(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let tokens = checked(&input).and_then(|container| {
        let mut decode = decode::implement(&input, &container)?;
        decode.extend(archive::implement(&input, &container)?);
        Ok(decode)
    });
    tokens.unwrap_or_else(Error::into_compile_error).into()
}
