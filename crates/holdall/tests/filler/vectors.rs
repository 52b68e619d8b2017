//! The vectors of `conformance/large`.

use holdall::{
    Decoder, Encoder, Error, Profile, Reader, Schema, Value, ValueBuilder, WriterOptions,
    from_slice,
};
use serde_json::Value as Json;

use crate::common::tagged::{TaggedSink, compact, hex};

fn vectors() -> Vec<Json> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../conformance/large");
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let vectors: Vec<Json> = files
        .flat_map(|path| {
            let file: Json = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
            file["vectors"].as_array().unwrap().clone()
        })
        .collect();
    assert!(vectors.len() >= 17);
    vectors
}

fn number(json: &Json) -> usize {
    usize::try_from(json.as_u64().unwrap()).unwrap()
}

fn input(vector: &Json) -> Vec<u8> {
    let parts = vector["parts"].as_array().unwrap();
    parts.iter().flat_map(|part| hex(part[0].as_str().unwrap()).repeat(number(&part[1]))).collect()
}

/// The value, tagged.
fn read(vector: &Json, bytes: &[u8]) -> Result<String, Error> {
    let mut sink = TaggedSink::default();
    match vector["form"].as_str() {
        Some("bare") => {
            let schema = Schema::from_bytes(&hex(vector["schema_hex"].as_str().unwrap())).unwrap();
            Decoder::new().body(&schema, bytes, &mut sink)?;
        }
        Some("stream") => {
            let mut reader = Reader::new(bytes).whole(true);
            let block = reader.next_block()?.unwrap();
            block.emit(&mut sink, |_| Ok(()))?;
            assert!(reader.next_block()?.is_none());
        }
        _ => Decoder::new().message(bytes, &mut sink)?,
    }
    Ok(sink.finish())
}

#[test]
fn large_vectors_hold() {
    for vector in vectors() {
        let (name, bytes) = (vector["name"].as_str().unwrap(), input(&vector));
        if let Some(code) = vector["code"].as_str() {
            let error = read(&vector, &bytes).expect_err(name);
            assert_eq!(
                (error.code().as_str(), error.offset()),
                (code, vector["offset"].as_u64()),
                "{name}"
            );
            continue;
        }
        let Some([count, text, times]) = vector["strings"].as_array().map(Vec::as_slice) else {
            assert_eq!(
                read(&vector, &bytes).unwrap(),
                compact(&vector["value"].to_string()),
                "{name}"
            );
            continue;
        };
        let string = Value::from(text.as_str().unwrap().repeat(number(times)));
        let value = Value::list(vec![string; number(count)]);
        assert_eq!(vector["canonical"].as_str(), Some("balanced"), "{name}");
        assert!(from_slice::<Value>(&bytes).unwrap() == value, "{name}");
        let mut encoder = Encoder::new().profile(Profile::Balanced);
        assert!(encoder.message(&mut &value).unwrap() == bytes, "{name}");
        assert!(encoder.encode(&value).unwrap() == bytes, "{name}");
    }
}

/// Rows of many sites, so that the block has a directory, and one column that claims very much.
#[test]
fn a_filler_follows_a_block_with_a_directory() {
    let value = |number: i64| {
        let text = Value::from("b".repeat(30_000));
        Value::record([("a", Value::list(vec![text; 3000])), ("b", Value::from(number))])
    };
    let options = || WriterOptions::new().profile(Profile::Balanced).block_bytes(usize::MAX);
    let mut writer = options().to(Vec::new()).unwrap();
    (0..2).for_each(|number| writer.write(&value(number)).unwrap());
    let stream = writer.finish().unwrap();
    assert!(stream.len() > 180_000);
    let mut reader = Reader::new(&stream[..]);
    let block = reader.next_block().unwrap().unwrap();
    assert_eq!(
        block.place().end - block.place().start,
        (2 * 3000 * 30_008 + 48_u64).div_ceil(1000)
    );
    let (mut builder, mut number) = (ValueBuilder::new(), 0);
    block
        .emit(&mut builder, |builder| {
            assert!(std::mem::take(builder).finish()? == value(number));
            number += 1;
            Ok(())
        })
        .unwrap();
    assert_eq!(number, 2);
    let view = Decoder::new().view(&stream[..]).unwrap();
    assert_eq!(view.len().unwrap(), Some(2));
}
