//! Reads schema text (F-99). The parser knows the grammar alone: it writes the schema's bytes, and `read_schema` checks
//! them. The offset of an error there becomes the place in the text from which the byte came.

mod layout;
mod outline;
mod tokens;
mod types;

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{self, Display, Formatter};
use core::str::FromStr;

use super::path::shorten;
use super::{Schema, SchemaWriter, TypeId};
use crate::error::{Code, Error, Result};
use crate::limits::TYPES;
use crate::memory::{self, Grow, GrowVec};
use crate::number::write_varint;
use crate::platform::HashMap;
use outline::{Body, Group, Outline, is_open};
use tokens::{Token, TokenKind, Tokens, bad, locate};

/// The version of the format whose types a text can name.
const VERSION: u64 = 1;

/// A schema as people write it: with comments, docs, and labels of definitions.
///
/// The text form is that of [`Schema`], in which white space, comments (`// ...`), docs (`/// ...` before a field, a variant or
/// a type) and a comma after the last item are allowed, and definitions can have names. `Display` lays it out, with all
/// comments.
///
/// ```
/// use holdall::schema_text::SchemaText;
///
/// let text = SchemaText::parse("struct User { /// Never reused.\n id: u64, born: option(date) }")?;
/// assert_eq!(text.schema().to_string(), "struct User {id: u64, born: option(date(int))}");
/// assert_eq!(text.doc(1), Some("Never reused."));
/// assert_eq!(text.to_string(), "struct User {\n    /// Never reused.\n    id: u64,\n    born: option(date),\n}\n");
/// # Ok::<(), holdall::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SchemaText {
    schema: Schema,
    docs: BTreeMap<TypeId, String>,
    labels: Vec<String>,
    text: String,
}

impl SchemaText {
    /// Reads a text.
    ///
    /// # Errors
    /// `bad_input` where the text does not follow the grammar, the errors of the spec's chapter 4 where it does. The offset
    /// is that of the byte in the text, and the error names its line and column.
    pub fn parse(text: &str) -> Result<SchemaText> {
        memory::guarded(|| {
            let (schema, docs, labels) = parse(text)?;
            let labels = memory::collected(labels.into_iter().map(memory::text));
            Ok(SchemaText { schema, docs, labels, text: memory::text(text) })
        })
    }

    /// Lays the text out, as `Display` does, which panics where memory does not suffice.
    ///
    /// # Errors
    /// `out_of_memory`.
    pub fn to_layout(&self) -> Result<String> {
        memory::guarded(|| layout::of(&self.text))
    }

    /// The schema.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The docs of a type: those of the field, variant or definition whose type it is, or of the root.
    #[must_use]
    pub fn doc(&self, id: TypeId) -> Option<&str> {
        self.docs.get(&id).map(String::as_str)
    }

    /// The label of a definition in the text, without its `#`.
    #[must_use]
    pub fn label(&self, definition: usize) -> Option<&str> {
        self.labels.get(definition).map(String::as_str)
    }
}

/// Lays the text out.
impl Display for SchemaText {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_layout().map_err(|_| fmt::Error)?)
    }
}

/// Reads schema text, as [`SchemaText::parse`] does.
///
/// ```
/// use holdall::Schema;
///
/// let schema: Schema = "list(record {id: int})".parse()?;
/// assert_eq!(schema.as_bytes(), b"\0\x16\x1A\x08\x08id\x03");
///
/// let error = "list(record {id: integer})".parse::<Schema>().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "bad_input at offset 17: expected a type, got `integer`, in line 1, column 18",
/// );
/// # Ok::<(), holdall::Error>(())
/// ```
impl FromStr for Schema {
    type Err = Error;

    fn from_str(text: &str) -> Result<Schema> {
        memory::guarded(|| parse(text).map(|(schema, ..)| schema))
    }
}

type Docs = BTreeMap<TypeId, String>;

