//! The attributes `#[holdall(...)]` of types, variants and fields.

use syn::meta::ParseNestedMeta;
use syn::punctuated::Punctuated;
use syn::{
    Attribute, Data, DeriveInput, Error, Expr, ExprLit, Field, Fields, Lit, LitStr, Path, Result,
    Token, Type, Variant, WherePredicate,
};

use crate::names::Spelling;

/// What a type says.
#[derive(Default)]
pub struct Container {
    /// Where the crate is, if not at `::holdall`.
    pub krate: Option<Path>,
    pub rename: Option<String>,
    pub rename_all: Option<Spelling>,
    pub aliases: Vec<String>,
    pub default: Option<Fallback>,
    pub transparent: bool,
    pub packed: bool,
    pub from: Option<Type>,
    pub try_from: Option<Type>,
    pub into: Option<Type>,
    pub bound: Option<Vec<WherePredicate>>,
}

/// What a variant says.
#[derive(Default)]
pub struct OfVariant {
    pub rename: Option<String>,
    pub rename_all: Option<Spelling>,
    pub aliases: Vec<String>,
}

/// What a field says.
#[derive(Default)]
pub struct OfField {
    pub rename: Option<String>,
    pub aliases: Vec<String>,
    pub skip: bool,
    pub default: Option<Fallback>,
    pub with: Option<Path>,
}

/// What a field has that the data lack.
#[derive(Clone)]
pub enum Fallback {
    /// `Default::default()`.
    Default,
    /// What a function gives.
    Path(Path),
    /// The field of a whole struct: of its default, or of what a function gives.
    OfContainer(Option<Path>),
}

fn text(meta: &ParseNestedMeta<'_>) -> Result<LitStr> {
    let expression: Expr = meta.value()?.parse()?;
    match expression {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Ok(text),
        other => Err(Error::new_spanned(other, "expected a string: `= \"...\"`")),
    }
}

fn parsed<T: syn::parse::Parse>(meta: &ParseNestedMeta<'_>) -> Result<T> {
    text(meta)?.parse()
}

fn fallback(meta: &ParseNestedMeta<'_>) -> Result<Fallback> {
    if meta.input.peek(Token![=]) {
        return parsed(meta).map(Fallback::Path);
    }
    Ok(Fallback::Default)
}

/// Sets what may be said once.
fn once<T>(place: &mut Option<T>, meta: &ParseNestedMeta<'_>, value: T) -> Result<()> {
    if place.replace(value).is_some() {
        return Err(meta.error("said twice; leave one"));
    }
    Ok(())
}

fn flag(place: &mut bool, meta: &ParseNestedMeta<'_>) -> Result<()> {
    if std::mem::replace(place, true) {
        return Err(meta.error("said twice; leave one"));
    }
    Ok(())
}

fn each(
    attributes: &[Attribute],
    mut take: impl FnMut(&ParseNestedMeta<'_>, &str) -> Result<()>,
) -> Result<()> {
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("holdall")) {
        attribute.parse_nested_meta(|meta| {
            let key = match meta.path.get_ident() {
                Some(ident) => ident.to_string(),
                // `crate` is a keyword, but a path of one segment.
                None => meta.path.segments.iter().map(|part| part.ident.to_string()).collect(),
            };
            take(&meta, &key)
        })?;
    }
    Ok(())
}

