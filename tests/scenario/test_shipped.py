"""The shipped scenarios are true: for many seeds, on both drivers, on slower networks,
written back."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from sim.play import load, play, vocabularies
from sim.scenario.load import shipped_folder, shipped_scenarios
from sim.scenario.parse import parse_scenario
from sim.scenario.syntax import Scenario
from sim.scenario.transcribe import transcribe

SEEDS = {"hook": 8, "relay": 5, "question": 4}
"""How many the scenarios of each protocol are played with; there are 200 in the deep tests."""
SHIPPED = {one: sorted(shipped_scenarios(shipped_folder() / one)) for one in SEEDS}
NAMES = SHIPPED["hook"]
RELAY, QUESTION = SHIPPED["relay"], SHIPPED["question"]
TEARDOWN = "reopen-teardown"
ACCEPTANCE = Path(__file__).parent.parent / "data" / "scenario"
# Races that have a scenario of their own, and what it is called.
RACES = {
    "RC-35": "end-before-ack", "RC-59": "cancel-queued", "RC-62": "stale-press",
    "RC-63": "two-presses", "RC-64": "card-open-at-end", "RC-68": "stop-with-card",
    "RC-69": "progress-after-end", "RC-76": "second-process", "RC-77": "half-open",
    "RC-98": "deleted-placeholder", "RC-100": "edit-unknown", "RC-105": "webhook-twice",
}  # fmt: skip
# These say themselves how slow something is, or count on the usual order of two connections.
OWN_LATENCY = ("@latency",)


def assert_passes(scenario: Scenario, seed: int, driver: str) -> None:
    result = play(scenario, seed=seed, driver=driver)
    assert result.ok, (scenario.name, seed, driver, result.failures, result.violations)


@pytest.mark.parametrize(
    ("name", "seeds"), [(name, SEEDS[one]) for one, names in SHIPPED.items() for name in names]
)
def test_a_shipped_scenario_passes_whatever_the_seed(name, seeds):
    scenario = load(name)
    for seed in range(1, seeds + 1):
        assert_passes(scenario, seed, "step")


@pytest.mark.deep
@pytest.mark.parametrize("name", [*NAMES, *RELAY, *QUESTION])
def test_a_shipped_scenario_passes_for_200_seeds(name):
    scenario = load(name)
    for seed in range(1, 201):
        assert_passes(scenario, seed, "step")


@pytest.mark.parametrize("name", [*RELAY[::4], *QUESTION[::4]])
def test_a_shipped_scenario_is_the_same_run_on_both_drivers(name):
    scenario = load(name)
    one, two = (play(scenario, seed=7, driver=driver) for driver in ("step", "trio"))
    assert one.digest == two.digest


@pytest.mark.parametrize("name", [*RELAY[::3], *QUESTION])
def test_a_shipped_scenario_written_back_is_the_same_run(name):
    result = play(load(name), seed=3, driver="step")
    text = transcribe(result.trace)
    again = play(parse_scenario(text, "back.mmd", vocabularies()), driver="step")
    assert again.ok, again
    assert again.digest == result.digest


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_scenario_passes_on_the_trio_driver(name):
    scenario = load(name)
    for seed in range(1, 4):
        assert_passes(scenario, seed, "trio")


def slower(scenario: Scenario, seed: int) -> Scenario:
    """The same with other latencies: links up to a second, the channel up to two."""
    draw = random.Random(seed)
    low, high = draw.randint(1, 100), draw.randint(100, draw.choice((100, 300, 1_000)))
    slow = draw.randint(50, draw.choice((100, 500, 2_000)))
    lines = scenario.source_text.split("\n")
    ends = {p.id for p in scenario.participants}
    channels = {p.id for p in scenario.participants if p.is_channel} or {"slack"}
    server = next(p.id for p in scenario.participants if p.kind == "server")
    head = [
        f"%% @latency {one}->{other} {low}ms..{high}ms"
        for one in sorted(ends - channels - {server})
        for other in (server,)
        if next(p for p in scenario.participants if p.id == one).kind == "desktop"
    ]
    head += [f"%% @latency {server}->{one} {slow}ms..{slow + 200}ms" for one in sorted(channels)]
    return parse_scenario("\n".join([lines[0], *head, *lines[1:]]), scenario.path, vocabularies())


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_scenario_of_twins_passes_on_slower_networks_too(name):
    scenario = load(name)
    if any(p.puppet is not None for p in scenario.participants):
        pytest.skip("a puppet does not wait for anything")
    if any(word in scenario.source_text for word in OWN_LATENCY):
        pytest.skip("it says itself how slow something is")
    for seed in range(1, 5):
        assert_passes(slower(scenario, seed), seed, "step")


def test_the_acceptance_diagram_is_shipped_as_it_is():
    text = load("typical").source_text
    assert "%%" not in text, "nothing of ours stands in the diagram of the protocol's document"
    assert text.count("\n") == 16


def test_the_teardown_race_needs_no_rule_and_no_violation_in_its_file():
    scenario = load(TEARDOWN)
    assert scenario.settings.rules == ()
    assert scenario.violates == ()


def test_without_ownership_the_seed_that_the_teardown_file_names_breaks_an_invariant():
    scenario = load(TEARDOWN)
    named = re.search(r"--without (\S+) --seed (\d+)", scenario.source_text)
    assert named is not None
    result = play(scenario, seed=int(named[2]), without=[named[1]], driver="step")
    assert [one.invariant for one in result.violations] == ["close-out-respects-owner"]
    assert any("@expect" in failure.expected for failure in result.failures)


@pytest.mark.parametrize(("race", "name"), RACES.items())
def test_a_race_has_a_scenario_that_names_and_explains_it(race, name):
    lines = load(name).source_text.split("\n")
    comment = " ".join(line.strip(" %") for line in lines if line.strip().startswith("%% "))
    assert f"hook {race})" in comment
    assert comment.count(". ") + comment.count(": ") >= 1


def test_every_shipped_scenario_begins_with_an_explanation_for_newcomers():
    first = {name: load(name).source_text.split("\n")[1] for name in (*NAMES, *RELAY)}
    silent = [name for name, line in first.items() if not re.match(r"\s*%% .{40}", line)]
    assert silent == ["typical"]
