//! Integers and decimals of any size, fractions, complex numbers, UUIDs.

use bigdecimal::BigDecimal;
use holdall::f16;
use num_bigint::{BigInt, BigUint};
use num_complex::Complex;
use num_rational::Ratio;
use rust_decimal::Decimal;
use uuid::{NonNilUuid, Uuid};

use super::table;

fn big(text: &str) -> BigInt {
    text.parse().unwrap()
}

#[test]
fn big_integers_have_their_bytes() {
    table(
        "int",
        &[
            (big("0"), "00"),
            (big("-1"), "02"),
            (big("9223372036854775807"), "FF FE FF FF FF FF FF FF FF"),
            (big("-9223372036854775808"), "FF FF FF FF FF FF FF FF FF"),
            (big("9223372036854775808"), "01 00 44 04 09 00 00 00 00 00 00 00 80 00"),
            (big("-9223372036854775809"), "01 00 44 04 09 FF FF FF FF FF FF FF 7F FF"),
            (big("18446744073709551616"), "01 00 44 04 09 00 00 00 00 00 00 00 00 01"),
            (
                big("-1") << 200,
                "01 00 44 05 1A 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 FF",
            ),
        ],
    );
    let unsigned = |text: &str| text.parse::<BigUint>().unwrap();
    table(
        "int",
        &[
            (unsigned("0"), "00"),
            (unsigned("9223372036854775807"), "FF FE FF FF FF FF FF FF FF"),
            (unsigned("9223372036854775808"), "01 00 44 04 09 00 00 00 00 00 00 00 80 00"),
            (
                unsigned("255") << 128,
                "01 00 44 05 12 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 FF 00",
            ),
        ],
    );
}

#[test]
fn decimals_keep_their_scale_and_sign() {
    let decimal = |text: &str| text.parse::<Decimal>().unwrap();
    let mut negative_zero = Decimal::ZERO;
    negative_zero.set_sign_negative(true);
    table(
        "decimal(tuple(u8, int, int))",
        &[
            (decimal("0"), "00 00 00"),
            (decimal("0.00"), "00 00 06"),
            (negative_zero, "01 00 00"),
            (decimal("1.10"), "00 71 03 06"),
            (decimal("-1.1"), "01 2C 02"),
            (Decimal::MIN, "01 01 00 44 04 0D FF FF FF FF FF FF FF FF FF FF FF FF 00 00"),
            (Decimal::MAX, "00 01 00 44 04 0D FF FF FF FF FF FF FF FF FF FF FF FF 00 00"),
            (decimal("0.0000000000000000000000000001"), "00 04 6E"),
        ],
    );
    let number = |digits: &str, scale| BigDecimal::new(big(digits), scale);
    table(
        "decimal(tuple(u8, int, int))",
        &[
            (number("0", 0), "00 00 00"),
            (number("0", 2), "00 00 06"),
            (number("110", 2), "00 71 03 06"),
            (number("-11", 1), "01 2C 02"),
            (number("5", -3), "00 14 0C"),
            (number("1", i64::MAX), "00 04 FF FD FF FF FF FF FF FF FF"),
            (number("1", i64::MIN), "00 04 01 00 44 04 09 00 00 00 00 00 00 00 80 00"),
            (
                number("-340282366920938463463374607431768211456", 40),
                "01 01 00 44 05 11 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 01 9E",
            ),
        ],
    );
}

#[test]
fn fractions_keep_their_terms() {
    const SCHEMA: &str = "rational(tuple(int, int))";
    table(SCHEMA, &[(Ratio::new(1_u8, 3), "04 0C"), (Ratio::new(255, 1), "F9 07 04")]);
    table(
        SCHEMA,
        &[
            (Ratio::new(-1_i64, 3), "02 0C"),
            (Ratio::new(0, 1), "00 04"),
            (Ratio::new_raw(2, 4), "08 10"),
            (
                Ratio::new_raw(i64::MIN, i64::MAX),
                "FF FF FF FF FF FF FF FF FF FF FE FF FF FF FF FF FF FF",
            ),
        ],
    );
    table(
        SCHEMA,
        &[(
            Ratio::new_raw(u128::MAX, u128::MAX - 1),
            "01 00 44 05 11 FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF 00 01 00 44 05 11 FE FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF 00",
        )],
    );
    table(
        SCHEMA,
        &[(
            Ratio::new_raw(i128::MIN, i128::MAX),
            "01 00 44 05 10 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 80 01 00 44 05 10 FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF 7F",
        )],
    );
    table(SCHEMA, &[(Ratio::new_raw(7_usize, 9), "1C 24")]);
    table(
        SCHEMA,
        &[(Ratio::new(big("-1") << 70, big("3")), "01 00 44 04 09 00 00 00 00 00 00 00 00 C0 0C")],
    );
    table(
        SCHEMA,
        &[(
            Ratio::new(BigUint::from(1_u8) << 64, BigUint::from(5_u8)),
            "01 00 44 04 09 00 00 00 00 00 00 00 00 01 14",
        )],
    );
}

#[test]
fn complex_numbers_have_their_bytes() {
    table(
        "complex[4](tuple(f32, f32))",
        &[
            (Complex::new(1.5_f32, -0.0), "00 00 C0 3F 00 00 00 80"),
            (Complex::new(f32::NAN, f32::INFINITY), "00 00 C0 7F 00 00 80 7F"),
        ],
    );
    table(
        "complex[8](tuple(f64, f64))",
        &[(Complex::new(0.1_f64, f64::MIN), "9A 99 99 99 99 99 B9 3F FF FF FF FF FF FF EF FF")],
    );
    table("tuple(i16, i16)", &[(Complex::new(i16::MIN, 7), "FB FF 07 1C")]);
    table("tuple(f16, f16)", &[(Complex::new(f16::ONE, f16::MAX), "00 3C FF 7B")]);
}

#[test]
fn uuids_are_their_16_bytes() {
    let uuid = Uuid::from_u128(0x0123_4567_89AB_CDEF_0123_4567_89AB_CDEF);
    table(
        "uuid(fixed(16))",
        &[
            (Uuid::nil(), "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"),
            (Uuid::max(), "FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF"),
            (uuid, "01 23 45 67 89 AB CD EF 01 23 45 67 89 AB CD EF"),
        ],
    );
    table(
        "uuid(fixed(16))",
        &[(NonNilUuid::new(uuid).unwrap(), "01 23 45 67 89 AB CD EF 01 23 45 67 89 AB CD EF")],
    );
}
