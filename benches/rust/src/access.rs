//! Fields and rows in place: of the records of a web server, without decoding the others.

use std::time::Duration;

use holdall::{Archive, Profile, View};
use holdall_bench_measure::table::{Table, figures, thousands};
use holdall_bench_measure::time::{Task, medians};
use rkyv::rancor::Error;
use rkyv::util::AlignedVec;

use crate::case::Op;
use crate::cases::{Size, Wanted};
use crate::data::logs::{self, ArchivedLogs, Logs, Record, lent};
use crate::instructions::count;
use crate::peers::VALID;

/// The name in arguments.
pub const NAME: &str = "archive";

/// The minimum time for one operation, all peers together.
const LEAST_TIME: Duration = Duration::from_millis(500);

/// The operations: from the bytes; then on what is open.
const OPERATIONS: [&str; 5] = ["open", "numbers", "column", "texts", "row"];

/// The peers whose instructions are counted, too.
const COUNTED: [&str; 3] = ["holdall", "holdall, small", "rkyv"];

const LEGEND: &str = "\
Nanoseconds. open: checks the bytes, and reads one text of one row. After that, the time for each row
of: numbers, the sum of one field of all rows, row by row; column, the same from a slice; texts, one
text of all rows. row: decodes one row. bitcode decodes all before.
";

/// A peer, with how it does each operation.
struct Peer {
    name: &'static str,
    bytes: usize,
    ops: [Option<Op>; 5],
}

/// An operation that gives this result.
fn op(expected: u64, mut work: impl FnMut() -> u64 + 'static) -> Option<Op> {
    assert_eq!(work(), expected, "another result");
    Some(Op::new(work))
}

/// A text as a number.
fn number(text: &str) -> u64 {
    text.len() as u64
}

fn leak(bytes: &[u8]) -> &'static [u8] {
    let mut aligned = AlignedVec::<64>::new();
    aligned.extend_from_slice(bytes);
    Box::leak(Box::new(aligned))
}

fn peers(count: usize, seed: u64) -> Vec<Peer> {
    let value = logs::make(count, seed);
    let item = count * 2 / 3;
    let one = number(&value.records[item].path);
    let numbers = value.records.iter().map(|record| record.bytes).sum();
    let texts = value.records.iter().map(|record| number(&record.path)).sum();
    let (expected, view) = ([one, numbers, texts], view(&value, item, one));
    let mut all = vec![
        archive("holdall", &value, Profile::Fast, item, expected),
        archive("holdall, balanced", &value, Profile::Balanced, item, expected),
        archive("holdall, small", &value, Profile::Small, item, expected),
        view,
    ];
    all.extend([rkyv(&value, item, expected), bitcode(&value, item, one)]);
    all
}

fn archive(
    name: &'static str,
    value: &Logs,
    profile: Profile,
    item: usize,
    [one, numbers, texts]: [u64; 3],
) -> Peer {
    let bytes = leak(&holdall::Encoder::new().profile(profile).encode(value).expect(VALID));
    let open = move || Archive::<Logs>::new(bytes).expect(VALID);
    let records = Box::leak(Box::new(open())).root().records();
    let ops = [
        op(one, move || number(open().root().records().get(item).expect(VALID).path())),
        op(numbers, move || records.iter().map(|record| record.bytes()).sum()),
        op(numbers, move || records.columns().bytes().as_slice().expect(VALID).iter().sum()),
        op(texts, move || records.iter().map(|record| number(record.path())).sum()),
        op(one, move || number(&records.decode(item).expect(VALID).path)),
    ];
    Peer { name, bytes: bytes.len(), ops }
}

/// A view, which checks only the column that it reads.
fn view(value: &Logs, item: usize, one: u64) -> Peer {
    let bytes = leak(&holdall::to_vec(value).expect(VALID));
    let open = op(one, move || {
        let view = View::new(bytes).expect(VALID);
        let column = view.site("records.path").and_then(|site| site.column()).expect(VALID);
        let holdall::view::Values::Strings(texts) = column.values() else { return 0 };
        texts.get(item).map_or(0, number)
    });
    Peer { name: "holdall, view", bytes: bytes.len(), ops: [open, None, None, None, None] }
}

