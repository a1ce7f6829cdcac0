"""The diagram inside a Markdown file: its first ``mermaid`` fence."""

from __future__ import annotations

import re

from attrs import frozen

from sim.core.errors import ScenarioError

FENCE = re.compile(r"(?P<indent>[ \t]*)(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>[^\r`]*)\r?")
WANTED = ("```mermaid",)


@frozen
class Fenced:
    """The text between the fences, and the line of the file where it begins."""

    text: str
    first_line: int


def first_diagram(text: str, path: str) -> Fenced:
    """The first diagram; other fences, and what they quote, are passed over."""
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        opening = FENCE.fullmatch(lines[at])
        if opening is None:
            at += 1
            continue
        end = _closing(lines, at + 1, opening["fence"])
        if opening["info"].split()[:1] == ["mermaid"]:
            if end is None:
                message = "the mermaid fence that starts here is never closed"
                place = {"line": at + 1, "column": len(opening["indent"]) + 1}
                raise ScenarioError(message, path=path, allowed=(opening["fence"],), **place)
            return Fenced("\n".join(lines[at + 1 : end]), at + 2)
        at = len(lines) if end is None else end + 1
    raise ScenarioError(
        "this Markdown file has no mermaid fence", path=path, line=1, column=1, allowed=WANTED
    )


def _closing(lines: list[str], start: int, fence: str) -> int | None:
    """Index of the line that closes a fence: the same sign, at least as often, alone."""
    for at in range(start, len(lines)):
        bare = lines[at].strip()
        if len(bare) >= len(fence) and bare == fence[0] * len(bare):
            return at
    return None
