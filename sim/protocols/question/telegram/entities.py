"""``parse_mode``: which signs of a text are markup, and what a reader sees in their place.

``Markdown`` is read as Telegram reads its old Markdown: an unclosed ``*``, ``_``, ````` or
``[`` is a 400, so a question with such a sign in it must be escaped by whoever sends it.
Of ``MarkdownV2`` and ``HTML`` the signs are left in the text.
"""

from __future__ import annotations

from typing import Final

import attrs

from sim.protocols.question.telegram.refusals import bad

_MARKS: Final = "_*`["
_KINDS: Final = {"_": "italic", "*": "bold", "`": "code"}
_MODES: Final = ("", "markdown", "markdownv2", "html")
_FENCE: Final = "```"


@attrs.frozen
class Entity:
    """Which part of a text looks how; places and lengths in UTF-16 units (a
    text's own limit counts characters)."""

    kind: str
    offset: int
    length: int
    url: str = ""


Marked = tuple[str, tuple[Entity, ...]]


def units(text: str) -> int:
    """The length of a text as entities count it: UTF-16 units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def read_text(text: str, parse_mode: str) -> Marked:
    """What a reader sees, without the white space around it. Raises a 400 for bad markup."""
    mode = parse_mode.lower()
    if mode not in _MODES:
        raise bad("Bad Request: unsupported parse_mode")
    if mode == "markdown":
        return _Reading(text).run()
    return text.strip(), ()


class _Reading:
    """One walk through a text with old Markdown in it."""

    def __init__(self, text: str) -> None:
        self.text = text.strip()
        self.place = 0
        self.seen: list[str] = []
        self.entities: list[Entity] = []

    def run(self) -> Marked:
        while self.place < len(self.text):
            sign = self.text[self.place]
            following = self.text[self.place + 1 : self.place + 2]
            if sign == "\\" and following and following in _MARKS:
                self._take(following, 2)
            elif sign in _MARKS:
                self._entity(sign)
            else:
                self._take(sign, 1)
        return "".join(self.seen), tuple(self.entities)

    def _take(self, seen: str, far: int) -> None:
        self.seen.append(seen)
        self.place += far

    def _entity(self, sign: str) -> None:
        """No escapes within: what closes it is the next sign of its kind."""
        fence = self.text.startswith(_FENCE, self.place)
        begin = _FENCE if fence else sign
        end = _FENCE if fence else ("]" if sign == "[" else sign)
        start = self.place + len(begin)
        stop = self.text.find(end, start)
        if stop < 0:
            offset = len(self.text[: self.place].encode(errors="surrogatepass"))
            raise bad(
                "Bad Request: can't parse entities: Can't find end of the entity starting at "
                f"byte offset {offset}"
            )
        inner = self.text[start:stop]
        self.place = stop + len(end)
        url = self._target() if sign == "[" else ""
        kind = "pre" if fence else _KINDS.get(sign, "text_link" if url else "")
        if inner and kind:
            offset = units("".join(self.seen))
            self.entities.append(Entity(kind, offset, units(inner), url))
        self.seen.append(inner)

    def _target(self) -> str:
        """The ``(address)`` behind a link's text, "" without one."""
        if not self.text.startswith("(", self.place):
            return ""
        stop = self.text.find(")", self.place)
        stop = len(self.text) if stop < 0 else stop
        url = self.text[self.place + 1 : stop]
        self.place = stop + 1
        return url
