//! Reads schema text (F-99). The parser knows the grammar alone: it writes the schema's bytes, and `read_schema` checks
//! them. The offset of an error there becomes the place in the text from which the byte came.

mod layout;
mod tokens;
mod types;

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{self, Display, Formatter};
use core::str::FromStr;

use super::{Schema, SchemaWriter, TypeId};
use crate::error::{Code, Error, Result};
use crate::memory::GrowMap;
use crate::number::write_varint;
use crate::platform::HashMap;
use tokens::{Group, Token, TokenKind, bad, groups, locate, split};

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
    tokens: Vec<Token>,
}

impl SchemaText {
    /// Reads a text.
    ///
    /// # Errors
    /// `bad_input` where the text does not follow the grammar, the errors of the spec's chapter 4 where it does. The offset
    /// is that of the byte in the text, and the error names its line and column.
    pub fn parse(text: &str) -> Result<SchemaText> {
        parse(text).map_err(|error| locate(text, error))
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
        f.write_str(&layout::of(&self.text, &self.tokens))
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
        SchemaText::parse(text).map(|text| text.schema)
    }
}

fn parse(text: &str) -> Result<SchemaText> {
    let tokens = split(text)?;
    let mut parser = Parser::new(text, &tokens);
    parser.version()?;
    parser.find_definitions()?;
    parser.root()?;
    // Each definition can mention others for the first time.
    let mut number = 0;
    while number < parser.mentioned.len() {
        parser.definition(number)?;
        number += 1;
    }
    parser.check_all_mentioned()?;
    let (writer, offsets, docs, mentioned) = parser.into_parts();
    let mut bytes = Vec::new();
    write_varint(&mut bytes, mentioned.len() as u64);
    let counted = bytes.len();
    bytes.extend(writer.into_bytes());
    let schema = Schema::from_bytes(&bytes).map_err(|error| {
        let offset = error.offset().unwrap_or_default() as usize;
        let before = offsets.partition_point(|(byte, _)| byte + counted <= offset);
        error.moved_to(before.checked_sub(1).map_or(0, |at| offsets[at].1))
    })?;
    let labels = mentioned.into_iter().map(str::to_owned).collect();
    Ok(SchemaText { schema, docs, labels, text: text.to_owned(), tokens })
}

/// Offsets in the schema's bytes, without the number of definitions, and the places in the text from which they came.
type TokenOffsets = Vec<(usize, usize)>;

