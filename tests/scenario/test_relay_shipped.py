"""The shipped relay scenarios are true: for many seeds, on both drivers, written back too."""

from __future__ import annotations

import pytest

from sim.play import load, play, vocabularies
from sim.protocols.relay import ACTIONS, ERROR_CODES, EVENTS, MESSAGES
from sim.protocols.relay.constants import ERROR_CATEGORIES
from sim.scenario.load import shipped_folder, shipped_scenarios
from sim.scenario.parse import parse_scenario
from sim.scenario.transcribe import transcribe

NAMES = sorted(shipped_scenarios(shipped_folder() / "relay"))
SOURCES = "\n".join(load(name).source_text for name in NAMES)
NOT_OURS = {"internal"}
"""No twin answers with it: nothing in a twin relay can fail by itself."""


@pytest.mark.parametrize("name", NAMES)
def test_a_relay_scenario_passes_whatever_the_seed(name):
    scenario = load(name)
    for seed in range(1, 6):
        result = play(scenario, seed=seed, driver="step")
        assert result.ok, result


@pytest.mark.deep
@pytest.mark.parametrize("name", NAMES)
def test_a_relay_scenario_passes_for_200_seeds(name):
    scenario = load(name)
    for seed in range(1, 201):
        result = play(scenario, seed=seed, driver="step")
        assert result.ok, result


@pytest.mark.parametrize("name", NAMES[::4])
def test_a_relay_scenario_is_the_same_run_on_both_drivers(name):
    scenario = load(name)
    one, two = (play(scenario, seed=7, driver=driver) for driver in ("step", "trio"))
    assert one.digest == two.digest


@pytest.mark.parametrize("name", NAMES[::3])
def test_a_relay_run_written_back_is_the_same_run(name):
    result = play(load(name), seed=3, driver="step")
    text = transcribe(result.trace)
    again = play(parse_scenario(text, "back.mmd", vocabularies()), driver="step")
    assert again.ok, again
    assert again.digest == result.digest


@pytest.mark.parametrize("name", NAMES)
def test_a_relay_scenario_begins_with_an_explanation_for_newcomers(name):
    about = load(name).source_text.split("\n")[1]
    assert about.strip().startswith("%% ")
    assert len(about.strip(" %")) > 40


@pytest.mark.parametrize("category", sorted(set(ERROR_CATEGORIES) - NOT_OURS))
def test_each_kind_of_error_is_shown(category):
    codes = [code for code, one in ERROR_CODES.items() if one.category == category]
    assert any(f"code={code}" in SOURCES for code in codes)


@pytest.mark.parametrize("action", ACTIONS)
def test_each_action_is_shown(action):
    assert action in SOURCES


@pytest.mark.parametrize("event", EVENTS)
def test_each_event_is_shown(event):
    assert f": {event} (" in SOURCES


@pytest.mark.parametrize("family", [one for one in MESSAGES if one not in ("event",)])
def test_each_family_is_shown(family):
    inner = ACTIONS if family == "command" else ()
    assert any(f": {name}" in SOURCES for name in (family, *inner))
