"""Chapter 8: limits."""

from __future__ import annotations

from holdall_reference.errors import FormatError

# F-38, F-15.
MAX_NESTING = 128
MAX_TYPES = 262_144
# F-38, F-76.
MAX_RANK = 32
# F-39.
LEAST_BUDGET = 1 << 26
UNITS_PER_BYTE = 1000


def default_budget(input_length: int) -> int:
    """The default budget of an input in units (F-39)."""
    # F-39: the larger of 2^26 and 1,000 times the input's length.
    return max(LEAST_BUDGET, UNITS_PER_BYTE * input_length)


def may_be_filled(input_length: int) -> bool:
    """Whether zero bytes may follow the block of an input (F-95)."""
    # F-95: 67,109 bytes or more: 1,000 times the length is more than 2^26.
    return UNITS_PER_BYTE * input_length > LEAST_BUDGET


class Budget:
    """The remaining units (F-39)."""

    def __init__(self, units: int) -> None:
        self.left = units

    def charge(self, units: int, place: int) -> None:
        """Charge the units before anything is allocated for them (F-38)."""
        # F-39: charging more than is left: `limit_budget` @ the position given.
        if units > self.left:
            raise FormatError("limit_budget", place)
        self.left -= units
