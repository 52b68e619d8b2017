//! Decodes inputs line by line, for comparison with other decoders.
//!
//! A line on standard input is `<form> <budget or -> <schema or -> <bytes or ->`: the form is `message`, `bare`, `schema`,
//! `resolve`, `stream` or `stream-going-on`; schema and bytes are hexadecimal digits. The schema (stand-alone bytes) is that of a bare body, known for
//! messages with its fingerprint, or that of a reader for whom the bytes are a writer's. A line on standard output is one of
//!
//! ```text
//! {"value":["list",[["int","5"]]]}
//! {"schema":"list(int)","fingerprint":"0123456789abcdef"}
//! {"code":"truncated","offset":7}
//! {"code":"incompatible","path":"$.a","rule":"F-78"}
//! {"values":[["int","5"]],"faults":[["truncated",56]]}
//! {}
//! ```

use std::io::{self, BufRead, BufWriter, Write};

use holdall::{Decoder, Limits, OnDamage, Reader, Resolver, Result, Schema};

#[path = "../common/dtypes.rs"]
#[allow(dead_code, reason = "types are read by the tests alone")]
mod dtypes;
#[path = "../common/tagged/mod.rs"]
mod tagged;

use tagged::{TaggedSink, hex, quote};

fn main() -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let answer = answer(&line?).unwrap_or_else(|error| {
            let offset = error.offset().map_or_else(|| "null".to_owned(), |at| at.to_string());
            format!("{{\"code\":\"{}\",\"offset\":{offset}}}", error.code())
        });
        writeln!(out, "{answer}")?;
    }
    out.flush()
}

fn answer(line: &str) -> Result<String> {
    let columns: Vec<&str> = line.split(' ').collect();
    let [form, budget, schema, bytes] = columns[..] else {
        panic!("a line has four columns: {line:.80}");
    };
    let budget = (budget != "-").then(|| budget.parse().expect("the budget is a number"));
    let schema = (schema != "-").then(|| Schema::from_bytes(&hex(schema))).transpose()?;
    let bytes = if bytes == "-" { Vec::new() } else { hex(bytes) };

    let limits = budget.map_or_else(Limits::new, |units| Limits::new().budget(units));
    let mut decoder = Decoder::new().limits(limits);
    let mut sink = TaggedSink::default();
    match form {
        "message" => {
            schema.iter().for_each(|schema| decoder.add_schema(schema));
            decoder.message(&bytes, &mut sink)?;
        }
        "bare" => {
            decoder.body(&schema.expect("a bare body has a schema"), &bytes, &mut sink)?;
        }
        "schema" => {
            let schema = Schema::from_bytes(&bytes)?;
            let (text, fingerprint) = (quote(&schema.to_string()), schema.fingerprint());
            return Ok(format!("{{\"schema\":{text},\"fingerprint\":\"{fingerprint:016x}\"}}"));
        }
        "resolve" => {
            let resolver = Resolver::new(schema.expect("a reader has a schema"));
            return Ok(match resolver.plan(&Schema::from_bytes(&bytes)?) {
                Ok(_) => "{}".to_owned(),
                Err(error) => {
                    let (code, path) = (error.code(), quote(error.path()));
                    let rule = quote(error.rule().unwrap_or_default());
                    format!("{{\"code\":\"{code}\",\"path\":{path},\"rule\":{rule}}}")
                }
            });
        }
        "stream" | "stream-going-on" => {
            let mut reader = Reader::new(&bytes[..]).whole(true).limits(limits);
            if form != "stream" {
                reader = reader.on_damage(OnDamage::Skip);
            }
            schema.iter().for_each(|schema| reader.add_schema(schema));
            return Ok(stream(reader));
        }
        _ => panic!("there is no form {form}"),
    }
    Ok(format!("{{\"value\":{}}}", sink.finish()))
}

/// Returns the values of a stream up to an error, and all faults by their offsets.
fn stream(mut reader: Reader<&[u8]>) -> String {
    let mut values = Vec::new();
    let last = loop {
        match reader.next_block() {
            Ok(None) => break None,
            Err(error) => break Some(error),
            Ok(Some(block)) => {
                let mut sink = TaggedSink::default();
                let before = values.len();
                let done = block.emit(&mut sink, |sink| {
                    values.push(std::mem::take(sink).finish());
                    Ok(())
                });
                if let Err(error) = done {
                    values.truncate(before);
                    if let Err(error) = reader.note_block(&block, error) {
                        break Some(error);
                    }
                }
            }
        }
    };
    let passed = reader.damage().iter().map(|damage| damage.error().clone());
    let mut faults: Vec<_> = passed.chain(last).collect();
    // A frame's faults are found in another order than that of its bytes.
    faults.sort_by_key(holdall::Error::offset);
    let faults: Vec<String> = faults
        .iter()
        .map(|fault| format!("[\"{}\",{}]", fault.code(), fault.offset().unwrap_or_default()))
        .collect();
    format!("{{\"values\":[{}],\"faults\":[{}]}}", values.join(","), faults.join(","))
}
