//! Reads the conformance vectors.

use std::path::PathBuf;

use holdall::events::Sink;
use holdall::{Code, Decoder, Error, Limits, Profile, Result, Schema};

use super::hex;
use super::tagged::{Token, Tokens, compact, unquote};

/// What the bytes of a vector represent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Message,
    /// A bare body, with the vector's schema.
    Bare,
    /// The bytes of a schema on its own.
    Schema,
}

/// The input of a reader.
#[derive(Clone, Debug)]
pub struct Input {
    pub form: Form,
    pub bytes: Vec<u8>,
    /// The schema that the reader knows beforehand.
    pub schema: Option<Vec<u8>>,
    pub budget: Option<u64>,
}

impl Input {
    pub fn limits(&self) -> Limits {
        self.budget.map_or_else(Limits::new, |units| Limits::new().budget(units))
    }

    pub fn known_schema(&self) -> Result<Option<Schema>> {
        self.schema.as_deref().map(Schema::from_bytes).transpose()
    }

    /// Returns the schema of a message or body.
    pub fn schema(&self) -> Result<Schema> {
        match self.form {
            Form::Schema => Schema::from_bytes(&self.bytes),
            Form::Message if !self.has_fingerprint() => Schema::of_message(&self.bytes),
            Form::Message | Form::Bare => Ok(self.known_schema()?.expect("a schema beside it")),
        }
    }

    /// Whether it is a message with a fingerprint instead of the schema (F-8).
    pub fn has_fingerprint(&self) -> bool {
        self.form == Form::Message && self.bytes.get(1).is_some_and(|flags| flags & 1 != 0)
    }

    /// Reads it into a sink; a schema emits nothing.
    pub fn decode(&self, sink: &mut impl Sink) -> Result<()> {
        let known = self.known_schema()?;
        let mut decoder = Decoder::new().limits(self.limits());
        match (self.form, known) {
            (Form::Schema, _) => Schema::from_bytes(&self.bytes).map(|_| ()),
            (Form::Bare, known) => {
                decoder.body(&known.expect("a bare body needs a schema"), &self.bytes, sink)
            }
            (Form::Message, known) => {
                known.iter().for_each(|schema| decoder.add_schema(schema));
                decoder.message(&self.bytes, sink)
            }
        }
    }
}

/// One record of a file of vectors.
#[derive(Clone, Debug)]
pub struct Vector {
    pub name: String,
    /// The file's name, `numbers` or the like.
    pub area: String,
    pub valid: bool,
    pub input: Input,
    /// Tagged JSON without spaces.
    pub value: Option<String>,
    pub schema: Option<String>,
    pub fingerprint: Option<String>,
    pub canonical: bool,
    /// The same value with the members of its sets in other orders.
    pub any_order: Vec<String>,
    /// The profile of a canonical vector's bytes.
    pub profile: Profile,
    pub code: Option<String>,
    pub offset: Option<u64>,
    pub path: Option<String>,
    pub limit_output: Option<usize>,
}

impl Vector {
    /// Formats an error as `code @ offset`, as the spec does.
    pub fn fault(&self) -> String {
        let (code, offset) = (self.code.as_deref().expect("a code"), self.offset);
        format!("{code} @ {}", offset.expect("an offset"))
    }

    /// Returns the code that the vector names.
    pub fn code(&self) -> Code {
        let code = self.code.as_deref().expect("a code");
        let known = Code::ALL.iter().find(|known| known.as_str() == code);
        *known.unwrap_or_else(|| panic!("{}: there is no code {code}", self.name))
    }
}

/// Formats the expected error as `code @ offset`, as the spec does.
pub fn fault(error: &Error) -> String {
    format!("{} @ {}", error.code(), error.offset().map_or("-".to_owned(), |at| at.to_string()))
}

