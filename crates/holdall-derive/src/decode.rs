//! `Decode`: describe, read a row.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DataStruct, DeriveInput, Lifetime, Path, Result};

use crate::attributes::Container;
use crate::bounds::{arguments, bounded, krate, with_input};
use crate::encode::{are_units, base_name, name_of, transparent, variant_names};
use crate::fields::{AllFields, Form, OneField};
use crate::packed::Packed;
use crate::{unknown, upgrade};

/// The bodies of the methods.
struct DecodeBodies {
    describe: TokenStream,
    read: TokenStream,
    /// Reads many rows, field by field where possible.
    read_rows: Option<TokenStream>,
    /// Reads over an existing value, if a field supports that.
    read_over: Option<TokenStream>,
    /// Reads a value as the only row of a site.
    read_inline: Option<TokenStream>,
    /// Reads a few rows of a site: the condition, and the body.
    flat: Option<(TokenStream, TokenStream)>,
}

/// Returns the fields of a struct to read.
fn fields_of<'f>(of: &'f DataStruct, container: &Container) -> Result<AllFields<'f>> {
    let default = container.default.as_ref();
    AllFields::of(&of.fields, container.rename_all, default, container.explicit)
}

/// The names that the implementation uses.
pub struct Context<'a> {
    pub krate: &'a Path,
    pub input: &'a Lifetime,
}

