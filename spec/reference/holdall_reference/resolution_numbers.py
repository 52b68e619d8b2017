"""Chapter 13: integers and floats as other integers and floats."""

from __future__ import annotations

from typing import NamedTuple

from holdall_reference.schema import INT, SCALAR_NAMES


class FloatFormat(NamedTuple):
    """The bits of an IEEE 754 format, which has one more for the sign."""

    exponent: int
    fraction: int

    @property
    def bits(self) -> int:
        return 1 + self.exponent + self.fraction

    @property
    def infinity(self) -> int:
        return ((1 << self.exponent) - 1) << self.fraction

    @property
    def least(self) -> int:
        """The power of two that is the least number above 0."""
        return 2 - (1 << (self.exponent - 1)) - self.fraction


FORMATS = {
    0x0E: FloatFormat(5, 10),
    0x0F: FloatFormat(8, 7),
    0x10: FloatFormat(8, 23),
    0x11: FloatFormat(11, 52),
}


def in_range(number: int, code: int) -> bool:
    """Whether an integer type holds a number."""
    if code == INT:
        return True
    name = SCALAR_NAMES[code]
    width = int(name[1:])
    if name[0] == "u":
        return 0 <= number < 1 << width
    return -(1 << (width - 1)) <= number < 1 << (width - 1)


def float_from_int(number: int, code: int) -> str | None:
    """The bits of the float that is exactly this number, in hexadecimal digits."""
    format_ = FORMATS[code]
    magnitude, exact = _nearest(abs(number), 0, format_)
    return _digits(number < 0, magnitude, format_) if exact else None


def float_from_float(digits: str, source: int, code: int, *, rounds: bool) -> str | None:
    """The bits of a float as another type, if it holds the number or is to be rounded."""
    from_, to = FORMATS[source], FORMATS[code]
    bits = int(digits, 16)
    negative = bool(bits >> (from_.bits - 1))
    bits &= (1 << (from_.bits - 1)) - 1
    exponent, fraction = divmod(bits, 1 << from_.fraction)
    if bits > from_.infinity:
        magnitude, exact = _nan(fraction, from_, to)
    elif bits == from_.infinity:
        magnitude, exact = to.infinity, True
    elif exponent == 0:
        magnitude, exact = _nearest(fraction, from_.least, to)
    else:
        mantissa = fraction + (1 << from_.fraction)
        magnitude, exact = _nearest(mantissa, from_.least + exponent - 1, to)
    return _digits(negative, magnitude, to) if exact or rounds else None


def _nan(fraction: int, from_: FloatFormat, to: FloatFormat) -> tuple[int, bool]:
    # F-78: a NaN keeps its sign and the bits of its fraction, from the highest on. If bits that
    # r lacks are set, it does not fit; rounded it keeps the others and is made quiet.
    lacking = from_.fraction - to.fraction
    if lacking <= 0:
        return to.infinity | fraction << -lacking, True
    kept, lost = divmod(fraction, 1 << lacking)
    if not lost:
        return to.infinity | kept, True
    return to.infinity | kept | 1 << (to.fraction - 1), False


def _nearest(mantissa: int, power: int, format_: FloatFormat) -> tuple[int, bool]:
    """The bits without sign of mantissa·2^power, to nearest, ties to even; and if it is exact."""
    if mantissa == 0:
        return 0, True
    # The power of two of the result's last digit.
    last = max(power + mantissa.bit_length() - (format_.fraction + 1), format_.least)
    shift = last - power
    exact = True
    if shift <= 0:
        kept = mantissa << -shift
    else:
        kept, lost = divmod(mantissa, 1 << shift)
        exact = lost == 0
        half = 1 << (shift - 1)
        kept += lost > half or (lost == half and kept % 2 == 1)
    # The highest of the digits is not stored: it adds 1 to the exponent, as it should. So does
    # a carry out of it.
    magnitude = ((last - format_.least) << format_.fraction) + kept
    if magnitude >= format_.infinity:
        return format_.infinity, False
    return magnitude, exact


def _digits(negative: bool, magnitude: int, format_: FloatFormat) -> str:
    bits = magnitude | negative << (format_.bits - 1)
    return f"{bits:0{format_.bits // 4}x}"
