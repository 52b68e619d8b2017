//! Data with another schema, which types read with the feature `evolution`. `make targets` runs this without it.

use holdall::{Decoder, Encode, Reader, Resolver, Writer};

const READS: bool = cfg!(feature = "evolution");

/// Checks what a build makes of 7 as data with another schema.
fn check(read: holdall::Result<Vec<u16>>) {
    match read {
        Ok(values) => assert_eq!((values, READS), (vec![7], true)),
        Err(error) => {
            let text = "unsupported: expected a build with the feature evolution, got data with another schema";
            assert_eq!((error.to_string().as_str(), READS), (text, false));
        }
    }
}

#[test]
fn types_read_data_with_another_schema_by_a_feature() {
    let message = holdall::to_vec(&vec![7_u8]).unwrap();
    assert_eq!(holdall::from_slice::<Vec<u8>>(&message).unwrap(), [7]);
    check(holdall::from_slice(&message));
    let mut values = vec![1];
    check(Decoder::new().decode_into(&message, &mut values).map(|()| values));

    let mut writer = Writer::new(Vec::new()).unwrap();
    writer.write(&7_u8).unwrap();
    let stream = writer.finish().unwrap();
    check(Reader::new(&stream[..]).next_block().unwrap().unwrap().decode());
}

#[test]
fn a_resolver_reads_data_with_another_schema_in_every_build() {
    let message = holdall::to_vec(&vec![7_u8]).unwrap();
    let resolver = Resolver::new(<Vec<u16> as Encode>::schema().unwrap());
    let own = holdall::to_vec(&vec![7_u16]).unwrap();
    assert_eq!(resolver.read(&message).unwrap(), resolver.read(&own).unwrap());
}
