"""Which branches of a diagram happened: told of runs, for reviews."""

from __future__ import annotations

from collections import Counter

import pytest

from sim.explore.engine import SerialEngine
from sim.explore.schedule import Case
from sim.explore.search import Search
from sim.explore.strategies import make_strategy
from sim.play import play, vocabularies
from sim.scenario.parse import parse_scenario
from sim.scenario.playing.covered import covered, ways_of
from sim.scenario.syntax import Scenario

HEAD = """sequenceDiagram
    actor U as Alice
    participant IM as Slack
    participant S as hook server
    participant D as desktop
    U->>IM: message "Go"
"""
BODY = """    alt it says nothing on the way
        S->>D: task.dispatch (requestId=R1)
        D->>S: task.ack (accepted)
        opt there is progress
            D->>S: turn.progress (requestId=R1)
        end
    else it is refused
        S->>D: task.dispatch (requestId=R1)
        D->>S: task.ack (rejected)
        loop 2 times
            D->>S: turn.progress (requestId=R1)
        end
    end
    D->>S: turn.end (ok, requestId=R1)
"""


def scenario(body: str) -> Scenario:
    return parse_scenario(HEAD + body, "branches.mmd", vocabularies())


def gone(made: Scenario, seed: int = 1) -> tuple[set[str], bool]:
    """The ways that a run went, in words, and whether it holds."""
    runs: list = []
    result = play(made, seed=seed, driver="step", watch=runs.append)
    seen = covered(runs[0].shared)
    by_key = {way.key: str(way) for way in ways_of(made)}
    assert set(seen) <= set(by_key), "a run went a way that the diagram does not have"
    return {by_key[key] for key in seen}, result.ok


def test_of_an_alt_the_branch_that_matched_has_happened_and_what_stands_in_the_other_has_not() -> (
    None
):
    made = scenario(BODY)
    assert [str(way) for way in ways_of(made)] == [
        "line 7: alt it says nothing on the way happens",
        "line 10: opt there is progress happens",
        "line 10: opt there is progress is left out",
        "line 13: else it is refused happens",
        "line 16: loop 2 times happens",
    ]
    seen, ok = gone(made)
    assert ok
    assert seen == {
        "line 7: alt it says nothing on the way happens",
        "line 10: opt there is progress is left out",
    }


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "    par one\n        S->>D: task.dispatch (requestId=R1)\n    and other\n"
            "        S->>IM: post\n    end\n    D->>S: turn.end (ok)\n",
            {"line 7: par one happens", "line 9: and other happens"},
        ),
        (
            "    loop 1 times\n        S->>D: task.dispatch (requestId=R1)\n    end\n",
            {"line 7: loop 1 times happens"},
        ),
        (
            "    critical it goes\n        S->>D: task.dispatch (requestId=R1)\n"
            "    option it is refused\n        D->>S: task.ack (rejected)\n    end\n"
            "    D->>S: turn.end (ok)\n",
            {"line 7: critical it goes happens", "line 9: option it is refused is left out"},
        ),
        (
            "    break enough\n        S->>D: task.dispatch (requestId=R1)\n    end\n"
            "    loop never\n        D->>S: turn.end (ok)\n    end\n",
            {"line 7: break enough happens"},
        ),
    ],
)
def test_blocks_of_other_kinds_happen_when_they_come_to_their_end(
    body: str, expected: set[str]
) -> None:
    seen, ok = gone(scenario(body))
    assert (seen, ok) == (expected, True)


def test_a_search_lets_others_watch_each_of_its_runs_and_finds_the_same() -> None:
    made = scenario(BODY)
    runs: Counter[tuple[int, str]] = Counter()
    schedules = []

    def watch(run) -> None:
        schedules.append(len(run.world.events))
        runs.update(dict.fromkeys(covered(run.shared), 1))

    found = []
    for engine in (SerialEngine(Case.of(made), watch), SerialEngine(Case.of(made))):
        case = engine.case
        search = Search(case, make_strategy("portfolio", case, 1), engine, most=6)
        search.run()
        found.append((search.schedules, search.covered, dict(search.found)))
    assert found[0] == found[1]
    assert len(schedules) == 5  # the timed run is not the engine's
    assert runs[(7, "happens")] == 5
