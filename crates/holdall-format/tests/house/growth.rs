//! What is written can become large, so it grows by functions that can fail: also the byte for which there is no room.

use crate::sources::{files, read, repository, without_comments};

#[test]
fn output_grows_by_functions_that_can_fail() {
    let crates = ["holdall-format", "holdall", "holdall-convert"];
    let sources =
        crates.map(|name| files(repository().join(format!("crates/{name}/src")), &["rs"]));
    let all: Vec<String> = sources
        .concat()
        .iter()
        .flat_map(|path| {
            let code = without_comments(&read(path));
            let code = code.split("#[cfg(test)]\nmod tests").next().unwrap_or_default().to_owned();
            let found: Vec<String> =
                code.lines().filter(|line| aborts(line)).map(str::to_owned).collect();
            found.into_iter().map(|line| format!("{}: {line}", path.display()))
        })
        .collect();
    assert!(all.is_empty(), "{all:#?}");
}

/// Whether a line lets output grow as std does, which aborts the process where memory runs out.
fn aborts(line: &str) -> bool {
    let methods = ["push", "extend", "extend_from_slice", "resize", "reserve"];
    methods.iter().any(|method| {
        let call = format!("out.{method}(");
        let before = line.split(&call).next().filter(|before| before.len() < line.len());
        before.is_some_and(|before| {
            !before.ends_with(|letter: char| letter.is_alphanumeric() || letter == '_')
        })
    })
}

#[test]
fn growth_is_found_in_all_its_forms() {
    for code in
        ["out.push(1);", "self.out.extend([1])", "nesting.out.resize(9, 0)", "|out| out.reserve(1)"]
    {
        assert!(aborts(code), "{code}");
    }
    for code in ["out.put(1)", "layout.push(1)", "out.len()", "out.truncate(1)"] {
        assert!(!aborts(code), "{code}");
    }
}
