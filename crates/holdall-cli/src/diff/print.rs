//! Differences as lines for people, or as JSON.

use anstyle::Style;
use holdall::Value;
use holdall_inspect::printable;

use super::values::{Difference, DifferenceKind, Differences, Side};
use crate::terminal::{Looks, paint};

/// Lines for people, in which only the colours control a terminal.
pub(super) struct Lines {
    pub(super) looks: Looks,
    text: String,
}

impl Lines {
    pub(super) fn new(colour: bool) -> Lines {
        Lines { looks: Looks::of(colour), text: String::new() }
    }

    pub(super) fn put(&mut self, look: Style, text: &str) {
        self.text += &paint(look, &printable(text));
    }

    pub(super) fn plain(&mut self, text: &str) {
        self.text += &printable(text);
    }

    pub(super) fn end_line(&mut self) {
        self.text.push('\n');
    }

    /// A line in one style.
    pub(super) fn line(&mut self, look: Style, text: &str) {
        self.put(look, text);
        self.end_line();
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }
}

/// The differences, and their number.
pub(super) fn print(differences: &Differences, colour: bool) -> String {
    let mut lines = Lines::new(colour);
    for difference in &differences.list {
        print_one(difference, &mut lines);
        lines.end_line();
    }
    let more = differences.count() - differences.list.len();
    if more > 0 {
        lines.line(lines.looks.dim, &format!("and {more} more, which --limit would show"));
    }
    if differences.is_cut {
        let words = "not everything is compared: too many paths lead to shared values";
        lines.line(lines.looks.changed, words);
    }
    if differences.count() > 0 {
        lines.line(Style::new(), &summary(differences));
    }
    lines.into_text()
}

/// `3 changed, 1 added`.
fn summary(differences: &Differences) -> String {
    let counted =
        DifferenceKind::ALL.iter().zip(differences.counts).filter(|(_, count)| *count > 0);
    let words = counted.map(|(kind, count)| match kind {
        DifferenceKind::Identity => format!("{count} of identity"),
        DifferenceKind::Unknown => format!("{count} not comparable"),
        kind => format!("{count} {}", kind.as_str()),
    });
    words.collect::<Vec<String>>().join(", ")
}

fn print_one(difference: &Difference, lines: &mut Lines) {
    match (&difference.old, &difference.new) {
        (Some(old), Some(new)) => print_both(difference, old, new, lines),
        (Some(old), None) => lines.put(lines.looks.old, &format!("- {} {}", old.path, old.text)),
        (None, Some(new)) => lines.put(lines.looks.new, &format!("+ {} {}", new.path, new.text)),
        (None, None) => {}
    }
}

fn print_both(difference: &Difference, old: &Side, new: &Side, lines: &mut Lines) {
    let mark = match difference.kind {
        DifferenceKind::Identity => '&',
        DifferenceKind::Unknown => '?',
        _ => '~',
    };
    lines.put(lines.looks.changed, &format!("{mark} {} ", new.path));
    let mut sides = |old: &str, new: &str| {
        lines.put(lines.looks.old, old);
        lines.plain(" -> ");
        lines.put(lines.looks.new, new);
    };
    match difference.kind {
        DifferenceKind::Retyped => sides(&old.ty, &new.ty),
        DifferenceKind::Identity => sides(&same_as(old), &same_as(new)),
        DifferenceKind::Reordered => lines.plain("the same keys in another order"),
        DifferenceKind::Unknown => {
            lines.plain("written by a later version, so it cannot be compared");
        }
        _ if !difference.note.is_empty() => {
            lines.plain(&format!("{}, {}", new.text, difference.note));
        }
        _ if old.ty != new.ty => sides(&typed(old), &typed(new)),
        _ => sides(&old.text, &new.text),
    }
    if old.path != new.path {
        lines.put(lines.looks.dim, &format!(" (was {})", old.path));
    }
}

/// A value with its type, where the text does not begin with that.
fn typed(side: &Side) -> String {
    let Side { ty, text, .. } = side;
    if text.starts_with(&**ty) { text.clone() } else { format!("{text} ({ty})") }
}

fn same_as(side: &Side) -> String {
    if side.text.is_empty() {
        "a value of its own".to_owned()
    } else {
        format!("the same as {}", side.text)
    }
}

/// For programs.
pub(super) fn to_value(differences: &Differences) -> Value {
    let of = |difference: &Difference| {
        let kind = ("kind", Value::from(difference.kind.as_str()));
        let path = difference.new.as_ref().or(difference.old.as_ref());
        let path = ("path", Value::from(path.map_or("", |side| &*side.path)));
        let sides = [("old", &difference.old), ("new", &difference.new)];
        let sides =
            sides.into_iter().filter_map(|(name, side)| Some((name, side_value(side.as_ref()?))));
        let note = Some(&difference.note).filter(|note| !note.is_empty());
        let note = note.map(|note| ("note", Value::from(&**note)));
        Value::record([kind, path].into_iter().chain(sides).chain(note))
    };
    let counts = DifferenceKind::ALL.iter().zip(differences.counts);
    Value::record([
        ("equal", Value::Bool(differences.is_empty())),
        ("complete", Value::Bool(!differences.is_cut)),
        ("differences", Value::list(differences.list.iter().map(of))),
        ("more", Value::from((differences.count() - differences.list.len()) as u64)),
        (
            "counts",
            Value::record(counts.map(|(kind, count)| (kind.as_str(), Value::from(count as u64)))),
        ),
    ])
}

fn side_value(side: &Side) -> Value {
    Value::record([
        ("path", Value::from(&*side.path)),
        ("type", Value::from(&*side.ty)),
        ("text", Value::from(&*side.text)),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::values::{Options, differences};

    #[test]
    fn lines_have_the_colour_of_their_side_and_values_add_none() {
        let value = |text: &str| Value::record([("a\x1B[2J", Value::from(text))]);
        let (old, new) = (value("\x1B[31m"), value("\u{202E}b"));
        let differences = differences(&old, &new, &Options::new()).unwrap();
        let plain = "~ $[\"a\\u001b[2J\"] \"\\u{1b}[31m\" -> \"\\u{202e}b\"\n1 changed\n";
        assert_eq!(print(&differences, false), plain);
        let painted = print(&differences, true);
        assert!(painted.contains("\x1B[31m\"\\u{1b}[31m\"\x1B[0m -> \x1B[32m"), "{painted:?}");
        let mut left = painted;
        for colour in ["\x1B[0m", "\x1B[31m", "\x1B[32m", "\x1B[33m"] {
            left = left.replace(colour, "");
        }
        assert_eq!(left, plain);
    }
}
