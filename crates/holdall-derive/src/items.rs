//! `items`: a module that converts the items of a field, or the items of containers in it.

use std::mem::replace;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Error, GenericArgument, Path, PathArguments, Type};

/// The value of `items`: the type of the items, with a module in place of the values that it converts.
pub struct Items {
    /// The containers in the field, the outermost first.
    inner: Vec<Type>,
    module: Path,
}

impl Items {
    /// The value of the attribute, such as `module` or `Option<module>`.
    pub fn of(value: Type) -> syn::Result<Items> {
        let (mut inner, mut value) = (Vec::new(), value);
        while let Some(item) = item_of(&value).cloned() {
            inner.push(replace(&mut value, item));
        }
        match value {
            Type::Path(path) if path.qself.is_none() => Ok(Items { inner, module: path.path }),
            other => Err(Error::new_spanned(other, "write `items = \"module\"`")),
        }
    }

    /// The containers in a field whose items are converted, as the type of the field shows them: the outermost first.
    ///
    /// # Errors
    /// What to write instead.
    pub fn inside<'t>(&self, field: &'t Type) -> Result<Vec<&'t Type>, String> {
        let (mut all, mut around) = (Vec::new(), field);
        for named in &self.inner {
            let Some(item) = item_of(around) else {
                return Err(
                    "the type does not show its items: write it without an alias".to_owned()
                );
            };
            let (shown, named) = (name_of(item), name_of(named));
            if shown != named {
                return Err(format!("the type has {shown} there, not {named}"));
            }
            all.push(item);
            around = item;
        }
        Ok(all)
    }

    /// Returns what is written in place of a container, from a reference to it.
    pub fn written(
        &self,
        krate: &Path,
        container: &Type,
        inside: &[&Type],
        value: &TokenStream,
    ) -> TokenStream {
        let module = &self.module;
        let encode = match inside {
            [] => quote!(#module::encode),
            [inner, inside @ ..] => {
                let item = self.written(krate, inner, inside, &quote!(item));
                quote!(|item| #item)
            }
        };
        quote!({
            #[allow(unused_imports)]
            use #krate::typed::EachOfCollection as _;
            #krate::typed::Each::<#container>::items_to(#value, #encode)
        })
    }

    /// Returns a function from what is read to a container.
    pub fn reading(&self, krate: &Path, container: &Type, inside: &[&Type]) -> TokenStream {
        let module = &self.module;
        let decode = match inside {
            [] => quote!(#module::decode),
            [inner, inside @ ..] => self.reading(krate, inner, inside),
        };
        quote! {
            |items| {
                #[allow(unused_imports)]
                use #krate::typed::EachOfCollection as _;
                #krate::typed::Each::<#container>::items_from(items, #decode)
            }
        }
    }
}

/// The item of a container as its type shows it: the last of an array, the value of a map, else the only argument or the first one.
fn item_of(ty: &Type) -> Option<&Type> {
    match ty {
        Type::Array(array) => Some(&array.elem),
        Type::Group(group) => item_of(&group.elem),
        Type::Paren(paren) => item_of(&paren.elem),
        Type::Path(path) => {
            let last = path.path.segments.last()?;
            // With `::` they are those of a type that has the functions.
            let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
            if arguments.colon2_token.is_some() {
                return None;
            }
            let mut types = arguments.args.iter().filter_map(|argument| match argument {
                GenericArgument::Type(ty) => Some(ty),
                _ => None,
            });
            let first = types.next();
            if last.ident.to_string().ends_with("Map") { types.next() } else { first }
        }
        _ => None,
    }
}

/// A container's name in errors.
fn name_of(ty: &Type) -> String {
    match ty {
        Type::Array(_) => "an array".to_owned(),
        Type::Group(group) => name_of(&group.elem),
        Type::Paren(paren) => name_of(&paren.elem),
        Type::Path(path) => {
            let name = path.path.segments.last().map(|last| last.ident.to_string());
            format!("`{}`", name.unwrap_or_default())
        }
        _ => "no container".to_owned(),
    }
}
