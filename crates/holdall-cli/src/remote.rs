//! Files at URLs.

use std::io::{self, Read, Seek};
use std::path::Path;

/// A file at a URL, read from any position on.
pub trait RemoteFile: Read + Seek + Send {}

impl<F: Read + Seek + Send> RemoteFile for F {}

/// Opens the file at a URL, for a program that runs a command.
pub type OpenUrl<'u> = dyn Fn(&str) -> io::Result<Box<dyn RemoteFile>> + 'u;

/// The URL in place of a path, such as `https://example.com/a.hold`.
pub(crate) fn url_of(path: &Path) -> Option<&str> {
    let text = path.to_str()?;
    let (scheme, _) = text.split_once("://")?;
    let is_letter = |char: char| char.is_ascii_alphanumeric() || "+.-".contains(char);
    // One letter is a drive.
    let is_scheme = scheme.len() > 1 && scheme.chars().all(is_letter);
    (is_scheme && scheme.starts_with(|char: char| char.is_ascii_alphabetic())).then_some(text)
}

/// Opens no URL: for programs that have no way to read one.
///
/// # Errors
/// `Unsupported`, always.
pub fn open_no_url(url: &str) -> io::Result<Box<dyn RemoteFile>> {
    let text = format!("this program reads no URLs: download {url} and name the file");
    Err(io::Error::new(io::ErrorKind::Unsupported, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_has_a_scheme_of_two_letters_or_more() {
        let is_url = |text: &str| url_of(Path::new(text)).is_some();
        for text in ["https://a/b.hold", "HTTP://a", "s3://bucket/key", "git+ssh://a"] {
            assert!(is_url(text), "{text}");
        }
        for text in ["-", "a.hold", "/a/b", "C://a", "a b://c", "://a", "1a://b", "a:/b"] {
            assert!(!is_url(text), "{text}");
        }
    }
}
