//! Compares holdall with JSON, MessagePack and CBOR on JSON data.
//!
//! [`generate`] makes data, and [`formats`] holds the ways between text, tree and bytes. `examples/compare.rs` and
//! `benches/convert.rs` time them. [`requests`] are of a Rust type, for `benches/codings.rs` and `benches/threads.rs`.

pub mod formats;
pub mod generate;
pub mod ordered;
pub mod requests;

/// JSON text with a name.
pub struct Case {
    /// The name in tables.
    pub name: String,
    /// The text without white space between tokens, as a program would send it.
    pub text: Vec<u8>,
}

impl Case {
    /// Names the text and removes its white space.
    #[must_use]
    pub fn new(name: &str, text: &[u8]) -> Self {
        Case { name: name.to_owned(), text: ordered::compact(text) }
    }

    /// Reads a file; its name without the folders becomes the case's.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read.
    pub fn read(path: &str) -> std::io::Result<Self> {
        let text = std::fs::read(path).map_err(|error| {
            std::io::Error::new(error.kind(), format!("cannot read {path}: {error}"))
        })?;
        let name = path.rsplit('/').next().unwrap_or(path);
        Ok(Case::new(name, &text))
    }

    /// The cases that the crate generates.
    #[must_use]
    pub fn generated() -> Vec<Self> {
        generate::CASES.iter().map(|(name, make)| Case::new(name, make().as_bytes())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_preserves_every_generated_case() {
        for case in Case::generated() {
            formats::check(&case);
        }
    }
}
