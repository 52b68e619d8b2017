//! Killed writers: everything that they flushed is there.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use holdall::{OnDamage, Reader, WriterOptions};

use super::samples::{Reading, reading};

const FILE: &str = "HOLDALL_TEST_KILLED";

/// Not a test: the process that is killed. It prints how many values it has flushed.
#[test]
#[ignore = "runs in a process of its own"]
fn writes_until_it_is_killed() {
    let Some(path) = std::env::var_os(FILE) else { return };
    let mut writer = WriterOptions::new().block_values(50).append(path).unwrap();
    let mut id = writer.len();
    loop {
        for _ in 0..id % 97 {
            writer.write(&reading(id)).unwrap();
            id += 1;
        }
        writer.write(&reading(id)).unwrap();
        id += 1;
        writer.flush().unwrap();
        println!("\nflushed {id}");
    }
}

/// Kills a process after a delay; returns how many values it reported as flushed.
fn kill_one(path: &Path, after: Duration) -> u64 {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "stream::killed::writes_until_it_is_killed", "--ignored", "--nocapture"])
        .env(FILE, path)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap());
    let reading = std::thread::spawn(move || {
        let flushed = lines.lines().map_while(Result::ok);
        flushed.filter_map(|line| line.strip_prefix("flushed ")?.parse::<u64>().ok()).last()
    });
    std::thread::sleep(after);
    child.kill().unwrap();
    child.wait().unwrap();
    reading.join().unwrap().unwrap_or(0)
}

#[test]
fn everything_that_killed_writers_flushed_is_read() {
    let rounds = if std::env::var_os("HOLDALL_SOAK").is_some() { 200 } else { 10 };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("killed.hold");
    let (mut before, mut torn) = (0, 0);
    for round in 0..rounds {
        let flushed = kill_one(&path, Duration::from_millis(20 + round * 7 % 60));
        let Ok(reader) = Reader::open(&path) else {
            // It was killed before it created the file.
            assert_eq!(flushed, 0);
            continue;
        };
        let mut reader = reader.on_damage(OnDamage::Skip);
        let values: Result<Vec<Reading>, _> = reader.values().collect();
        let Ok(values) = values else {
            // Within the first bytes of the file.
            assert_eq!(before.max(flushed), 0);
            std::fs::remove_file(&path).unwrap();
            continue;
        };
        assert!(values.len() as u64 >= flushed.max(before), "round {round}");
        for (id, value) in (0..).zip(&values) {
            assert_eq!(*value, reading(id), "round {round}");
        }
        // One end is missing, and that is reported.
        assert_eq!(reader.damage().len(), 1, "round {round}: {:?}", reader.damage());
        torn += u32::from(reader.damage()[0].skipped() > 0);
        before = values.len() as u64;
    }
    assert!(before > 0);
    println!("{rounds} writers killed, {torn} of them within a frame; {before} values");
}
