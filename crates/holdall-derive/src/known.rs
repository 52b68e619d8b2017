//! The known attributes, where each is allowed, and how to write it.

use proc_macro2::Span;
use syn::meta::ParseNestedMeta;
use syn::spanned::Spanned;
use syn::{Attribute, Error, Meta, Result, Token, token};

/// The place of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Type,
    Variant,
    Field,
}

impl Place {
    const ALL: [Place; 3] = [Place::Type, Place::Variant, Place::Field];

    fn text(self) -> &'static str {
        match self {
            Place::Type => "a type",
            Place::Variant => "a variant",
            Place::Field => "a field",
        }
    }

    /// Returns the attributes of the place, with examples.
    fn known(self) -> &'static [(&'static str, KnownForm, &'static str)] {
        match self {
            Place::Type => &TYPE,
            Place::Variant => &VARIANT,
            Place::Field => &FIELD,
        }
    }
}

/// The form of the text after an attribute's name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KnownForm {
    Nothing,
    Value,
    Either,
    List,
}

const RENAME: (&str, KnownForm, &str) = ("rename", KnownForm::Value, "`rename = \"name\"`");
const RENAME_ALL: (&str, KnownForm, &str) =
    ("rename_all", KnownForm::Value, "`rename_all = \"camelCase\"`");
const ALIAS: (&str, KnownForm, &str) = ("alias", KnownForm::Value, "`alias = \"name\"`");
const DEFAULT: (&str, KnownForm, &str) =
    ("default", KnownForm::Either, "`default` or `default = \"function\"`");

const TYPE: [(&str, KnownForm, &str); 15] = [
    ("crate", KnownForm::Value, "`crate = \"path\"`"),
    RENAME,
    RENAME_ALL,
    ALIAS,
    DEFAULT,
    ("transparent", KnownForm::Nothing, "`transparent`"),
    ("explicit", KnownForm::Nothing, "`explicit`"),
    ("packed", KnownForm::Nothing, "`packed`"),
    ("archive", KnownForm::Either, "`archive` or `archive = \"Name\"`"),
    ("from", KnownForm::Value, "`from = \"Type\"`"),
    ("try_from", KnownForm::Value, "`try_from = \"Type\"`"),
    ("into", KnownForm::Value, "`into = \"Type\"`"),
    ("bound", KnownForm::Value, "`bound = \"T: Trait\"`"),
    ("version", KnownForm::Value, "`version = 2`"),
    ("upgrade", KnownForm::List, "`upgrade(1 = \"function\")`"),
];

const VARIANT: [(&str, KnownForm, &str); 4] =
    [RENAME, RENAME_ALL, ALIAS, ("other", KnownForm::Nothing, "`other`")];

const FIELD: [(&str, KnownForm, &str); 10] = [
    RENAME,
    ALIAS,
    ("skip", KnownForm::Nothing, "`skip`"),
    ("keep", KnownForm::Nothing, "`keep`"),
    DEFAULT,
    ("with", KnownForm::Value, "`with = \"module\"`"),
    ("items", KnownForm::Value, "`items = \"module\"`"),
    ("skip_if", KnownForm::Value, "`skip_if = \"function\"`"),
    ("flatten", KnownForm::Nothing, "`flatten`"),
    ("unknown", KnownForm::Nothing, "`unknown`"),
];

/// The attributes found in one place, with their spans.
#[derive(Default)]
pub struct Said(Vec<(String, Span)>);

impl Said {
    /// Returns the span of an attribute's first use.
    pub fn at(&self, key: &str) -> Option<Span> {
        self.0.iter().find(|(said, _)| said == key).map(|(_, span)| *span)
    }

    /// Returns all attributes.
    pub fn all(&self) -> impl Iterator<Item = (&str, Span)> {
        self.0.iter().map(|(key, span)| (&**key, *span))
    }
}

fn key_of(meta: &ParseNestedMeta<'_>) -> String {
    // `crate` is a keyword, but a path of one segment.
    let parts: Vec<_> = meta.path.segments.iter().map(|part| part.ident.to_string()).collect();
    parts.join("::")
}

