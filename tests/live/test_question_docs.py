"""What docs/question.md says of routes and variables is what the program understands."""

from __future__ import annotations

import re
from pathlib import Path

from sim.live.bridge_variables import VARIABLES
from sim.live.control import fields_of
from sim.live.house import Plan
from sim.live.question_commands import question_table
from sim.live.question_house import QuestionHouse

PAGE = (Path(__file__).parents[2] / "docs" / "question.md").read_text()
ROW = re.compile(r"^\| (`/[^|]*) \|([^|]*)\|", re.MULTILINE)


def test_the_table_names_the_fields_of_every_route() -> None:
    said = {
        path: sorted(re.findall(r"`([^`]+)`", fields))
        for paths, fields in ROW.findall(PAGE)
        for path in re.findall(r"`(/\w+)`", paths)
    }
    house = QuestionHouse(Plan(protocol="question"), lambda text: None)
    routes = question_table(house)
    house.end()
    assert said.pop("/end") == []
    assert said == {path: sorted(fields_of(kind)) for path, (kind, _) in routes.items()}


def test_the_page_names_every_variable_and_no_other() -> None:
    assert sorted(re.findall(r"^\| `(HERMES_\w+)` \|", PAGE, re.MULTILINE)) == sorted(VARIABLES)
