//! The law of views: each column and row is what a reader of the whole gives, or the fault is that reader's. The fuzz
//! target `views` checks it, too.

use std::io;

use holdall::view::{Bytes, ReadAt};
use holdall::{Code, Decoder, Error, Limits, Reader, Result, Value, ValueBuilder, View};

use super::walk;

const BUDGET: u64 = 1 << 22;

/// Bytes that are read by offset.
struct InParts<'b>(&'b [u8]);

impl ReadAt for InParts<'_> {
    fn size(&self) -> io::Result<u64> {
        self.0.size()
    }

    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        self.0.read_at(bytes, offset)
    }
}

/// Reads everything; returns the faults.
fn ask(view: &View<'_>) -> Vec<Error> {
    let mut faults = Vec::new();
    let mut fault = |result: Result<()>| faults.extend(result.err());
    for site in view.columns() {
        fault(site.rows().map(|_| ()));
        fault(site.column().map(|_| ()));
    }
    for row in 0..4 {
        fault(view.root().row(row).map(|_| ()));
    }
    fault(view.len().map(|_| ()));
    faults
}

fn check_faults(view: &View<'_>, len: usize) {
    for fault in ask(view) {
        // A column of blocks whose types differ is incompatible.
        let names_no_byte = matches!(
            fault.code(),
            Code::IndexOutOfRange | Code::Unsupported | Code::LimitBudget | Code::Incompatible
        );
        assert!(fault.offset().is_some() || names_no_byte, "{fault}");
        assert!(fault.offset() <= Some(len as u64), "{fault}");
    }
}

/// Checks views of bytes that may be damaged. Returns whether they are read to their end.
pub fn check(bytes: &[u8]) -> bool {
    let limits = Limits::new().budget(BUDGET);
    let decoder = Decoder::new().limits(limits);
    let views = [decoder.view(bytes), decoder.view(Bytes::reader(InParts(bytes)).unwrap())];
    match bytes {
        [0xC1, 0xF1, ..] => check_stream(bytes, views, limits),
        _ => check_message(bytes, views, decoder),
    }
}

fn check_message(bytes: &[u8], views: [Result<View<'_>>; 2], mut decoder: Decoder) -> bool {
    let mut builder = ValueBuilder::new();
    let decoded = decoder.message(bytes, &mut builder).and_then(|()| builder.finish());
    for view in views {
        match (&decoded, view) {
            (Ok(value), view) => {
                let view = view.unwrap();
                assert_eq!(view.value().unwrap(), *value);
                walk::compare(view.root(), &[Some(value)]).unwrap();
                check_rows(&view, value);
            }
            (Err(error), Err(own)) => {
                // Only a decoder checks the checksum first.
                if error.code() != Code::BadChecksum {
                    assert_eq!((own.code(), own.offset()), (error.code(), error.offset()));
                }
            }
            (Err(error), Ok(view)) => {
                if error.code() != Code::BadChecksum {
                    let whole = view.value().unwrap_err();
                    assert_eq!((whole.code(), whole.offset()), (error.code(), error.offset()));
                }
                check_faults(&view, bytes.len());
            }
        }
    }
    decoded.is_ok()
}

/// At most about this many rows of a list or a stream are compared: to find one, others before it are read.
const ROWS: usize = 200;

fn some_of<T>(items: &[T]) -> impl Iterator<Item = (usize, &T)> {
    items.iter().enumerate().step_by(items.len().div_ceil(ROWS).max(1))
}

/// Compares items of a list with its rows.
pub fn check_rows(view: &View<'_>, value: &Value) {
    let items = match view.root().items() {
        Ok(_) => walk::inside(value).map_or(&[][..], walk::items_of),
        Err(_) => &[],
    };
    if view.root().type_text().starts_with("list") {
        assert_eq!(view.len().unwrap(), Some(items.len() as u64));
    }
    for (number, item) in some_of(items) {
        assert_eq!(view.root().row(number as u64).unwrap(), *item, "row {number}");
    }
    let beyond = view.root().row(items.len() as u64).unwrap_err();
    assert_eq!(beyond.code(), Code::IndexOutOfRange);
}

/// A stream has the rows that its reader gives before the first fault; unless its index is wrong, which a view trusts where
/// it does not read the frames (F-88).
fn check_stream(bytes: &[u8], views: [Result<View<'_>>; 2], limits: Limits) -> bool {
    let mut values = Vec::new();
    let mut reader = Reader::new(bytes).whole(true).limits(limits);
    let fault = reader.values::<Value>().find_map(|value| value.map(|it| values.push(it)).err());
    for view in views {
        let view = match (&fault, view) {
            (None, view) => view.unwrap().check_blocks(true),
            (Some(_), Ok(view)) => view.check_blocks(true),
            (Some(_), Err(_)) => continue,
        };
        match &fault {
            None => assert_eq!(view.len().unwrap(), Some(values.len() as u64)),
            Some(_) => check_faults(&view, bytes.len()),
        }
        if fault.as_ref().is_some_and(|fault| fault.code() == Code::BadIndex) {
            continue;
        }
        for (number, value) in some_of(&values) {
            match view.root().row(number as u64) {
                Ok(row) => assert_eq!(row, *value, "row {number}"),
                Err(error) => assert!(fault.is_some(), "row {number}: {error}"),
            }
        }
    }
    fault.is_none()
}
