//! Which of several classes a value becomes.

use std::sync::Arc;

use holdall::bindings::memory::GrowVec;

use super::class::Class;

/// Returns the class, among several, that a value with these fields becomes, by the rules of
/// `holdall._impl._typed.choose`. The error holds the numbers of those that fit equally well.
pub fn choose<'c, 'k>(
    classes: &'c [Arc<Class>],
    must_fit: bool,
    name: Option<&str>,
    keys: impl Iterator<Item = &'k str> + Clone,
) -> Result<Option<&'c Arc<Class>>, Vec<usize>> {
    let is_named = |class: &Arc<Class>| name.is_some_and(|name| class.is_named(name));
    let mut named = classes.iter().filter(|class| is_named(class));
    let several = match (named.next(), named.next()) {
        (Some(class), None) => return Ok(Some(class)),
        (first, _) => first.is_some(),
    };
    if let ([class], false) = (classes, must_fit) {
        return Ok(Some(class));
    }
    let (mut best, mut chosen) = (None, Vec::new());
    for (number, class) in classes.iter().enumerate() {
        if several && !is_named(class) {
            continue;
        }
        let Some(misfit) = class.misfit(keys.clone()) else { continue };
        if best.is_none_or(|best| misfit < best) {
            best = Some(misfit);
            chosen.clear();
        }
        if best == Some(misfit) {
            chosen.put(number);
        }
    }
    match chosen[..] {
        [] => Ok(None),
        [number] => Ok(classes.get(number)),
        _ => Err(chosen),
    }
}
