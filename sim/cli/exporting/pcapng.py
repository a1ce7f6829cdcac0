"""The file format of packet captures: blocks of 32-bit words, little-endian.

One section, one interface that carries bare IPv4, the names of the addresses, then packets.
(PCAP Next Generation Capture File Format, draft-ietf-opsawg-pcapng.)
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Final

SECTION, INTERFACE, NAMES, PACKET = 0x0A0D0D0A, 1, 4, 6
MAGIC: Final = 0x1A2B3C4D
RAW_IP: Final = 101
COMMENT, IF_NAME, APPLICATION, RESOLUTION = 1, 2, 4, 9
MICROSECONDS: Final = 6
LONGEST_OPTION: Final = 0xFFFF
LATEST_US: Final = (1 << 64) - 1
UNKNOWN_LENGTH: Final = -1


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)


def _block(kind: int, body: bytes) -> bytes:
    length = 12 + len(body)
    return struct.pack("<II", kind, length) + body + struct.pack("<I", length)


def _options(options: Iterable[tuple[int, bytes]]) -> bytes:
    packed = [
        struct.pack("<HH", code, len(value)) + _padded(value) for code, value in options if value
    ]
    return b"".join(packed) + bytes(4) if packed else b""


def _text(text: str) -> bytes:
    return text.encode("utf-8", "replace")[:LONGEST_OPTION]


def head(application: str, comment: str, names: dict[bytes, str]) -> bytes:
    """The blocks before the first packet; ``names`` by IPv4 address."""
    about = _options([(COMMENT, _text(comment)), (APPLICATION, _text(application))])
    section = struct.pack("<IHHq", MAGIC, 1, 0, UNKNOWN_LENGTH) + about
    settings = _options([(IF_NAME, b"hooktwin"), (RESOLUTION, bytes([MICROSECONDS]))])
    interface = struct.pack("<HHI", RAW_IP, 0, 0) + settings
    made = _block(SECTION, section) + _block(INTERFACE, interface)
    return made + (_block(NAMES, _names(names)) if names else b"")


def _names(names: dict[bytes, str]) -> bytes:
    records = []
    for address, name in names.items():
        record = address + _text(name).replace(b"\0", b" ") + b"\0"
        records.append(struct.pack("<HH", 1, len(record)) + _padded(record))
    return b"".join(records) + bytes(4)


def packet(at_us: int, data: bytes, comment: str = "") -> bytes:
    """The block of one packet; ``at_us`` since 1970."""
    high, low = divmod(min(max(at_us, 0), LATEST_US), 1 << 32)
    fixed = struct.pack("<IIIII", 0, high, low, len(data), len(data))
    return _block(PACKET, fixed + _padded(data) + _options([(COMMENT, _text(comment))]))
