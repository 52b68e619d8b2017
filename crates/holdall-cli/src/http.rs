//! Files at HTTP(S) URLs: one request for what is read in order, and another after each change of the position.

use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::time::Duration;

use ureq::Agent;
use ureq::http::{HeaderMap, StatusCode, header};

use crate::remote::RemoteFile;

/// How long to wait for a connection, and for the head of an answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// Opens the file at an `http` or `https` URL.
///
/// # Errors
/// Those of the connection, the server's status, and URLs of other kinds.
pub fn open_url(url: &str) -> io::Result<Box<dyn RemoteFile>> {
    let scheme = url.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
    if !matches!(scheme.as_deref(), Some("http" | "https")) {
        let text = "only http:// and https:// URLs can be read; the command of the Python package also reads those of fsspec";
        return Err(io::Error::new(ErrorKind::Unsupported, text));
    }
    let agent: Agent = Agent::config_builder()
        .timeout_connect(Some(PATIENCE))
        .timeout_recv_response(Some(PATIENCE))
        .build()
        .into();
    let mut file =
        HttpFile { agent, url: url.to_owned(), at: 0, len: None, version: None, body: None };
    file.request()?;
    Ok(Box::new(file))
}

struct HttpFile {
    agent: Agent,
    url: String,
    /// The position of the next read.
    at: u64,
    /// The number of bytes of the file, unless the server does not say it.
    len: Option<u64>,
    /// The version of the file, by the server's `ETag`.
    version: Option<String>,
    /// The bytes from the position on.
    body: Option<Box<dyn Read + Send>>,
}

impl HttpFile {
    /// Asks for the bytes from the position on.
    fn request(&mut self) -> io::Result<()> {
        let mut request = self.agent.get(&self.url);
        if self.at > 0 {
            request = request.header(header::RANGE, format!("bytes={}-", self.at));
        }
        let answer = request.call().map_err(ureq::Error::into_io)?;
        let (head, body) = answer.into_parts();
        let text = |name| head.headers.get(name).and_then(|value| value.to_str().ok());
        let version = text(header::ETAG).map(str::to_owned);
        let (first, len) = match head.status {
            StatusCode::PARTIAL_CONTENT => part(&head.headers).ok_or_else(|| {
                io::Error::new(
                    ErrorKind::InvalidData,
                    "the server answers no single range of bytes",
                )
            })?,
            _ => (0, text(header::CONTENT_LENGTH).and_then(|len| len.parse().ok())),
        };
        let is_first = self.body.is_none() && self.len.is_none();
        if !is_first && (version != self.version || len != self.len) || first > self.at {
            return Err(io::Error::other("the file at the URL has changed"));
        }
        (self.version, self.len) = (version, len);
        let mut body: Box<dyn Read + Send> = Box::new(body.into_reader());
        // A server that answers no ranges sends the file from its beginning.
        io::copy(&mut body.by_ref().take(self.at - first), &mut io::sink())?;
        self.body = Some(body);
        Ok(())
    }
}

/// The first byte of an answer, and the length of the file: `bytes 10-99/100`.
fn part(headers: &HeaderMap) -> Option<(u64, Option<u64>)> {
    let text = headers.get(header::CONTENT_RANGE)?.to_str().ok()?;
    let (range, len) = text.strip_prefix("bytes ")?.split_once('/')?;
    let (first, _) = range.split_once('-')?;
    Some((first.parse().ok()?, len.parse().ok()))
}

impl Read for HttpFile {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if self.len.is_some_and(|len| self.at >= len) {
            return Ok(0);
        }
        if self.body.is_none() {
            self.request()?;
        }
        let Some(body) = &mut self.body else { return Ok(0) };
        let count = body.read(bytes)?;
        self.at += count as u64;
        Ok(count)
    }
}

impl Seek for HttpFile {
    fn seek(&mut self, place: SeekFrom) -> io::Result<u64> {
        let at = match place {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(by) => {
                let len = self.len.ok_or_else(|| {
                    io::Error::new(
                        ErrorKind::Unsupported,
                        "the server does not say how long the file is",
                    )
                })?;
                len.checked_add_signed(by)
            }
        };
        let at = at.ok_or(ErrorKind::InvalidInput)?;
        if at != self.at {
            (self.at, self.body) = (at, None);
        }
        Ok(at)
    }
}
