//! What files cannot show: streams that fail, kinds of files, and the stack.

use std::ffi::OsString;
use std::io::{self, ErrorKind, Read, Write};

use holdall_cli::run;

pub fn args(words: &[&str]) -> Vec<OsString> {
    ["holdall"].iter().chain(words).map(OsString::from).collect()
}

/// A stream on which everything fails.
struct Failing(ErrorKind);

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(self.0.into())
    }
}

impl Write for Failing {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(self.0.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The status and the words on stderr.
pub fn run_with(words: &[&str], stdin: &mut dyn Read, stdout: &mut dyn Write) -> (u8, String) {
    let mut stderr = Vec::new();
    let status = run(args(words), stdin, stdout, &mut stderr);
    (status, String::from_utf8(stderr).unwrap())
}

#[test]
fn a_reader_that_stops_is_not_a_failure() {
    let closed = || Failing(ErrorKind::BrokenPipe);
    let message = holdall_convert::json::pack(b"[1]").unwrap();
    assert_eq!(
        run_with(&["pack", "--from", "json"], &mut &b"[1]"[..], &mut closed()),
        (0, String::new())
    );
    assert_eq!(
        run_with(&["unpack", "--to", "json"], &mut &message[..], &mut closed()),
        (0, String::new())
    );
    for command in ["schema", "inspect", "stat", "verify"] {
        assert_eq!(run_with(&[command], &mut &message[..], &mut closed()), (0, String::new()));
    }
    let page = &["stat", "--html"];
    assert_eq!(run_with(page, &mut &message[..], &mut closed()), (0, String::new()));
    assert_eq!(run_with(&["--help"], &mut io::empty(), &mut closed()), (0, String::new()));
    assert_eq!(run_with(&["man"], &mut io::empty(), &mut closed()), (0, String::new()));
    for format in ["ndjson", "csv", "msgpack", "cbor"] {
        let message = holdall_convert::json::pack(b"[{\"a\":1}]").unwrap();
        let words = ["unpack", "--to", format];
        assert_eq!(run_with(&words, &mut &message[..], &mut closed()), (0, String::new()));
    }
}

#[test]
fn a_comparison_has_its_status_even_if_the_reader_stops() {
    let folder = tempfile::tempdir().unwrap();
    let old = folder.path().join("old");
    std::fs::write(&old, holdall_convert::json::pack(b"[1]").unwrap()).unwrap();
    for (new, status) in [(&b"[1]"[..], 0), (b"[2]", 1)] {
        let message = holdall_convert::json::pack(new).unwrap();
        for options in [&["--values"][..], &["--values", "--json"]] {
            let words = [&["diff", old.to_str().unwrap(), "-"], options].concat();
            let mut closed = Failing(ErrorKind::BrokenPipe);
            assert_eq!(run_with(&words, &mut &message[..], &mut closed), (status, String::new()));
            let mut full = Failing(ErrorKind::StorageFull);
            let is_reported = status == 1 || options.len() == 2;
            let (status, _) = run_with(&words, &mut &message[..], &mut full);
            assert_eq!(status, if is_reported { 2 } else { 0 });
        }
    }
}

#[test]
fn a_fingerprint_is_resolved_by_the_other_file() {
    let value = holdall::Value::from(vec![1, 2]);
    let mut encoder = holdall::Encoder::new().header(holdall::Header::Fingerprint);
    let bare = encoder.message(&mut &value).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("full");
    std::fs::write(&path, holdall::to_vec(&value).unwrap()).unwrap();
    let path = path.to_str().unwrap();
    for words in [["diff", "--values", path, "-"], ["diff", "--values", "-", path]] {
        let outcome = run_with(&words, &mut &bare[..], &mut Vec::new());
        assert_eq!(outcome, (0, String::new()));
    }
    std::fs::write(path, &bare).unwrap();
    let (status, stderr) = run_with(&["diff", path, "-"], &mut &bare[..], &mut Vec::new());
    assert!(status == 2 && stderr.contains("unknown_fingerprint"), "{stderr}");
}

#[test]
fn streams_that_fail_are_errors() {
    let (status, stderr) = run_with(
        &["pack", "--from", "json"],
        &mut Failing(ErrorKind::PermissionDenied),
        &mut Vec::new(),
    );
    assert_eq!((status, &*stderr), (1, "holdall: stdin: io: permission denied\n"));
    let (status, stderr) =
        run_with(&["pack", "--from", "json"], &mut &b"1"[..], &mut Failing(ErrorKind::StorageFull));
    assert_eq!((status, &*stderr), (1, "holdall: stdout: io: no storage space\n"));
}

#[test]
fn metadata_are_printed_without_reading_the_body() {
    let pack = |keys: usize| {
        let pairs = (0..keys).map(|n| (format!("key {n}"), "x".repeat(40)));
        let metadata = holdall::Metadata::new(pairs).unwrap();
        let mut encoder = holdall::Encoder::new().checksum(true).metadata(metadata);
        encoder.message(&mut &holdall::Value::from("y".repeat(100_000))).unwrap()
    };
    // Enough of them that their head is read in several steps.
    for keys in [1, 100, 2_000] {
        let message = pack(keys);
        let mut stdin = message[..message.len() - 1_000].chain(Failing(ErrorKind::Other));
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let status = run(args(&["meta"]), &mut stdin, &mut stdout, &mut stderr);
        assert_eq!((status, String::from_utf8(stderr).unwrap()), (0, String::new()));
        let text = String::from_utf8(stdout).unwrap();
        assert!(text.starts_with("{\"key 0\":\"xx") && text.ends_with("xx\"}\n"));
        assert_eq!(text.matches("\"key ").count(), keys);
    }
}

#[test]
fn a_stderr_that_fails_does_not_matter() {
    let stderr = &mut Failing(ErrorKind::BrokenPipe);
    assert_eq!(run(args(&["pack", "--from", "json"]), &mut &b"?"[..], &mut Vec::new(), stderr), 1);
    assert_eq!(run(args(&["park"]), &mut &b""[..], &mut Vec::new(), stderr), 2);
}

#[test]
fn the_version_is_the_package_s() {
    let mut stdout = Vec::new();
    assert_eq!(run_with(&["--version"], &mut io::empty(), &mut stdout), (0, String::new()));
    assert_eq!(stdout, concat!("holdall ", env!("CARGO_PKG_VERSION"), "\n").as_bytes());
}

#[cfg(unix)]
mod unix {
    use std::fs;
    use std::os::unix::ffi::OsStringExt;
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
    use std::path::Path;
    use std::process::Command;

    use super::*;

    fn pack_to(path: &Path) -> (u8, String) {
        run_with(
            &["pack", "--from", "json", "-o", path.to_str().unwrap()],
            &mut &b"[1]"[..],
            &mut Vec::new(),
        )
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    /// Runs a script with the binary's path as `$1`.
    fn shell(script: &str, folder: &Path) -> std::process::Output {
        let binary = env!("CARGO_BIN_EXE_holdall");
        Command::new("sh").args(["-c", script, "sh", binary]).current_dir(folder).output().unwrap()
    }

    #[test]
    fn an_output_has_the_permissions_of_any_file() {
        let folder = tempfile::tempdir().unwrap();
        let (plain, new, old) =
            (folder.path().join("plain"), folder.path().join("new"), folder.path().join("old"));
        fs::write(&plain, "").unwrap();
        assert_eq!(pack_to(&new).0, 0);
        assert_eq!(mode(&new), mode(&plain));

        fs::write(&old, "old").unwrap();
        fs::set_permissions(&old, fs::Permissions::from_mode(0o640)).unwrap();
        assert_eq!(pack_to(&old).0, 0);
        assert_eq!(mode(&old), 0o640);
        assert_eq!(fs::read(&old).unwrap(), fs::read(&new).unwrap());
    }

    #[test]
    fn a_redirected_input_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("same.json"), "[1]").unwrap();
        let output = shell("\"$1\" pack --from json -o same.json < same.json", folder.path());
        assert_eq!(output.status.code(), Some(2));
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.starts_with("holdall: same.json is also the input"), "{error}");
        assert_eq!(fs::read(folder.path().join("same.json")).unwrap(), b"[1]");
        // Another file with the same contents is not the input.
        let output = shell("\"$1\" pack --from json -o other < same.json", folder.path());
        assert!(output.status.success());
    }

