"""Whatever parses can be played: to an end, with a verdict or a complaint of ours."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sim.core.errors import HooktwinError
from sim.drivers.step import StepDriver
from sim.play import load, open_run, vocabularies
from sim.scenario.load import shipped_scenarios
from sim.scenario.parse import parse_scenario
from sim.scenario.playing.play import finish
from sim.scenario.playing.result import Result
from tests.scenario.generated import SNIPPETS, diagrams
from tests.scenario.played import text_of
from tests.scenario.random_scenarios import scenario

SHIPPED = [load(name).source_text for name in sorted(shipped_scenarios())]
TWO_HOURS_US = 2 * 3600 * 1_000_000
PIECES = [
    "alt", "else", "opt", "par", "and", "loop 2 times", "loop on", "critical", "option", "break",
    "end", "D->>S: turn.end (ok)", "D-xS: turn.progress (text=x)", "S->>D: task.cancel",
    "U->>IM: /stop", "U->>IM: /new", 'U->>IM: message "x"', 'U->>IM: reply "x"', "U->>IM: press A1",
    "U->>IM: press Allow", "U->>IM: delete R1", "U->>D: retry", "U->>D: quit", "U->>D: start",
    'U->>D: type "x"', "U->>D: answer Allow", "U->>D: login bob", "U->>D: workspaces a,b",
    "IM->>S: 提问", "S->>IM: edit", "S->>IM: card", "S->>IM: react", "D->>D: think 2s",
    "D->>D: quit", "D->>S: turn.reopen (reopenOf=R1)", "D->>S: hello", "S->>D: welcome",
    "D->>S: interaction.request (interactionId=A1)", "S->>D: task.dispatch (requestId=R1)",
    "%% @settle", "%% @after 1m", "%% @at 3s", "%% @cut D rst", "%% @cut D silent", "%% @cut D old",
    "%% @heal D", "%% @reconnect D", "%% @lose next", "%% @duplicate next after 1s",
    "%% @delay next 3s", "%% @hold D->S", "%% @release D->S", "%% @crash S", "%% @restart S",
    "%% @crash D", "%% @restart D", "%% @crash IM", "%% @restart IM", "%% @crash U",
    "%% @skew S -1d", "%% @sleep D 8h", "%% @sleep S 1m", "%% @sleep IM 1m",
    "%% @channel * unknown always", "%% @channel edit 5xx always", "%% @channel * ok",
    "%% @channel post refused", "%% @expect R1 OK", "%% @final A1 CLOSED", "%% @count edits R1 1",
    "%% @count posts IM 1", '%% @never "x"', "%% @open D", "%% @closed D slack", "%% @strict",
    "%% @feature S -turn-reopen-v1", "%% @fault crash D", "%% @fault nonsense",
    '%% @act U {"is":"say","person":"","text":"x"}', '%% @act D {"is":"agent-ends"}',
    "%% @puppet D handshake pong", "%% @puppet S handshake pong", "%% @puppet D", "destroy D",
]  # fmt: skip
HEAD = (
    "actor U as Alice", "participant IM as Slack", "participant S as server",
    "participant D as desktop",
)  # fmt: skip


def judged(text: str) -> Result | None:
    """The verdict within two virtual hours, None for a text that is refused."""
    try:
        prepared = open_run(parse_scenario(text, "test.mmd", vocabularies()), seed=1)
    except HooktwinError:
        return None
    try:
        StepDriver(prepared.world).run(prepared.over, limit_us=TWO_HOURS_US)
        return finish(prepared, "step")
    except HooktwinError:
        return None
    finally:
        prepared.world.close()


def bounded(number: int):
    """So many examples, always the same ones."""
    every = list(HealthCheck)
    return settings(max_examples=number, deadline=None, suppress_health_check=every)


@bounded(150)
@given(st.lists(st.sampled_from(PIECES), max_size=14))
def test_any_mixture_of_lines_that_parses_is_played_to_a_verdict(lines):
    opened = sum(line.split()[0] in ("alt", "opt", "par", "loop", "critical", "break")
                 for line in lines)  # fmt: skip
    judged(text_of([*HEAD, *lines, *["end"] * opened]))
    judged(text_of([*HEAD, *lines]))


@bounded(100)
@given(diagrams())
def test_any_generated_diagram_is_played_to_a_verdict(text):
    judged(text)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A shipped scenario with lines dropped, doubled, swapped, put in or damaged."""
    lines = draw(st.sampled_from(SHIPPED)).split("\n")
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(1, len(lines) - 1))
        how = draw(st.sampled_from(["drop", "double", "swap", "insert", "damage", "number"]))
        if how == "drop" and len(lines) > 3:
            del lines[at]
        elif how == "double":
            lines.insert(at, lines[at])
        elif how == "swap":
            other = draw(st.integers(1, len(lines) - 1))
            lines[at], lines[other] = lines[other], lines[at]
        elif how == "insert":
            lines.insert(at, draw(st.sampled_from(PIECES)))
        elif how == "damage":
            place = draw(st.integers(0, len(lines[at])))
            lines[at] = lines[at][:place] + draw(st.sampled_from(SNIPPETS)) + lines[at][place + 1 :]
        else:
            lines[at] = re.sub(r"\d+", draw(st.sampled_from(["0", "1", "7", "999"])), lines[at])
    return "\n".join(lines)


@bounded(150)
@given(mutated())
def test_any_mutation_of_a_shipped_scenario_is_played_to_a_verdict(text):
    judged(text)


@pytest.mark.parametrize("number", range(100, 140))
def test_random_scenarios_are_played_to_a_verdict(number):
    assert judged(scenario(number)) is not None


@pytest.mark.deep
@settings(max_examples=10_000, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.one_of(mutated(), diagrams()))
def test_nothing_that_parses_ends_in_a_traceback(text):
    judged(text)


@pytest.mark.parametrize(
    "lines",
    [
        ["loop 10000 times", "loop 10000 times", "loop 10000 times", "end", "end", "end"],
        ["loop 10000 times", "alt", "D->>S: hello", "else", "end", "end"],
        ["loop 10000 times", "par", "and", "end", "end"],
        ["loop 300 times", 'U->>IM: message "x"', "end", "%% @after 1s"],
    ],
)
def test_loops_in_loops_come_to_an_end(lines, monkeypatch):
    from sim.scenario.playing import director

    monkeypatch.setattr(director, "MOST_LINES", 20_000)
    result = judged(text_of([*HEAD, *lines]))
    assert result is not None
