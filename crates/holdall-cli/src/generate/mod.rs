//! `holdall generate`

mod names;
mod python;
mod rust;
mod typescript;
mod uses;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use clap::Args;
use holdall::bindings::Type;
use holdall::schema_text::SchemaText;
use holdall::{Code, Error, Schema};

use crate::files::{Failure, Streams, at, check_distinct, is_stream};
use crate::known::Known;
use crate::schema::{laid_out, lines_of_docs};
use names::Names;

/// Generate types of a programming language from a schema
#[derive(Args)]
#[command(after_help = EXAMPLES)]
#[command(group = clap::ArgGroup::new("language").required(true))]
pub(crate) struct Generate {
    /// The schema: a .holds file, or holdall data; `-` or nothing means standard input
    #[arg(default_value = "-", hide_default_value = true)]
    file: PathBuf,
    /// Structs and enums that derive Encode and Decode
    #[arg(long, group = "language")]
    rust: bool,
    /// Dataclasses for `holdall.loads(data, Type)`
    #[arg(long, group = "language")]
    python: bool,
    /// Interfaces, and a function that reads them
    #[arg(long, group = "language")]
    typescript: bool,
    /// The name of the root's type if the schema has none. Default: the file's name, or Root
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Where to write; `-` or nothing means standard output
    #[arg(short, long, value_name = "OUT", default_value = "-", hide_default_value = true)]
    output: PathBuf,
    #[command(flatten)]
    known: Known,
}

const EXAMPLES: &str = "\
Examples:
  holdall generate --rust users.holds -o src/users.rs
  holdall generate --python users.hold -o users.py
  holdall pack users.json | holdall generate --typescript --name Users

Docs (/// ...) in the schema become docs of the types. Records without a name get that of their field, those in a list at the root the root's. \
What the language has no type for becomes one of any value: holdall::Value, Any. What Python cannot hold is an error with its path.";

impl Generate {
    pub(crate) fn run(&self, streams: &mut Streams<'_>) -> Result<(), Failure> {
        check_distinct(&self.file, &self.output)?;
        let text = laid_out(&self.file, &self.known, streams)?;
        let root = self.name.clone().unwrap_or_else(|| name_of(&self.file));
        let language = match (self.rust, self.python) {
            (true, _) => rust::LANGUAGE,
            (_, true) => python::LANGUAGE,
            _ => typescript::LANGUAGE,
        };
        let names = Names::of(&text, &root, language.used);
        let code = (language.generate)(&Model::new(names, &text));
        let code = in_one_direction(code.map_err(at(&self.file, "stdin"))?, self.rust);
        streams.write(&self.output, code.as_bytes())
    }
}

/// Escapes what changes the direction of text, by which code can look like other code. It is only in strings and comments: a name or
/// docs of the schema had it.
fn in_one_direction(code: String, is_rust: bool) -> String {
    let turns = |c: char| {
        matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}')
            || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
    };
    if !code.contains(turns) {
        return code;
    }
    let mut out = String::with_capacity(code.len());
    for c in code.chars() {
        match c {
            c if !turns(c) => out.push(c),
            c if is_rust => out.extend(c.escape_unicode()),
            c => out += &format!("\\u{:04x}", u32::from(c)),
        }
    }
    out
}

/// The name that a file gives to its root.
fn name_of(file: &Path) -> String {
    let stem = file.file_stem().filter(|_| !is_stream(file));
    stem.map_or_else(|| "Root".to_owned(), |stem| stem.to_string_lossy().into_owned())
}

/// What is generated for a language.
struct Language {
    /// The names that types cannot have: those that the code uses, and reserved ones.
    used: &'static [&'static str],
    generate: fn(&Model<'_>) -> Result<String, Error>,
}

/// A schema, and the names of its types in a program.
struct Model<'t> {
    text: &'t SchemaText,
    names: Names,
    /// For each type, the root or definition that it is in.
    tops: Vec<usize>,
    /// The types that are packed.
    packed: HashSet<usize>,
}

impl<'t> Model<'t> {
    fn new(names: Names, text: &'t SchemaText) -> Self {
        let parents = holdall::bindings::schema::parents(text.schema());
        let mut tops = Vec::with_capacity(parents.len());
        // A type follows the one that it is in.
        for (id, parent) in parents.into_iter().enumerate() {
            tops.push(parent.map_or(id, |parent| tops[parent]));
        }
        let packed = text.schema().types().iter().filter_map(|ty| match ty {
            Type::Packed(inner) => Some(*inner),
            _ => None,
        });
        Model { names, text, tops, packed: packed.collect() }
    }
}

impl Model<'_> {
    fn schema(&self) -> &Schema {
        self.text.schema()
    }

    fn ty(&self, id: usize) -> &Type {
        &self.schema().types()[id]
    }

    /// The name of a type that is declared.
    fn name(&self, id: usize) -> Option<&str> {
        self.names.of_type(id)
    }

    /// The lines of a type's docs.
    fn lines_of_docs(&self, id: usize) -> impl Iterator<Item = &str> {
        self.text.doc(id).into_iter().flat_map(lines_of_docs)
    }

    /// The lines of a type's docs, each with a mark before it.
    fn docs(&self, id: usize, mark: &str) -> String {
        self.lines_of_docs(id)
            .map(|line| format!("{mark} {line}").trim_end().to_owned() + "\n")
            .collect()
    }

    /// Whether rows may lack a field.
    fn may_lack(&self, id: usize, field: usize) -> bool {
        use holdall::bindings::schema::Form;
        let (Type::Record(of) | Type::Struct(_, of)) = self.ty(id) else { return false };
        match &of.form {
            Form::One => false,
            Form::Sparse => true,
            Form::Several(shapes) => shapes.iter().any(|shape| !shape.contains(&field)),
        }
    }
}

/// The error for a type that a language lacks, with its path.
#[cold]
pub(crate) fn unsupported(schema: &Schema, id: usize, expected: &'static str) -> Error {
    let places = holdall::bindings::schema::parents(schema);
    let mut path = String::new();
    let mut at = id;
    while let Some(parent) = places[at] {
        path.insert_str(0, &step(&schema.types()[parent], at));
        at = parent;
    }
    let definition = schema.definitions().iter().position(|own| *own == at);
    let root = definition.map_or_else(|| "$".to_owned(), |number| format!("#{number}"));
    Error::new(Code::UnsupportedValue)
        .expected(expected)
        .got(schema.type_text(id))
        .with_path(|| root + &path)
}

/// The step of a path from a type to one inside it.
fn step(parent: &Type, inside: usize) -> String {
    use holdall::bindings::schema::path;
    match parent {
        Type::Record(of) | Type::Struct(_, of) => {
            let name = of.fields.iter().find(|(_, id)| *id == inside);
            name.map_or_else(String::new, |(name, _)| path::field(name))
        }
        Type::Union(of) => {
            let place = of.variants.iter().position(|id| *id == inside).unwrap_or_default();
            of.names.as_ref().map_or_else(String::new, |names| path::variant(&names[place]))
        }
        Type::List(_) | Type::Array(..) | Type::Map(..) => "[]".to_owned(),
        Type::Tuple(items) => {
            let place = items.iter().position(|id| *id == inside).unwrap_or_default();
            format!("[{place}]")
        }
        _ => String::new(),
    }
}
