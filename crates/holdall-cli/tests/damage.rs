//! Laws of `inspect`, `stat` and `verify`, over the vectors and damage to them.

use std::ffi::OsString;
use std::fs;

use holdall::Schema;
use holdall_cli::run;

#[allow(dead_code, reason = "the tests of holdall-inspect use all of it")]
#[path = "../../holdall-inspect/tests/laws/common/mod.rs"]
pub mod common;

use common::chance::{Chance, rounds};
use common::mutate::mutate;
use common::{Input, examples, vectors};

/// The status of a command, after a look at what it wrote.
fn status(words: &[OsString], message: &[u8]) -> u8 {
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let args = ["holdall".into()].into_iter().chain(words.iter().cloned());
    let status = run(args, &mut &message[..], &mut stdout, &mut stderr);
    let stderr = String::from_utf8(stderr).unwrap();
    let is_reported = if status == 0 { stderr.is_empty() } else { stderr.lines().count() == 1 };
    assert!(status <= 1 && is_reported, "{words:?} of {message:02X?}: {status} {stderr:?}");
    let stdout = String::from_utf8(stdout).unwrap();
    let is_control = |char: char| char.is_control() && char != '\n';
    assert!(!stdout.contains(is_control), "{words:?}: {stdout:?}");
    if words[0] == "stat" && status != 0 {
        assert!(stdout.is_empty(), "{words:?}: {stdout:?}");
        return status;
    }
    assert!(stdout.ends_with('\n'), "{words:?}: {stdout:?}");
    if words.contains(&"--json".into()) {
        serde_json::from_str::<serde_json::Value>(&stdout).unwrap();
    }
    status
}

#[test]
fn damaged_messages_are_inspected_counted_and_verified_to_one_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let mut all = [vectors("valid"), vectors("invalid"), examples()].concat();
    all.retain(|input| input.bytes.len() <= 4096);
    let schema_option = |(number, input): (usize, &Input)| {
        let schema = input.schema.as_ref().filter(|bytes| Schema::from_bytes(bytes).is_ok())?;
        let file = folder.path().join(number.to_string());
        fs::write(&file, schema).unwrap();
        Some(["--schema".into(), file.into_os_string()])
    };
    let schemas: Vec<_> = all.iter().enumerate().map(schema_option).collect();

    let mut chance = Chance::new(20_261_204);
    let (mut valid, mut by_schema) = (0, 0);
    let mutations = rounds(20_000);
    for number in 0..all.len() + mutations {
        let which = number % all.len();
        let mut message = all[which].bytes.clone();
        // The first round is without damage.
        let damages = if number < all.len() { 0 } else { *chance.pick(&[1, 1, 1, 2, 3]) };
        for _ in 0..damages {
            let other = &chance.pick(&all).bytes;
            mutate(&mut chance, &mut message, other);
        }
        let budget = *chance.pick(&["65536", "16384", "500"]);
        let mut options: Vec<OsString> = vec!["--budget".into(), budget.into()];
        options.extend(schemas[which].iter().flatten().cloned());
        let view: &[&str] = [
            &["inspect"][..],
            &["inspect", "--json"],
            &["inspect", "--redact"],
            &["inspect", "--path", "$[]"],
        ][number % 4];
        let words = |command: &[&str]| {
            let command = command.iter().map(OsString::from);
            command.chain(options.iter().cloned()).collect::<Vec<_>>()
        };
        let inspected = status(&words(view), &message);
        assert_eq!(inspected, status(&words(&["verify"]), &message), "{message:02X?}");
        let stat: &[&str] = [
            &["stat"][..],
            &["stat", "--html"],
            &["stat", "--json"],
            &["stat", "--no-savings", "--sort", "path"],
        ][number / 4 % 4];
        assert_eq!(inspected, status(&words(stat), &message), "{message:02X?}");
        valid += usize::from(inspected == 0);
        by_schema += usize::from(inspected == 0 && schemas[which].is_some());
    }
    // Damage that is always noticed at once would test little.
    assert!(valid > mutations / 50 && by_schema > rounds(20), "{valid} {by_schema}");
}
