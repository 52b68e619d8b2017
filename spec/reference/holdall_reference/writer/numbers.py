"""Chapter 2, forwards."""

from __future__ import annotations


def varint(number: int) -> bytes:
    """The shortest varint of a number (F-3, F-4)."""
    assert 0 <= number < 1 << 64
    for k in range(8):
        # F-3: k+1 bytes hold 7·(k+1) bits, above k ones and a zero.
        if number < 1 << (7 * (k + 1)):
            return (number << (k + 1) | (1 << k) - 1).to_bytes(k + 1, "little")
    return b"\xff" + number.to_bytes(8, "little")


def zigzag(number: int) -> int:
    """F-5."""
    return 2 * number if number >= 0 else -2 * number - 1


def signed_varint(number: int, signed: bool) -> bytes:
    """A varint, zigzag if the kind is signed."""
    return varint(zigzag(number) if signed else number)


def big(number: int) -> bytes:
    """F-6: two's complement in the fewest bytes, at least one."""
    # One bit more than the number, or its complement, is for the sign.
    bits = (number if number >= 0 else ~number).bit_length() + 1
    return number.to_bytes(-(-bits // 8), "little", signed=True)
