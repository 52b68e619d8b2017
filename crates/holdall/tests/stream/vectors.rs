//! The vectors of `conformance/streams`.

use std::collections::HashSet;

use holdall::{OnDamage, Reader, Schema, View};
use serde_json::Value as Json;

use super::samples::fault;
use crate::common::hex;
use crate::common::tagged::{TaggedSink, compact};

fn vectors() -> Vec<Json> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../conformance/streams/streams.json");
    let file: Json = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    file["vectors"].as_array().unwrap().clone()
}

/// The values up to an error, tagged; the faults as `code @ offset`; and the schemas up to the error.
fn read(bytes: &[u8], schema: Option<&Schema>, goes_on: bool) -> (Vec<String>, Vec<String>) {
    let mut reader = Reader::new(bytes).whole(true);
    if goes_on {
        reader = reader.on_damage(OnDamage::Skip);
    }
    schema.into_iter().for_each(|schema| reader.add_schema(schema));
    let (mut values, mut faults) = (Vec::new(), Vec::new());
    loop {
        let done = match reader.next_block() {
            Ok(None) => break,
            Err(error) => Err(error),
            Ok(Some(block)) => {
                let (mut sink, mut own) = (TaggedSink::default(), Vec::new());
                let done = block.emit(&mut sink, |sink| {
                    own.push(std::mem::take(sink).finish());
                    Ok(())
                });
                match done {
                    Ok(()) => {
                        values.extend(own);
                        Ok(())
                    }
                    // F-89: after a fault, the contents of the end are not compared.
                    Err(error) => reader.note_block(&block, error),
                }
            }
        };
        if let Err(error) = done {
            faults.push((error.offset(), fault(&error)));
            break;
        }
    }
    let damage = reader.damage().iter().map(|damage| damage.error());
    faults.extend(damage.map(|error| (error.offset(), fault(error))));
    faults.sort_by_key(|(offset, _)| *offset);
    (values, faults.into_iter().map(|(_, fault)| fault).collect())
}

fn texts(values: &Json) -> Vec<String> {
    values.as_array().unwrap().iter().map(|value| compact(&value.to_string())).collect()
}

#[test]
fn vectors_hold() {
    let vectors = vectors();
    assert!(vectors.len() >= 70);
    let mut complaints = Vec::new();
    for vector in &vectors {
        if cfg!(target_pointer_width = "32") && vector["name"] == "stream_length_at_the_limit" {
            // A frame of 2^31 bytes is beyond the memory of any program.
            continue;
        }
        let bytes = hex(vector["hex"].as_str().unwrap());
        let schema =
            vector["schema_hex"].as_str().map(|own| Schema::from_bytes(&hex(own)).unwrap());
        let faults: Vec<String> = vector["code"]
            .as_str()
            .map(|code| format!("{code} @ {}", vector["offset"]))
            .into_iter()
            .collect();
        let expected = (texts(&vector["values"]), faults);
        let got = read(&bytes, schema.as_ref(), false);
        if got != expected {
            complaints.push(format!("{}: expected {expected:?}, got {got:?}", vector["name"]));
        }
        let going_on = match vector.get("going_on") {
            None => continue,
            Some(going_on) => {
                let faults = going_on["faults"].as_array().unwrap().iter();
                let text = |fault: &Json| format!("{} @ {}", fault[0].as_str().unwrap(), fault[1]);
                let mut faults: Vec<&Json> = faults.collect();
                faults.sort_by_key(|fault| fault[1].as_u64());
                (texts(&going_on["values"]), faults.into_iter().map(text).collect::<Vec<_>>())
            }
        };
        let got = read(&bytes, schema.as_ref(), true);
        if got != going_on {
            complaints.push(format!("{}: expected {going_on:?}, got {got:?}", vector["name"]));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    let names: HashSet<&str> = vectors.iter().filter_map(|own| own["name"].as_str()).collect();
    assert_eq!(names.len(), vectors.len());
}

#[test]
fn statistics_are_those_of_the_vectors() {
    let mut count = 0;
    for vector in &vectors() {
        let Some(expected) = vector["statistics"].as_array() else { continue };
        let bytes = hex(vector["hex"].as_str().unwrap());
        let got = View::new(&bytes).unwrap().statistics();
        let fault_of = |json: &Json| format!("{} @ {}", json[0].as_str().unwrap(), json[1]);
        match (&expected[0][0], got) {
            (kind, Ok(_)) => assert_eq!(kind, "record", "{}", vector["name"]),
            (_, Err(error)) => {
                assert_eq!(fault_of(&expected[0]), fault(&error), "{}", vector["name"]);
            }
        }
        count += 1;
    }
    assert!(count >= 24, "{count}");
}
