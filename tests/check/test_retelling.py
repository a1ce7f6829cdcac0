"""A trace from elsewhere: what makes no sense in it is told with its line and field."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from sim.cli.reporting.retold import retold_file
from sim.core.trace import lines_of
from sim.play import play

Lines = list[dict[str, Any]]


@cache
def recorded(name: str) -> tuple[bytes, ...]:
    return tuple(lines_of(play(name, driver="step").trace))


def told_of(name: str, change: Callable[[Lines], None], folder: Path) -> str:
    """What a changed recording cannot be judged for."""
    lines = [json.loads(line) for line in recorded(name)]
    change(lines)
    path = folder / "foreign.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    return retold_file(path).unjudged


def first(lines: Lines, kind: str) -> tuple[int, dict[str, Any]]:
    """(line in the file, event) of the first event of a kind."""
    found = (place for place, line in enumerate(lines) if line.get("kind") == kind)
    place = next(found)
    return place + 1, lines[place]


@pytest.mark.parametrize(
    ("name", "kind", "field", "value"),
    [
        ("typical", "FrameSent", "frame", None),
        ("lock-with-lease", "FrameSent", "frame", "text"),
        ("lock-with-lease", "Acted", "act", 7),
    ],
)
def test_a_field_that_makes_no_sense_is_named_with_its_line(name, kind, field, value, tmp_path):
    places = []

    def change(lines: Lines) -> None:
        place, event = first(lines, kind)
        event[field] = value
        places.append(place)

    told = told_of(name, change, tmp_path)
    assert told.startswith(f"line {places[0]}, {kind}, field {field}: ")


def without(kind: str, lines: Lines) -> None:
    """The numbers stay: a line that is gone is another fault."""
    for place, one in enumerate(lines):
        if one.get("kind") == kind:
            note = {"kind": "Noted", "host": "", "what": "left out", "data": {}}
            lines[place] = note | {name: one[name] for name in ("n", "at", "cause")}


@pytest.mark.parametrize("name", ["typical", "lock-with-lease", "custom-answer"])
def test_hosts_that_a_recording_never_saw_start_are_judged_to_the_end(name, tmp_path):
    assert told_of(name, lambda lines: without("HostStarted", lines), tmp_path) == ""


@pytest.mark.parametrize("name", ["typical", "lock-with-lease"])
def test_frames_of_a_connection_that_began_before_the_recording_are_not_judged(name, tmp_path):
    told = told_of(name, lambda lines: without("ConnectionOpened", lines), tmp_path)
    assert re.fullmatch(
        r"line \d+, FrameSent: this file does not hold where connection \S+#1 began", told
    )


@pytest.mark.parametrize("tag", [{}, [], None, 7, "zz"])
@pytest.mark.parametrize(
    ("name", "kind"), [("typical", "CallIssued"), ("lock-with-lease", "Acted")]
)
def test_a_tag_of_any_form_is_no_error_of_who_reads_it(name, kind, tag, tmp_path):
    def change(lines: Lines) -> None:
        _, event = first(lines, kind)
        event["request" if kind == "CallIssued" else "act"]["is"] = tag

    assert "unhashable" not in told_of(name, change, tmp_path)


def test_an_oracle_that_fails_at_the_end_is_named_and_the_others_are_asked(tmp_path, monkeypatch):
    from sim.core.invariant import Invariant

    asked = []

    def at_end(self: Invariant) -> Any:
        asked.append(self.name)
        if len(asked) == 1:
            raise KeyError("S")
        return iter(())

    for one in Invariant.__subclasses__():
        monkeypatch.setattr(one, "at_end", at_end)
    told = told_of("typical", lambda lines: None, tmp_path)
    assert told == f"at the end: {asked[0]}: it speaks of 'S', of which nothing is known"
    assert len(asked) > 3
