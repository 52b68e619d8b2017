//! Steps of paths as text.

use super::text::shorten;

/// Names are cut to this many bytes.
const LONGEST_NAME: usize = 100;

/// The step into a field: `.name`, or `["odd name"]`.
pub(super) fn field(name: &str) -> String {
    let mut bytes = name.bytes();
    let starts = bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    if starts && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return format!(".{}", shorten(name, LONGEST_NAME));
    }
    let mut text = "[\"".to_owned();
    for char in shorten(name, LONGEST_NAME).chars() {
        match char {
            '"' | '\\' => text.extend(['\\', char]),
            '\0'..='\x1F' => text += &format!("\\u{:04x}", u32::from(char)),
            _ => text.push(char),
        }
    }
    text + "\"]"
}

/// The step into a named variant: `<Name>`.
pub(super) fn variant(name: &str) -> String {
    format!("<{}>", shorten(name, LONGEST_NAME))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_not_identifiers_are_quoted() {
        for (name, step) in
            [("a_1", ".a_1"), ("a b", "[\"a b\"]"), ("", "[\"\"]"), ("\"\n", "[\"\\\"\\u000a\"]")]
        {
            assert_eq!(field(name), step);
        }
    }
}
