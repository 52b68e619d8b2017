"""CRC-32C, the checksum of messages (F-67)."""

from __future__ import annotations

# Castagnoli's polynomial, from the lowest bit: x^0 is bit 31.
POLYNOMIAL = 0x82F63B78


def _entry(byte: int) -> int:
    for _ in range(8):
        byte = byte >> 1 ^ (POLYNOMIAL if byte & 1 else 0)
    return byte


TABLE = [_entry(byte) for byte in range(256)]


def crc32c(data: bytes) -> int:
    """The checksum of these bytes.

    >>> f"{crc32c(b'123456789'):08X}"
    'E3069283'
    """
    crc = 0xFFFF_FFFF
    for byte in data:
        crc = crc >> 8 ^ TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFF_FFFF
