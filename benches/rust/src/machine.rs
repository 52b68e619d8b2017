//! The machine and the versions of a measurement.

use std::fmt::Write;
use std::process::Command;

/// The measured crates.
const CRATES: [&str; 13] = [
    "holdall",
    "bitcode",
    "borsh",
    "dlhn",
    "fory",
    "postcard",
    "prost",
    "rkyv",
    "rmp-serde",
    "savefile",
    "serde_json",
    "wincode",
    "zstd",
];

/// The versions that were built, from the lock file.
#[must_use]
pub fn versions() -> String {
    let lock = include_str!("../Cargo.lock");
    let version = |name: &str| {
        let package = format!("name = \"{name}\"\nversion = \"");
        let (_, rest) = lock.split_once(&package)?;
        rest.split('"').next()
    };
    let named =
        CRATES.map(|name| format!("{name} {}", version(name).unwrap_or("of unknown version")));
    named.join(", ")
}

/// Processor, memory, system, compiler, and load.
#[must_use]
pub fn machine() -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let field = |path: &str, name: &str| {
        let text = read(path);
        let line = text.lines().find(|line| line.starts_with(name)).map(str::to_owned);
        let value = line.and_then(|line| Some(line.split_once(':')?.1.trim().to_owned()));
        value.unwrap_or("unknown".to_owned())
    };
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let compiler = Command::new("rustc").arg("--version").output();
    let compiler = compiler.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    let mut out = String::new();
    let mut put = |name: &str, value: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "- {name}: {value}");
    };
    put("processor", &format!("{}, {cores} cores", field("/proc/cpuinfo", "model name")));
    put("cache", &field("/proc/cpuinfo", "cache size"));
    put("memory", &field("/proc/meminfo", "MemTotal"));
    put(
        "system",
        &format!(
            "{} {}, {}",
            std::env::consts::OS,
            std::env::consts::ARCH,
            read("/proc/sys/kernel/osrelease").trim()
        ),
    );
    put("compiler", &compiler.unwrap_or("unknown".to_owned()));
    put("load when it began", read("/proc/loadavg").trim());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_crate_has_a_version() {
        assert!(!versions().contains("unknown"), "{}", versions());
    }
}
