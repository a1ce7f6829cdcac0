"""The YAML head that Mermaid allows on line 1: the small part of it that we accept.

Mermaid gives it to a full YAML parser and shows nothing when that fails. We
accept ``title: text`` and a ``config:`` tree of plain values, which every YAML
parser reads alike, and refuse the rest by name.
"""

from __future__ import annotations

import re

from sim.scenario.source import Span

FENCE = "---"
ENTRY = re.compile(
    r"(?P<indent> *)(?P<key>[A-Za-z][A-Za-z0-9_-]*):"
    r"(?: +(?P<value>\"[^\"\\]*\"|'[^']*'|"
    r"[A-Za-z0-9\u00a1-\u2027\u2030-\ud7ff][^:#\"'{}\[\]|>&*!%@`]*))? *"
)
TOP_KEYS = ("title", "config")


def skip_front_matter(lines: list[Span]) -> int:
    """Number of lines that the front matter takes; 0 where there is none."""
    if lines[0].text.rstrip() != FENCE:
        return 0
    for at, line in enumerate(lines[1:], start=1):
        if line.text.rstrip() == FENCE:
            _check_entries([one for one in lines[1:at] if one.text.strip()])
            if at == 1:
                raise line.fail("empty front matter: remove it", TOP_KEYS)
            return at + 1
    raise lines[0].fail("the front matter that starts here is never closed", (FENCE,))


def _check_entries(lines: list[Span]) -> None:
    """Each line is ``key: value`` or ``key:``, deeper only below a key without a value."""
    # One set of keys per open level; the deepest is last.
    levels: list[tuple[int, set[str]]] = [(0, set())]
    may_deepen = False
    for line in lines:
        found = ENTRY.fullmatch(line.text)
        if found is None:
            raise line.fail("front matter is 'key: value' with plain values here", TOP_KEYS)
        indent, key = len(found["indent"]), found["key"]
        if may_deepen and indent > levels[-1][0]:
            levels.append((indent, set()))
        while indent < levels[-1][0]:
            levels.pop()
        if indent != levels[-1][0]:
            raise line.fail("this indentation fits no key above it", at=indent)
        if len(levels) == 1 and key not in TOP_KEYS:
            raise line.fail(f"unknown key {key!r} in the front matter", TOP_KEYS, at=indent)
        if key in levels[-1][1]:
            raise line.fail(f"the key {key!r} stands here twice", at=indent)
        levels[-1][1].add(key)
        may_deepen = not found["value"]
        _check_shape(line, len(levels), key, found["value"], indent)


def _check_shape(line: Span, depth: int, key: str, value: str | None, indent: int) -> None:
    """``title`` is a text, ``config`` a tree: anything else makes Mermaid fail."""
    if depth == 1 and key == "config" and value:
        raise line.fail("config holds a tree of keys, no value", at=indent)
    if depth == 1 and key == "title" and not value:
        raise line.fail("title needs a text", at=indent)
