//! Laws of a message and the schema of a reader: what the schemas alone say holds for the message. If they say that it is
//! never read, it is not; if always, it is read whenever a reader without a schema reads it, within the limits. A message
//! read with its own schema is unchanged.

#![no_main]

use holdall::resolution::Reads;
use holdall::{Decoder, Diff, Resolver, Result, Schema, Value, ValueBuilder};
use holdall_fuzz::mutator::Form;
use holdall_fuzz::{limits, mutate_as, pair};
use libfuzzer_sys::fuzz_target;

mutate_as!(Form::SchemaAndMessage);

fn plain(message: &[u8]) -> Result<Value> {
    let mut builder = ValueBuilder::new();
    Decoder::new().limits(limits()).message(message, &mut builder)?;
    builder.finish()
}

fn resolved(resolver: &Resolver, message: &[u8]) -> Result<Value> {
    let mut builder = ValueBuilder::new();
    resolver.message(&mut Decoder::new().limits(limits()), message, &mut builder)?;
    builder.finish()
}

/// Whether reading takes more than the limits allow, or the message has values of a later version, which only a reader
/// without a schema passes on (F-77).
fn is_exempt(error: &holdall::Error) -> bool {
    error.code().as_str().starts_with("limit_") || error.rule() == Some("F-77")
}

fuzz_target!(|input: &[u8]| {
    let Some((schema, message)) = pair::split(input) else { return };
    let (Ok(reader), Ok(writer)) = (Schema::from_bytes(schema), Schema::of_message(message)) else {
        return;
    };
    let (value, resolver) = (plain(message), Resolver::new(reader.clone()));
    let read = resolved(&resolver, message);
    match (resolver.reads(&writer), &value, &read) {
        (Reads::Never(error), _, Ok(_)) => panic!("it is read in spite of {error}"),
        (Reads::Always, Ok(_), Err(error)) => assert!(is_exempt(error), "{error}"),
        (_, Err(plain), Ok(_)) => panic!("it is read, and alone rejected by {plain}"),
        _ => {}
    }
    let diff = Diff::between(&writer, &reader);
    assert_eq!(
        matches!(diff.new_reads_old, Reads::Never(_)),
        matches!(resolver.reads(&writer), Reads::Never(_))
    );
    if let Ok(value) = value {
        match resolved(&Resolver::new(writer), message) {
            Ok(own) => assert!(own == value, "its own schema changes it"),
            Err(error) => assert!(is_exempt(&error), "{error}"),
        }
    }
});
