"""Tokens that were shown to a live session: nothing that repeats them is recorded or told.

Headers and queries are never recorded. But a program may repeat what it was shown, in the
reason of a close or in a frame; there asterisks take the place of the token, as many as it
has bytes. What passes through a proxy is not touched.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Any, Final
from urllib.parse import parse_qsl, unquote

import msgspec

SHORTEST: Final = 6
"""Characters of a secret, at least: shorter ones would blot out ordinary words."""
MOST: Final = 64
"""So many are known at a time: each is looked for in each line. The oldest is forgotten."""
_NAMES: Final = re.compile(r"token|secret|password|passwd|api_?key|auth|credential|signature", re.I)

_NAMING: Final = frozenset(
    ("kind", "is", "type", "link", "lane", "host", "peer", "by", "client", "server", "sender",
     "receiver", "caller", "callee")
)  # fmt: skip
"""Fields of events that name what there is; no program chooses their values."""
_OURS: Final = _NAMING | {"rule", "catalogue", "sentence", "side", "invariant", "get", "post"}
"""The same in answers of the control API, outside of frames."""


class Secrets:
    """What must not be repeated. ``own`` ones are never forgotten."""

    def __init__(self, own: Iterable[str] = ()) -> None:
        self._own: dict[str, None] = {}
        self._shown: dict[str, None] = {}
        self._texts: tuple[str, ...] = ()
        self._lines: tuple[bytes, ...] = ()
        for secret in own:
            self.keep(secret)

    def keep(self, secret: str) -> None:
        """A secret of this session itself ("": none)."""
        if len(secret) >= SHORTEST:
            self._own[secret] = None
            self._changed()

    def shown(self, authorization: str, query: str = "") -> None:
        """A program has shown an Authorization header ("": none) and a URL's query."""
        words = authorization.split()
        found = words[1:] if len(words) > 1 else words
        for name, value in parse_qsl(query):
            if _NAMES.search(name):
                found += [value, *_raw_value(query, value)]
        new = [one for one in found if len(one) >= SHORTEST and one not in self._own]
        if not new or all(one in self._shown for one in new):
            return
        for one in new:
            self._shown.pop(one, None)
            self._shown[one] = None
        for oldest in list(self._shown)[:-MOST]:
            del self._shown[oldest]
        self._changed()

    def _changed(self) -> None:
        # The longest first: one may be the beginning of another.
        self._texts = tuple(sorted((*self._own, *self._shown), key=len, reverse=True))
        forms = {form: None for one in self._texts for form in _in_json(one)}
        self._lines = tuple(sorted(forms, key=len, reverse=True))

    def hide(self, text: str) -> str:
        """A text without them."""
        for one in self._texts:
            if one in text:
                text = text.replace(one, "*" * len(one))
        return text

    def hide_bytes(self, data: bytes) -> bytes:
        """JSON without them, of the same length."""
        for one in self._lines:
            if one in data:
                data = data.replace(one, b"*" * len(one))
        return data

    def hide_answer(self, data: bytes) -> bytes:
        """An answer of the control API without them, of the same length. Our own words in it,
        names of fields too, stay: a token may be one of them."""
        if not any(one in data for one in self._lines):
            return data
        try:
            plain = self._blotted(msgspec.json.decode(data))
        except (ValueError, RecursionError):
            return self.hide_bytes(data)
        hidden = msgspec.json.encode(plain) + data[len(data.rstrip()) :]
        return hidden if len(hidden) == len(data) else self.hide_bytes(data)

    def _blotted(self, value: Any, name: str = "", is_ours: bool = True) -> Any:
        if isinstance(value, list):
            return [self._blotted(one, name, is_ours) for one in value]
        if isinstance(value, dict):
            mine = is_ours and name != "frame"
            return {
                (key if mine else self._blotted(key)): self._blotted(one, key, mine)
                for key, one in value.items()
            }
        if not isinstance(value, str) or (is_ours and name in _OURS):
            return value
        for one in self._texts:
            for form in (one, json.dumps(one, ensure_ascii=False)[1:-1]):
                if form in value:
                    value = value.replace(form, "*" * (len(msgspec.json.encode(form)) - 2))
        return value

    def hide_line(self, line: bytes) -> bytes:
        """A line of a trace without them. What names things stays, so that it can be read:
        a token may be a word of ours."""
        if not any(one in line for one in self._lines):
            return line
        try:
            plain = self._without(json.loads(line))
        except RecursionError:
            return self.hide_bytes(line)
        return json.dumps(plain, separators=(",", ":")).encode()

    def _without(self, value: Any, name: str = "") -> Any:
        if isinstance(value, str):
            return value if name in _NAMING else self.hide(value)
        if isinstance(value, list):
            return [self._without(one) for one in value]
        if isinstance(value, dict):
            return {key: self._without(one, key) for key, one in value.items()}
        return value

    def telling(self, tell: Callable[[str], Any]) -> Callable[[str], None]:
        """The same function for texts that may have some in them."""

        def told(text: str) -> None:
            tell(self.hide(text))

        return told


def _in_json(secret: str) -> Iterable[bytes]:
    """As it stands in JSON: once, and in a text that is JSON itself."""
    once = json.dumps(secret, ensure_ascii=False)[1:-1]
    twice = json.dumps(once, ensure_ascii=False)[1:-1]
    return (one.encode(errors="surrogatepass") for one in (once, twice))


def _raw_value(query: str, value: str) -> list[str]:
    """The value as the query spells it, where that differs."""
    raw = (part.partition("=")[2] for part in query.split("&"))
    return [one for one in raw if one != value and unquote(one.replace("+", " ")) == value]