/// Generates the implementation.
pub fn implement(input: &DeriveInput, container: &Container) -> Result<TokenStream> {
    let krate = krate(container);
    let mut bound = quote!(#krate::Decode<'__input>);
    if container.packed {
        bound = quote!(#bound + #krate::typed::Unpack);
    }
    let generics = bounded(input, container, &bound);
    let (lifetime, generics) = with_input(generics);
    let (params, _, clause) = generics.split_for_impl();
    let (ident, arguments) = (&input.ident, arguments(input));
    let context = Context { krate: &krate, input: &lifetime };
    let bodies = match (&container.from, &container.try_from, &input.data) {
        (Some(from), _, _) => context.converted(
            from,
            &quote!(|value| {
                ::core::result::Result::<Self, ::core::convert::Infallible>::Ok(
                    ::core::convert::From::<#from>::from(value),
                )
            }),
        ),
        (None, Some(from), _) => {
            context.converted(from, &quote!(<Self as ::core::convert::TryFrom<#from>>::try_from))
        }
        (None, None, Data::Struct(of)) => {
            let fields = fields_of(of, container)?;
            context.structure(input, container, &fields)?
        }
        (None, None, Data::Enum(of)) => context.variants(of, container)?,
        (None, None, Data::Union(of)) => {
            return Err(syn::Error::new_spanned(of.union_token, "a union cannot be read"));
        }
    };
    let DecodeBodies { mut describe, mut read, mut read_rows, mut read_over, read_inline, flat } =
        bodies;
    let read_inline = read_inline.filter(|_| !container.packed);
    let flat = flat.filter(|_| !container.packed);
    let (mut lists, mut unpack) = (None, None);
    if let (true, Data::Struct(of)) = (container.packed, &input.data) {
        let fields = fields_of(of, container)?;
        let name = name_of(input, container);
        let packed = Packed { krate: &krate, name: &name, fields: &fields };
        describe = packed.describe(&describe);
        read = packed.read(&read);
        read_rows = read_rows.map(|body| packed.read_rows(&body));
        // Nothing in the value is allocated.
        read_over = None;
        lists = Some(packed.lists(&lifetime));
        unpack = Some(packed.implement_unpack(input, container));
    }
    let read_rows = read_rows.map(|body| {
        quote! {
            #[inline]
            fn read_rows(
                slots: &mut #krate::typed::Slots<'_, Self>,
                site: #krate::typed::Site,
                rows: &mut #krate::typed::Rows<'_, #lifetime>,
            ) -> #krate::Result<()> {
                if rows.row_major_only(site) {
                    return Self::read_row_major(slots, site, rows);
                }
                #body
            }
        }
    });
    let is_inline = read_inline.is_some();
    let read_inline = read_inline.map(|body| {
        quote! {
            fn read_inline(
                rows: &mut #krate::typed::InlineRows<'_, #lifetime>,
            ) -> ::core::option::Option<Self> {
                #body
            }
        }
    });
    let flat = flat.map(|(is_flat, body)| {
        quote! {
            const IS_FLAT: bool = #is_flat;

            fn read_flat(
                slots: &mut #krate::typed::Slots<'_, Self>,
                rows: &mut #krate::typed::InlineRows<'_, #lifetime>,
            ) -> ::core::option::Option<()> {
                #body
            }
        }
    });
    let read_over = read_over.map(|body| {
        quote! {
            fn read_over(
                &mut self,
                site: #krate::typed::Site,
                rows: &mut #krate::typed::Rows<'_, #lifetime>,
            ) -> #krate::Result<()> {
                rows.enter(site, |rows, site| { #body })
            }
        }
    });
    Ok(quote! {
        #[automatically_derived]
        #[allow(clippy::all, clippy::pedantic, unused_qualifications)]
        impl #params #krate::Decode<#lifetime> for #ident #arguments #clause {
            const IS_INLINE: bool = #is_inline;

            fn describe(types: &mut #krate::typed::Types) -> #krate::typed::Description {
                #describe
            }

            fn read(
                site: #krate::typed::Site,
                rows: &mut #krate::typed::Rows<'_, #lifetime>,
            ) -> #krate::Result<Self> {
                rows.enter(site, |rows, site| { #read })
            }

            #read_rows

            #read_over

            #read_inline

            #flat

            #lists
        }

        #unpack
    })
}

impl Context<'_> {
    /// Reads a value of another type, and converts it.
    fn converted(&self, from: &syn::Type, convert: &TokenStream) -> DecodeBodies {
        let krate = self.krate;
        DecodeBodies {
            describe: quote! {
                let number = types.read::<#from>();
                #krate::typed::Description::named(number).entered()
            },
            read: quote!(rows.converted(site, #convert)),
            read_rows: None,
            read_over: None,
            read_inline: Some(quote!(rows.converted(#convert))),
            flat: None,
        }
    }

    /// Returns the number of the type of a field, of a struct with this name.
    fn number(&self, owner: &TokenStream, field: &OneField<'_>) -> TokenStream {
        let (ty, reading) = (field.ty, field.reading(self.krate));
        if field.attributes.flatten {
            let own = field.member_name();
            return quote!(types.read_flat::<Self, #ty>(#owner, #own));
        }
        match (field.attributes.is_converted(), &field.attributes.default) {
            (true, None) => quote!(types.read_by::<#ty, _, _>(#reading)),
            (true, Some(_)) => quote!(types.read_by_or_default::<#ty, _, _>(#reading)),
            (false, None) => quote!(types.read::<#ty>()),
            (false, Some(_)) => quote!(types.read_or_default::<#ty>()),
        }
    }

    /// Reads a field from its site.
    pub fn read(&self, field: &OneField<'_>, site: &TokenStream) -> TokenStream {
        let (krate, input, ty) = (self.krate, self.input, field.ty);
        if field.attributes.unknown {
            return unknown::read(krate, field);
        }
        if field.number.is_none() {
            return Self::fallback(field);
        }
        let reading = field.reading(krate);
        match (field.attributes.is_converted(), &field.attributes.default) {
            (true, None) => quote!(rows.converted::<#ty, _, _>(#site, #reading)?),
            (true, Some(_)) => {
                let fallback = Self::fallback(field);
                quote!(rows.converted_or::<#ty, _, _>(#site, #reading, || #fallback)?)
            }
            (false, None) => quote!(<#ty as #krate::Decode<#input>>::read(#site, rows)?),
            (false, Some(_)) => {
                let fallback = Self::fallback(field);
                quote!(rows.read_or::<#ty>(#site, || #fallback)?)
            }
        }
    }

    /// Reads all fields as the only rows of their sites.
    fn read_inline(&self, fields: &AllFields<'_>, make: &TokenStream) -> TokenStream {
        let (krate, input) = (self.krate, self.input);
        let fields = fields.all.iter().map(|field| {
            let (variable, ty) = (&field.variable, field.ty);
            let value = match (field.attributes.is_converted(), field.number) {
                (_, None) => Self::fallback(field),
                (true, _) => {
                    let reading = field.reading(krate);
                    quote!(rows.converted::<#ty, _, _>(#reading)?)
                }
                (false, _) => quote!(<#ty as #krate::Decode<#input>>::read_inline(rows)?),
            };
            quote!(let #variable = #value;)
        });
        quote!(#(#fields)* ::core::option::Option::Some(#make))
    }

    /// Describes fields by their names, under the owner's.
    fn named(
        &self,
        owner: &TokenStream,
        fields: &AllFields<'_>,
        describe: &TokenStream,
    ) -> TokenStream {
        let krate = self.krate;
        let aliases = fields.kept().filter(|(field, _)| !field.attributes.aliases.is_empty());
        let aliases = aliases.map(|(field, _)| {
            let (name, aliases) = (&field.name, &field.attributes.aliases);
            quote!(types.alias_field(#owner, #name, &[#(#aliases),*]);)
        });
        let (names, numbers): (Vec<_>, Vec<_>) =
            fields.kept().map(|(field, _)| (&field.name, self.number(owner, field))).unzip();
        let unknown = fields.describe_unknown();
        quote! {
            #(#aliases)*
            let fields: #krate::typed::alloc::vec::Vec<(&str, #krate::typed::TypeNumber)> =
                #krate::typed::alloc::vec![#((#names, #numbers)),*];
            #unknown
            #describe
        }
    }

    /// Reads all fields from the sites inside one, into variables.
    fn all(&self, fields: &AllFields<'_>, site: &TokenStream) -> Vec<TokenStream> {
        let read = |field: &OneField<'_>| {
            let (variable, value) = (&field.variable, self.read(field, &site_of(field)));
            quote!(let #variable = #value;)
        };
        std::iter::once(sites(fields, site)).chain(fields.all.iter().map(read)).collect()
    }

    fn structure(
        &self,
        input: &DeriveInput,
        container: &Container,
        fields: &AllFields<'_>,
    ) -> Result<DecodeBodies> {
        let krate = self.krate;
        let make = fields.by_variables(&quote!(Self));
        if let Some(only) = transparent(container, fields) {
            let number = self.number(&quote!(::core::option::Option::None), only);
            let reads = fields.all.iter().map(|field| {
                let (variable, value) = (&field.variable, self.read(field, &quote!(site)));
                quote!(let #variable = #value;)
            });
            return Ok(DecodeBodies {
                describe: quote! {
                    let number = #number;
                    #krate::typed::Description::named(number).entered()
                },
                read: quote!(#(#reads)* ::core::result::Result::Ok(#make)),
                read_rows: self.read_rows(input, fields, |_| quote!(site)),
                read_over: self.read_over(input, fields, |_| quote!(site)),
                read_inline: Some(self.read_inline(fields, &make)),
                flat: self.flat(input, fields, false),
            });
        }
        let name = name_of(input, container);
        let keeping = fields.keeping();
        let current =
            quote!(#krate::typed::Description::structure(#name, fields).entered()#keeping);
        let base = base_name(input, container);
        let mut describe = self.named(
            &quote!(::core::option::Option::Some(#name)),
            fields,
            &upgrade::describe(krate, container, &base, current),
        );
        if !container.aliases.is_empty() {
            let aliases = &container.aliases;
            describe = quote!(types.alias_struct(#name, &[#(#aliases),*]); #describe);
        }
        let (sites, reads) = (sites(fields, &quote!(site)), self.all(fields, &quote!(site)));
        Ok(DecodeBodies {
            describe,
            read: upgrade::read(container, quote!(#(#reads)* ::core::result::Result::Ok(#make))),
            read_rows: self
                .read_rows(input, fields, site_of)
                .map(|body| upgrade::read_rows(container, quote!(#sites #body))),
            read_over: self
                .read_over(input, fields, site_of)
                .filter(|_| !upgrade::has_older(container))
                .map(|body| quote!(#sites #body)),
            read_inline: {
                let fields = self.read_inline(fields, &make);
                Some(quote!(rows.row()?; #fields))
            },
            flat: self.flat(input, fields, true),
        })
    }

    fn variants(&self, of: &syn::DataEnum, container: &Container) -> Result<DecodeBodies> {
        let krate = self.krate;
        let names = variant_names(of, container)?;
        let (mut described, mut arms, mut aliases) = (Vec::new(), Vec::new(), Vec::new());
        let (mut over_arms, mut inline_arms, mut many_arms) = (Vec::new(), Vec::new(), Vec::new());
        for (index, (variant, (name, attributes))) in of.variants.iter().zip(&names).enumerate() {
            let fields = AllFields::of(&variant.fields, attributes.rename_all, None, false)?;
            let ident = &variant.ident;
            let make = fields.by_variables(&quote!(Self::#ident));
            let payload = quote!(rows.child(site, #index));
            if !attributes.aliases.is_empty() {
                let all = &attributes.aliases;
                aliases.push(quote!(types.alias_variant(#name, &[#(#all),*]);));
            }
            let inline = self.read_inline(&fields, &make);
            inline_arms.push(match fields.payload() {
                Some(_) => quote!(#index => { #inline }),
                None => quote!(#index => { rows.row()?; #inline }),
            });
            let owner = quote!(::core::option::Option::None);
            let number = fields.describe_payload(
                krate,
                |field| self.number(&owner, field),
                |describe| self.named(&owner, &fields, describe),
            );
            let reads: Vec<TokenStream> = match (fields.form, fields.payload()) {
                (Form::Unit, _) => Vec::new(),
                (_, Some(only)) => {
                    let (variable, value) = (&only.variable, self.read(only, &payload));
                    vec![quote!(let #variable = #value;)]
                }
                (_, None) => {
                    let parts = self.all(&fields, &quote!(payload));
                    std::iter::once(quote!(let payload = #payload;)).chain(parts).collect()
                }
            };
            many_arms.push(self.variant_rows(index, &make, &fields, &payload));
            over_arms.push(self.variant_over(index, ident, &fields, &payload, &reads));
            described.push(quote!((#name, #number)));
            arms.push(quote!(#index => { #(#reads)* #make }));
        }
        let number = match arms.len() {
            0 | 1 => quote!(rows.row().map(|()| 0)?),
            _ => quote!(rows.number()?),
        };
        let read_inline = quote! {
            match usize::try_from(#number).ok()? {
                #(#inline_arms)*
                _ => ::core::option::Option::None,
            }
        };
        // A union of one variant has no numbers.
        let read_rows = (arms.len() > 1).then(|| match are_units(of) {
            true => unit_rows(of),
            false => {
                let count = names.len();
                quote! {
                    let numbers = rows.variants(site, slots.left(), #count as u64)?;
                    slots.by_variant::<#count, _>(numbers, |variant, slots| {
                        match variant {
                            #(#many_arms)*
                            _ => {}
                        }
                        ::core::result::Result::Ok(())
                    })
                }
            }
        });
        let other = names.iter().position(|(_, attributes)| attributes.other);
        let other = other.map(|index| quote!(.other(#index)));
        Ok(DecodeBodies {
            describe: quote! {
                #(#aliases)*
                let variants: #krate::typed::alloc::vec::Vec<(&str, #krate::typed::TypeNumber)> =
                    #krate::typed::alloc::vec![#(#described),*];
                #krate::typed::Description::variants(variants)#other.entered()
            },
            read: quote! {
                ::core::result::Result::Ok(match rows.number(site)? {
                    #(#arms)*
                    _ => return ::core::result::Result::Err(rows.no_variant(site)),
                })
            },
            read_rows,
            flat: flat_variants(of),
            read_inline: Some(read_inline),
            read_over: Some(quote! {
                match rows.number(site)? {
                    #(#over_arms)*
                    _ => ::core::result::Result::Err(rows.no_variant(site)),
                }
            }),
        })
    }
}

/// Reads many rows of an enum without payloads: checks all numbers first, so that the rest is a plain copy.
fn unit_rows(of: &syn::DataEnum) -> TokenStream {
    let arms = of.variants.iter().enumerate().skip(1).map(|(index, variant)| {
        let (ident, number) = (&variant.ident, index as u64);
        quote!(#number => Self::#ident,)
    });
    let (first, count) = (of.variants.first().map(|first| &first.ident), of.variants.len() as u64);
    quote! {
        let numbers = rows.variants(site, slots.left(), #count)?;
        slots.extend_from(numbers, |number| match *number {
            #(#arms)*
            _ => Self::#first,
        });
        ::core::result::Result::Ok(())
    }
}

/// Reads a few rows of an enum without payloads.
fn flat_variants(of: &syn::DataEnum) -> Option<(TokenStream, TokenStream)> {
    let count = of.variants.len();
    // A union of one variant has no numbers.
    if !are_units(of) || count < 2 {
        return None;
    }
    let bound = count as u64;
    let arms = of.variants.iter().enumerate().map(|(index, variant)| {
        let (ident, number) = (&variant.ident, index as u64);
        quote!(#number => Self::#ident,)
    });
    let read = quote! {
        // Charges for the enum, and for its payloads.
        rows.charge(slots.left())?;
        for number in rows.numbers(slots.left(), #bound)? {
            slots.push(match number {
                #(#arms)*
                _ => return ::core::option::Option::None,
            });
        }
        ::core::option::Option::Some(())
    };
    Some((quote!(true), read))
}

/// Returns the sites of the fields in the data.
pub fn sites(fields: &AllFields<'_>, site: &TokenStream) -> TokenStream {
    let unknown = fields.unknown_site(site);
    match fields.kept().count() {
        0 => quote!(#unknown),
        count => quote!(let sites = rows.sites::<#count>(#site); #unknown),
    }
}

/// Returns the position of a field among them.
pub fn site_of(field: &OneField<'_>) -> TokenStream {
    match field.number {
        Some(number) => quote!(sites[#number]),
        None => TokenStream::new(),
    }
}
