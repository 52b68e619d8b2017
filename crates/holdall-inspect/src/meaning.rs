//! The meanings of spans, as text.

use holdall::LogicalType;
use holdall::trace::{FieldForm, Preview, Span};

use crate::words::{bare, count, hex, of_encoding, of_extended_flags, of_flags, of_form, of_type};
use crate::{Inspection, View, error_text};

/// The item of F-88 that has the length of a frame.
const FRAME_LENGTH: &str = "the length of a frame";

/// Longer texts are truncated to this many bytes.
const TEXT: usize = 60;

impl Inspection<'_> {
    /// Returns the meaning of the span with this number.
    pub(crate) fn meaning(&self, number: usize, is_hidden: bool, view: &View) -> String {
        let span = &self.trace.spans[number];
        if span.form == FieldForm::Unread {
            let error = span.error.and_then(|error| self.errors.get(error));
            let reason = error.map_or_else(String::new, |error| error_text(error, view));
            return format!("not read: {reason}");
        }
        let role = bare(span.role);
        if is_hidden {
            return match (is_row(span), role) {
                (true, "") => "value (hidden)".to_owned(),
                (true, role) => format!("{role} (hidden)"),
                (false, "") => format!("{} (hidden)", bare(span.what)),
                (false, role) => format!("{role}: {} (hidden)", bare(span.what)),
            };
        }
        let words = match span.number {
            Some(value) => self.number_meaning(number, value),
            None => self.bytes_meaning(number),
        };
        let words = match &span.preview {
            // Columns can hold more than the number covers.
            Some(rows) if !view.redact => format!("{words}: {}", preview_text(rows)),
            _ => words,
        };
        if role.is_empty() || is_row(span) { words } else { format!("{role}: {words}") }
    }

    fn number_meaning(&self, number: usize, value: u64) -> String {
        let span = &self.trace.spans[number];
        let named = |text: String| match (is_row(span), bare(span.role)) {
            (true, "") => format!("value: {text}"),
            (true, role) => format!("{role}: {text}"),
            (false, _) => format!("{}: {text}", bare(span.what)),
        };
        match span.form {
            FieldForm::Magic if value == 0xC1 => "magic byte of holdall".to_owned(),
            FieldForm::Magic => "not the magic byte of holdall".to_owned(),
            FieldForm::Flags => of_flags(value),
            FieldForm::ExtendedFlags => format!("extended flags: {}", of_extended_flags(value)),
            FieldForm::Type => of_type(value).to_owned(),
            FieldForm::NameHead if value.is_multiple_of(2) => {
                format!("name of {}", count(value / 2, "byte", "bytes"))
            }
            FieldForm::NameHead => {
                let names = self.names_at(span.range.start);
                let known = usize::try_from(value / 2).ok().and_then(|index| names.get(index));
                match known {
                    Some(name) => {
                        format!("name {}, as before", quoted(self.bytes_with_columns(name.clone())))
                    }
                    None => format!("name {}", value / 2),
                }
            }
            FieldForm::FieldsHead => {
                format!("{}, {}", count(value / 4, "field", "fields"), of_form(value % 4))
            }
            FieldForm::VariantsHead if value % 2 == 1 => {
                count(value / 2, "named variant", "named variants")
            }
            FieldForm::VariantsHead => count(value / 2, "variant", "variants"),
            FieldForm::Kind => {
                let name = u8::try_from(value).ok().and_then(LogicalType::kind_name);
                format!("kind: {}", name.unwrap_or("of a later version"))
            }
            FieldForm::Encoding => of_encoding(value),
            FieldForm::Marker if value == 0 => "plane with a byte for each row".to_owned(),
            FieldForm::Marker => "plane with one byte for all rows".to_owned(),
            FieldForm::Signed => {
                // Zigzag (F-5).
                named(((value >> 1) as i64 ^ -((value & 1) as i64)).to_string())
            }
            // The head of a block has two flags (F-85); the end counts eight bytes (F-88).
            _ if span.rule == 85 => named((value >> 2).to_string()),
            _ if span.what == FRAME_LENGTH => {
                named(count(value.saturating_mul(8), "byte", "bytes"))
            }
            _ => named(value.to_string()),
        }
    }

    fn bytes_meaning(&self, number: usize) -> String {
        let span = &self.trace.spans[number];
        let bytes = self.bytes(number);
        match span.form {
            FieldForm::Name => format!("name {}", quoted(bytes)),
            FieldForm::Key => format!("key {}", quoted(bytes)),
            FieldForm::MetadataValue => format!("value {}", quoted(bytes)),
            FieldForm::Fingerprint => {
                let number: Vec<u8> = bytes.iter().rev().copied().collect();
                format!("fingerprint of the schema: {}", hex(&number))
            }
            FieldForm::Checksum if span.rule == 67 => {
                "checksum of all bytes before (CRC-32C)".to_owned()
            }
            FieldForm::Parameters => {
                let spans = &self.trace.spans[..number];
                let kind = spans.iter().rev().take(2).find(|span| span.form == FieldForm::Kind);
                let kind = kind.and_then(|span| u8::try_from(span.number?).ok());
                match kind.and_then(|kind| LogicalType::new(kind, bytes).ok()) {
                    Some(ty) if bytes.len() <= TEXT => format!("parameters: {ty}"),
                    _ => "parameters".to_owned(),
                }
            }
            FieldForm::Padding => "padding".to_owned(),
            // Integers of one byte each.
            FieldForm::Rows if span.what == "bytes" => "values".to_owned(),
            FieldForm::Later => format!("{}, skipped", bare(span.what)),
            _ => bare(span.what).to_owned(),
        }
    }
}

/// Whether a span is one row of a column.
fn is_row(span: &Span) -> bool {
    span.what == "a number"
}

fn quoted(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if text.len() <= TEXT => format!("{text:?}"),
        Ok(text) => {
            let end = (0..=TEXT).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
            format!("{:?}…", &text[..end])
        }
        Err(_) => "that is not UTF-8".to_owned(),
    }
}

fn preview_text(preview: &Preview) -> String {
    let rows = preview.rows.join(", ");
    match preview.more {
        0 => rows,
        more => format!("{rows} and {more} more"),
    }
}
