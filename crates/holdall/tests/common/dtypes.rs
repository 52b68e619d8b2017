//! Parses types of fixed width (F-55), the types of tensor elements.

use std::sync::Arc;

use holdall::{DType, IntKind, LogicalType};

/// Parses a packable type. Panics on errors: a mistake in a vector must show at once.
///
/// It recurses, because types nest no deeper than the schemas of vectors.
pub fn dtype(text: &str) -> DType {
    let mut reader = Reader { all: text, left: text };
    let dtype = reader.dtype();
    assert!(reader.left.is_empty(), "text after the type: {text}");
    dtype
}

struct Reader<'t> {
    all: &'t str,
    left: &'t str,
}

impl<'t> Reader<'t> {
    fn passes(&mut self, mark: &str) -> bool {
        let rest = self.left.strip_prefix(mark);
        self.left = rest.unwrap_or(self.left);
        rest.is_some()
    }

    fn expect(&mut self, mark: &str) {
        assert!(self.passes(mark), "{mark:?} expected before {:?} in {}", self.left, self.all);
    }

    fn until(&mut self, ends: impl Fn(char) -> bool) -> &'t str {
        let (taken, left) = self.left.split_at(self.left.find(ends).unwrap_or(self.left.len()));
        self.left = left;
        taken
    }

    fn number(&mut self) -> u64 {
        let digits = self.until(|char| !char.is_ascii_digit());
        digits.parse().unwrap_or_else(|error| panic!("{}: {error}", self.all))
    }

    /// A name, bare or as a JSON string.
    fn name(&mut self) -> Arc<str> {
        if !self.left.starts_with('"') {
            return self.until(|char| !char.is_ascii_alphanumeric() && char != '_').into();
        }
        let mut strings = serde_json::Deserializer::from_str(self.left).into_iter::<String>();
        let name = strings.next().and_then(Result::ok);
        let name = name.unwrap_or_else(|| panic!("a name expected in {}", self.all));
        self.left = &self.left[strings.byte_offset()..];
        name.into()
    }

    fn members<T>(&mut self, end: &str, member: impl Fn(&mut Self) -> T) -> Vec<T> {
        let mut members = Vec::new();
        if self.passes(end) {
            return members;
        }
        loop {
            members.push(member(self));
            if self.passes(end) {
                return members;
            }
            self.expect(", ");
        }
    }

    fn fields(&mut self) -> Box<[(Arc<str>, DType)]> {
        self.expect(" {");
        let field = |reader: &mut Self| {
            let name = reader.name();
            reader.expect(": ");
            (name, reader.dtype())
        };
        self.members("}", field).into()
    }

    fn dtype(&mut self) -> DType {
        let word = self.until(|char| !char.is_ascii_alphanumeric() && char != '_');
        match word {
            "bool" => DType::Bool,
            "f16" => DType::F16,
            "bf16" => DType::Bf16,
            "f32" => DType::F32,
            "f64" => DType::F64,
            "fixed" => {
                self.expect("(");
                let len = self.number();
                self.expect(")");
                DType::Fixed(len)
            }
            "array" => {
                self.expect("(");
                let len = self.number();
                self.expect(", ");
                let item = self.dtype();
                self.expect(")");
                DType::Array(len, Box::new(item))
            }
            "tuple" => {
                self.expect("(");
                DType::Tuple(self.members(")", Self::dtype).into())
            }
            "record" => DType::Record(self.fields()),
            "struct" => {
                self.expect(" ");
                let name = self.name();
                DType::Struct(name, self.fields())
            }
            "extension" => {
                self.expect(" ");
                let name = self.name();
                DType::Extension(name, self.inside())
            }
            _ => match INTS.iter().find(|kind| kind.name() == word) {
                Some(kind) => DType::Int(*kind),
                None => self.logical(word),
            },
        }
    }

    fn inside(&mut self) -> Box<DType> {
        self.expect("(");
        let inside = Box::new(self.dtype());
        self.expect(")");
        inside
    }

    /// The rest of a logical type: its parameters and its storage.
    fn logical(&mut self, word: &str) -> DType {
        let mut text = word.to_owned();
        if self.left.starts_with('[') {
            text += self.until(|char| char == '(');
        }
        let known = logical_types().into_iter().find(|ty| ty.to_string() == text);
        let ty = known.unwrap_or_else(|| {
            let later = text.strip_prefix("logical[").and_then(|text| text.strip_suffix(']'));
            let bytes: Option<Vec<u8>> = later.and_then(|bytes| {
                bytes.split(' ').map(|byte| u8::from_str_radix(byte, 16).ok()).collect()
            });
            let Some([kind, parameters @ ..]) = bytes.as_deref() else {
                panic!("what is {text} in {}?", self.all)
            };
            LogicalType::new(*kind, parameters).unwrap()
        });
        DType::Logical(ty, self.inside())
    }
}

const INTS: &[IntKind] = &[
    IntKind::U8,
    IntKind::U16,
    IntKind::U32,
    IntKind::U64,
    IntKind::U128,
    IntKind::I8,
    IntKind::I16,
    IntKind::I32,
    IntKind::I64,
    IntKind::I128,
];

/// All logical types of this version: each kind with each of its parameters (F-72).
pub fn logical_types() -> Vec<LogicalType> {
    let mut types = Vec::new();
    for kind in 0..0xE0 {
        types.extend(LogicalType::new(kind, &[]));
        for first in 0..16 {
            types.extend(LogicalType::new(kind, &[first]));
            types.extend((0..16).flat_map(|second| LogicalType::new(kind, &[first, second])));
        }
    }
    types
}

/// The kind of a tagged logical value: its name, or its number for kinds of later versions.
pub fn kind_name(ty: &LogicalType) -> String {
    ty.name().map_or_else(|| format!("{:02X}", ty.kind()), str::to_owned)
}

/// Returns the logical type of a kind by name, with these parameters.
pub fn logical_type(name: &str, parameters: &[u8]) -> LogicalType {
    let known = (0..=u8::MAX).filter_map(|kind| LogicalType::new(kind, parameters).ok());
    let found = known.into_iter().find(|ty| kind_name(ty) == name);
    found.unwrap_or_else(|| panic!("there is no logical type {name} of {parameters:02X?}"))
}

#[test]
fn a_type_is_parsed_as_it_is_shown() {
    for text in [
        "bool",
        "u128",
        "array(3, tuple(f16, bf16, f32, f64))",
        r#"struct "a \"b" {x: i8, "y\u0001, z": record {q: fixed(16)}}"#,
        r#"extension "my.x"(timestamp[us, offset](tuple(i64, i32)))"#,
        "logical[E0 0A FF](logical[FF](uuid(fixed(16))))",
    ] {
        assert_eq!(dtype(text).to_string(), text);
    }
}