    #[test]
    fn a_link_stays_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "old").unwrap();
        symlink("file", &link).unwrap();
        assert_eq!(pack_to(&link).0, 0);
        assert_eq!(fs::read_link(&link).unwrap(), Path::new("file"));
        assert_eq!(fs::read(&file).unwrap(), holdall_convert::json::pack(b"[1]").unwrap());
    }

    #[test]
    fn a_pipe_is_written_to_and_stays_a_pipe() {
        let folder = tempfile::tempdir().unwrap();
        let output = shell(
            "mkfifo pipe && { echo '[1]' | \"$1\" pack --from json -o pipe & cat pipe; wait; }",
            folder.path(),
        );
        assert_eq!(output.stdout, holdall_convert::json::pack(b"[1]").unwrap());
        assert!(fs::metadata(folder.path().join("pipe")).unwrap().file_type().is_fifo());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_failed_write_leaves_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("out"), "old").unwrap();
        // 64 blocks of 512 bytes are less than the data has.
        let script = "trap '' XFSZ; seq -s , 100000 | sed 's/.*/[&]/' | { ulimit -f 64; \"$1\" pack --from json -o out; }";
        let output = shell(script, folder.path());
        assert_eq!(output.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&output.stderr).starts_with("holdall: out: io: "));
        assert_eq!(fs::read(folder.path().join("out")).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn errors_take_one_line_whatever_the_names() {
        let mut stderr = Vec::new();
        let name = OsString::from_vec(b"no\nsuch\x1B[31m\xFF file".to_vec());
        let args = [OsString::from("holdall"), OsString::from("schema"), name];
        assert_eq!(run(args, &mut io::empty(), &mut Vec::new(), &mut stderr), 1);
        let stderr = String::from_utf8(stderr).unwrap();
        assert!(stderr.starts_with("holdall: no\\nsuch\\u{1b}[31m\u{FFFD} file: io: "), "{stderr}");
        assert_eq!(stderr.lines().count(), 1);
    }

    #[test]
    fn a_reader_that_stops_ends_a_pipe_quietly() {
        let folder = tempfile::tempdir().unwrap();
        let script = "yes '{\"a\": 1}' | head -n 200000 | \"$1\" pack --from ndjson -o a.hold; \
                      { \"$1\" unpack --to ndjson a.hold; echo $? > status; } | head -n 1";
        let output = shell(script, folder.path());
        assert_eq!(String::from_utf8_lossy(&output.stdout), "{\"a\":1}\n");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        assert_eq!(fs::read_to_string(folder.path().join("status")).unwrap(), "0\n");
    }

    // Other systems do not limit memory this way.
    #[cfg(target_os = "linux")]
    #[test]
    fn lines_and_rows_need_not_fit_into_memory() {
        let folder = tempfile::tempdir().unwrap();
        // 120 MB in a process that may have 100.
        for (format, line) in [("ndjson", " ".repeat(9_999)), ("csv", String::new())] {
            let script = format!(
                "{{ echo 1; yes '{line}' | head -c 120000000; echo; echo 2; }} > in.{format}; ulimit -v 100000; \
                 \"$1\" pack in.{format} -o a.hold && \"$1\" unpack --to {format} a.hold",
            );
            let output = shell(&script, folder.path());
            assert_eq!(String::from_utf8_lossy(&output.stderr), "");
            assert_eq!(String::from_utf8_lossy(&output.stdout), "1\n2\n");
        }
    }

    #[test]
    fn a_million_levels_need_no_stack() {
        let folder = tempfile::tempdir().unwrap();
        let lists = "[".repeat(1_000_000) + &"]".repeat(1_000_000) + "\n";
        fs::write(folder.path().join("in.json"), &lists).unwrap();
        let output =
            shell("ulimit -s 512; \"$1\" pack in.json | \"$1\" unpack --to json", folder.path());
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        // No assert_eq: it would print megabytes.
        assert!(output.stdout == lists.as_bytes());
    }
}

