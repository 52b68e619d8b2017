//! The names of generated types, fields and variants.

use std::collections::{HashMap, HashSet};

use holdall::bindings::Type;
use holdall::schema_text::SchemaText;

/// The names of the types that are declared.
pub(super) struct Names {
    of_types: HashMap<usize, String>,
    /// One type for each name, in the order in which they are declared: inner types after the types around them.
    declared: Vec<usize>,
    /// The variants whose payload is a record.
    variants: HashMap<usize, String>,
    root: String,
}

impl Names {
    /// Names the structs, records, named unions and definitions of a schema; none has a name that the code uses itself.
    pub(super) fn of(text: &SchemaText, root: &str, used: &[&str]) -> Names {
        let schema = text.schema();
        let taken = Taken::new(used);
        let mut names = Naming { text, known: HashMap::new(), taken };
        let mut named = Names {
            of_types: HashMap::new(),
            declared: Vec::new(),
            variants: HashMap::new(),
            root: String::new(),
        };
        let mut stack = Vec::new();
        for (number, id) in schema.definitions().iter().enumerate().rev() {
            let label = text.label(number).unwrap_or_default();
            let is_number = label.starts_with(|c: char| c.is_ascii_digit());
            let hint = if is_number { format!("{root} {number}") } else { label.to_owned() };
            stack.push((*id, hint, true));
        }
        stack.push((0, root.to_owned(), false));
        while let Some((id, hint, is_definition)) = stack.pop() {
            let ty = &schema.types()[id];
            let own = match ty {
                Type::Struct(name, _) => Some(pascal(last_part(name))),
                Type::Record(_) => Some(pascal(&hint)),
                Type::Union(of) if of.names.is_some() => Some(pascal(&hint)),
                _ if is_definition => Some(pascal(&hint)),
                _ => None,
            };
            if let Some(own) = own {
                let (name, is_new) = names.name(id, own);
                named.of_types.insert(id, name);
                if is_new {
                    named.declared.push(id);
                }
            }
            if let Type::Union(of) = ty {
                let variants = of.names.iter().flatten().zip(&of.variants);
                let variants = variants.map(|(name, id)| (*id, name.to_string()));
                named.variants.extend(variants);
            }
            let inner: Vec<_> = ty.children().zip(hints(ty, &hint)).collect();
            stack.extend(inner.into_iter().rev().map(|(id, hint)| (id, hint, false)));
        }
        let root = pascal(root);
        named.root = if names.taken.names.contains(&root) { format!("{root}Root") } else { root };
        named
    }

    pub(super) fn of_type(&self, id: usize) -> Option<&str> {
        self.of_types.get(&id).map(String::as_str)
    }

    /// The name of the variant whose payload a record is.
    pub(super) fn variant(&self, id: usize) -> Option<&str> {
        self.variants.get(&id).map(String::as_str)
    }

    /// The name of the root, if its type has none itself.
    pub(super) fn root(&self) -> &str {
        &self.root
    }

    pub(super) fn declared(&self) -> &[usize] {
        &self.declared
    }
}

/// What the types directly inside a type are called, if they have no name.
fn hints(ty: &Type, around: &str) -> Vec<String> {
    match ty {
        Type::Record(of) | Type::Struct(_, of) => {
            of.fields.iter().map(|(name, _)| name.to_string()).collect()
        }
        Type::Union(of) => match &of.names {
            Some(names) => names.iter().map(|name| format!("{around} {name}")).collect(),
            None => vec![around.to_owned(); of.variants.len()],
        },
        _ => ty.children().map(|_| around.to_owned()).collect(),
    }
}

struct Naming<'t> {
    text: &'t SchemaText,
    /// Names by what they mean: equal types have one name.
    known: HashMap<(String, String), String>,
    taken: Taken,
}

impl Naming<'_> {
    /// The name of a type, and whether it is a new one.
    fn name(&mut self, id: usize, own: String) -> (String, bool) {
        let meaning = (own.clone(), self.text.schema().full_text(id));
        if let Some(name) = self.known.get(&meaning) {
            return (name.clone(), false);
        }
        let name = self.taken.add(own);
        self.known.insert(meaning, name.clone());
        (name, true)
    }
}

/// A Python class is named by its module, too; versions are not part of a type's name in a program.
fn last_part(name: &str) -> &str {
    let name = name.split('@').next().unwrap_or(name);
    name.rsplit(['.', ':']).next().filter(|last| !last.is_empty()).unwrap_or(name)
}

/// The words of a name: split where it has other characters than letters and digits, and before capitals.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = ' ';
    for c in name.chars() {
        let begins = !before.is_ascii_alphanumeric()
            || (c.is_ascii_uppercase() && before.is_ascii_lowercase());
        if c.is_ascii_alphanumeric() {
            match words.last_mut() {
                Some(word) if !begins => word.push(c),
                _ => words.push(c.to_string()),
            }
        }
        before = c;
    }
    words
}

/// `UserName`.
pub(super) fn pascal(name: &str) -> String {
    let capital = |word: &String| {
        let (first, rest) = word.split_at(1);
        first.to_ascii_uppercase() + rest
    };
    let name: String = words(name).iter().map(capital).collect();
    match name.chars().next() {
        None => "Unnamed".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("N{name}"),
        Some(_) => name,
    }
}

/// `user_name`, which is no keyword.
pub(super) fn snake(name: &str, keywords: &[&str]) -> String {
    let name = words(name).join("_").to_ascii_lowercase();
    match name.chars().next() {
        None => "unnamed".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("n{name}"),
        Some(_) if keywords.contains(&&*name) => format!("{name}_"),
        Some(_) => name,
    }
}

/// Makes names differ, from each other and from those that are taken: what came before gets a number.
pub(super) fn distinct(names: Vec<String>, taken: &[&str]) -> Vec<String> {
    let mut taken = Taken::new(taken);
    names.into_iter().map(|name| taken.add(name)).collect()
}

/// Names that no other can have.
struct Taken {
    names: HashSet<String>,
    /// For names that were given a number, the last one.
    numbers: HashMap<String, usize>,
}

impl Taken {
    fn new(names: &[&str]) -> Self {
        let names = names.iter().map(|&name| name.to_owned()).collect();
        Taken { names, numbers: HashMap::new() }
    }

    /// Takes a name, with a number if it is taken.
    fn add(&mut self, own: String) -> String {
        if self.names.insert(own.clone()) {
            return own;
        }
        let number = self.numbers.entry(own.clone()).or_insert(1);
        loop {
            *number += 1;
            let name = format!("{own}{number}");
            if self.names.insert(name.clone()) {
                return name;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_conventions_of_each_language() {
        let cases = [
            ("user_name", "UserName", "user_name"),
            ("userName", "UserName", "user_name"),
            ("HTTPServer", "HTTPServer", "httpserver"),
            ("a b-c", "ABC", "a_b_c"),
            ("9a", "N9a", "n9a"),
            ("type", "Type", "type_"),
            ("é", "Unnamed", "unnamed"),
        ];
        for (name, type_name, field) in cases {
            assert_eq!((pascal(name), snake(name, &["type"])), (type_name.into(), field.into()));
        }
        assert_eq!(last_part("shop.models.User@2"), "User");
        let same = vec!["a".to_owned(), "a".to_owned(), "b".to_owned()];
        assert_eq!(distinct(same, &["b"]), ["a", "a2", "b2"]);
    }
}