struct Parser<'t> {
    text: &'t str,
    tokens: &'t [Token],
    /// For each token that opens a group, the group.
    groups: Vec<Group>,
    /// The next token.
    at: usize,
    writer: SchemaWriter,
    offsets: TokenOffsets,
    docs: BTreeMap<TypeId, String>,
    /// For each label, the token that begins its definition.
    bodies: HashMap<&'t str, usize>,
    /// The labels in the order of their first mention, which numbers them (F-20), and where that is.
    mentioned: Vec<&'t str>,
    mentions: Vec<usize>,
    numbers: HashMap<&'t str, usize>,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, tokens: &'t [Token]) -> Self {
        Parser {
            text,
            tokens,
            groups: groups(tokens),
            at: 0,
            writer: SchemaWriter::default(),
            offsets: Vec::new(),
            docs: BTreeMap::new(),
            bodies: HashMap::new(),
            mentioned: Vec::new(),
            mentions: Vec::new(),
            numbers: HashMap::new(),
        }
    }

    /// What a schema is made of. The rest, which borrows the tokens, is dropped.
    fn into_parts(self) -> (SchemaWriter, TokenOffsets, BTreeMap<TypeId, String>, Vec<&'t str>) {
        (self.writer, self.offsets, self.docs, self.mentioned)
    }

    fn next(&self) -> &'t Token {
        // The last token is the end, and nothing goes beyond it.
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn word(&self) -> &'t str {
        &self.text[self.next().place.clone()]
    }

    fn is(&self, mark: u8) -> bool {
        self.next().kind == TokenKind::Mark(mark)
    }

    fn take_if(&mut self, mark: u8) -> bool {
        let is = self.is(mark);
        self.at += usize::from(is);
        is
    }

    fn take(&mut self, mark: u8) -> Result<()> {
        match self.take_if(mark) {
            true => Ok(()),
            false => Err(self.unexpected(format!("`{}`", char::from(mark)))),
        }
    }

    #[cold]
    fn unexpected(&self, expected: impl Into<alloc::borrow::Cow<'static, str>>) -> Error {
        let token = self.next();
        let got = match token.kind {
            TokenKind::End => "the end of the text".to_owned(),
            _ => format!("`{}`", super::path::shorten(&self.text[token.place.clone()], 40)),
        };
        bad(token.place.start, expected, got)
    }

    /// Notes that the next byte of the schema comes from a token.
    fn note_offset(&mut self, token: usize) {
        self.offsets.push((self.writer.len(), self.tokens[token].place.start));
    }

    /// The docs before a token are those of the next type.
    fn take_doc(&mut self, token: usize) {
        let comments = self.tokens[token].before.iter().map(|place| &self.text[place.clone()]);
        let docs = comments.filter_map(|comment| comment.strip_prefix("///"));
        let lines: Vec<&str> = docs.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
        if !lines.is_empty() {
            self.docs.insert(self.writer.types(), lines.join("\n"));
        }
    }

    fn version(&mut self) -> Result<()> {
        if self.word() != "version" {
            return Ok(());
        }
        self.at += 1;
        let place = self.next().place.start;
        match self.number("the number of a version")? {
            VERSION => Ok(()),
            other => Err(Error::at(Code::BadVersion, place)
                .expected(format!("version {VERSION}"))
                .got(other.to_string())),
        }
    }

    /// Finds where each definition begins, so that they can be read in the order of their numbers.
    fn find_definitions(&mut self) -> Result<()> {
        let text = self.text;
        for (index, token) in self.tokens.iter().enumerate() {
            let begins =
                self.tokens.get(index + 1).is_some_and(|next| next.kind == TokenKind::Mark(b'='));
            if token.kind != TokenKind::Label || !begins {
                continue;
            }
            let label = &text[token.place.clone()];
            if self.bodies.put(&label[1..], index).is_some() {
                return Err(Error::at(Code::BadDefinition, token.place.start)
                    .expected("one definition of each label")
                    .got(format!("`{label}` twice")));
            }
        }
        Ok(())
    }

    /// Reads the root and what separates it from the definitions.
    fn root(&mut self) -> Result<()> {
        self.take_doc(self.at);
        self.ty(1)?;
        match self.next().kind {
            TokenKind::End => Ok(()),
            TokenKind::Word if self.word() == "where" => {
                self.at += 1;
                self.begin_of_definition("`#` and a label")
            }
            _ => Err(self.unexpected("`where` or the end of the text")),
        }
    }

    fn begin_of_definition(&self, expected: &'static str) -> Result<()> {
        let begins =
            self.next().kind == TokenKind::Label && self.bodies.contains_key(&self.word()[1..]);
        if begins { Ok(()) } else { Err(self.unexpected(expected)) }
    }

    /// Reads a definition and what separates it from the next one.
    fn definition(&mut self, number: usize) -> Result<()> {
        let label = self.mentioned[number];
        let Some(&begin) = self.bodies.get(label) else {
            return Err(Error::at(Code::BadDefinition, self.mentions[number])
                .expected("a label with a definition")
                .got(format!("`#{label}` without one")));
        };
        self.take_doc(begin);
        self.at = begin + 2;
        self.ty(1)?;
        match self.next().kind {
            TokenKind::End => Ok(()),
            TokenKind::Mark(b',') => {
                self.at += 1;
                match self.next().kind {
                    TokenKind::End => Ok(()),
                    _ => self.begin_of_definition("another definition, or the end of the text"),
                }
            }
            _ => Err(self.unexpected("`,` or the end of the text")),
        }
    }

    fn check_all_mentioned(&self) -> Result<()> {
        let lost = self.bodies.iter().filter(|(label, _)| !self.numbers.contains_key(*label));
        match lost.min_by_key(|(_, index)| **index) {
            None => Ok(()),
            Some((label, index)) => {
                Err(Error::at(Code::BadDefinition, self.tokens[*index].place.start)
                    .expected("a definition that another type mentions")
                    .got(format!("`#{label}`")))
            }
        }
    }
}
