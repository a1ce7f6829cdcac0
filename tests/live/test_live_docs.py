"""What docs/live.md says about frames and routes is what the program understands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sim.core.op import OpaqueFrame
from sim.drivers.codec import JsonCodec
from sim.live.commands import table
from sim.live.control import fields_of
from sim.live.house import House, Plan
from sim.protocols.hook import parse_hook_message

LIVE = (Path(__file__).parents[2] / "docs" / "live.md").read_text()
FRAMES = [line for line in LIVE.splitlines() if line.startswith('{"v":')]
ROW = re.compile(r"^\| (`/[^|]*) \|([^|]*)\|", re.MULTILINE)


@pytest.mark.parametrize("text", FRAMES)
def test_each_frame_of_the_docs_passes_the_parser(text: str) -> None:
    assert not isinstance(JsonCodec(parse_hook_message).decode(text), OpaqueFrame)


def test_the_table_names_the_fields_of_every_route() -> None:
    said = {
        path: set(re.findall(r"\w+", fields)) - {"or"}
        for paths, fields in ROW.findall(LIVE)
        for path in re.findall(r"`(/\w+)`", paths)
    }
    house = House(Plan(), lambda text: None)
    routes = table(house)
    house.end()
    for path, (kind, _) in routes.items():
        fields = {field.rstrip("?") for field in fields_of(kind)}
        if path in ("/hold", "/release"):
            fields -= {"sender"}  # said beside it
        assert said[path] == fields, path
