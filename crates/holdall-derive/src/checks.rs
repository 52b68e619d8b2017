//! Checks which attributes fit together. Each check finds one mistake that would otherwise have no effect; all are
//! reported at once.

use std::collections::HashMap;

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Error, Field, Fields, LitStr, Result, Variant};

use crate::attributes::{Container, OfField, OfVariant};
use crate::encode::{base_name, variant_names};
use crate::fields::{AllFields, Form};
use crate::known::{Said, combine};

/// Checks an entire type.
pub fn check(input: &DeriveInput, container: &Container) -> Result<()> {
    let mut all = Checks { fault: None };
    if let Data::Union(of) = &input.data {
        let text = "a union does not record which field it holds; use an enum";
        return Err(Error::new(of.union_token.span(), text));
    }
    all.conversions(container);
    let is_read = container.from.is_some() || container.try_from.is_some();
    if is_read && container.into.is_some() {
        all.nothing_inside(input, container);
    } else {
        match &input.data {
            Data::Struct(of) => all.structure(input, &of.fields, container),
            Data::Enum(of) => all.enumeration(of, container),
            Data::Union(_) => {}
        }
    }
    match all.fault {
        Some(fault) => Err(fault),
        None => Ok(()),
    }
}

/// A name that data may have for a field or variant.
struct Named<'n> {
    name: &'n str,
    aliases: &'n [LitStr],
    span: Span,
}

struct Checks {
    fault: Option<Error>,
}

impl Checks {
    fn add(&mut self, span: Span, text: impl std::fmt::Display) {
        combine(&mut self.fault, Err(Error::new(span, text)));
    }

