//! Text with a form, bits, and types around others.

use bitvec::prelude::{BitBox, BitVec, Lsb0, Msb0, bitbox, bitvec};
use compact_str::CompactString;
use either::Either;
use holdall::{DecodeOwned, Decoder, Encode, Encoder, Header, Value, from_slice, to_vec};
use num_bigint_05::{BigInt, BigUint};
use ordered_float::{NotNan, OrderedFloat};
use semver::{Version, VersionReq};
use std::fmt::Debug;
use url::Url;

use super::{hex, reads, refused, table};

#[test]
fn parsed_types_are_their_text() {
    table(
        "url(string)",
        &[(
            Url::parse("https://a.b/?c#d").unwrap(),
            "20 68 74 74 70 73 3A 2F 2F 61 2E 62 2F 3F 63 23 64",
        )],
    );
    table(
        "string",
        &[
            (Version::new(1, 2, 3), "0A 31 2E 32 2E 33"),
            (Version::parse("0.0.0-a+b").unwrap(), "12 30 2E 30 2E 30 2D 61 2B 62"),
        ],
    );
    table("string", &[(VersionReq::parse("^1").unwrap(), "04 5E 31"), (VersionReq::STAR, "02 2A")]);
    table(
        "string",
        &[
            (CompactString::default(), "00"),
            (CompactString::from("é"), "04 C3 A9"),
            (
                CompactString::from("longer than is stored in place"),
                &hex(&{
                    let text = "longer than is stored in place";
                    [&[2 * text.len() as u8], text.as_bytes()].concat()
                }),
            ),
        ],
    );
}

#[test]
fn rejects_text_that_is_not_parsed() {
    let unconvertible = ("unconvertible", "$".to_owned());
    assert_eq!(refused::<Version>(&"1.2"), unconvertible);
    assert_eq!(refused::<VersionReq>(&"x y"), unconvertible);
    assert_eq!(refused::<Url>(&"no scheme"), ("unconvertible", "$".to_owned()));
}

/// As [`table`], for types whose `Debug` shows where they are.
#[track_caller]
fn bits<T: Encode + DecodeOwned + PartialEq + Debug>(value: &T, expected: &str) {
    assert_eq!(T::schema().unwrap().to_string(), "bit_vector(list(bool))");
    let body = Encoder::new().header(Header::Bare).encode(value).unwrap();
    assert_eq!(hex(&body), expected);
    assert_eq!(Decoder::new().decode_body::<T>(&body).unwrap(), *value);
    assert_eq!(from_slice::<T>(&to_vec(value).unwrap()).unwrap(), *value);
}

#[test]
fn bits_are_in_their_own_order() {
    bits(&BitVec::<usize, Lsb0>::new(), "00");
    bits(&bitvec![1, 0, 1], "06 05");
    bits(&bitvec![u8, Msb0; 1, 0, 1], "06 05");
    bits(&bitbox![u16, Msb0; 0, 1], "04 02");
    let many: BitVec = (0..1000).map(|n| n % 3 == 0).collect();
    let message = to_vec(&many).unwrap();
    let other: BitBox<u32, Msb0> = from_slice(&message).unwrap();
    assert!(other.iter().by_vals().eq(many.iter().by_vals()));
    reads(&many, &many.iter().by_vals().collect::<Vec<bool>>());
    let read: BitVec = from_slice(&to_vec(&vec![true, false]).unwrap()).unwrap();
    assert_eq!(read, bitvec![1, 0]);
}

#[test]
fn either_is_an_enum() {
    table::<Either<u8, String>>(
        "union {Left: u8, Right: string}",
        &[(Either::Left(7), "00 07"), (Either::Right("a".to_owned()), "02 02 61")],
    );
    let many: Vec<Either<u8, String>> = vec![Either::Left(1), Either::Right("x".to_owned())];
    reads(&many, &many);
}

#[test]
fn ordered_floats_are_floats() {
    table("f32", &[(OrderedFloat(1.0_f32), "00 00 80 3F"), (OrderedFloat(-0.0), "00 00 00 80")]);
    table("f32", &[(NotNan::new(1.0_f32).unwrap(), "00 00 80 3F")]);
    reads(&vec![f64::NAN], &vec![OrderedFloat(f64::NAN)]);
    assert_eq!(refused::<NotNan<f64>>(&f64::NAN), ("unconvertible", "$".to_owned()));
    let in_list = refused::<Vec<NotNan<f64>>>(&vec![1.0, f64::NAN]);
    assert_eq!(in_list, ("unconvertible", "$[1]".to_owned()));
    assert_eq!(OrderedFloat::<f64>::SIZE, Some(8));
}

#[test]
fn two_versions_of_num_bigint_share_their_bytes() {
    let big = |text: &str| text.parse::<BigInt>().unwrap();
    table(
        "int",
        &[
            (big("-1"), "02"),
            (big("9223372036854775808"), "01 00 44 04 09 00 00 00 00 00 00 00 80 00"),
        ],
    );
    table("int", &[("0".parse::<BigUint>().unwrap(), "00")]);
    reads(&(big("-7") << 200), &(num_bigint::BigInt::from(-7) << 200));
    reads(&(num_bigint::BigUint::from(7_u8) << 200), &(BigUint::from(7_u8) << 200));
    assert_eq!(refused::<BigUint>(&big("-1")), ("unconvertible", "$".to_owned()));
    assert_eq!(to_vec(&Value::from(-1)).unwrap(), to_vec(&big("-1")).unwrap());
}
