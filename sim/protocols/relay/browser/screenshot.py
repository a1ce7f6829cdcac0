"""A picture of a page: its blocks as bars, so that two pages look different.

The PNG is written by hand with stored (uncompressed) data: the same page gives the
same bytes whatever compression library a machine has.
"""

from __future__ import annotations

import base64
import struct
import zlib
from typing import Final

WIDTH: Final = 64
HEIGHT: Final = 48
MIME_TYPE: Final = "image/png"

_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_PALETTE: Final = bytes.fromhex("ffffff202830c04838306090707880a0b060d8a850509060b8c0c8")
_GROUND, _TITLE, _HEADING, _CODE, _PROSE, _TABLE, _IMAGE, _LIST, _CONTROL = range(9)
_CHARACTERS_A_PIXEL: Final = 2
_PIXELS_A_ROW: Final = WIDTH - 8
_COLOURS: Final = {
    "pre": _CODE,
    "tr": _TABLE,
    "img": _IMAGE,
    "li": _LIST,
    "input": _CONTROL,
    "button": _CONTROL,
}


def picture(title: str, blocks: list[tuple[str, int]]) -> bytes:
    """A PNG of a page from its title and its outline: what fits on the screen."""
    rows = [bytearray(WIDTH) for _ in range(HEIGHT)]
    mark = zlib.crc32(title.encode("utf-8", "surrogatepass"))
    for bit in range(32):
        if mark >> bit & 1:
            rows[1][bit * 2] = rows[2][bit * 2] = _TITLE
    y = 5
    for tag, length in blocks:
        colour = _HEADING if tag[0] == "h" else _COLOURS.get(tag, _PROSE)
        y = _bars(rows, y, colour, length) + 2
    return _png(rows)


def picture_base64(title: str, blocks: list[tuple[str, int]]) -> str:
    """The same as text."""
    return base64.b64encode(picture(title, blocks)).decode("ascii")


def _bars(rows: list[bytearray], y: int, colour: int, length: int) -> int:
    """Draw a block of so many characters at ``y``; the line after it."""
    pixels = max(1, -(-length // _CHARACTERS_A_PIXEL))
    while pixels > 0 and y < HEIGHT - 1:
        width = min(pixels, _PIXELS_A_ROW)
        rows[y][4 : 4 + width] = bytes([colour]) * width
        pixels -= width
        y += 2
    return y


def _png(rows: list[bytearray]) -> bytes:
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 3, 0, 0, 0)
    pixels = b"".join(b"\0" + bytes(row) for row in rows)
    return (
        _SIGNATURE
        + _chunk(b"IHDR", header)
        + _chunk(b"PLTE", _PALETTE)
        + _chunk(b"IDAT", _stored(pixels))
        + _chunk(b"IEND", b"")
    )


def _stored(data: bytes) -> bytes:
    """A zlib stream of one uncompressed block; holds up to 65,535 bytes."""
    block = struct.pack("<BHH", 1, len(data), len(data) ^ 0xFFFF) + data
    return b"\x78\x01" + block + struct.pack(">I", zlib.adler32(data))


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
