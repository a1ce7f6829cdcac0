"""How long a text is on X: what a reader sees as wide weighs two.

Every URL weighs 23 and every emoji 2, whatever they are made of; Latin,
Greek, Cyrillic, Arabic, Hebrew and the like weigh 1, everything else 2.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

LIMIT = 280
URL_WEIGHT = 23
WIDE_WEIGHT = 2

_NARROW = ((0, 4351), (8192, 8205), (8208, 8223), (8242, 8247))
_PICTURE = (
    "[\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u24c2\u25aa-\u27bf\u2934\u2935"
    "\u2b05-\u2b55\u3030\u303d\u3297\u3299\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa"
    "\U0001f400-\U0001faff]"
)
_TONED = f"{_PICTURE}\ufe0f?[\U0001f3fb-\U0001f3ff]?[\U000e0020-\U000e007f]*"
_PIECE = re.compile(
    r"(?P<url>https?://[!-~]*[\w/=&#~-])"
    "|(?P<emoji>[\U0001f1e6-\U0001f1ff]{2}"  # flags
    "|[0-9#*]\ufe0f?\u20e3"  # keycaps
    "|[\xa9\xae]\ufe0f"
    f"|{_TONED}(?:\u200d{_TONED})*)",  # pictures, perhaps joined
    re.ASCII | re.IGNORECASE,
)


def weight(text: str) -> int:
    """The weighted length of a text, as X counts it."""
    return sum(cost for _, cost in _pieces(text))


def shorten(text: str, limit: int = LIMIT) -> str:
    """The text if it fits, else its beginning and ``…``; no URL or emoji is cut apart."""
    if weight(text) <= limit:
        return text
    kept, left = [], limit - weight("…")
    for piece, cost in _pieces(text):
        left -= cost
        if left < 0:
            break
        kept.append(piece)
    return "".join(kept).rstrip() + "…"


def _pieces(text: str) -> Iterator[tuple[str, int]]:
    """What cannot be divided, with its weight."""
    text = unicodedata.normalize("NFC", text)
    place = 0
    for match in _PIECE.finditer(text):
        yield from _letters(text[place : match.start()])
        yield match[0], URL_WEIGHT if match["url"] else WIDE_WEIGHT
        place = match.end()
    yield from _letters(text[place:])


def _letters(text: str) -> Iterator[tuple[str, int]]:
    for letter in text:
        code = ord(letter)
        narrow = any(low <= code <= high for low, high in _NARROW)
        yield letter, 1 if narrow else WIDE_WEIGHT
