//! Laws: no bytes make a reader of streams panic. A feeder, fed in pieces of any size, gives the blocks and the fault of a
//! reader. A reader that skips damage begins with the values of one that does not; `verify` reports what it reports;
//! `recover` finds all its values, in their order, and writes them as a stream without a fault. Of an intact stream, a
//! value by its number is the one in that place.

#![no_main]

use std::io::Cursor;

use holdall::stream::{Block, Feeder, Item, recover, verify};
use holdall::{OnDamage, Reader, Value};
use holdall_fuzz::mutator::Form;
use holdall_fuzz::{fault, limits, mutate_as};
use libfuzzer_sys::fuzz_target;

mutate_as!(Form::Stream);

type Fault = (&'static str, Option<u64>, String);

fn values_of(block: &Block) -> Result<Vec<Value>, holdall::Error> {
    block.decode::<Value>()
}

/// The values before the first fault, and that fault.
fn strict(bytes: &[u8], whole: bool) -> (Vec<Value>, Option<Fault>) {
    let mut reader = Reader::new(bytes).whole(whole).limits(limits());
    let mut values = Vec::new();
    loop {
        match reader.next_block().and_then(|block| block.as_ref().map(values_of).transpose()) {
            Ok(Some(own)) => values.extend(own),
            Ok(None) => return (values, None),
            Err(error) => return (values, Some(fault(&error))),
        }
    }
}

fn fed(bytes: &[u8]) -> (Vec<Value>, Option<Fault>) {
    let piece = 1 + bytes.iter().map(|byte| usize::from(*byte)).sum::<usize>() % 100;
    let mut feeder = Feeder::new().limits(limits());
    let mut values = Vec::new();
    for mut piece in bytes.chunks(piece) {
        while !piece.is_empty() {
            let (taken, item) = match feeder.feed(piece) {
                Ok(fed) => fed,
                Err(error) => return (values, Some(fault(&error))),
            };
            piece = &piece[taken..];
            match item {
                Some(Item::Block(block)) => match values_of(&block) {
                    Ok(own) => values.extend(own),
                    Err(error) => return (values, Some(fault(&error))),
                },
                Some(Item::End) => return (values, None),
                Some(Item::Message(_)) => panic!("a stream has no messages"),
                None => {}
            }
        }
    }
    (values, Some(("truncated", None, String::new())))
}

fn lenient(bytes: &[u8]) -> Result<(Vec<Value>, Vec<Fault>), holdall::Error> {
    let mut reader = Reader::new(bytes).whole(true).limits(limits()).on_damage(OnDamage::Skip);
    let mut values = Vec::new();
    while let Some(block) = reader.next_block()? {
        match values_of(&block) {
            Ok(own) => values.extend(own),
            Err(error) => reader.note_block(&block, error)?,
        }
    }
    let faults = reader.damage().iter().map(|damage| fault(damage.error())).collect();
    Ok((values, faults))
}

fuzz_target!(|bytes: &[u8]| {
    if !bytes.starts_with(b"\xC1\xF1") {
        return;
    }
    let (values, end) = strict(bytes, false);
    let (fed, fed_end) = fed(bytes);
    assert!(fed == values, "a feeder gives other values");
    match (&end, &fed_end) {
        (Some(("truncated", ..)), Some(("truncated", ..))) => {}
        _ => assert_eq!(fed_end, end, "a feeder ends otherwise"),
    }
    let (values, end) = strict(bytes, true);
    let Ok((readable, faults)) = lenient(bytes) else {
        assert!(values.is_empty() && end.is_some());
        return;
    };
    assert!(readable.starts_with(&values), "skipping damage changes the values before it");
    assert_eq!(end.is_none(), faults.is_empty(), "{end:?}, {faults:?}");

    let report = verify(bytes, limits()).expect("a stream");
    let reported: Vec<Fault> = report.damage().iter().map(|damage| fault(damage.error())).collect();
    assert_eq!((report.values(), reported), (readable.len() as u64, faults));

    let mut whole = Vec::new();
    let report = recover(Cursor::new(bytes), &mut whole, &[], limits()).expect("a stream");
    let (recovered, fault) = strict(&whole, true);
    assert_eq!((report.values(), fault), (recovered.len() as u64, None));
    let mut found = recovered.iter();
    assert!(readable.iter().all(|value| found.any(|own| own == value)), "a value is not recovered");

    if end.is_none() {
        let mut reader = Reader::new(Cursor::new(bytes)).whole(true).limits(limits());
        assert_eq!(reader.len().expect("an intact stream"), values.len() as u64);
        for number in [0, values.len() / 2, values.len().saturating_sub(1)] {
            let value = reader.get::<Value>(number as u64).expect("an intact stream");
            assert!(value.as_ref() == values.get(number), "value {number} is another");
        }
        assert_eq!(reader.get::<Value>(values.len() as u64).expect("an intact stream"), None);
    }
});
