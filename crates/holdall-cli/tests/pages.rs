//! Completions and manual pages: made from the arguments, so all of these are in them.

use std::ffi::OsString;
use std::io;

use holdall_cli::run;

fn text(words: &[&str]) -> String {
    let args = ["holdall"].iter().chain(words).map(OsString::from);
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let status = run(args, &mut io::empty(), &mut stdout, &mut stderr);
    assert_eq!((status, String::from_utf8(stderr).unwrap()), (0, String::new()), "{words:?}");
    String::from_utf8(stdout).unwrap()
}

#[test]
fn every_shell_completes_commands_options_and_formats() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = text(&["completions", shell]);
        for word in ["pack", "unpack", "schema", "meta", "diff", "from", "infer", "logical"] {
            assert!(script.contains(word), "{shell} without {word}");
        }
    }
    for shell in ["bash", "fish", "zsh"] {
        let script = text(&["completions", shell]);
        for format in ["json", "ndjson", "csv", "msgpack", "cbor"] {
            assert!(script.contains(format), "{shell} without {format}");
        }
    }
}

#[test]
fn every_command_has_a_page_with_its_options() {
    let overview = text(&["man"]);
    for command in ["pack", "unpack", "schema", "meta", "diff", "completions", "man"] {
        assert!(overview.contains(&format!("holdall\\-{command}(1)")), "{command}");
        let page = text(&["man", command]);
        assert!(page.contains(&format!(".TH holdall-{command} 1")), "{page}");
        let help = text(&[command, "--help"]);
        for option in help.split([' ', '\n', ',']).filter(|word| word.starts_with("--")) {
            let escaped = option.replace('-', "\\-");
            assert!(page.contains(&escaped), "{command} without {option}");
        }
    }
}

#[cfg(unix)]
#[test]
fn bash_accepts_its_script() {
    use std::io::Write;
    use std::process::{Command, Stdio};

    let mut bash = Command::new("bash").arg("-n").stdin(Stdio::piped()).spawn().unwrap();
    bash.stdin.take().unwrap().write_all(text(&["completions", "bash"]).as_bytes()).unwrap();
    assert!(bash.wait().unwrap().success());
}
