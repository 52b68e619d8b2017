//! Compares the kernels with memcpy of the decoded rows.
//!
//! `cargo bench --bench kernels -- bit` measures the cases whose name has `bit`. One process; a case's versions, both
//! directions and memcpy are interleaved.

use std::time::Duration;

use holdall_bench_kernels::case::{self, Case};
use holdall_bench_measure::table::{Table, figures};
use holdall_bench_measure::time::{Task, medians};

/// The minimum time for one case.
const LEAST_TIME: Duration = Duration::from_millis(400);

/// The size of the decoded rows, and its name in the table.
const SIZES: [(usize, &str); 2] = [
    (1 << 18, "256 KiB decoded: the rows and their copy fit 1 MiB of cache"),
    (8 << 20, "8 MiB decoded: they do not"),
];

const LEGEND: &str = "\
ns/row: median nanoseconds for each row, into memory that has been written before. ratio: memcpy's
time for the decoded rows over the kernel's, both of this run; 1 is as fast as memcpy. plain: what
every machine of the target has; AVX2: what a machine runs that has it (the plain version for widths
that gain too little), and its gain over plain. tensor: a whole message, into and from memory of its own, beside
a copy into new memory.
";

fn measure(case: &mut Case, table: &mut Table) {
    let (rows, name) = (case.rows as f64, case.name.clone());
    let mut memcpy = (case.copy)(case.bytes);
    let (packs, unpacks) = (case.pack.len(), case.unpack.len());
    let mut tasks = vec![Task::new(&mut memcpy)];
    tasks.extend(case.tasks());
    let times = medians(&mut tasks, LEAST_TIME);
    let (memcpy, times) = (times[0].as_secs_f64(), &times[1..]);

    let mut cells = vec![format!("  {name}"), figures(memcpy * 1e9 / rows)];
    let (packs, unpacks) = (&times[..packs], &times[packs..packs + unpacks]);
    for versions in [packs, unpacks] {
        for version in 0..2 {
            match versions.get(version) {
                Some(time) => {
                    let time = time.as_secs_f64();
                    cells.extend([figures(time * 1e9 / rows), figures(memcpy / time)]);
                }
                None => cells.extend(["".to_owned(), "".to_owned()]),
            }
        }
        cells.push(match versions {
            [plain, fast] => {
                let gain = plain.as_secs_f64() / fast.as_secs_f64() - 1.0;
                format!("{:+.0} %", 100.0 * gain)
            }
            _ => "".to_owned(),
        });
    }
    table.row(cells);
}

fn main() {
    // cargo passes `--bench`.
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let side = ["plain", "ratio", "AVX2", "ratio", "gain"];
    let heading: Vec<&str> = ["ns/row", "memcpy"].into_iter().chain(side).chain(side).collect();
    let mut table = Table::new(&heading);
    table.row(["", "", "pack", "", "", "", "", "unpack"].map(str::to_owned));
    for (bytes, title) in SIZES {
        table.row([title.to_owned()]);
        for mut case in case::all(bytes) {
            if wanted.is_empty() || wanted.iter().any(|part| case.name.contains(part)) {
                measure(&mut case, &mut table);
            }
        }
    }
    print!("{table}\n{LEGEND}");
}