/// The schema, its docs and its labels.
fn parse(text: &str) -> Result<(Schema, Docs, Vec<&str>)> {
    // Missing memory is at no place.
    parse_tokens(text).map_err(|error| match error.offset() {
        Some(_) => locate(text, error),
        None => error,
    })
}

fn parse_tokens(text: &str) -> Result<(Schema, Docs, Vec<&str>)> {
    let mut parser = Parser::new(text)?;
    parser.version()?;
    if let Some(error) = parser.outline.twice.take() {
        return Err(error);
    }
    parser.root()?;
    // Each definition can mention others for the first time.
    let mut number = 0;
    while number < parser.mentioned.len() {
        parser.definition(number)?;
        number += 1;
    }
    parser.check_all_mentioned()?;
    let Parser { writer, offsets, docs, mentioned, .. } = parser;
    let mut bytes = Vec::new();
    write_varint(&mut bytes, mentioned.len() as u64);
    let counted = bytes.len();
    bytes.put_slice(&writer.into_bytes());
    let schema = Schema::from_bytes(&bytes).map_err(|error| {
        let Some(offset) = error.offset() else { return error };
        let before = offsets.partition_point(|(byte, _)| byte + counted <= offset as usize);
        error.moved_to(before.checked_sub(1).map_or(0, |at| offsets[at].1))
    })?;
    Ok((schema, docs, mentioned))
}

/// Offsets in the schema's bytes, without the number of definitions, and the places in the text from which they came.
type TokenOffsets = Vec<(usize, usize)>;

