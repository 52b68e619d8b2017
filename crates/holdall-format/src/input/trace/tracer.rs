//! Records the items that a reader reads.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::RefCell;
use core::ops::Range;

use super::{FieldForm, Part, Preview, Span};
use crate::error::Error;
use crate::memory::{self, Collect, GrowVec};

/// The item that a read expects: its name in errors, and the rule that it implements.
#[derive(Clone, Copy)]
pub struct Field {
    pub what: &'static str,
    rule: u8,
    form: FieldForm,
}

/// A field with its name in errors, and its rule, such as `"F-29"`, which a search for the name finds.
#[inline(always)]
pub const fn field(what: &'static str, rule: &str) -> Field {
    Field { what, rule: rule_number(rule), form: FieldForm::Bytes }
}

/// Returns 29 for `"F-29"`. Without a loop, so that the number is a constant wherever the name is one.
#[inline(always)]
const fn rule_number(rule: &str) -> u8 {
    match rule.as_bytes() {
        [b'F', b'-', ones @ b'0'..=b'9'] => *ones - b'0',
        [b'F', b'-', tens @ b'0'..=b'9', ones @ b'0'..=b'9'] => {
            10 * (*tens - b'0') + (*ones - b'0')
        }
        [b'F', b'-', b'1', b'0', ones @ b'0'..=b'9'] => 100 + (*ones - b'0'),
        _ => panic!("the name of a rule, like F-29"),
    }
}

impl Field {
    /// Sets how to interpret its bytes.
    pub const fn form(self, form: FieldForm) -> Field {
        Field { form, ..self }
    }

    /// A number in a column: of a row, or of all rows.
    pub const fn number(self, signed: bool) -> Field {
        self.form(if signed { FieldForm::Signed } else { FieldForm::Number })
    }
}

/// The most rows shown for a column.
const ROWS: usize = 6;
/// The most bytes shown for each row.
const ROW: usize = 40;
/// The most bytes of text shown for one message.
const TEXT: usize = 1 << 20;
/// A reader stops after this many faults.
const FAULTS: usize = 100;

/// Records the items that are read. A reader without a tracer runs none of this code.
pub struct Tracer(RefCell<State>);

struct State {
    spans: Vec<Span>,
    errors: Vec<Error>,
    part: Part,
    site: Option<usize>,
    role: &'static str,
    /// The first span of the current column.
    column: usize,
    /// The position after the column, if known.
    end: Option<usize>,
    text_left: usize,
    /// The offset of the input's first byte in what is inspected.
    offset: usize,
    /// The number of the input's first site in what is inspected.
    first_site: usize,
    content: Option<Content>,
}

/// The decompressed content of a message with a dictionary (F-101).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Content {
    /// The offset of its first byte: that of the frame, whose place it takes.
    pub start: usize,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The number of the first span in it.
    pub first_span: usize,
    /// The number of the first error in it.
    pub first_error: usize,
}

impl Tracer {
    pub fn new() -> Tracer {
        Tracer(RefCell::new(State {
            spans: Vec::new(),
            errors: Vec::new(),
            part: Part::Envelope,
            site: None,
            role: "",
            column: 0,
            end: None,
            text_left: TEXT,
            offset: 0,
            first_site: 0,
            content: None,
        }))
    }

    /// Places the next input: the offset of its first byte, and the number of its schema's first site.
    pub fn place(&self, offset: usize, first_site: usize) {
        let mut state = self.0.borrow_mut();
        (state.offset, state.first_site) = (offset, first_site);
    }

    /// Takes the decompressed bytes that the next reads are of.
    #[cold]
    pub fn begin_content(&self, start: usize, bytes: &[u8]) {
        let mut state = self.0.borrow_mut();
        let (first_span, first_error) = (state.spans.len(), state.errors.len());
        state.content =
            Some(Content { start, bytes: memory::copied(bytes), first_span, first_error });
    }

    /// Returns all spans and errors, and what was decompressed.
    pub fn finish(self) -> (Vec<Span>, Vec<Error>, Option<Content>) {
        let State { spans, errors, content, .. } = self.0.into_inner();
        (spans, errors, content)
    }

