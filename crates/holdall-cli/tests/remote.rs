//! Commands on URLs, with a server of this process.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use holdall::{Value, WriterOptions};
use holdall_cli::{Shows, open_url, run_with};

/// What a server does with a request.
#[derive(Clone, Copy, PartialEq)]
enum Answers {
    Ranges,
    /// All of the file, whatever was asked for.
    All,
    Missing,
    /// Each answer is of another version of the file.
    Changing,
}

struct Server {
    url: String,
    /// The ranges that were asked for; empty for the whole file.
    asked: Arc<Mutex<Vec<String>>>,
    sent: Arc<AtomicUsize>,
}

impl Server {
    /// Answers each request on a connection of its own, until the test ends.
    fn start(file: Vec<u8>, answers: Answers) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/log.hold", listener.local_addr().unwrap());
        let (asked, sent) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicUsize::new(0)));
        let server = Server { url, asked: Arc::clone(&asked), sent: Arc::clone(&sent) };
        let file = Arc::new(file);
        thread::spawn(move || {
            for (number, connection) in listener.incoming().enumerate() {
                let (file, asked, sent) =
                    (Arc::clone(&file), Arc::clone(&asked), Arc::clone(&sent));
                thread::spawn(move || {
                    answer(connection.unwrap(), &file, answers, number, &asked, &sent);
                });
            }
        });
        server
    }
}

fn answer(
    mut connection: TcpStream,
    file: &[u8],
    answers: Answers,
    number: usize,
    asked: &Mutex<Vec<String>>,
    sent: &AtomicUsize,
) {
    let (mut range, mut lines) =
        (String::new(), BufReader::new(connection.try_clone().unwrap()).lines());
    while let Some(Ok(line)) =
        lines.next().filter(|line| line.as_ref().is_ok_and(|line| !line.is_empty()))
    {
        if let Some(own) = line.to_lowercase().strip_prefix("range: bytes=") {
            own.clone_into(&mut range);
        }
    }
    asked.lock().unwrap().push(range.clone());
    let first: usize = range.strip_suffix('-').map_or(0, |first| first.parse().unwrap());
    let tag = if answers == Answers::Changing { number } else { 0 };
    let size = file.len();
    let (head, body) = match answers {
        Answers::Missing => ("404 Not Found\r\nContent-Length: 0".to_owned(), &[][..]),
        Answers::All => (format!("200 OK\r\nContent-Length: {size}"), file),
        _ if range.is_empty() => (format!("200 OK\r\nContent-Length: {size}"), file),
        _ => {
            let (last, body) = (size - 1, &file[first..]);
            let len = body.len();
            let place = format!("Content-Range: bytes {first}-{last}/{size}");
            (format!("206 Partial Content\r\nContent-Length: {len}\r\n{place}"), body)
        }
    };
    let head = format!("HTTP/1.1 {head}\r\nETag: \"{tag}\"\r\nConnection: close\r\n\r\n");
    let _ = connection.write_all(head.as_bytes());
    for piece in body.chunks(1 << 12) {
        if connection.write_all(piece).is_err() {
            break;
        }
        sent.fetch_add(piece.len(), Ordering::Relaxed);
    }
}

fn run(words: &[&str]) -> (u8, String, String) {
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let args = ["holdall"].iter().chain(words).map(Into::into);
    let status =
        run_with(args, &mut &b""[..], &mut stdout, &mut stderr, Shows::default(), &open_url);
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (status, text(stdout), text(stderr))
}

/// A stream of small blocks with values of this many bytes.
fn stream(values: i64, bytes: usize) -> Vec<u8> {
    let mut writer =
        WriterOptions::new().sync(*b"in tests").block_values(10).to(Vec::new()).unwrap();
    for n in 0..values {
        let body = Value::from(vec![Value::from(n); bytes / 8]);
        writer.write(&Value::record([("n", Value::from(n)), ("body", body)])).unwrap();
    }
    writer.finish().unwrap()
}

#[test]
fn commands_read_urls_as_they_read_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.hold");
    let message = holdall::to_vec(&Value::from(vec![1_i64, 2, 3])).unwrap();
    for file in [stream(25, 16), message] {
        fs::write(&path, &file).unwrap();
        for answers in [Answers::Ranges, Answers::All] {
            let server = Server::start(file.clone(), answers);
            for words in [
                &["schema"][..],
                &["inspect"],
                &["stat"],
                &["meta"],
                &["verify"],
                &["hash"],
                &["cat"],
                &["cat", "--tail", "3"],
                &["cat", "--head", "2"],
                &["unpack", "--to", "json"],
            ] {
                let of = |name: &str| {
                    let (status, stdout, stderr) = run(&[words, &[name]].concat());
                    (status, stdout.replace(name, "log.hold"), stderr.replace(name, "log.hold"))
                };
                let own = of(path.to_str().unwrap());
                assert_eq!((own.0, &*own.2), (0, ""), "{words:?}");
                assert_eq!(of(&server.url), own, "{words:?}");
            }
        }
    }
}

#[test]
fn the_end_of_a_stream_is_read_without_the_rest() {
    let file = stream(1_000, 40_000);
    let server = Server::start(file.clone(), Answers::Ranges);
    let (status, stdout, stderr) = run(&["cat", "--tail", "1", &server.url]);
    assert_eq!((status, stdout.lines().count(), &*stderr), (0, 1, ""));
    let (asked, sent) = (server.asked.lock().unwrap().len(), server.sent.load(Ordering::Relaxed));
    assert!(asked < 12, "{asked} requests");
    // The buffers of the system take a part of an answer that is not read.
    assert!(sent < file.len() / 2 + (8 << 20), "{sent} of {} bytes", file.len());
}

#[test]
fn what_cannot_be_read_says_why() {
    let missing = Server::start(Vec::new(), Answers::Missing);
    let (status, _, stderr) = run(&["cat", &missing.url]);
    assert_eq!(
        (status, &*stderr),
        (1, &*format!("holdall: {}: io: http status: 404\n", missing.url))
    );

    let changing = Server::start(stream(100, 16), Answers::Changing);
    let (status, _, stderr) = run(&["cat", "--tail", "1", &changing.url]);
    let expected = format!("holdall: {}: io: the file at the URL has changed\n", changing.url);
    assert_eq!((status, stderr), (1, expected));

    let (status, _, stderr) = run(&["schema", "ftp://127.0.0.1/a.hold"]);
    let expected = "holdall: ftp://127.0.0.1/a.hold: io: only http:// and https:// URLs can be read; the command of the Python package also reads those of fsspec\n";
    assert_eq!((status, &*stderr), (1, expected));

    let (status, _, stderr) = run(&["cat", "--follow", &changing.url]);
    assert_eq!((status, &*stderr), (2, "holdall: --follow needs a file on this machine\n"));

    // Without a way to read URLs.
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let args = ["holdall", "schema", "https://127.0.0.1/a.hold"].map(Into::into);
    let status = holdall_cli::run(args, &mut &b""[..], &mut stdout, &mut stderr);
    let expected = "holdall: https://127.0.0.1/a.hold: io: this program reads no URLs: download https://127.0.0.1/a.hold and name the file\n";
    assert_eq!((status, &*String::from_utf8_lossy(&stderr)), (1, expected));
}