/// The status, stdout and stderr.
fn outcome(words: &[&str]) -> (u8, String, String) {
    let mut stdout = Vec::new();
    let (status, stderr) = run_with(words, &mut io::empty(), &mut stdout);
    (status, String::from_utf8(stdout).unwrap(), stderr)
}

#[test]
#[cfg(unix)]
fn an_output_that_is_the_input_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("same.ndjson");
    let packed = folder.path().join("same.hold");
    for (file, words) in [
        (&json, &["pack"][..]),
        (&json, &["pack", "--stream"]),
        (&json, &["pack", "--stream", "--append"]),
        (&packed, &["unpack", "--to", "json"]),
        (&packed, &["stat"]),
    ] {
        std::fs::write(&json, "[1]\n").unwrap();
        std::fs::write(&packed, holdall_convert::json::pack(b"[1]").unwrap()).unwrap();
        let before = std::fs::read(file).unwrap();
        let (link, second) = (folder.path().join("link"), folder.path().join("second"));
        std::os::unix::fs::symlink(file, &link).unwrap();
        std::fs::hard_link(file, &second).unwrap();
        for output in [file, &link, &second] {
            let files = [file.to_str().unwrap(), "-o", output.to_str().unwrap()];
            let (status, _, stderr) = outcome(&[words, &files].concat());
            assert_eq!(status, 2, "{words:?}");
            assert!(stderr.contains("is also the input: name another file"), "{stderr}");
            assert_eq!(std::fs::read(file).unwrap(), before, "{words:?}");
        }
        std::fs::remove_file(link).unwrap();
        std::fs::remove_file(second).unwrap();
    }
}

