//! Lays schema text out: a group on one line if it fits and has no comments, else each of its items on a line of its own.

use alloc::string::String;
use alloc::vec::Vec;

use super::tokens::{Group, Token, TokenKind, groups};

/// The most characters on a line, where a group can be broken.
const WIDTH: usize = 100;
const INDENT: usize = 4;

/// The text of tokens that follow the grammar, ending with a line break.
pub fn of(text: &str, tokens: &[Token]) -> String {
    let groups = groups(tokens);
    let mut layout =
        TextLayout { text, tokens, groups, out: String::new(), indent: 0, beside: Vec::new() };
    let end = tokens.len() - 1;
    let mut root = 0;
    if layout.word(0) == "version" {
        (0..2).for_each(|token| layout.token(token));
        layout.end_line();
        root = 2;
    }
    let is_label = |index: &usize| {
        tokens.get(index + 1).is_some_and(|next| next.kind == TokenKind::Mark(b'='))
    };
    let labels: Vec<usize> = (root..end).filter(is_label).collect();
    let definitions = labels.first().map_or(end, |first| first - 1);
    if layout.fits(root, end) {
        layout.flat(root, end);
    } else {
        layout.tokens(root, definitions);
        if let Some(first) = labels.first() {
            layout.end_line();
            layout.token(first - 1);
            layout.indent = INDENT;
            for (index, label) in labels.iter().enumerate() {
                layout.end_line();
                layout.tokens(*label, labels.get(index + 1).copied().unwrap_or(end));
                layout.comma();
            }
            layout.end_line();
            layout.indent = 0;
        }
    }
    layout.end_line();
    layout.comments(end);
    layout.out
}

struct TextLayout<'t> {
    text: &'t str,
    tokens: &'t [Token],
    groups: Vec<Group>,
    out: String,
    indent: usize,
    /// The comments beside the tokens so far on this line.
    beside: Vec<&'t str>,
}

impl<'t> TextLayout<'t> {
    fn word(&self, token: usize) -> &'t str {
        &self.text[self.tokens[token].place.clone()]
    }

    fn column(&self) -> usize {
        let line = self.out.rsplit('\n').next().unwrap_or_default();
        if line.is_empty() { self.indent } else { line.chars().count() }
    }

    /// Whether the tokens from one to before another fit on this line, with a comma after them.
    fn fits(&self, from: usize, to: usize) -> bool {
        let last = to.saturating_sub(1);
        let tokens = &self.tokens[from..to];
        let has_comments = tokens.iter().skip(1).any(|token| !token.before.is_empty())
            || self.tokens[from..last].iter().any(|token| token.beside.is_some());
        let mut width = self.column() + 1;
        // A text that is longer than a line stays so.
        !has_comments
            && tokens.iter().all(|token| {
                width += token.place.len();
                width <= WIDTH * 2
            })
            && self.column() + self.flat_text(from, to).chars().count() < WIDTH
    }

    fn flat_text(&self, from: usize, to: usize) -> String {
        let mut text = String::new();
        for token in from..to {
            if self.is_last_comma(token) {
                continue;
            }
            if token > from && self.has_space_before(token) {
                text.push(' ');
            }
            text.push_str(self.word(token));
        }
        text
    }

    /// Whether a comma has no item after it.
    fn is_last_comma(&self, token: usize) -> bool {
        let is = |token: usize, marks: &[u8]| matches!(self.tokens[token].kind, TokenKind::Mark(mark) if marks.contains(&mark));
        let ends = |token: usize| self.tokens[token].kind == TokenKind::End || is(token, b")]}");
        is(token, b",") && ends(token + 1)
    }

    fn has_space_before(&self, token: usize) -> bool {
        let (before, this) = (self.tokens[token - 1].kind, self.tokens[token].kind);
        let no_space_before = match this {
            TokenKind::Mark(b'[') => before == TokenKind::Word,
            TokenKind::Mark(b'{' | b'=' | b'-') => false,
            TokenKind::Mark(_) => true,
            _ => false,
        };
        !no_space_before && !matches!(before, TokenKind::Mark(b'(' | b'[' | b'{'))
    }

    /// Appends tokens on one line, with the comments before the first and beside the last.
    fn flat(&mut self, from: usize, to: usize) {
        for token in from..to {
            match self.is_last_comma(token) {
                true => self.beside_of(token),
                false => self.token(token),
            }
        }
    }

    /// Appends tokens, and breaks the groups among them that do not fit.
    // The recursion ends with the nesting of types, which the parser bounds.
    fn tokens(&mut self, from: usize, to: usize) {
        let mut token = from;
        while token < to {
            if !matches!(self.tokens[token].kind, TokenKind::Mark(b'(' | b'[' | b'{')) {
                match self.tokens[token].kind == TokenKind::Mark(b',') {
                    true => self.beside_of(token),
                    false => self.token(token),
                }
                token += 1;
                continue;
            }
            let close = self.groups[token].close;
            if self.fits(token, close + 1) || close == token + 1 {
                self.flat(token, close + 1);
            } else {
                self.broken(token, close);
            }
            token = close + 1;
        }
    }

    /// Appends a group with a line for each item.
    fn broken(&mut self, open: usize, close: usize) {
        self.token(open);
        self.indent += INDENT;
        let mut from = open + 1;
        while from < close {
            let mut to = from;
            while to < close && self.tokens[to].kind != TokenKind::Mark(b',') {
                let group = self.groups[to].close;
                to = if group > to { group + 1 } else { to + 1 };
            }
            self.end_line();
            self.tokens(from, to);
            self.comma();
            if to < close {
                self.beside_of(to);
            }
            from = to + 1;
        }
        self.end_line();
        self.comments(close);
        self.indent -= INDENT;
        self.start_line();
        self.out.push_str(self.word(close));
        self.beside_of(close);
    }

    fn token(&mut self, token: usize) {
        self.end_line_after_comments();
        if !self.tokens[token].before.is_empty() {
            self.end_line();
            self.comments(token);
        }
        let begins = self.out.is_empty() || self.out.ends_with('\n');
        if begins {
            self.start_line();
        } else if token > 0 && self.has_space_before(token) {
            self.out.push(' ');
        }
        self.out.push_str(self.word(token));
        self.beside_of(token);
    }

    fn comma(&mut self) {
        self.out.push(',');
    }

    fn beside_of(&mut self, token: usize) {
        let text = self.text;
        self.beside.extend(self.tokens[token].beside.iter().map(|place| &text[place.clone()]));
    }

    /// The comments before a token, each on a line.
    fn comments(&mut self, token: usize) {
        for place in &self.tokens[token].before {
            self.start_line();
            self.out.push_str(&self.text[place.clone()]);
            self.out.push('\n');
        }
    }

    fn start_line(&mut self) {
        self.out.extend(core::iter::repeat_n(' ', self.indent));
    }

    fn end_line_after_comments(&mut self) {
        if !self.beside.is_empty() {
            self.end_line();
        }
    }

    fn end_line(&mut self) {
        let mut beside = core::mem::take(&mut self.beside).into_iter();
        if let Some(first) = beside.next() {
            self.out.push(' ');
            self.out.push_str(first);
        }
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
        for more in beside {
            self.start_line();
            self.out.push_str(more);
            self.out.push('\n');
        }
    }
}
