"""What the tests of columns share: codes of types, and numbers as hexadecimal digits."""

from __future__ import annotations

from holdall_reference import Tagged
from holdall_reference.writer.numbers import signed_varint, varint

NULL, BOOL, INT, STRING, BYTES = "01", "02", "03", "12", "13"
F16, BF16, F32, F64 = "0E", "0F", "10", "11"
U8, U16, U32, U64, U128 = "04", "05", "06", "07", "08"
I8, I16, I32, I64, I128 = "09", "0A", "0B", "0C", "0D"
NAMES = {
    INT: "int",
    **dict(zip((F16, BF16, F32, F64), ("f16", "bf16", "f32", "f64"), strict=True)),
    **dict(zip((U8, U16, U32, U64, U128), ("u8", "u16", "u32", "u64", "u128"), strict=True)),
    **dict(zip((I8, I16, I32, I64, I128), ("i8", "i16", "i32", "i64", "i128"), strict=True)),
}


def ints(kind: str, *numbers: int) -> Tagged:
    return ["list", [[NAMES[kind], str(number)] for number in numbers]]


def floats(schema: str, *digits: str) -> Tagged:
    return ["list", [[NAMES[schema], each] for each in digits]]


def texts(schema: str, *items: str) -> Tagged:
    return ["list", [["string" if schema == STRING else "bytes", each] for each in items]]


def unsigned(number: int) -> str:
    return varint(number).hex()


def signed(number: int) -> str:
    return signed_varint(number, True).hex()


def little(number: int, size: int) -> str:
    return number.to_bytes(size, "little", signed=number < 0).hex()


def marked_big(number: int, size: int) -> str:
    """One row behind a marker: big, the length in an inner frame, the bytes (F-29)."""
    return f"01 00 44 {size.bit_length():02X} {size:02X}" + little(number, size)
