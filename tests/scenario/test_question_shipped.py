"""The shipped question scenarios show all that the question protocol has, and say so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sim.play import load
from sim.protocols.question.words import METHODS, SAYINGS
from sim.scenario.load import load_scenario, shipped_folder, shipped_scenarios

NAMES = sorted(shipped_scenarios(shipped_folder() / "question"))
SOURCES = "\n".join(load(name).source_text for name in NAMES)
RACES = tuple(f"R{n:02}" for n in (1, 2, 3, 4, 5, 8, 9, 11, 14, 15, 16, 17, 18, 20))
TESTS = Path(__file__).parents[1] / "protocols" / "question"
UNSHOWN = {
    "GET /session",  # only a hook without ids-from-input asks for it
    "edited_message",  # the listener does not want to know
    "deleteMessage",  # no part of this bridge deletes a message
    "getMe",
    "tool",
}


@pytest.mark.parametrize("name", NAMES)
def test_a_question_scenario_begins_with_an_explanation_and_names_its_rows(name):
    source = load(name).source_text
    comment = " ".join(
        line.strip()[3:] for line in source.split("\n") if re.match(r"\s*%% [^@]", line)
    )
    assert len(comment.partition(" Shows ")[0]) > 40
    rows = re.search(r"Shows ((?:QT-\d+(?:, )?)+)\.", comment)
    assert rows is not None, "a comment ends with: Shows QT-01, QT-02."
    found = re.findall(r"QT-(\d+)", rows[1])
    assert found == sorted(set(found))
    assert 1 <= int(found[0]) <= int(found[-1]) <= 50


@pytest.mark.parametrize("race", RACES)
def test_each_race_has_a_scenario(race):
    assert f"(question {race})" in " ".join(SOURCES.replace("\n    %%", "").split())


def test_scenarios_and_tests_name_only_races_of_the_question_protocol():
    named = re.findall(r"question (R\d\d)", SOURCES)
    for path in sorted(TESTS.rglob("test_*.py")):
        named += re.findall(r"question (R\d\d)", path.read_text(encoding="utf-8"))
    assert set(named) == set(RACES)


@pytest.mark.parametrize("saying", sorted({*SAYINGS, *METHODS} - UNSHOWN))
def test_each_name_is_shown(saying):
    spellings = {saying, saying.replace("{id}", "{requestID}")}
    assert any(f": {one}" in SOURCES for one in spellings) or saying.isdigit()


@pytest.mark.parametrize("name", NAMES[::9])
def test_a_question_scenario_is_read_without_being_given_its_words(name):
    path = load(name).path
    assert load_scenario(path).body == load(name).body
