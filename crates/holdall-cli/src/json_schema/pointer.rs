//! JSON pointers (RFC 6901) in URI fragments, the places of a schema.

use holdall::Value;

/// The place that a JSON pointer in a URI fragment leads to.
pub(super) fn at<'v>(root: &'v Value, steps: &str) -> Option<&'v Value> {
    let mut value = root;
    for step in steps.split('/').skip(1) {
        let step = unescaped(step)?;
        value = match value.as_slice() {
            Some(items) => items.get(step.parse::<usize>().ok()?)?,
            None => value.field(&step)?,
        };
    }
    (steps.is_empty() || steps.starts_with('/')).then_some(value)
}

/// A step of a pointer as the name that it stands for.
fn unescaped(step: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(step.len());
    let mut rest = step.as_bytes();
    while let [first, after @ ..] = rest {
        if let (b'%', [high, low, after @ ..]) = (first, after) {
            let digits = [*high, *low];
            bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
            rest = after;
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    Some(String::from_utf8(bytes).ok()?.replace("~1", "/").replace("~0", "~"))
}

/// A name as a step of a pointer.
pub(super) fn pointer(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