    #[cold]
    pub fn record(&self, range: Range<usize>, field: Field, number: Option<u64>) {
        if range.is_empty() {
            return;
        }
        let mut state = self.0.borrow_mut();
        let Field { what, rule, form } = field;
        // A plain number is recognised by its value.
        let form =
            if form == FieldForm::Bytes && number.is_some() { FieldForm::Number } else { form };
        let (part, site, role) = (state.part, state.site, state.role);
        let error_count = state.errors.len();
        let range = range.start + state.offset..range.end + state.offset;
        state.spans.put(Span {
            range,
            part,
            what,
            role,
            rule,
            form,
            site,
            number,
            preview: None,
            error: if form == FieldForm::Unread { error_count.checked_sub(1) } else { None },
            inside: None,
        });
    }

    #[cold]
    pub fn enter(&self, part: Part, site: Option<usize>) {
        let mut state = self.0.borrow_mut();
        let site = site.map(|site| site + state.first_site);
        (state.part, state.site, state.role) = (part, site, "");
        (state.column, state.end) = (state.spans.len(), None);
    }

    /// Begins a column with a role at the site; returns the previous role.
    #[cold]
    pub fn column(&self, role: &'static str) -> &'static str {
        let mut state = self.0.borrow_mut();
        state.column = state.spans.len();
        core::mem::replace(&mut state.role, role)
    }

    /// Changes the role within a column; returns the previous role.
    #[cold]
    pub fn role(&self, role: &'static str) -> &'static str {
        core::mem::replace(&mut self.0.borrow_mut().role, role)
    }

    /// Marks the position as the end of the column, whatever is wrong with its contents.
    #[cold]
    pub fn located(&self, position: usize) {
        self.0.borrow_mut().end = Some(position);
    }

    pub fn is_located(&self, position: usize) -> bool {
        self.0.borrow().end == Some(position)
    }

    /// Records a fault; returns it if there were too many already.
    #[cold]
    pub fn fault(&self, error: Error) -> Result<(), Error> {
        let mut state = self.0.borrow_mut();
        if state.errors.len() >= FAULTS {
            return Err(error);
        }
        let error = error.moved_by(state.offset as u64);
        state.errors.put(error);
        Ok(())
    }

    /// Records the fault at which the reader stops.
    pub fn stop(&self, error: Error) {
        self.0.borrow_mut().errors.put(error);
    }

    /// Marks the previous span as a compressed column with another column inside, in this encoding.
    #[cold]
    pub fn inside(&self, encoding: u8) {
        if let Some(span) = self.0.borrow_mut().spans.last_mut() {
            span.inside = Some(encoding);
        }
    }

    /// Shows rows at the previous span.
    #[cold]
    pub fn preview(&self, rows: usize, row: impl FnMut(usize) -> Option<String>) {
        let at = self.0.borrow().spans.len().checked_sub(1);
        self.preview_at(at, rows, row);
    }

    /// Shows the rows of the column at their bytes, or at its encoding if the rows have no bytes of their own. In a
    /// column of few rows, each row has its own span.
    #[cold]
    pub fn preview_column(&self, rows: usize, row: impl FnMut(usize) -> Option<String>) {
        let at = {
            let state = self.0.borrow();
            let is_open = |span: &Span| span.form == FieldForm::Rows && span.preview.is_none();
            let place = state.spans.iter().skip(state.column).rposition(is_open);
            let first = state.spans.get(state.column);
            let place =
                place.or_else(|| first.is_some_and(|s| s.form == FieldForm::Encoding).then_some(0));
            place.map(|place| state.column + place)
        };
        self.preview_at(at, rows, row);
    }

    fn preview_at(&self, at: Option<usize>, rows: usize, row: impl FnMut(usize) -> Option<String>) {
        let mut state = self.0.borrow_mut();
        let State { spans, text_left, .. } = &mut *state;
        let Some(span) = at.and_then(|at| spans.get_mut(at)) else { return };
        if *text_left == 0 {
            return;
        }
        let shown: Vec<String> = (0..rows.min(ROWS)).map_while(row).collected();
        if shown.is_empty() {
            return;
        }
        let text: usize = shown.iter().map(String::len).sum();
        *text_left = text_left.saturating_sub(text);
        span.preview = Some(Box::new(Preview { more: rows - shown.len(), rows: shown }));
    }
}

/// The longest prefix of a text that is short enough to be shown, and whether something is cut off.
pub fn cut(text: &str) -> (&str, bool) {
    if text.len() <= ROW {
        return (text, false);
    }
    let end = (0..=ROW).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    (&text[..end], true)
}

/// Like [`cut`], for bytes, which take more room as text.
pub fn cut_bytes(bytes: &[u8]) -> (&[u8], bool) {
    let end = bytes.len().min(ROW / 2);
    (&bytes[..end], end < bytes.len())
}