/// Zeros, and how many were read.
struct Zeros(u64);

impl Read for Zeros {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        assert!(self.0 < 1 << 20, "a command reads on after it has seen what this is");
        buffer.fill(0);
        self.0 += buffer.len() as u64;
        Ok(buffer.len())
    }
}

#[test]
fn other_data_are_not_read_to_their_end() {
    for words in [
        &["unpack", "--to", "json"][..],
        &["cat"],
        &["schema"],
        &["inspect"],
        &["stat"],
        &["verify"],
        &["meta"],
        &["generate", "--rust"],
        &["schema", "--format"],
        &["schema", "--json-schema"],
    ] {
        let (mut zeros, mut stdout) = (Zeros(0), Vec::new());
        let (status, stderr) = run_with(words, &mut zeros, &mut stdout);
        assert_ne!(status, 0, "{words:?}");
        let said = stderr + std::str::from_utf8(&stdout).unwrap();
        let expected = ["bad_magic", "bad_input at offset 0"];
        assert!(expected.iter().any(|code| said.contains(code)), "{words:?}: {said}");
    }
}

/// A sparse file of zeros takes no room, and reading all of it would take minutes.
#[test]
#[cfg(unix)]
fn files_of_zeros_are_not_read_to_their_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (zeros, text, message) = (path("zeros"), path("zeros.holds"), path("message"));
    for file in [&zeros, &text] {
        std::fs::File::create(file).unwrap().set_len(1 << 40).unwrap();
    }
    std::fs::write(&message, holdall::to_vec(&1).unwrap()).unwrap();
    let (zeros, text, message) = (&*zeros, &*text, &*message);
    let no_text = "bad_input at offset 0: expected a type, a name or a mark, got '\\0'";
    for (words, expected) in [
        (&["generate", "--rust", zeros][..], "bad_magic"),
        (&["generate", "--python", zeros], "bad_magic"),
        (&["schema", "--json-schema", zeros], "bad_magic"),
        (&["schema", "--format", zeros], "bad_magic"),
        (&["schema", "--from-json-schema", zeros], "bad_input at offset 0"),
        (&["schema", "--format", text], no_text),
        (&["schema", text], no_text),
        (&["train", zeros], "--from"),
        (&["unpack", message, "--to", "json", "--schema", zeros], "trailing_bytes at offset 2"),
        (&["unpack", message, "--to", "json", "--schema", text], no_text),
        (&["unpack", message, "--to", "json", "--dictionary", zeros], "a dictionary of zstd"),
    ] {
        let (status, _, stderr) = outcome(words);
        assert_ne!(status, 0, "{words:?}");
        assert!(stderr.contains(expected), "{words:?}: {stderr}");
    }
}

