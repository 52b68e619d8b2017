//! What changed from one schema to another, and whether each can read the other's data.

use anstyle::Style;
use holdall::resolution::{Change, ChangeKind, Reads, RuntimeCheck};
use holdall::{Code, Diff, Error, Schema, Value};

use super::print::Lines;

/// Whether there are no differences.
pub(crate) fn is_equal(schemas: &[Schema; 2], diff: &Diff) -> bool {
    let always = |reads: &Reads| matches!(reads, Reads::Always);
    // Whether rows may lack a field does not change types, but whether each schema reads the other's data.
    let is_as_good = diff.changes.is_empty()
        && !diff.is_cut
        && always(&diff.old_reads_new)
        && always(&diff.new_reads_old);
    schemas[0] == schemas[1] || is_as_good
}

/// The changes, and whether each can read the other's data.
pub(crate) fn print(diff: &Diff, limit: usize, colour: bool) -> String {
    let mut lines = Lines::new(colour);
    for change in diff.changes.iter().take(limit) {
        print_change(change, &mut lines);
    }
    if diff.changes.len() > limit {
        let more = diff.changes.len() - limit;
        lines.line(lines.looks.dim, &format!("and {more} more, which --limit would show"));
    }
    if diff.is_cut {
        let text = "and perhaps more changes: the schemas are too large to compare all";
        lines.line(lines.looks.dim, text);
    }
    print_reads("old readers read new data", &diff.old_reads_new, limit, &mut lines);
    print_reads("new readers read old data", &diff.new_reads_old, limit, &mut lines);
    lines.into_text()
}

fn print_change(change: &Change, lines: &mut Lines) {
    let (mark, look) = match change.kind {
        ChangeKind::FieldAdded | ChangeKind::VariantAdded => ('+', lines.looks.new),
        ChangeKind::FieldRemoved | ChangeKind::VariantRemoved => ('-', lines.looks.old),
        _ => ('~', lines.looks.changed),
    };
    let what = name(change.kind).replace('_', " ");
    lines.put(look, &format!("{mark} {} {what}", change.path));
    match (&change.old, &change.new) {
        (Some(old), Some(new)) => {
            lines.plain(": ");
            lines.put(lines.looks.old, old);
            lines.plain(" -> ");
            lines.put(lines.looks.new, new);
        }
        (Some(ty), None) | (None, Some(ty)) => lines.put(look, &format!(": {ty}")),
        (None, None) => {}
    }
    lines.end_line();
}

fn print_reads(who: &str, reads: &Reads, limit: usize, lines: &mut Lines) {
    match reads {
        Reads::Always => lines.line(lines.looks.new, &format!("{who}: always")),
        Reads::Depends(checks) => {
            lines.line(lines.looks.changed, &format!("{who}: depends on the values"));
            for check in checks.iter().take(limit) {
                lines.line(Style::new(), &format!("  {check}"));
            }
            if checks.len() > limit {
                lines.line(
                    lines.looks.dim,
                    &format!("  and at {} more places", checks.len() - limit),
                );
            }
        }
        Reads::Never(error) if is_limit(error) => {
            lines.line(
                lines.looks.changed,
                &format!("{who}: unknown, the schemas are too large to compare"),
            );
            lines.line(Style::new(), &format!("  {error}"));
        }
        Reads::Never(error) => {
            lines.line(lines.looks.old, &format!("{who}: never"));
            lines.line(Style::new(), &format!("  {error}"));
        }
    }
}

/// Whether an error is a limit on the comparison, not a difference of the schemas.
fn is_limit(error: &Error) -> bool {
    matches!(error.code(), Code::LimitSites | Code::LimitNesting | Code::LimitBudget)
}

/// The name of a kind, for programs.
fn name(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::FieldAdded => "field_added",
        ChangeKind::FieldRemoved => "field_removed",
        ChangeKind::FieldsReordered => "fields_reordered",
        ChangeKind::StructRenamed => "struct_renamed",
        ChangeKind::VariantAdded => "variant_added",
        ChangeKind::VariantRemoved => "variant_removed",
        ChangeKind::MadeOptional => "made_optional",
        ChangeKind::MadeRequired => "made_required",
        _ => "type_changed",
    }
}

/// For programs.
pub(crate) fn to_value(diff: &Diff, is_equal: bool, limit: usize) -> Value {
    let change = |change: &Change| {
        let start =
            [("kind", Value::from(name(change.kind))), ("path", Value::from(&*change.path))];
        let types = [("old", &change.old), ("new", &change.new)];
        let types =
            types.into_iter().filter_map(|(name, ty)| Some((name, Value::from(&**ty.as_ref()?))));
        Value::record(start.into_iter().chain(types))
    };
    let more = diff.changes.len().saturating_sub(limit) as u64;
    Value::record([
        ("equal", Value::Bool(is_equal)),
        ("changes", Value::list(diff.changes.iter().take(limit).map(change))),
        ("more", Value::from(more)),
        ("cut", Value::Bool(diff.is_cut)),
        ("old_reads_new", reads_value(&diff.old_reads_new, limit)),
        ("new_reads_old", reads_value(&diff.new_reads_old, limit)),
    ])
}

fn reads_value(reads: &Reads, limit: usize) -> Value {
    match reads {
        Reads::Always => Value::record([("reads", Value::from("always"))]),
        Reads::Depends(checks) => Value::record([
            ("reads", Value::from("depends")),
            ("checks", Value::list(checks.iter().take(limit).map(check_value))),
            ("more", Value::from(checks.len().saturating_sub(limit) as u64)),
        ]),
        Reads::Never(error) => {
            let reads = if is_limit(error) { "unknown" } else { "never" };
            Value::record([("reads", Value::from(reads)), ("error", error_value(error))])
        }
    }
}

fn check_value(check: &RuntimeCheck) -> Value {
    Value::record([
        ("path", Value::from(&*check.path)),
        ("writer", Value::from(&*check.writer)),
        ("reader", Value::from(&*check.reader)),
        ("condition", Value::from(&*check.condition)),
    ])
}

fn error_value(error: &Error) -> Value {
    let rule = error.rule().map(|rule| ("rule", Value::from(rule)));
    let start = [("code", Value::from(error.code().as_str())), ("path", Value::from(error.path()))];
    let text = ("text", Value::from(error.to_string()));
    Value::record(start.into_iter().chain(rule).chain([text]))
}
