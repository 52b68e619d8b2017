//! The attributes `#[holdall(...)]` of types, variants and fields.

use syn::meta::ParseNestedMeta;
use syn::parse::{Parse, Parser};
use syn::punctuated::Punctuated;
use syn::{
    DeriveInput, Error, ExprPath, Field, Ident, LitStr, Path, Result, Token, Type, Variant,
    WherePredicate,
};

use crate::items::Items;
use crate::known::{Place, Said, each, instead};
use crate::names::Spelling;
use crate::upgrade::Versions;

/// The attributes of a type.
#[derive(Default)]
pub struct Container {
    /// The path of the crate, if not `::holdall`.
    pub krate: Option<Path>,
    pub rename: Option<String>,
    pub rename_all: Option<Spelling>,
    pub aliases: Vec<LitStr>,
    pub default: Option<Fallback>,
    pub transparent: bool,
    /// Only fields with `keep` are in the data.
    pub explicit: bool,
    pub packed: bool,
    /// The archived form of a value: its name, if not that of the type and `Ref`.
    pub archive: Option<Option<Ident>>,
    pub from: Option<Type>,
    pub try_from: Option<Type>,
    pub into: Option<Type>,
    pub bound: Option<Vec<WherePredicate>>,
    pub versions: Versions,
    pub said: Said,
}

/// The attributes of a variant.
#[derive(Default)]
pub struct OfVariant {
    pub rename: Option<String>,
    pub rename_all: Option<Spelling>,
    pub aliases: Vec<LitStr>,
    pub other: bool,
    pub said: Said,
}

/// The attributes of a field.
#[derive(Default)]
pub struct OfField {
    pub rename: Option<String>,
    pub aliases: Vec<LitStr>,
    pub skip: bool,
    pub default: Option<Fallback>,
    /// Its fields are those of the struct around it.
    pub flatten: bool,
    /// It keeps the fields of the data that the struct lacks.
    pub unknown: bool,
    /// For each item of a collection.
    pub items: Option<Items>,
    pub with: Option<Path>,
    pub skip_if: Option<ExprPath>,
    /// In a struct whose other fields are skipped.
    pub keep: bool,
    pub said: Said,
}

/// The value of a field that is missing in the data.
#[derive(Clone)]
pub enum Fallback {
    /// `Default::default()`.
    Default,
    /// The result of a function.
    Path(ExprPath),
    /// The field of a default of the entire struct, from `Default` or a function.
    OfContainer(Option<ExprPath>),
}

fn text(meta: &ParseNestedMeta<'_>) -> Result<LitStr> {
    let value = meta.value()?;
    // Skips a literal of another kind too.
    let span = value.span();
    value.parse().map_err(|_| Error::new(span, instead(meta)))
}

fn parsed<T: Parse>(meta: &ParseNestedMeta<'_>) -> Result<T> {
    parsed_by(meta, T::parse)
}

/// Parses the content of a string. The message of syn's own error varies with its version.
fn parsed_by<P: Parser>(meta: &ParseNestedMeta<'_>, parser: P) -> Result<P::Output> {
    let text = text(meta)?;
    text.parse_with(parser).map_err(|_| Error::new(text.span(), instead(meta)))
}

fn fallback(meta: &ParseNestedMeta<'_>) -> Result<Fallback> {
    if meta.input.peek(Token![=]) {
        return parsed(meta).map(Fallback::Path);
    }
    Ok(Fallback::Default)
}

/// Sets an attribute that may appear once.
fn once<T>(place: &mut Option<T>, meta: &ParseNestedMeta<'_>, value: T) -> Result<()> {
    if place.replace(value).is_some() {
        return Err(meta.error("given twice: keep one"));
    }
    Ok(())
}

fn flag(place: &mut bool, meta: &ParseNestedMeta<'_>) -> Result<()> {
    if std::mem::replace(place, true) {
        return Err(meta.error("given twice: keep one"));
    }
    Ok(())
}

impl Container {
    pub fn of(input: &DeriveInput) -> Result<Container> {
        let mut all = Container::default();
        let said = each(Place::Type, &input.attrs, |meta, key| {
            match key {
                "crate" => once(&mut all.krate, meta, parsed(meta)?)?,
                "rename" => once(&mut all.rename, meta, text(meta)?.value())?,
                "rename_all" => once(&mut all.rename_all, meta, Spelling::parse(&text(meta)?)?)?,
                "alias" => all.aliases.push(text(meta)?),
                "default" => once(&mut all.default, meta, fallback(meta)?)?,
                "transparent" => flag(&mut all.transparent, meta)?,
                "explicit" => flag(&mut all.explicit, meta)?,
                "packed" => flag(&mut all.packed, meta)?,
                "archive" => {
                    let name = meta.input.peek(Token![=]).then(|| parsed(meta)).transpose()?;
                    once(&mut all.archive, meta, name)?;
                }
                "from" => once(&mut all.from, meta, parsed(meta)?)?,
                "try_from" => once(&mut all.try_from, meta, parsed(meta)?)?,
                "into" => once(&mut all.into, meta, parsed(meta)?)?,
                "bound" => {
                    let parser = Punctuated::<WherePredicate, Token![,]>::parse_terminated;
                    once(&mut all.bound, meta, parsed_by(meta, parser)?.into_iter().collect())?;
                }
                "version" => once(&mut all.versions.own, meta, Versions::parse_own(meta)?)?,
                "upgrade" => once(&mut all.versions.upgrades, meta, Versions::parse(meta)?)?,
                _ => return Err(meta.error("an attribute that is known and not read")),
            }
            Ok(())
        })?;
        all.said = said;
        Ok(all)
    }
}

impl OfVariant {
    pub fn of(variant: &Variant) -> Result<OfVariant> {
        let mut all = OfVariant::default();
        let said = each(Place::Variant, &variant.attrs, |meta, key| {
            match key {
                "rename" => once(&mut all.rename, meta, text(meta)?.value())?,
                "rename_all" => once(&mut all.rename_all, meta, Spelling::parse(&text(meta)?)?)?,
                "alias" => all.aliases.push(text(meta)?),
                "other" => flag(&mut all.other, meta)?,
                _ => return Err(meta.error("an attribute that is known and not read")),
            }
            Ok(())
        })?;
        all.said = said;
        Ok(all)
    }
}

impl OfField {
    pub fn of(field: &Field) -> Result<OfField> {
        let mut all = OfField::default();
        let said = each(Place::Field, &field.attrs, |meta, key| {
            match key {
                "rename" => once(&mut all.rename, meta, text(meta)?.value())?,
                "alias" => all.aliases.push(text(meta)?),
                "skip" => flag(&mut all.skip, meta)?,
                "default" => once(&mut all.default, meta, fallback(meta)?)?,
                "flatten" => flag(&mut all.flatten, meta)?,
                "unknown" => flag(&mut all.unknown, meta)?,
                "keep" => flag(&mut all.keep, meta)?,
                "with" => once(&mut all.with, meta, parsed(meta)?)?,
                "items" => once(&mut all.items, meta, Items::of(parsed(meta)?)?)?,
                "skip_if" => once(&mut all.skip_if, meta, parsed(meta)?)?,
                _ => return Err(meta.error("an attribute that is known and not read")),
            }
            Ok(())
        })?;
        if all.skip_if.is_some() && all.default.is_none() {
            all.default = Some(Fallback::Default);
        }
        all.said = said;
        Ok(all)
    }
}
