//! What the parser must know of a text before it reads it: where its definitions are, and how many items each group has.

use alloc::vec::Vec;

use super::super::path::shorten;
use super::tokens::{Token, TokenKind, Tokens};
use crate::error::{Code, Error, Result};
use crate::limits::{NESTING, TYPES};
use crate::memory::{GrowMap, GrowVec};
use crate::platform::HashMap;

/// The most groups in a text: a type has brackets for parameters or shapes, and for what is in it.
const MAX_GROUPS: usize = 2 * TYPES;

/// What an opening bracket encloses.
#[derive(Clone, Copy, Default)]
pub struct Group {
    /// The number of items between commas.
    pub items: u32,
    /// What follows the bracket that closes it.
    pub then: AfterGroup,
}

/// What follows a group.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum AfterGroup {
    #[default]
    Other,
    /// A bracket, which opens shapes.
    Shapes,
    /// The word `sparse`.
    Sparse,
}

/// The beginning of a definition.
#[derive(Clone, Copy)]
pub struct Body {
    /// Where its label is.
    pub label: usize,
    /// Where the token before the label ends.
    pub after: usize,
    /// How many groups begin before it.
    pub groups: usize,
}

/// The outline of a text, which takes no more memory than that of the largest schema needs.
#[derive(Default)]
pub struct Outline<'t> {
    /// The groups in the order in which they open. Brackets need not fit: the parser finds that out.
    pub groups: Vec<Group>,
    /// For each label, where its definition begins.
    pub bodies: HashMap<&'t str, Body>,
    /// The error for the first label with two definitions.
    pub twice: Option<Error>,
}

impl<'t> Outline<'t> {
    /// Reads all tokens once.
    pub fn of(text: &'t str) -> Result<Self> {
        let mut outline = Outline::default();
        let mut tokens = Tokens::new(text, 0);
        // The groups that are open, as deep as types can nest, and how many are open inside those.
        let (mut open, mut deeper) = (Vec::new(), 0_usize);
        let (mut opened, mut closed) = (0, None);
        let mut before: Option<Token> = None;
        loop {
            let token = tokens.next()?;
            if let Some(group) = outline.group(closed.take()) {
                group.then = match token.kind {
                    TokenKind::Mark(b'[') => AfterGroup::Shapes,
                    TokenKind::Word if &text[token.place.clone()] == "sparse" => AfterGroup::Sparse,
                    _ => AfterGroup::Other,
                };
            }
            match token.kind {
                TokenKind::End => return Ok(outline),
                TokenKind::Mark(b')' | b']' | b'}') if deeper > 0 => deeper -= 1,
                TokenKind::Mark(b')' | b']' | b'}') => closed = open.pop(),
                TokenKind::Mark(b',') => {}
                TokenKind::Mark(b'=') => outline.define(text, before.as_ref(), opened)?,
                _ if deeper == 0 && before.as_ref().is_some_and(begins_item) => {
                    if let Some(group) = outline.group(open.last().copied()) {
                        group.items = group.items.saturating_add(1);
                    }
                }
                _ => {}
            }
            if is_open(&token) {
                if opened < MAX_GROUPS {
                    outline.groups.put(Group::default());
                }
                match open.len() < NESTING {
                    true => open.put(opened),
                    false => deeper += 1,
                }
                opened += 1;
            }
            before = Some(token);
        }
    }

    fn group(&mut self, number: Option<usize>) -> Option<&mut Group> {
        self.groups.get_mut(number?)
    }

    /// Notes the definition of the label before a `=`.
    fn define(&mut self, text: &'t str, before: Option<&Token>, groups: usize) -> Result<()> {
        let Some(token) = before.filter(|token| token.kind == TokenKind::Label) else {
            return Ok(());
        };
        let place = token.place.clone();
        if self.bodies.len() == TYPES {
            return Err(
                Error::at(Code::LimitSites, place.start).expected(format!("at most {TYPES} types"))
            );
        }
        let label = &text[place.start + 1..place.end];
        let body = Body { label: place.start, after: token.after, groups };
        if let Some(first) = self.bodies.put(label, body) {
            self.bodies.put(label, first);
            let got = format!("`#{}` twice", shorten(label, 40));
            let error = || Error::at(Code::BadDefinition, place.start);
            let error = || error().expected("one definition of each label").got(got);
            self.twice = Some(self.twice.take().unwrap_or_else(error));
        }
        Ok(())
    }
}

/// Whether what follows is an item.
fn begins_item(before: &Token) -> bool {
    matches!(before.kind, TokenKind::Mark(b',' | b'(' | b'[' | b'{'))
}

/// Whether a token opens a group.
pub fn is_open(token: &Token) -> bool {
    matches!(token.kind, TokenKind::Mark(b'(' | b'[' | b'{'))
}