    /// Takes a parsed attribute, or notes its error.
    fn take<T>(&mut self, result: Result<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                combine(&mut self.fault, Err(error));
                None
            }
        }
    }

    /// Rejects attributes that have no meaning in a place.
    fn refuse(&mut self, said: &Said, keys: &[&str], why: &str) {
        for key in keys {
            if let Some(span) = said.at(key) {
                self.add(span, format!("{why}: remove `{key}`"));
            }
        }
    }

    fn conversions(&mut self, container: &Container) {
        let said = &container.said;
        if let (Some(_), Some(span)) = (said.at("from"), said.at("try_from")) {
            self.add(span, "both `from` and `try_from`: keep the one that the type implements");
        }
        let reads = ["from", "try_from"].into_iter().find(|key| said.at(key).is_some());
        if let Some(key) = reads {
            let why = format!("`{key}` reads another type in its place");
            self.refuse(said, &["alias", "default", "upgrade"], &why);
        }
        let other = ["from", "try_from", "into", "transparent"];
        if let Some(key) = other.into_iter().find(|key| said.at(key).is_some()) {
            let why = format!("a packed struct is written as its bytes, not by `{key}`");
            self.refuse(said, &["packed"], &why);
        }
        for error in container.versions.faults(said.at("upgrade")) {
            combine(&mut self.fault, Err(error));
        }
    }

    /// Rejects attributes inside a type that is written and read as another.
    fn nothing_inside(&mut self, input: &DeriveInput, container: &Container) {
        let why = "the type is written and read as another";
        let keys = ["rename", "rename_all", "transparent", "explicit", "version"];
        self.refuse(&container.said, &keys, why);
        let fields = |all: &mut Checks, fields: &Fields| {
            for field in fields {
                if let Some(own) = all.take(OfField::of(field)) {
                    all.refuse_all(&own.said, why);
                }
            }
        };
        match &input.data {
            Data::Struct(of) => fields(self, &of.fields),
            Data::Enum(of) => {
                for variant in &of.variants {
                    if let Some(own) = self.take(OfVariant::of(variant)) {
                        self.refuse_all(&own.said, why);
                    }
                    fields(self, &variant.fields);
                }
            }
            Data::Union(_) => {}
        }
    }

    fn refuse_all(&mut self, said: &Said, why: &str) {
        for (key, span) in said.all() {
            self.add(span, format!("{why}: remove `{key}`"));
        }
    }

    fn structure(&mut self, input: &DeriveInput, of: &Fields, container: &Container) {
        let said = &container.said;
        let Some(fields) = self.fields(of, container.rename_all, container.explicit) else {
            return;
        };
        if let Some(span) = said.at("packed") {
            self.packed(span, &fields);
        }
        let is_newtype = fields.form == Form::Tuple && fields.only().is_some();
        match (said.at("transparent"), fields.only()) {
            (Some(span), None) => {
                let count = fields.kept().count();
                let text = format!(
                    "`transparent` needs exactly one field in the data, and this struct has {count}: remove it, or `skip` the \
                     others"
                );
                self.add(span, text);
            }
            (is_transparent, Some(_)) if is_transparent.is_some() || is_newtype => {
                let why = "the struct is stored as its only field";
                let keys = ["rename", "rename_all", "alias", "default", "version", "upgrade"];
                self.refuse(said, &keys, why);
                self.refuse_names_and_defaults(of, &fields, why);
                if let (Form::Named, Some(unknown)) = (fields.form, fields.unknown()) {
                    self.refuse(&unknown.attributes.said, &["unknown"], why);
                }
            }
            _ => match fields.form {
                Form::Tuple => {
                    self.refuse(said, &["rename_all"], "the fields have no names");
                    let why = "a struct without field names sets a default for each field";
                    self.refuse(said, &["default"], why);
                }
                Form::Unit => self.refuse(said, &["rename_all", "default"], "there are no fields"),
                Form::Named => {}
            },
        }
        if fields.form == Form::Named && !container.transparent {
            self.names_of_fields(of, &fields);
        }
        let name = base_name(input, container);
        self.names(&[Named { name: &name, aliases: &container.aliases, span: input.ident.span() }]);
    }

    fn packed(&mut self, span: Span, fields: &AllFields<'_>) {
        if fields.kept().next().is_none() {
            self.add(
                span,
                "a packed struct needs a field in the data, and this one has none: remove `packed`",
            );
        }
        for field in fields.all.iter().filter(|field| !field.attributes.skip) {
            let why = "the fields of a packed struct are copied as their bytes";
            let said = &field.attributes.said;
            self.refuse(said, &["with", "items", "skip_if", "flatten", "unknown"], why);
        }
    }

    fn enumeration(&mut self, of: &syn::DataEnum, container: &Container) {
        let why = "an enum has no name in the data";
        self.refuse(&container.said, &["rename", "alias", "version", "upgrade"], why);
        self.refuse(&container.said, &["default"], "an enum has no fields of its own");
        self.refuse(&container.said, &["transparent"], "only structs are transparent");
        self.refuse(&container.said, &["packed"], "only structs are packed");
        self.refuse(&container.said, &["explicit"], "only structs are explicit");
        let mut attributes = Vec::new();
        for variant in &of.variants {
            let own = self.take(OfVariant::of(variant));
            if let Some(own) = &own {
                self.variant(variant, own);
            }
            attributes.push(own);
        }
        let others = attributes.iter().flatten().filter_map(|own| own.said.at("other"));
        for span in others.skip(1) {
            self.add(span, "a second `other`: keep one");
        }
        if attributes.iter().any(Option::is_none) {
            return;
        }
        let Some(names) = self.take(variant_names(of, container)) else { return };
        let named: Vec<Named<'_>> = of
            .variants
            .iter()
            .zip(&names)
            .map(|(variant, (name, own))| {
                let span = own.said.at("rename").unwrap_or_else(|| variant.ident.span());
                Named { name, aliases: &own.aliases, span }
            })
            .collect();
        self.names(&named);
    }

    fn variant(&mut self, variant: &Variant, own: &OfVariant) {
        let Some(fields) = self.fields(&variant.fields, own.rename_all, false) else { return };
        if let (Some(span), true) = (own.said.at("other"), fields.form != Form::Unit) {
            let text =
                "the payload of an unknown variant is skipped: remove the fields, or `other`";
            self.add(span, text);
        }
        match fields.form {
            Form::Named => self.names_of_fields(&variant.fields, &fields),
            Form::Unit => self.refuse(&own.said, &["rename_all"], "there are no fields"),
            Form::Tuple => {
                self.refuse(&own.said, &["rename_all"], "the fields have no names");
                let why = "the data always has all fields of a variant whose fields have no names";
                self.refuse_names_and_defaults(&variant.fields, &fields, why);
            }
        }
    }

    /// The fields with their attributes, each checked by itself.
    fn fields<'a>(
        &mut self,
        of: &'a Fields,
        spelling: Option<crate::names::Spelling>,
        is_explicit: bool,
    ) -> Option<AllFields<'a>> {
        let mut is_whole = true;
        for field in of {
            match self.take(OfField::of(field)) {
                Some(own) => self.field(field, &own, is_explicit),
                None => is_whole = false,
            }
        }
        if !is_whole {
            return None;
        }
        let fields = self.take(AllFields::of(of, spelling, None, is_explicit))?;
        let unknown = fields.all.iter().filter_map(|field| field.attributes.said.at("unknown"));
        for span in unknown.skip(1) {
            self.add(span, "a second `unknown`: keep one");
        }
        Some(fields)
    }

    fn field(&mut self, field: &Field, own: &OfField, is_explicit: bool) {
        match is_explicit {
            true => {
                let why = "the type is `explicit`, so that fields without `keep` are skipped";
                self.refuse(&own.said, &["skip"], why);
            }
            false => {
                let why = "the type is not `explicit`, so that every field is in the data";
                self.refuse(&own.said, &["keep"], why);
            }
        }
        if let Some(span) = own.said.at("unknown") {
            let why = "a field for unknown fields is not in the data itself";
            let others = [
                "rename", "alias", "skip", "keep", "default", "with", "items", "skip_if", "flatten",
            ];
            self.refuse(&own.said, &others, why);
            if field.ident.is_none() {
                self.add(span, "the fields around it have no names: remove `unknown`");
            }
            return;
        }
        if let (Some(_), Some(span)) = (own.said.at("with"), own.said.at("items")) {
            self.add(span, "`with` converts the entire field already: remove `items`");
        }
        if let (Some(items), Some(span)) = (&own.items, own.said.at("items"))
            && let Err(why) = items.inside(&field.ty)
        {
            self.add(span, why);
        }
        if own.flatten {
            let why = "a field that is flat is not in the data itself";
            let others = ["rename", "alias", "default", "with", "items", "skip_if"];
            self.refuse(&own.said, &others, why);
            if field.ident.is_none() {
                self.refuse(&own.said, &["flatten"], "the fields around it have no names");
            }
        }
        if own.skip || is_explicit && !own.keep {
            self.refuse(
                &own.said,
                &["rename", "alias", "with", "items", "skip_if", "flatten"],
                "a field that is skipped is not in the data",
            );
        } else if field.ident.is_none() {
            self.refuse(&own.said, &["rename", "alias"], "the field has no name");
        }
    }

    /// Rejects names and defaults where fields have no names in the data, and none is ever missing.
    fn refuse_names_and_defaults(&mut self, of: &Fields, fields: &AllFields<'_>, why: &str) {
        for (field, own) in of.iter().zip(&fields.all) {
            if own.number.is_some() {
                let named: &[&str] = match field.ident {
                    Some(_) => &["rename", "alias", "default", "skip_if", "flatten"],
                    None => &["default", "skip_if"],
                };
                self.refuse(&own.attributes.said, named, why);
            }
        }
    }

    fn names_of_fields(&mut self, of: &Fields, fields: &AllFields<'_>) {
        let named: Vec<Named<'_>> = of
            .iter()
            .zip(&fields.all)
            .filter(|(_, own)| own.number.is_some() && !own.attributes.flatten)
            .map(|(field, own)| {
                let said = own.attributes.said.at("rename");
                let span = said.unwrap_or_else(|| field.ident.span());
                Named { name: &own.name, aliases: &own.attributes.aliases, span }
            })
            .collect();
        self.names(&named);
    }

    /// Rejects names that two fields or variants share.
    fn names(&mut self, all: &[Named<'_>]) {
        let mut known: HashMap<String, usize> = HashMap::new();
        for (number, Named { name, span, .. }) in all.iter().enumerate() {
            if known.insert((*name).to_owned(), number).is_some() {
                self.add(*span, format!("two have the name {name:?}: rename one"));
            }
        }
        for (number, Named { aliases, .. }) in all.iter().enumerate() {
            for alias in *aliases {
                let text = alias.value();
                match known.get(&text) {
                    Some(own) if *own == number => {
                        self.add(
                            alias.span(),
                            format!("it has the name {text:?} already: remove `alias`"),
                        );
                    }
                    Some(_) => {
                        self.add(
                            alias.span(),
                            format!("another has the name {text:?}: remove `alias`"),
                        );
                    }
                    None => {
                        known.insert(text, number);
                    }
                }
            }
        }
    }
}