#[test]
#[cfg(unix)]
fn a_named_pipe_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let name = pipe.to_str().unwrap();
    let mut writer = holdall::Writer::new(Vec::new()).unwrap();
    for n in 1..=2 {
        writer.write(&n).unwrap();
    }
    let stream = writer.finish().unwrap();
    let message = holdall::to_vec(&vec![1, 2]).unwrap();
    for (bytes, expected) in [
        (&stream[..], (0, "1\n2\n")),
        (&message, (0, "1\n2\n")),
        (&stream[..stream.len() - 4], (1, "1\n2\n")),
        (b"[1, 2]", (1, "")),
        (b"", (1, "")),
    ] {
        let (status, stdout, stderr) = std::thread::scope(|scope| {
            // What is no stream is not read to its end, so the pipe may be closed.
            scope.spawn(|| std::fs::write(&pipe, bytes).ok());
            outcome(&["cat", name])
        });
        assert_eq!((status, &*stdout), expected, "{stderr}");
        assert!(!stderr.contains("seek"), "{stderr}");
    }
    let (status, _, stderr) = std::thread::scope(|scope| {
        scope.spawn(|| std::fs::write(&pipe, b"").ok());
        outcome(&["cat", "--follow", name])
    });
    assert_eq!(status, 2);
    assert!(stderr.contains("--follow needs a file"), "{stderr}");
    let whole = folder.path().join("whole");
    for (words, expected) in [
        (
            &["recover", name, whole.to_str().unwrap()][..],
            "recover needs a file, and this is none: ",
        ),
        (
            &["pack", "--from", "ndjson", "--stream", "--append", "-o", name],
            "--append needs a file, and this is none: ",
        ),
    ] {
        let (status, _, stderr) = outcome(words);
        assert_eq!(status, 2, "{stderr}");
        assert!(stderr.contains(expected), "{stderr}");
        assert!(!whole.exists());
    }
}

#[test]
fn a_file_of_schema_text_may_begin_with_one_byte_order_mark() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (marked, plain, twice) = (path("marked.holds"), path("plain.holds"), path("twice.holds"));
    let text = "// What is sold.\r\nstruct A {a: int}\r\n";
    for (file, mark) in [(&marked, "\u{FEFF}"), (&plain, ""), (&twice, "\u{FEFF}\u{FEFF}")] {
        std::fs::write(file, format!("{mark}{text}")).unwrap();
    }
    let ways = [
        &["schema"][..],
        &["schema", "--format"],
        &["schema", "--json-schema"],
        &["schema", "--check", &plain],
        &["generate", "--rust"],
    ];
    for way in ways {
        let of = |file: &str| crate::printed(&[way, &[file]].concat(), b"");
        let expected = of(&plain).unwrap();
        assert_eq!(of(&marked).unwrap(), expected, "{way:?}");
        let error = of(&twice).unwrap_err();
        assert!(error.contains("got '\\u{feff}'"), "{way:?}: {error}");
    }
    let marked = std::fs::read(marked).unwrap();
    let formatted = crate::printed(&["schema", "--format", "-"], &marked).unwrap();
    assert_eq!(formatted, crate::printed(&["schema", "--format", &plain], b"").unwrap());
}
