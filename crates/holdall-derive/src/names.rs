//! Names of fields and variants in other spellings.

use syn::{Error, LitStr, Result};

/// A spelling of the names of fields or variants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    Lower,
    Upper,
    Pascal,
    Camel,
    Snake,
    ScreamingSnake,
    Kebab,
    ScreamingKebab,
}

const SPELLINGS: [(&str, Spelling); 8] = [
    ("lowercase", Spelling::Lower),
    ("UPPERCASE", Spelling::Upper),
    ("PascalCase", Spelling::Pascal),
    ("camelCase", Spelling::Camel),
    ("snake_case", Spelling::Snake),
    ("SCREAMING_SNAKE_CASE", Spelling::ScreamingSnake),
    ("kebab-case", Spelling::Kebab),
    ("SCREAMING-KEBAB-CASE", Spelling::ScreamingKebab),
];

impl Spelling {
    /// Parses a spelling from its example.
    pub fn parse(literal: &LitStr) -> Result<Spelling> {
        let text = literal.value();
        match SPELLINGS.iter().find(|(example, _)| *example == text) {
            Some((_, spelling)) => Ok(*spelling),
            None => {
                let all = SPELLINGS.map(|(example, _)| format!("{example:?}")).join(", ");
                Err(Error::new(literal.span(), format!("expected one of {all}")))
            }
        }
    }

    /// Converts the name of a field (`snake_case`) or variant (`PascalCase`) to this spelling.
    pub fn of(self, name: &str) -> String {
        let words = words(name);
        let lower = |word: &str| word.to_lowercase();
        let upper = |word: &str| word.to_uppercase();
        let all = |of: &dyn Fn(&str) -> String, between: &str| {
            words.iter().map(|word| of(word)).collect::<Vec<_>>().join(between)
        };
        match self {
            Spelling::Lower => all(&lower, ""),
            Spelling::Upper => all(&upper, ""),
            Spelling::Pascal => all(&capital, ""),
            Spelling::Camel => match words.split_first() {
                Some((first, rest)) => {
                    lower(first) + &rest.iter().map(|word| capital(word)).collect::<String>()
                }
                None => String::new(),
            },
            Spelling::Snake => all(&lower, "_"),
            Spelling::ScreamingSnake => all(&upper, "_"),
            Spelling::Kebab => all(&lower, "-"),
            Spelling::ScreamingKebab => all(&upper, "-"),
        }
    }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters.flat_map(char::to_lowercase)).collect(),
        None => String::new(),
    }
}

/// Splits a name at underscores, and before capital letters that follow small ones.
fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    for part in name.split('_').filter(|part| !part.is_empty()) {
        let mut word = String::new();
        for letter in part.chars() {
            let starts =
                letter.is_uppercase() && word.chars().last().is_some_and(|c| !c.is_uppercase());
            if starts {
                words.push(std::mem::take(&mut word));
            }
            word.push(letter);
        }
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_each_spelling() {
        for name in ["first_name", "FirstName", "_first_name"] {
            let spelled = SPELLINGS.map(|(_, spelling)| spelling.of(name));
            let expected = [
                "firstname",
                "FIRSTNAME",
                "FirstName",
                "firstName",
                "first_name",
                "FIRST_NAME",
                "first-name",
                "FIRST-NAME",
            ];
            assert_eq!(spelled, expected, "{name}");
        }
    }
}