struct Parser<'t> {
    text: &'t str,
    outline: Outline<'t>,
    /// The next token, and those after it.
    token: Token,
    tokens: Tokens<'t>,
    /// How many groups begin before the next token.
    groups: usize,
    writer: SchemaWriter,
    offsets: TokenOffsets,
    docs: Docs,
    /// The labels in the order of their first mention, which numbers them (F-20), and where that is.
    mentioned: Vec<&'t str>,
    mentions: Vec<usize>,
    numbers: HashMap<&'t str, usize>,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Result<Self> {
        let outline = Outline::of(text)?;
        let mut tokens = Tokens::new(text, 0);
        Ok(Parser {
            text,
            outline,
            token: tokens.next()?,
            tokens,
            groups: 0,
            writer: SchemaWriter::default(),
            offsets: Vec::new(),
            docs: BTreeMap::new(),
            mentioned: Vec::new(),
            mentions: Vec::new(),
            numbers: HashMap::new(),
        })
    }

    /// Moves to the token after the next one.
    fn advance(&mut self) -> Result<()> {
        self.groups += usize::from(is_open(&self.token));
        self.token = self.tokens.next()?;
        Ok(())
    }

    /// Moves to the label of a definition.
    fn jump(&mut self, to: Body) -> Result<()> {
        self.tokens = Tokens::new(self.text, to.after);
        self.groups = to.groups;
        self.token = self.tokens.next()?;
        Ok(())
    }

    /// The group that the next token opens, if it opens one.
    fn group(&self) -> Result<Group> {
        if !is_open(&self.token) {
            return Ok(Group::default());
        }
        self.outline.groups.get(self.groups).copied().ok_or_else(|| self.too_many_types())
    }

    #[cold]
    fn too_many_types(&self) -> Error {
        Error::at(Code::LimitSites, self.place()).expected(format!("at most {TYPES} types"))
    }

    /// Where the next token begins.
    fn place(&self) -> usize {
        self.token.place.start
    }

    fn word(&self) -> &'t str {
        &self.text[self.token.place.clone()]
    }

    fn is(&self, mark: u8) -> bool {
        self.token.kind == TokenKind::Mark(mark)
    }

    fn take_if(&mut self, mark: u8) -> Result<bool> {
        let is = self.is(mark);
        if is {
            self.advance()?;
        }
        Ok(is)
    }

    fn take(&mut self, mark: u8) -> Result<()> {
        match self.take_if(mark)? {
            true => Ok(()),
            false => Err(self.unexpected(format!("`{}`", char::from(mark)))),
        }
    }

    #[cold]
    fn unexpected(&self, expected: impl Into<alloc::borrow::Cow<'static, str>>) -> Error {
        self.unexpected_token(&self.token, expected)
    }

    #[cold]
    fn unexpected_token(
        &self,
        token: &Token,
        expected: impl Into<alloc::borrow::Cow<'static, str>>,
    ) -> Error {
        let got = match token.kind {
            TokenKind::End => "the end of the text".to_owned(),
            _ => format!("`{}`", shorten(&self.text[token.place.clone()], 40)),
        };
        bad(token.place.start, expected, got)
    }

    /// Notes that the next byte of the schema comes from a place of the text.
    fn note_offset(&mut self, place: usize) {
        self.offsets.put((self.writer.len(), place));
    }

    /// The docs before the next token are those of the next type.
    fn take_doc(&mut self) {
        let mut docs: Option<String> = None;
        for comment in self.token.comments(self.text) {
            let Some(line) = self.text[comment.place].strip_prefix("///") else { continue };
            let line = line.strip_prefix(' ').unwrap_or(line);
            match &mut docs {
                None => docs = Some(memory::text(line)),
                Some(docs) => {
                    docs.room(line.len() + 1);
                    docs.push('\n');
                    docs.push_str(line);
                }
            }
        }
        if let Some(docs) = docs {
            self.docs.insert(self.writer.types(), docs);
        }
    }

    fn version(&mut self) -> Result<()> {
        if self.word() != "version" {
            return Ok(());
        }
        self.advance()?;
        let place = self.place();
        match self.number("the number of a version")? {
            VERSION => Ok(()),
            other => Err(Error::at(Code::BadVersion, place)
                .expected(format!("version {VERSION}"))
                .got(other.to_string())),
        }
    }

    /// Reads the root and what separates it from the definitions.
    fn root(&mut self) -> Result<()> {
        self.take_doc();
        self.ty(1)?;
        match self.token.kind {
            TokenKind::End => Ok(()),
            TokenKind::Word if self.word() == "where" => {
                self.advance()?;
                self.begin_of_definition("`#` and a label")
            }
            _ => Err(self.unexpected("`where` or the end of the text")),
        }
    }

    fn begin_of_definition(&self, expected: &'static str) -> Result<()> {
        let begins = self.token.kind == TokenKind::Label
            && self.outline.bodies.contains_key(&self.word()[1..]);
        if begins { Ok(()) } else { Err(self.unexpected(expected)) }
    }

    /// Reads a definition and what separates it from the next one.
    fn definition(&mut self, number: usize) -> Result<()> {
        let label = self.mentioned[number];
        let Some(&begin) = self.outline.bodies.get(label) else {
            return Err(Error::at(Code::BadDefinition, self.mentions[number])
                .expected("a label with a definition")
                .got(format!("`#{}` without one", shorten(label, 40))));
        };
        self.jump(begin)?;
        self.take_doc();
        self.advance()?;
        self.take(b'=')?;
        self.ty(1)?;
        match self.token.kind {
            TokenKind::End => Ok(()),
            TokenKind::Mark(b',') => {
                self.advance()?;
                match self.token.kind {
                    TokenKind::End => Ok(()),
                    _ => self.begin_of_definition("another definition, or the end of the text"),
                }
            }
            _ => Err(self.unexpected("`,` or the end of the text")),
        }
    }

    fn check_all_mentioned(&self) -> Result<()> {
        let bodies = self.outline.bodies.iter();
        let lost = bodies.filter(|(label, _)| !self.numbers.contains_key(*label));
        match lost.min_by_key(|(_, body)| body.label) {
            None => Ok(()),
            Some((label, body)) => Err(Error::at(Code::BadDefinition, body.label)
                .expected("a definition that another type mentions")
                .got(format!("`#{}`", shorten(label, 40)))),
        }
    }
}
