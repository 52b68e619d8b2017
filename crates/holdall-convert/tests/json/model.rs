//! JSON values of the tests: random ones, written in many forms, and read by an independent reader.

use proptest::collection::vec;
use proptest::prelude::*;

/// A JSON value. As in the crate, integers differ by their digits, floats by their bits.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Int(String),
    Float(u64),
    String(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

/// Values up to a few levels deep, with keys that often repeat.
pub fn values() -> impl Strategy<Value = Json> {
    let string = prop_oneof![
        "[a-z]{0,3}",
        "\\PC{0,40}",
        vec(any::<char>(), 0..30).prop_map(String::from_iter)
    ];
    let key = prop_oneof![4 => "[a-d]", 1 => string.clone()];
    let scalar = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        any::<i8>().prop_map(|value| Json::Int(value.to_string())),
        any::<i64>().prop_map(|value| Json::Int(value.to_string())),
        any::<i128>().prop_map(|value| Json::Int(value.to_string())),
        "-?[1-9][0-9]{0,80}".prop_map(Json::Int),
        any::<f64>()
            .prop_filter("JSON has finite numbers only", |value| value.is_finite())
            .prop_map(|value| Json::Float(value.to_bits())),
        (-1000..1000).prop_map(|value| Json::Float((f64::from(value) / 8.0).to_bits())),
        string.prop_map(Json::String),
    ];
    scalar.prop_recursive(5, 200, 12, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..12).prop_map(Json::List),
            vec((key.clone(), inner), 0..12).prop_map(|mut entries| {
                let mut seen = std::collections::HashSet::new();
                entries.retain(|(key, _)| seen.insert(key.clone()));
                Json::Object(entries)
            }),
        ]
    })
}

/// Writes a value, with spaces and escapes as the seeds select.
pub fn write(value: &Json, seeds: &[u8]) -> String {
    let mut writer = Writer { out: String::new(), seeds, next: 0 };
    writer.value(value);
    writer.space();
    writer.out
}

struct Writer<'s> {
    out: String,
    seeds: &'s [u8],
    next: usize,
}

impl Writer<'_> {
    fn seed(&mut self) -> u8 {
        self.next += 1;
        match self.seeds {
            [] => 0,
            seeds => seeds[self.next % seeds.len()],
        }
    }

    fn space(&mut self) {
        let number = usize::from(self.seed() % 4);
        self.out += ["", " ", "\n\t", "\r\n  "][number];
    }

    fn value(&mut self, value: &Json) {
        self.space();
        match value {
            Json::Null => self.out += "null",
            Json::Bool(value) => self.out += if *value { "true" } else { "false" },
            Json::Int(digits) => self.out += digits,
            Json::Float(bits) => {
                let value = f64::from_bits(*bits);
                match self.seed() % 4 {
                    0 => self.out += &format!("{value:?}"),
                    1 => self.out += &format!("{value:e}").replace('e', "E"),
                    2 => self.out += &format!("{value:.17e}"),
                    // All digits, perhaps several hundred.
                    _ => self.out += &format!("{value:.1100}"),
                }
            }
            Json::String(string) => self.string(string),
            Json::List(items) => {
                self.out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        self.out.push(',');
                    }
                    self.value(item);
                    self.space();
                }
                if items.is_empty() {
                    self.space();
                }
                self.out.push(']');
            }
            Json::Object(entries) => {
                self.out.push('{');
                for (index, (key, value)) in entries.iter().enumerate() {
                    if index > 0 {
                        self.out.push(',');
                    }
                    self.space();
                    self.string(key);
                    self.space();
                    self.out.push(':');
                    self.value(value);
                    self.space();
                }
                if entries.is_empty() {
                    self.space();
                }
                self.out.push('}');
            }
        }
    }

    fn string(&mut self, string: &str) {
        self.out.push('"');
        for char in string.chars() {
            if char < ' ' || char == '"' || char == '\\' || self.seed() % 16 == 1 {
                for unit in char.encode_utf16(&mut [0; 2]) {
                    self.out += &format!("\\u{unit:04x}");
                }
            } else {
                self.out.push(char);
            }
        }
        self.out.push('"');
    }
}

/// Reads compact text with floats that all have a `.` or an `e`.
pub fn read(text: &str) -> Json {
    let mut reader = Reader(text);
    let value = reader.value();
    assert_eq!(reader.0, "", "trailing text");
    value
}

struct Reader<'t>(&'t str);

impl Reader<'_> {
    fn eat(&mut self, prefix: &str) -> bool {
        match self.0.strip_prefix(prefix) {
            Some(rest) => {
                self.0 = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, prefix: &str) {
        assert!(self.eat(prefix), "expected {prefix} at {}", self.0);
    }

    fn value(&mut self) -> Json {
        if self.eat("null") {
            Json::Null
        } else if self.eat("true") {
            Json::Bool(true)
        } else if self.eat("false") {
            Json::Bool(false)
        } else if self.0.starts_with('"') {
            Json::String(self.string())
        } else if self.eat("[") {
            let mut items = Vec::new();
            while !self.eat("]") {
                if !items.is_empty() {
                    self.expect(",");
                }
                items.push(self.value());
            }
            Json::List(items)
        } else if self.eat("{") {
            let mut entries = Vec::new();
            while !self.eat("}") {
                if !entries.is_empty() {
                    self.expect(",");
                }
                let key = self.string();
                self.expect(":");
                entries.push((key, self.value()));
            }
            Json::Object(entries)
        } else {
            self.number()
        }
    }

    fn number(&mut self) -> Json {
        let end = self.0.find([',', ']', '}']).unwrap_or(self.0.len());
        let (literal, rest) = self.0.split_at(end);
        self.0 = rest;
        if literal.contains(['.', 'e']) {
            Json::Float(literal.parse::<f64>().unwrap().to_bits())
        } else {
            assert!(literal.trim_start_matches('-').bytes().all(|byte| byte.is_ascii_digit()));
            Json::Int(literal.to_owned())
        }
    }

    fn string(&mut self) -> String {
        self.expect("\"");
        let mut string = String::new();
        loop {
            let char = self.0.chars().next().expect("an unfinished string");
            self.0 = &self.0[char.len_utf8()..];
            match char {
                '"' => return string,
                '\\' if self.eat("u") => {
                    let unit = u32::from_str_radix(&self.0[..4], 16).unwrap();
                    string.push(char::from_u32(unit).unwrap());
                    self.0 = &self.0[4..];
                }
                '\\' => {
                    let short = self.0.as_bytes()[0];
                    self.0 = &self.0[1..];
                    let shorts = [
                        (b'b', '\x08'),
                        (b'f', '\x0C'),
                        (b'n', '\n'),
                        (b'r', '\r'),
                        (b't', '\t'),
                        (b'"', '"'),
                        (b'\\', '\\'),
                    ];
                    string.push(shorts.iter().find(|(letter, _)| *letter == short).unwrap().1);
                }
                _ => {
                    assert!(char >= ' ', "a control character");
                    string.push(char);
                }
            }
        }
    }
}