/// Returns how to write an attribute that has the wrong form.
pub fn instead(meta: &ParseNestedMeta<'_>) -> String {
    let key = key_of(meta);
    let known = Place::ALL.iter().flat_map(|place| place.known());
    let written = known.filter(|(own, ..)| *own == key).map(|(.., written)| *written).next();
    format!("write {}", written.unwrap_or_default())
}

/// Parses each attribute of a place. Unknown attributes, and those in the wrong form, are errors.
pub fn each(
    place: Place,
    attributes: &[Attribute],
    mut take: impl FnMut(&ParseNestedMeta<'_>, &str) -> Result<()>,
) -> Result<Said> {
    let mut said = Said::default();
    let mut fault: Option<Error> = None;
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("holdall")) {
        if !matches!(attribute.meta, Meta::List(_)) {
            combine(
                &mut fault,
                Err(Error::new_spanned(attribute.path(), "write `#[holdall(...)]`")),
            );
            continue;
        }
        let read = attribute.parse_nested_meta(|meta| {
            let key = key_of(&meta);
            let Some((_, form, _)) = place.known().iter().find(|(own, ..)| *own == key) else {
                return Err(unknown(place, &meta, &key));
            };
            let fits = match form {
                KnownForm::Nothing => !meta.input.peek(Token![=]) && !meta.input.peek(token::Paren),
                KnownForm::Value => meta.input.peek(Token![=]),
                KnownForm::Either => !meta.input.peek(token::Paren),
                KnownForm::List => meta.input.peek(token::Paren),
            };
            if !fits {
                return Err(meta.error(instead(&meta)));
            }
            said.0.push((key.clone(), meta.path.span()));
            take(&meta, &key)
        });
        combine(&mut fault, read);
    }
    match fault {
        Some(fault) => Err(fault),
        None => Ok(said),
    }
}

/// Joins errors, so that all are reported at once.
pub fn combine(fault: &mut Option<Error>, result: Result<()>) {
    if let Err(error) = result {
        match fault {
            Some(fault) => fault.combine(error),
            None => *fault = Some(error),
        }
    }
}

#[cold]
fn unknown(place: Place, meta: &ParseNestedMeta<'_>, key: &str) -> Error {
    let has = |place: &&Place| place.known().iter().any(|(own, ..)| *own == key);
    let elsewhere: Vec<&str> = Place::ALL.iter().filter(has).map(|place| place.text()).collect();
    let near = place.known().iter().map(|(own, ..)| *own).find(|own| is_near(own, key));
    let start = match (elsewhere.is_empty(), near) {
        (false, _) => {
            format!("`{key}` belongs to {}, not to {}", elsewhere.join(" or "), place.text())
        }
        (true, Some(near)) => format!("there is no `{key}`; did you mean `{near}`"),
        (true, None) => format!("there is no `{key}`"),
    };
    let own = place.known().iter().map(|(own, ..)| format!("`{own}`")).collect::<Vec<_>>();
    meta.error(format!("{start}; {} has {}", place.text(), own.join(", ")))
}

/// Whether two names differ by one letter: replaced, added, removed or two swapped; or by separators between words.
fn is_near(own: &str, key: &str) -> bool {
    let letters = |text: &str| text.to_lowercase().replace(['_', '-'], "").into_bytes();
    let (own, key) = (letters(own), letters(key));
    let start = own.iter().zip(&key).take_while(|(left, right)| left == right).count();
    let (own, key) = (&own[start..], &key[start..]);
    match (own, key) {
        ([] | [_], []) | ([], [_]) => true,
        ([a, b, rest @ ..], [c, d, other @ ..]) if a == d && b == c && rest == other => true,
        _ => {
            let tails = [(own.get(1..), Some(key)), (Some(own), key.get(1..))];
            own.get(1..) == key.get(1..) && !own.is_empty()
                || tails.iter().any(|(own, key)| own.is_some() && own == key)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_one_mistake_is_near() {
        for key in ["renam", "rrename", "rename", "rnename", "Rename", "renume", "ename"] {
            assert!(is_near("rename", key), "{key}");
        }
        assert!(is_near("rename_all", "renameAll"));
        assert!(is_near("try_from", "tryfrom"));
        for key in ["name", "renaming", "reverse", "", "default"] {
            assert!(!is_near("rename", key), "{key}");
        }
    }
}