fn rkyv(value: &Logs, item: usize, [one, numbers, texts]: [u64; 3]) -> Peer {
    let bytes = leak(&rkyv::to_bytes::<Error>(value).expect(VALID));
    let open = move || rkyv::access::<ArchivedLogs, Error>(bytes).expect(VALID);
    let records = &open().records;
    let ops = [
        op(one, move || number(&open().records[item].path)),
        op(numbers, move || records.iter().map(|record| record.bytes.to_native()).sum()),
        None,
        op(texts, move || records.iter().map(|record| number(&record.path)).sum()),
        op(one, move || {
            number(&rkyv::deserialize::<Record, Error>(&records[item]).expect(VALID).path)
        }),
    ];
    Peer { name: "rkyv", bytes: bytes.len(), ops }
}

/// bitcode, which can borrow text.
fn bitcode(value: &Logs, item: usize, one: u64) -> Peer {
    let bytes = leak(&bitcode::encode(value));
    let mut buffer = bitcode::Buffer::new();
    let open = op(one, move || {
        number(buffer.decode::<lent::Logs<'_>>(bytes).expect(VALID).records[item].path)
    });
    Peer { name: "bitcode", bytes: bytes.len(), ops: [open, None, None, None, None] }
}

fn size(size: Size, seed: u64) -> usize {
    Wanted { size, seed, who: crate::case::Who::All }.count(10_000)
}

/// Returns an operation of a peer.
///
/// # Errors
/// If there is none.
pub fn once(operation: &str, peer: &str, size: Size, seed: u64) -> Result<Op, String> {
    let count = self::size(size, seed);
    let peer = peers(count, seed).into_iter().find(|one| one.name == peer);
    let number = OPERATIONS.iter().position(|known| *known == operation);
    let op = number.zip(peer).and_then(|(number, peer)| peer.ops.into_iter().nth(number)?);
    op.ok_or_else(|| "the peer cannot do it".to_owned())
}

/// The times of all operations.
#[must_use]
pub fn table(size: Size, seed: u64) -> String {
    let count = self::size(size, seed);
    let mut peers = peers(count, seed);
    let mut cells = vec![Vec::new(); peers.len()];
    for number in 0..OPERATIONS.len() {
        let (mut tasks, mut who) = (Vec::new(), Vec::new());
        for (index, peer) in peers.iter_mut().enumerate() {
            if let Some(op) = &mut peer.ops[number] {
                tasks.push(Task::repeated(|times| op.run(times)));
                who.push(index);
            }
        }
        // One row, or all of them.
        let rows = if [1, 2, 3].contains(&number) { count as f64 } else { 1.0 };
        let mut own = vec!["-".to_owned(); cells.len()];
        for (index, time) in who.iter().zip(medians(&mut tasks, LEAST_TIME)) {
            own[*index] = figures(time.as_secs_f64() * 1e9 / rows);
        }
        cells.iter_mut().zip(own).for_each(|(cells, cell)| cells.push(cell));
    }
    let mut table = Table::new(&[&[NAME], &OPERATIONS[..], &["bytes"]].concat());
    for (peer, cells) in peers.iter().zip(cells) {
        table.row([peer.name.to_owned()].into_iter().chain(cells).chain([thousands(peer.bytes)]));
    }
    format!("{count} records\n{table}{LEGEND}\n")
}

/// The instructions of all operations.
///
/// # Errors
/// If valgrind is missing, or its output is not as expected.
pub fn instructions() -> Result<String, String> {
    let mut table = Table::new(&[&["instructions"], &OPERATIONS[..]].concat());
    for peer in COUNTED {
        let mut row = vec![peer.to_owned()];
        for operation in OPERATIONS {
            row.push(count(NAME, operation, peer)?.map_or("-".to_owned(), thousands));
        }
        table.row(row);
    }
    Ok(table.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_peers_give_the_same_results() {
        let peers = peers(50, 1);
        assert!(peers.iter().all(|peer| peer.ops[0].is_some()));
    }
}
