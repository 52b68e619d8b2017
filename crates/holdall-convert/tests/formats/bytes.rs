//! Tables of inputs: the value of each, and the bytes that come back.

use holdall::{Decoder, Encoder, Value, from_slice};
use holdall_convert::{Format, Packer, Unpacker};

/// The formats whose values have no type around them, so that any two can be in one list.
pub const WITHOUT_HEADERS: [Format; 5] =
    [Format::Json, Format::Ndjson, Format::Csv, Format::Msgpack, Format::Cbor];

/// Bytes from hexadecimal, with any spaces.
pub fn hex(digits: &str) -> Vec<u8> {
    let digits: Vec<u8> = digits.bytes().filter(u8::is_ascii_hexdigit).collect();
    assert!(digits.len().is_multiple_of(2), "half a byte");
    digits
        .chunks(2)
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

pub fn pack(format: Format, input: &[u8]) -> holdall::Result<Vec<u8>> {
    Packer::new(format).pack(&mut Encoder::new(), input)
}

pub fn unpack(format: Format, message: &[u8]) -> holdall::Result<Vec<u8>> {
    Unpacker::new(format).unpack(&mut Decoder::new(), message)
}

pub fn read(format: Format, input: &[u8]) -> holdall::Result<Value> {
    from_slice::<Value>(&pack(format, input)?)
}

pub fn write(format: Format, value: &Value) -> holdall::Result<Vec<u8>> {
    unpack(format, &holdall::to_vec(value)?)
}

/// Each input has this value, by its debug text, and comes back as these bytes; none if they are the same.
pub fn come_back(format: Format, table: &[(&str, &str, &str)]) {
    for (input, value, back) in table {
        let bytes = hex(input);
        let message = pack(format, &bytes).unwrap_or_else(|error| panic!("{input}: {error}"));
        assert_eq!(format!("{:?}", from_slice::<Value>(&message).unwrap()), *value, "{input}");
        let back = if back.is_empty() { bytes } else { hex(back) };
        let unpacked = unpack(format, &message).unwrap_or_else(|error| panic!("{input}: {error}"));
        assert_eq!(unpacked, back, "{input}");
    }
}

/// Each input is rejected with this text.
pub fn are_refused(format: Format, table: &[(&str, &str)]) {
    for (input, words) in table {
        let error = pack(format, &hex(input)).expect_err(input);
        assert_eq!(error.to_string(), *words, "{input}");
    }
}