impl Container {
    pub fn of(input: &DeriveInput) -> Result<Container> {
        let mut all = Container::default();
        each(&input.attrs, |meta, key| {
            match key {
                "crate" => once(&mut all.krate, meta, parsed(meta)?)?,
                "rename" => once(&mut all.rename, meta, text(meta)?.value())?,
                "rename_all" => once(&mut all.rename_all, meta, Spelling::parse(&text(meta)?)?)?,
                "alias" => all.aliases.push(text(meta)?.value()),
                "default" => {
                    if !matches!(&input.data, Data::Struct(of) if matches!(of.fields, Fields::Named(_)))
                    {
                        return Err(meta.error(
                            "only structs with named fields have defaults: remove `default`",
                        ));
                    }
                    once(&mut all.default, meta, fallback(meta)?)?;
                }
                "transparent" => {
                    if !matches!(&input.data, Data::Struct(_)) {
                        return Err(
                            meta.error("only structs are transparent: remove `transparent`")
                        );
                    }
                    flag(&mut all.transparent, meta)?;
                }
                "packed" => {
                    if !matches!(&input.data, Data::Struct(_)) {
                        return Err(meta.error("only structs are packed: remove `packed`"));
                    }
                    flag(&mut all.packed, meta)?;
                }
                "from" => once(&mut all.from, meta, parsed(meta)?)?,
                "try_from" => once(&mut all.try_from, meta, parsed(meta)?)?,
                "into" => once(&mut all.into, meta, parsed(meta)?)?,
                "bound" => {
                    let bounds: LitStr = text(meta)?;
                    let parser = Punctuated::<WherePredicate, Token![,]>::parse_terminated;
                    once(&mut all.bound, meta, bounds.parse_with(parser)?.into_iter().collect())?;
                }
                _ => {
                    return Err(meta.error(
                        "unknown attribute of a type; there are `crate`, `rename`, `rename_all`, `alias`, `default`, \
                         `transparent`, `packed`, `from`, `try_from`, `into`, `bound`",
                    ));
                }
            }
            Ok(())
        })?;
        let is_other = all.from.is_some() || all.try_from.is_some() || all.into.is_some();
        if all.packed && (all.transparent || is_other) {
            return Err(Error::new_spanned(
                &input.ident,
                "a packed struct is written as it is: remove `packed`, or `transparent`, `from`, `try_from` and `into`",
            ));
        }
        if all.from.is_some() && all.try_from.is_some() {
            return Err(Error::new_spanned(
                &input.ident,
                "both `from` and `try_from`; leave the one that the type has",
            ));
        }
        if let Data::Union(of) = &input.data {
            return Err(Error::new_spanned(
                of.union_token,
                "a union does not say which of its fields it holds; make it an enum",
            ));
        }
        Ok(all)
    }
}

impl OfVariant {
    pub fn of(variant: &Variant) -> Result<OfVariant> {
        let mut all = OfVariant::default();
        each(&variant.attrs, |meta, key| {
            match key {
                "rename" => once(&mut all.rename, meta, text(meta)?.value())?,
                "rename_all" => once(&mut all.rename_all, meta, Spelling::parse(&text(meta)?)?)?,
                "alias" => all.aliases.push(text(meta)?.value()),
                _ => {
                    return Err(meta.error(
                        "unknown attribute of a variant; there are `rename`, `rename_all`, `alias`",
                    ));
                }
            }
            Ok(())
        })?;
        Ok(all)
    }
}

impl OfField {
    pub fn of(field: &Field) -> Result<OfField> {
        let mut all = OfField::default();
        each(&field.attrs, |meta, key| {
            match key {
                "rename" => once(&mut all.rename, meta, text(meta)?.value())?,
                "alias" => all.aliases.push(text(meta)?.value()),
                "skip" => flag(&mut all.skip, meta)?,
                "default" => once(&mut all.default, meta, fallback(meta)?)?,
                "with" => once(&mut all.with, meta, parsed(meta)?)?,
                _ => {
                    return Err(meta.error(
                        "unknown attribute of a field; there are `rename`, `alias`, `skip`, `default`, `with`",
                    ));
                }
            }
            Ok(())
        })?;
        if all.skip && (all.rename.is_some() || !all.aliases.is_empty() || all.with.is_some()) {
            return Err(Error::new_spanned(
                field,
                "a field that is skipped has no name and no form: leave `skip`, and `default` if needed",
            ));
        }
        if field.ident.is_none() && (all.rename.is_some() || !all.aliases.is_empty()) {
            return Err(Error::new_spanned(
                field,
                "a field without a name has none to change: remove `rename` and `alias`",
            ));
        }
        Ok(all)
    }
}
