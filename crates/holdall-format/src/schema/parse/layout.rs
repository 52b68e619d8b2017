//! Lays schema text out: a group on one line if it fits and has no comments, else each of its items on a line of its own.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use super::outline::is_open;
use super::tokens::{Token, TokenKind, Tokens};
use crate::error::Result;
use crate::memory::{Grow, GrowVec};

/// The most characters on a line, where a group can be broken.
const WIDTH: usize = 100;
const INDENT: usize = 4;

/// A token of a text that follows the grammar.
struct CommentedToken {
    token: Token,
    /// Whether there are comments before it, except one beside the token before.
    has_before: bool,
    /// The comment after it, on its line.
    beside: Option<Range<usize>>,
    /// The token that closes the group that this one opens.
    close: usize,
}

/// The tokens; the last one is the end.
fn pieces(text: &str) -> Result<Vec<CommentedToken>> {
    let mut tokens = Tokens::new(text, 0);
    let (mut pieces, mut open) = (Vec::<CommentedToken>::new(), Vec::<usize>::new());
    loop {
        let token = tokens.next()?;
        let mut has_before = false;
        for comment in token.comments(text) {
            match pieces.last_mut() {
                Some(last) if comment.is_beside => last.beside = Some(comment.place),
                _ => has_before = true,
            }
        }
        let number = pieces.len();
        if is_open(&token) {
            open.put(number);
        } else if matches!(token.kind, TokenKind::Mark(b')' | b']' | b'}'))
            && let Some(begin) = open.pop()
        {
            pieces[begin].close = number;
        }
        let is_end = token.kind == TokenKind::End;
        pieces.put(CommentedToken { token, has_before, beside: None, close: 0 });
        if is_end {
            return Ok(pieces);
        }
    }
}

/// The text of tokens that follow the grammar, ending with a line break.
pub fn of(text: &str) -> Result<String> {
    let pieces = pieces(text)?;
    let end = pieces.len() - 1;
    let is_label = |index: &usize| {
        pieces.get(index + 1).is_some_and(|next| next.token.kind == TokenKind::Mark(b'='))
    };
    let mut layout =
        TextLayout { text, pieces: &pieces, out: String::new(), indent: 0, beside: Vec::new() };
    let mut root = 0;
    if layout.word(0) == "version" {
        (0..2).for_each(|token| layout.token(token));
        layout.end_line();
        root = 2;
    }
    let first = (root..end).find(is_label);
    let definitions = first.map_or(end, |first| first - 1);
    if layout.fits(root, end) {
        layout.flat(root, end);
    } else {
        layout.tokens(root, definitions);
        if let Some(mut label) = first {
            layout.end_line();
            layout.token(label - 1);
            layout.indent = INDENT;
            while label < end {
                let next = (label + 1..end).find(is_label).unwrap_or(end);
                layout.end_line();
                layout.tokens(label, next);
                layout.comma();
                label = next;
            }
            layout.end_line();
            layout.indent = 0;
        }
    }
    layout.end_line();
    layout.comments(end);
    Ok(layout.out)
}

struct TextLayout<'t> {
    text: &'t str,
    pieces: &'t [CommentedToken],
    out: String,
    indent: usize,
    /// The comments beside the tokens so far on this line.
    beside: Vec<&'t str>,
}

impl<'t> TextLayout<'t> {
    fn word(&self, token: usize) -> &'t str {
        &self.text[self.pieces[token].token.place.clone()]
    }

    fn column(&self) -> usize {
        let line = self.out.rsplit('\n').next().unwrap_or_default();
        if line.is_empty() { self.indent } else { line.chars().count() }
    }

    /// Whether the tokens from one to before another fit on this line, with a comma after them.
    fn fits(&self, from: usize, to: usize) -> bool {
        let last = to.saturating_sub(1);
        let pieces = &self.pieces[from..to];
        let has_comments = pieces.iter().skip(1).any(|piece| piece.has_before)
            || self.pieces[from..last].iter().any(|piece| piece.beside.is_some());
        let mut width = self.column() + 1;
        // A text that is longer than a line stays so.
        !has_comments
            && pieces.iter().all(|piece| {
                width += piece.token.place.len();
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
        let is = |token: usize, marks: &[u8]| matches!(self.pieces[token].token.kind, TokenKind::Mark(mark) if marks.contains(&mark));
        let ends =
            |token: usize| self.pieces[token].token.kind == TokenKind::End || is(token, b")]}");
        is(token, b",") && ends(token + 1)
    }

    fn has_space_before(&self, token: usize) -> bool {
        let (before, this) = (self.pieces[token - 1].token.kind, self.pieces[token].token.kind);
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
            if !matches!(self.pieces[token].token.kind, TokenKind::Mark(b'(' | b'[' | b'{')) {
                match self.pieces[token].token.kind == TokenKind::Mark(b',') {
                    true => self.beside_of(token),
                    false => self.token(token),
                }
                token += 1;
                continue;
            }
            let close = self.pieces[token].close;
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
            while to < close && self.pieces[to].token.kind != TokenKind::Mark(b',') {
                let group = self.pieces[to].close;
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
        self.add(self.word(close));
        self.beside_of(close);
    }

    fn token(&mut self, token: usize) {
        self.end_line_after_comments();
        if self.pieces[token].has_before {
            self.end_line();
            self.comments(token);
        }
        let begins = self.out.is_empty() || self.out.ends_with('\n');
        if begins {
            self.start_line();
        } else if token > 0 && self.has_space_before(token) {
            self.add(" ");
        }
        self.add(self.word(token));
        self.beside_of(token);
    }

    fn comma(&mut self) {
        self.add(",");
    }

    fn beside_of(&mut self, token: usize) {
        if let Some(place) = &self.pieces[token].beside {
            self.beside.put(&self.text[place.clone()]);
        }
    }

    /// The comments before a token, each on a line.
    fn comments(&mut self, token: usize) {
        let pieces = self.pieces;
        for comment in pieces[token].token.comments(self.text).filter(|own| !own.is_beside) {
            self.start_line();
            self.add(&self.text[comment.place]);
            self.add("\n");
        }
    }

    fn start_line(&mut self) {
        (0..self.indent).for_each(|_| self.add(" "));
    }

    fn add(&mut self, text: &str) {
        self.out.room(text.len());
        self.out.push_str(text);
    }

    fn end_line_after_comments(&mut self) {
        if !self.beside.is_empty() {
            self.end_line();
        }
    }

    fn end_line(&mut self) {
        let mut beside = core::mem::take(&mut self.beside).into_iter();
        if let Some(first) = beside.next() {
            self.add(" ");
            self.add(first);
        }
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.add("\n");
        }
        for more in beside {
            self.start_line();
            self.add(more);
            self.add("\n");
        }
    }
}
