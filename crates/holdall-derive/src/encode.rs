//! `Encode`: describe, write a row, write rows.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Data, DeriveInput, Fields, Ident, Path, Result, ext::IdentExt};

use crate::attributes::{Container, OfVariant};
use crate::bounds::{arguments, bounded, krate};
use crate::fields::{AllFields, Form, OneField};
use crate::packed::Packed;

/// The bodies of the three methods.
struct EncodeBodies {
    describe: TokenStream,
    write: TokenStream,
    /// By default the rows are written one by one.
    write_rows: Option<TokenStream>,
    /// Writes a value as the only row of a site.
    write_inline: Option<TokenStream>,
    /// Writes values as a few rows of a site.
    flat: Option<Flat>,
    /// The bytes of a few rows, where the type decides.
    sizes: Option<TokenStream>,
}

/// For a few rows: the condition, and the body.
struct Flat {
    is_flat: TokenStream,
    write: TokenStream,
}

/// Generates the implementation.
pub fn implement(input: &DeriveInput, container: &Container) -> Result<TokenStream> {
    let krate = krate(container);
    if let (true, Data::Struct(of)) = (container.packed, &input.data) {
        let fields = AllFields::of(&of.fields, container.rename_all, None, container.explicit)?;
        let name = name_of(input, container);
        let packed = Packed { krate: &krate, name: &name, fields: &fields };
        return Ok(packed.implement_pack(input, container));
    }
    let generics = bounded(input, container, &quote!(#krate::Encode));
    let (params, _, clause) = generics.split_for_impl();
    let (ident, arguments) = (&input.ident, arguments(input));
    let bodies = match (&container.into, &input.data) {
        (Some(into), _) => converted(&krate, into),
        (None, Data::Struct(of)) => {
            let fields = AllFields::of(&of.fields, container.rename_all, None, container.explicit)?;
            structure(&krate, input, container, &fields)?
        }
        (None, Data::Enum(of)) => variants(&krate, of, container)?,
        (None, Data::Union(of)) => {
            return Err(syn::Error::new_spanned(of.union_token, "a union cannot be written"));
        }
    };
    let EncodeBodies { describe, write, write_rows, write_inline, flat, sizes } = bodies;
    let sizes = sizes.map(|sizes| quote!(const SIZES: #krate::typed::RowSizes = #sizes;));
    let is_inline = write_inline.is_some();
    let write_inline = write_inline.map(|body| {
        quote! {
            fn write_inline(
                &self,
                columns: &mut #krate::typed::InlineColumns<'_>,
            ) -> #krate::Result<()> {
                #body
            }
        }
    });
    let flat = flat.map(|Flat { is_flat, write }| {
        quote! {
            const IS_FLAT: bool = #is_flat;

            fn write_flat(
                rows: #krate::typed::Refs<'_, Self>,
                columns: &mut #krate::typed::InlineColumns<'_>,
            ) -> #krate::Result<()> {
                // A struct may have no fields.
                let _ = (&rows, &columns);
                #write
                ::core::result::Result::Ok(())
            }
        }
    });
    let write_rows = write_rows.map(|body| {
        quote! {
            fn write_rows(
                rows: #krate::typed::Refs<'_, Self>,
                site: #krate::typed::Site,
                columns: &mut #krate::typed::Columns<'_>,
            ) -> #krate::Result<()> {
                if columns.row_major_only(site) {
                    return rows.iter().try_for_each(|row| #krate::Encode::write(row, site, columns));
                }
                #body
            }
        }
    });
    Ok(quote! {
        #[automatically_derived]
        #[allow(clippy::all, clippy::pedantic, unused_qualifications)]
        impl #params #krate::Encode for #ident #arguments #clause {
            const IS_INLINE: bool = #is_inline;
            #sizes

            fn describe(types: &mut #krate::typed::Types) -> #krate::typed::Description {
                #describe
            }

            fn write(
                &self,
                site: #krate::typed::Site,
                columns: &mut #krate::typed::Columns<'_>,
            ) -> #krate::Result<()> {
                columns.enter(site, |columns, site| { #write })
            }

            #write_rows

            #write_inline

            #flat
        }
    })
}

/// Writes a value of another type.
fn converted(krate: &Path, into: &syn::Type) -> EncodeBodies {
    EncodeBodies {
        describe: quote! {
            let number = types.written::<#into>();
            #krate::typed::Description::named(number).entered()
        },
        write: quote! {
            let own = ::core::clone::Clone::clone(self);
            let value = <#into as ::core::convert::From<Self>>::from(own);
            #krate::Encode::write(&value, site, columns)
        },
        write_rows: None,
        write_inline: None,
        flat: None,
        sizes: None,
    }
}

/// Writes a field through a reference.
fn write(
    krate: &Path,
    field: &OneField<'_>,
    value: &TokenStream,
    site: &TokenStream,
) -> TokenStream {
    let ty = field.ty;
    if field.attributes.is_converted() {
        let written = field.written(krate, value);
        return quote!(#krate::Encode::write(&(#written), #site, columns)?;);
    }
    quote!(<#ty as #krate::Encode>::write(#value, #site, columns)?;)
}

/// Writes a field as the only row of a site.
fn write_inline(krate: &Path, field: &OneField<'_>, value: &TokenStream) -> TokenStream {
    let ty = field.ty;
    if field.attributes.is_converted() {
        let written = field.written(krate, value);
        return quote!(#krate::Encode::write_inline(&(#written), columns)?;);
    }
    quote!(<#ty as #krate::Encode>::write_inline(#value, columns)?;)
}

fn named(krate: &Path, fields: &AllFields<'_>, describe: &TokenStream) -> TokenStream {
    let (names, numbers): (Vec<_>, Vec<_>) =
        fields.kept().map(|(field, _)| (&field.name, field.written_number(krate))).unzip();
    quote! {
        let fields: #krate::typed::alloc::vec::Vec<(&str, #krate::typed::TypeNumber)> =
            #krate::typed::alloc::vec![#((#names, #numbers)),*];
        #describe
    }
}

fn structure(
    krate: &Path,
    input: &DeriveInput,
    container: &Container,
    fields: &AllFields<'_>,
) -> Result<EncodeBodies> {
    if let Some(only) = transparent(container, fields) {
        let (member, ty, number) = (&only.member, only.ty, only.written_number(krate));
        let write = write(krate, only, &quote!(&self.#member), &quote!(site));
        let values = field_of(member);
        let rows = quote!(<#ty as #krate::Encode>::write_rows(#values, site, columns));
        return Ok(EncodeBodies {
            describe: quote! {
                let number = #number;
                #krate::typed::Description::named(number).entered()
            },
            write: quote!(#write ::core::result::Result::Ok(())),
            write_rows: (!only.attributes.is_converted()).then_some(rows),
            flat: flat(krate, fields),
            sizes: sizes(krate, fields),
            write_inline: Some({
                let write = write_inline(krate, only, &quote!(&self.#member));
                quote!(#write ::core::result::Result::Ok(()))
            }),
        });
    }
    let name = name_of(input, container);
    let keeping = fields.keeping();
    let describe = named(
        krate,
        fields,
        &quote!(#krate::typed::Description::structure(#name, fields).entered()#keeping),
    );
    let (mut one, mut all) = (Vec::new(), Vec::new());
    for (field, number) in fields.kept() {
        let (member, ty) = (&field.member, field.ty);
        let site = quote!(sites[#number]);
        one.push(write(krate, field, &quote!(&self.#member), &site));
        all.push(match field.attributes.is_converted() {
            true => {
                let write = write(krate, field, &quote!(&row.#member), &site);
                quote!(for row in rows.iter() { #write })
            }
            false => {
                let values = field_of(member);
                quote!(<#ty as #krate::Encode>::write_rows(#values, #site, columns)?;)
            }
        });
    }
    fields.write_unknown_rows(krate, &mut one, &mut all);
    let sites = sites(fields, &quote!(site));
    let inline = fields.kept().map(|(field, _)| {
        let member = &field.member;
        write_inline(krate, field, &quote!(&self.#member))
    });
    let unknown = fields.inline_unknown(krate, |OneField { member, .. }| quote!(&self.#member));
    Ok(EncodeBodies {
        write_inline: Some(quote!(#(#inline)* #unknown ::core::result::Result::Ok(()))),
        flat: flat(krate, fields),
        sizes: sizes(krate, fields),
        describe,
        write: quote!(#sites #(#one)* ::core::result::Result::Ok(())),
        write_rows: Some(quote!(#sites #(#all)* ::core::result::Result::Ok(()))),
    })
}

/// Whether some fields are written as others.
fn has_others(fields: &AllFields<'_>) -> bool {
    fields.unknown().is_some() || fields.kept().any(|(field, _)| field.attributes.is_converted())
}

/// Writes a few rows of a struct, one field after the other.
fn flat(krate: &Path, fields: &AllFields<'_>) -> Option<Flat> {
    if has_others(fields) {
        return None;
    }
    let (values, types): (Vec<_>, Vec<_>) =
        fields.kept().map(|(field, _)| (field_of(&field.member), field.ty)).unzip();
    Some(Flat {
        is_flat: quote!(true #(&& <#types as #krate::Encode>::IS_FLAT)*),
        write: quote! {
            #(<#types as #krate::Encode>::write_flat(#values, columns)?;)*
        },
    })
}

/// Returns the bytes of a few rows of a struct.
fn sizes(krate: &Path, fields: &AllFields<'_>) -> Option<TokenStream> {
    if has_others(fields) {
        return None;
    }
    let types = fields.kept().map(|(field, _)| field.ty);
    let row_sizes = quote!(#krate::typed::RowSizes);
    Some(quote!(#row_sizes::NOTHING #(.and(<#types as #krate::Encode>::SIZES))*))
}

/// Writes a few rows of an enum without payloads.
fn flat_variants(of: &syn::DataEnum, names: &[(String, OfVariant)]) -> Option<Flat> {
    let numbers = numbers(of);
    // A union of one variant has no numbers.
    (are_units(of) && names.len() > 1).then(|| Flat {
        is_flat: quote!(true),
        write: quote!(columns.numbers(rows, |row| #numbers);),
    })
}

/// Returns references to one field of all rows.
fn field_of(member: &syn::Member) -> TokenStream {
    quote! {
        // SAFETY: this is a field.
        unsafe { rows.field(|row| &row.#member) }
    }
}

/// Whether the variants of an enum have no fields.
pub fn are_units(of: &syn::DataEnum) -> bool {
    of.variants.iter().all(|variant| matches!(variant.fields, Fields::Unit))
}

/// Returns the number of the variant that `row` refers to.
fn numbers(of: &syn::DataEnum) -> TokenStream {
    let arms = of.variants.iter().enumerate().map(|(index, variant)| {
        let ident = &variant.ident;
        quote!(Self::#ident { .. } => #index,)
    });
    quote!(match row { #(#arms)* })
}

/// Returns the sites of the fields in the data.
fn sites(fields: &AllFields<'_>, site: &TokenStream) -> TokenStream {
    match fields.kept().count() {
        0 => TokenStream::new(),
        count => quote!(let sites = columns.sites::<#count>(#site);),
    }
}

/// Returns the name of a type without its version.
pub fn base_name(input: &DeriveInput, container: &Container) -> String {
    container.rename.clone().unwrap_or_else(|| input.ident.unraw().to_string())
}

/// Returns the name of a type in the schema.
pub fn name_of(input: &DeriveInput, container: &Container) -> String {
    container.versions.name(base_name(input, container))
}

/// Returns the field that a struct is written as: the only field of a tuple struct, or of a transparent one.
pub fn transparent<'f, 'a>(
    container: &Container,
    fields: &'f AllFields<'a>,
) -> Option<&'f OneField<'a>> {
    fields.only().filter(|_| container.transparent || fields.form == Form::Tuple)
}

/// Returns the names of variants.
pub fn variant_names(
    of: &syn::DataEnum,
    container: &Container,
) -> Result<Vec<(String, OfVariant)>> {
    let mut names: Vec<(String, OfVariant)> = Vec::new();
    for variant in &of.variants {
        let attributes = OfVariant::of(variant)?;
        let own = variant.ident.unraw().to_string();
        let name = match (&attributes.rename, container.rename_all) {
            (Some(name), _) => name.clone(),
            (None, Some(spelling)) => spelling.of(&own),
            (None, None) => own,
        };
        names.push((name, attributes));
    }
    Ok(names)
}

fn variants(krate: &Path, of: &syn::DataEnum, container: &Container) -> Result<EncodeBodies> {
    let names = variant_names(of, container)?;
    let (mut described, mut arms, mut inline_arms) = (Vec::new(), Vec::new(), Vec::new());
    let mut only_sizes = None;
    for (index, (variant, (name, attributes))) in of.variants.iter().zip(&names).enumerate() {
        let fields = AllFields::of(&variant.fields, attributes.rename_all, None, false)?;
        only_sizes = sizes(krate, &fields);
        let ident: &Ident = &variant.ident;
        let pattern = fields.by_variables(&quote!(Self::#ident));
        let payload = quote!(columns.child(site, #index));
        let number = fields.describe_payload(
            krate,
            |field| field.written_number(krate),
            |describe| named(krate, &fields, describe),
        );
        let writes: Vec<TokenStream> = match (fields.form, fields.payload()) {
            (Form::Unit, _) => Vec::new(),
            (_, Some(only)) => {
                let variable = &only.variable;
                vec![write(krate, only, &quote!(#variable), &payload)]
            }
            (_, None) => {
                let parts = fields.kept().map(|(field, number)| {
                    let variable = &field.variable;
                    write(krate, field, &quote!(#variable), &quote!(sites[#number]))
                });
                let own = std::iter::once(sites(&fields, &payload)).chain(parts);
                fields.around_unknown(krate, own, &payload)
            }
        };
        let row = index as u64;
        let inline = fields.kept().map(|(field, _)| {
            let variable = &field.variable;
            write_inline(krate, field, &quote!(#variable))
        });
        let unknown = fields.inline_unknown(krate, |field| field.variable.to_token_stream());
        // A union of one variant has no numbers.
        let number_of = (names.len() > 1).then(|| quote!(columns.number(#row);));
        inline_arms.push(quote! {
            #[allow(unused_variables)]
            #pattern => {
                #number_of
                #(#inline)*
                #unknown
                ::core::result::Result::Ok(())
            }
        });
        described.push(quote!((#name, #number)));
        arms.push(quote! {
            #[allow(unused_variables)]
            #pattern => {
                columns.number(site, #row)?;
                #(#writes)*
                ::core::result::Result::Ok(())
            }
        });
    }
    let write_rows = variants_rows(krate, of, &names)?;
    let write = match arms.is_empty() {
        true => quote!(match *self {}),
        false => quote!(match self { #(#arms)* }),
    };
    Ok(EncodeBodies {
        describe: quote! {
            let variants: #krate::typed::alloc::vec::Vec<(&str, #krate::typed::TypeNumber)> =
                #krate::typed::alloc::vec![#(#described),*];
            #krate::typed::Description::variants(variants).entered()
        },
        write,
        write_rows,
        flat: flat_variants(of, &names),
        sizes: match names.len() {
            // A union of one variant has no numbers.
            1 => only_sizes,
            count => are_units(of).then(|| quote!(#krate::typed::RowSizes::variants(#count))),
        },
        write_inline: (!inline_arms.is_empty()).then(|| quote!(match self { #(#inline_arms)* })),
    })
}

/// Writes many rows: their numbers, then for each variant the fields of its rows.
fn variants_rows(
    krate: &Path,
    of: &syn::DataEnum,
    names: &[(String, OfVariant)],
) -> Result<Option<TokenStream>> {
    // A union of one variant has no numbers.
    if names.len() < 2 {
        return Ok(None);
    }
    let numbers = numbers(of);
    if are_units(of) {
        return Ok(Some(quote!(columns.numbers(site, rows, |row| #numbers))));
    }
    let mut arms = Vec::new();
    for (index, (variant, (_, attributes))) in of.variants.iter().zip(names).enumerate() {
        let fields = AllFields::of(&variant.fields, attributes.rename_all, None, false)?;
        let ident = &variant.ident;
        let payload = quote!(columns.child(site, #index));
        let is_only = fields.payload().is_some();
        let sites = (!is_only).then(|| sites(&fields, &payload));
        let writes = fields.kept().map(|(field, number)| {
            let (member, ty) = (&field.member, field.ty);
            let site = if is_only { payload.clone() } else { quote!(sites[#number]) };
            let values = quote! {
                // SAFETY: these are rows of one variant, and this is a field of it.
                unsafe {
                    rows.field(|row| match row {
                        Self::#ident { #member: field, .. } => field,
                        _ => ::core::unreachable!("a row of this variant"),
                    })
                }
            };
            match field.attributes.is_converted() {
                true => {
                    let write = write(krate, field, &quote!(field), &site);
                    quote!(for field in #values.iter() { #write })
                }
                false => quote! {
                    <#ty as #krate::Encode>::write_rows(#values, #site, columns)?;
                },
            }
        });
        let unknown = fields.write_unknown_rows_of(krate, ident, &payload);
        let writes: Vec<_> = sites.into_iter().chain(writes).chain(unknown).collect();
        if !writes.is_empty() {
            arms.push(quote!(#index => { #(#writes)* }));
        }
    }
    let count = names.len();
    Ok(Some(quote! {
        columns.by_variant::<Self, #count>(site, rows, |row| #numbers, |columns, variant, rows| {
            match variant {
                #(#arms)*
                _ => {}
            }
            ::core::result::Result::Ok(())
        })
    }))
}
