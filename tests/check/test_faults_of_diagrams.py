"""A recording with faults as a scenario: what was lost is lost again, what was reset is reset."""

from __future__ import annotations

from collections import Counter

import pytest

from sim.check.diagram import all_seen_in, scenario_of
from sim.core.event import ConnectionClosed, FrameDelivered, FrameSent
from sim.core.trace import write_trace
from sim.play import load, play, vocabularies
from sim.scenario.load import shipped_scenarios
from sim.scenario.parse import parse_scenario
from tests.check.coming_back import seen_by_hosts
from tests.check.logs import Story, written
from tests.cli.screens import Shell

HEAD = """sequenceDiagram
    participant S
    participant D
    %% @host S server
    %% @host D desktop
    %% @puppet S
    %% @puppet D
    %% @latency D->S 20ms..20ms
    %% @latency S->D 20ms..20ms
    %% @act D {"is":"puppet-dials","peer":"S","lane":"slack","greets":false}
    %% @at 1s
"""


def says(sender: str, count: int) -> str:
    other = "S" if sender == "D" else "D"
    frame = f'{{"v":1,"type":"ping","id":"{sender}{count}","ts":0,"payload":{{}}}}'
    return (f'    %% @act {sender} {{"is":"puppet-sends","peer":"{other}",'
            f'"frame":{frame}}}\n')  # fmt: skip


STRUCK = (
    HEAD + says("D", 1) + "    %% @fault lose D.slack#1 D>S 1\n"
    + says("S", 1) + "    %% @fault duplicate D.slack#1 S>D 1 5000us\n"
    + "    %% @at 2s\n" + says("D", 2) + "    %% @fault delay D.slack#1 D>S 2 300000us\n"
    + "    %% @at 3s\n    %% @fault hold D.slack#1 S>D\n" + says("S", 2)
    + "    %% @at 5s\n    %% @fault release D.slack#1 S>D\n"
    + "    %% @at 6s\n" + says("D", 3) + "    %% @fault cut D.slack#1 rst\n    %% @at 8s\n"
)  # fmt: skip


def fates(events) -> list[tuple[tuple[str, bool, int], int]]:
    """How often each frame has arrived: (connection, from the desktop?, nth)."""
    arrivals = Counter(e.sent for e in events if isinstance(e, FrameDelivered))
    return sorted(((e.link, e.sender == "S", e.nth), arrivals[e.n])
                  for e in events if isinstance(e, FrameSent))  # fmt: skip


def ends(events) -> set[tuple[str, str]]:
    return {(e.link, e.reason) for e in events if isinstance(e, ConnectionClosed)}


def again(folder, trace) -> list:
    path = folder / "run.jsonl"
    write_trace(path, trace)
    seen, _ = all_seen_in(str(path))
    text = scenario_of(seen.conns, "run", seen.others)
    result = play(parse_scenario(text, "again.mmd", vocabularies()), driver="step")
    assert (result.failures, result.extra) == ((), ())
    return result.trace.events


def test_lost_doubled_late_held_and_reset_come_back_as_they_were(tmp_path):
    first = play(parse_scenario(STRUCK, "struck.mmd", vocabularies()), driver="step").trace
    events = again(tmp_path, first)
    assert fates(events) == fates(first.events)
    assert [count for _, count in fates(events)] == [0, 1, 0, 2, 1]
    assert ends(events) == ends(first.events) == {("D.slack#1", "rst")}


COPIED = {
    "behind its frame, before the next one, while the way is held": (
        "    %% @fault hold D.slack#1 S>D\n" + says("S", 1)
        + "    %% @fault duplicate D.slack#1 S>D 1\n    %% @at 2s\n" + says("S", 2)
        + "    %% @at 3s\n" + says("D", 1) + "    %% @fault release D.slack#1 S>D\n"
    ),
    "after frames that were written later": (
        says("S", 1) + "    %% @fault duplicate D.slack#1 S>D 1 1000000us\n    %% @at 1500ms\n"
        + says("S", 2) + "    %% @at 1800ms\n" + says("S", 3) + says("D", 1)
    ),
    "later than its frame, when its receiver has answered": (
        says("S", 1) + "    %% @fault duplicate D.slack#1 S>D 1\n"
        "    %% @fault delay D.slack#1 S>D 1 again 500000us\n    %% @at 1200ms\n"
        + says("D", 1) + "    %% @at 1300ms\n" + says("S", 2)
    ),
    "twice": (
        says("S", 1) + "    %% @fault duplicate D.slack#1 S>D 1\n"
        "    %% @fault duplicate D.slack#1 S>D 1 90000us\n    %% @at 1060ms\n" + says("D", 1)
    ),
    "of a late frame": (
        says("S", 1) + "    %% @fault delay D.slack#1 S>D 1 400000us\n"
        "    %% @fault duplicate D.slack#1 S>D 1\n    %% @at 1200ms\n" + says("D", 1)
        + says("S", 2)
    ),
}  # fmt: skip


@pytest.mark.parametrize("body", COPIED.values(), ids=COPIED)
def test_a_copy_comes_where_it_came(body, tmp_path):
    text = HEAD + body + "    %% @at 8s\n"
    first = play(parse_scenario(text, "copied.mmd", vocabularies()), driver="step")
    assert first.failures == ()
    events = again(tmp_path, first.trace)
    assert seen_by_hosts(events) == seen_by_hosts(first.trace.events)
    assert max(count for _, count in fates(events)) > 1


@pytest.mark.parametrize("name", [n for n in ("half-open", "cut-redelivers", "delivery-replay")
                                  if n in shipped_scenarios()])  # fmt: skip
def test_the_faults_of_shipped_scenarios_come_back(name, tmp_path):
    first = play(load(name), driver="step").trace
    events = again(tmp_path, first)
    assert [count for _, count in fates(events)] == [count for _, count in fates(first.events)]


def test_what_cannot_be_drawn_is_said_in_the_file_and_beside_it(shell: Shell, tmp_path):
    closed = ('{"ts": 1764465601, "event": "close", "conn": "c1", "code": 4000, '
              '"reason": "replaced"}')  # fmt: skip
    told = shell("diagram", written(tmp_path, [*Story().greet().lines(), closed]))
    assert told.code == 0
    assert "%% Not drawn: that c1 was closed with code 4000" in told.out
    assert "not drawn: that c1 was closed with code 4000" in told.err


@pytest.mark.parametrize(("reason", "how"), [("ECONNRESET", "rst"), ("rst", "rst"), ("", "fin")])
def test_a_reset_that_a_log_tells_of_is_a_reset(tmp_path, reason, how):
    closed = f'{{"ts": 1764465601, "event": "close", "conn": "c1", "reason": "{reason}"}}'
    seen, _ = all_seen_in(written(tmp_path, [*Story().greet().lines(), closed]))
    assert f"@fault cut D.slack#1 {how}\n" in scenario_of(seen.conns, "x", seen.others)
