//! Paths that narrow what is shown.

/// A path, step by step.
#[derive(Clone, Debug)]
pub(crate) struct Pattern(Vec<String>);

impl Pattern {
    pub(crate) fn new(text: &str) -> Pattern {
        let text = match text.chars().next() {
            Some('$' | '#') => text.to_owned(),
            Some('.' | '[' | '<') | None => format!("${text}"),
            Some(_) => format!("$.{text}"),
        };
        Pattern(steps(&text).into_iter().map(str::to_owned).collect())
    }

    /// Whether a path is this one, or leads on from it.
    pub(crate) fn matches(&self, path: &str) -> bool {
        let steps = steps(path);
        steps.len() >= self.0.len()
            && self.0.iter().zip(steps).all(|(own, step)| is_same(own, step))
    }
}

/// `[3]` is one of the items `[]`.
fn is_same(own: &str, step: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let index = own.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    own == step || (step == "[]" && index.is_some_and(is_number))
}

/// `$`, `.name`, `["odd name"]`, `[3]`, `<Name>`.
fn steps(text: &str) -> Vec<&str> {
    let mut steps = Vec::new();
    let (mut start, mut is_quoted, mut is_escaped) = (0, false, false);
    for (at, char) in text.char_indices() {
        match char {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            '.' | '[' | '<' if !is_quoted && at > start => {
                steps.push(&text[start..at]);
                start = at;
            }
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
    fn a_path_leads_to_itself_and_what_is_inside() {
        for (pattern, inside, outside) in [
            (
                "$.users",
                &["$.users", "$.users[]", "$.users[].name"][..],
                &["$", "$.users2", ""][..],
            ),
            ("users[3].name", &["$.users[].name"], &["$.users[]", "$.users[].names"]),
            ("$[1]", &["$[1]", "$[1].a", "$[]"], &["$[0]"]),
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
