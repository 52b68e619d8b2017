//! Paths that narrow the output.

use std::fmt;

/// A path pattern, such as `$.users[].name`.
///
/// ```
/// use holdall_inspect::Pattern;
///
/// let pattern = Pattern::new("users[].name");
/// assert!(pattern.matches("$.users[3].name") && !pattern.matches("$.users[3]"));
/// assert_eq!((pattern.depth(), pattern.to_string()), (4, "$.users[].name".to_owned()));
/// assert!(pattern.is_step(2, "[3]") && !pattern.is_step(3, ".age"));
/// ```
#[derive(Clone, Debug)]
pub struct Pattern(Vec<String>);

impl Pattern {
    /// Parses a pattern. You can omit `$` and the dot after it; `[]` is any item, `{7}` the entry of a map whose key is
    /// 7.
    #[must_use]
    pub fn new(text: &str) -> Pattern {
        let text = match text.chars().next() {
            Some('$' | '#') => text.to_owned(),
            Some('.' | '[' | '<' | '{') | None => format!("${text}"),
            Some(_) => format!("$.{text}"),
        };
        Pattern(steps(&text).into_iter().map(str::to_owned).collect())
    }

    /// Whether a path is this one, or inside it.
    #[must_use]
    pub fn matches(&self, path: &str) -> bool {
        let steps = steps(path);
        steps.len() >= self.depth()
            && steps.iter().zip(0..self.depth()).all(|(step, at)| self.is_step(at, step))
    }

    /// Returns the number of steps, `$` included.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.0.len()
    }

    /// Whether a step, such as `.name` or `[3]`, matches the one at this position of the pattern; `$` is at 0. `[]`
    /// matches any item, and any item matches `[]`.
    #[must_use]
    pub fn is_step(&self, at: usize, step: &str) -> bool {
        let is_item = |own: &str| {
            let is_any = own == "[]" || step == "[]";
            is_any && is_index(own) && is_index(step)
        };
        self.0.get(at).is_some_and(|own| own == step || is_item(own))
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|step| f.write_str(step))
    }
}

/// Whether a step is `[3]` or `[]`.
fn is_index(step: &str) -> bool {
    let index = step.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    index.is_some_and(|index| index.bytes().all(|byte| byte.is_ascii_digit()))
}

/// `$`, `.name`, `["odd name"]`, `[3]`, `<Name>`, `{key}`.
pub(crate) fn steps(text: &str) -> Vec<&str> {
    let mut steps = Vec::new();
    let (mut start, mut is_quoted, mut is_escaped, mut braces) = (0, false, false, 0usize);
    for (at, char) in text.char_indices() {
        match char {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            '}' => braces = braces.saturating_sub(1),
            '.' | '[' | '<' | '{' if braces == 0 && at > start => {
                steps.push(&text[start..at]);
                start = at;
                braces = usize::from(char == '{');
            }
            '{' => braces += 1,
            _ => {}
        }
    }
    if start < text.len() {
        steps.push(&text[start..]);
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_split_into_steps() {
        for (text, steps) in [
            ("$", &["$"][..]),
            ("", &["$"]),
            ("$.users[3].name", &["$", ".users", "[3]", ".name"]),
            ("users[].name", &["$", ".users", "[]", ".name"]),
            ("#1[].next", &["#1", "[]", ".next"]),
            (r#"["a.b]"].c"#, &["$", r#"["a.b]"]"#, ".c"]),
            ("$<Some>.x", &["$", "<Some>", ".x"]),
            (r#"${(1.5, "}")}.x"#, &["$", r#"{(1.5, "}")}"#, ".x"]),
            ("{{1: 2}}[0]", &["$", "{{1: 2}}", "[0]"]),
        ] {
            assert_eq!(Pattern::new(text).0, steps, "{text}");
        }
    }

    #[test]
    fn a_path_leads_to_itself_and_what_is_inside() {
        for (pattern, inside, outside) in [
            (
                "$.users",
                &["$.users", "$.users[]", "$.users[].name"][..],
                &["$", "$.users2", ""][..],
            ),
            ("users[3].name", &["$.users[].name"], &["$.users[]", "$.users[].names"]),
            ("$[1]", &["$[1]", "$[1].a", "$[]"], &["$[0]"]),
            ("$[]", &["$[1]", "$[].a"], &["$", r#"$["1"]"#]),
            ("{1}", &["${1}", "${1}.a"], &["${2}", "$[1]"]),
            (r#"["a.b"]"#, &[r#"$["a.b"]"#, r#"$["a.b"].c"#], &["$.a.b"]),
            ("#0", &["#0[]", "#0[].next"], &["$", "#1[]"]),
            ("$<Some>", &["$<Some>", "$<Some>.x"], &["$<None>"]),
            ("$", &["$", "$.a"], &["", "#0[]"]),
        ] {
            let pattern = Pattern::new(pattern);
            assert!(inside.iter().all(|path| pattern.matches(path)), "{pattern:?}");
            assert!(!outside.iter().any(|path| pattern.matches(path)), "{pattern:?}");
        }
    }
}