/// Returns the members of a JSON object or array as text; those of an array have no name.
fn members(text: &str) -> Vec<(String, &str)> {
    let mut members = Vec::new();
    let mut tokens = Tokens(text);
    let object = tokens.next() == Some(Token::Mark('{'));
    loop {
        let mut name = String::new();
        let mut ahead = tokens.clone();
        if matches!(ahead.next(), Some(Token::Mark('}' | ']'))) {
            return members;
        }
        if object {
            let Some(Token::String(literal)) = tokens.next() else { panic!("a name: {text:.80}") };
            name = unquote(literal);
            assert_eq!(tokens.next(), Some(Token::Mark(':')), "{text:.80}");
        }
        let start = tokens.0;
        let mut depth = 0_usize;
        loop {
            match tokens.next().expect("more text") {
                Token::Mark('[' | '{') => depth += 1,
                Token::Mark(']' | '}') => depth -= 1,
                Token::Mark(_) | Token::String(_) | Token::Word(_) => {}
            }
            if depth == 0 {
                break;
            }
        }
        members.push((name, start[..start.len() - tokens.0.len()].trim()));
        match tokens.next() {
            Some(Token::Mark(',')) => {}
            Some(Token::Mark(']' | '}')) => return members,
            other => panic!("a comma expected, not {other:?}"),
        }
    }
}

fn vector(area: &str, valid: bool, text: &str) -> Vector {
    let mut vector = Vector {
        name: String::new(),
        area: area.to_owned(),
        valid,
        input: Input { form: Form::Message, bytes: Vec::new(), schema: None, budget: None },
        value: None,
        schema: None,
        fingerprint: None,
        canonical: false,
        any_order: Vec::new(),
        profile: Profile::Fast,
        code: None,
        offset: None,
        path: None,
        limit_output: None,
    };
    for (name, text) in members(text) {
        match name.as_str() {
            "name" => vector.name = unquote(text),
            "hex" => vector.input.bytes = hex(&unquote(text)),
            "schema_hex" => vector.input.schema = Some(hex(&unquote(text))),
            "budget" => vector.input.budget = Some(text.parse().unwrap()),
            "form" => {
                vector.input.form = match unquote(text).as_str() {
                    "message" => Form::Message,
                    "bare" => Form::Bare,
                    "schema" => Form::Schema,
                    other => panic!("{}: there is no form {other}", vector.name),
                }
            }
            "value" => vector.value = Some(compact(text)),
            "schema" => vector.schema = Some(unquote(text)),
            "fingerprint" => vector.fingerprint = Some(unquote(text)),
            "canonical" => vector.canonical = text.parse().unwrap(),
            "any_order" => {
                vector.any_order = members(text).iter().map(|(_, text)| compact(text)).collect();
            }
            "profile" => {
                vector.profile = match text.trim_matches('"') {
                    "fast" | "null" => Profile::Fast,
                    "balanced" => Profile::Balanced,
                    other => panic!("{}: there is no profile {other}", vector.name),
                }
            }
            "code" => vector.code = Some(unquote(text)),
            "offset" => vector.offset = Some(text.parse().unwrap()),
            "path" => vector.path = Some(unquote(text)),
            "limit_output" => vector.limit_output = Some(text.parse().unwrap()),
            // For people, and for the reference's own tests.
            "rules" | "comment" | "note" => {}
            // Not part of the value.
            "metadata" => {}
            other => panic!("{}: what is {other}?", vector.name),
        }
    }
    vector
}

fn load(kind: &str) -> Vec<Vector> {
    let folder: PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "..", "..", "..", "conformance", kind].iter().collect();
    let files = std::fs::read_dir(&folder);
    let mut files: Vec<PathBuf> = files
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    files.sort();
    let mut vectors = Vec::new();
    for file in files {
        let area = file.file_stem().unwrap().to_str().unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        for (name, text) in members(&text) {
            if name == "vectors" {
                vectors.extend(
                    members(text).iter().map(|(_, text)| vector(area, kind == "valid", text)),
                );
            }
        }
    }
    vectors
}

pub fn valid() -> Vec<Vector> {
    load("valid")
}

/// The vectors that a reader must reject.
pub fn invalid() -> Vec<Vector> {
    load("invalid").into_iter().filter(|vector| vector.area != "encode").collect()
}

/// The values that a writer must reject.
pub fn unwritable() -> Vec<Vector> {
    load("invalid").into_iter().filter(|vector| vector.area == "encode").collect()
}

/// All inputs of readers.
pub fn inputs() -> Vec<Input> {
    valid().into_iter().chain(invalid()).map(|vector| vector.input).collect()
}
