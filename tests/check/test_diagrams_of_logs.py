"""A log of frames, written as a scenario: running it says the same frames again."""

from __future__ import annotations

import json

import pytest

from sim.check.diagram import latencies, scenario_of, seen_in
from sim.check.drawing import drawing_of
from sim.core.errors import UsageError
from sim.core.event import BadFrame, ConnectionOpened, FrameSent
from sim.core.trace import write_trace
from sim.play import load, play, vocabularies
from sim.scenario.load import shipped_scenarios
from sim.scenario.parse import parse_scenario
from tests.check.logs import Story, played, written
from tests.check.observing import text_of
from tests.cli.screens import Shell
from tests.scenario.test_mermaid import pytestmark as needs_mermaid
from tests.scenario.test_mermaid import verdicts

SOME = ("typical", "two-teams", "x-retry", "reconnect-storm", "ask-and-press", "foreign-frames")


def said(events) -> list[list[tuple[bool, str]]]:
    """By connection: who wrote what, in order."""
    clients: dict[str, str] = {}
    frames: dict[str, list[tuple[bool, str]]] = {}
    for event in events:
        if isinstance(event, ConnectionOpened):
            clients[event.link] = event.client
        elif isinstance(event, FrameSent):
            wire = json.dumps(json.loads(text_of(event.frame)), sort_keys=True)
            frames.setdefault(event.link, []).append((event.sender == clients[event.link], wire))
    return sorted(frames.values())


def log_of(events) -> list[str]:
    """The frames of a run as a program between the two writes them down."""
    lines, clients = [], {}
    for event in events:
        if isinstance(event, ConnectionOpened):
            clients[event.link] = event.client
        elif isinstance(event, FrameSent):
            up = event.sender == clients[event.link]
            lines.append(json.dumps({"ts": event.at, "dir": "up" if up else "down",
                                     "conn": event.link, "raw": text_of(event.frame)}))  # fmt: skip
    return lines


def rerun(text: str):
    return play(parse_scenario(text, "log.mmd", vocabularies()), driver="step")


def comes_back(name: str, folder) -> str:
    events = played(name).events
    conns, bad = seen_in(written(folder, log_of(events)))
    text = scenario_of(conns, "frames.log")
    again = rerun(text)
    assert (bad, again.failures) == ([], ())
    assert said(again.trace.events) == said(events)
    return text


@pytest.mark.parametrize("name", [name for name in SOME if name in shipped_scenarios()])
def test_the_frames_of_a_run_come_back_from_its_log(name, tmp_path):
    comes_back(name, tmp_path)


@pytest.mark.deep
@pytest.mark.parametrize("name", sorted(shipped_scenarios()))
def test_the_frames_of_every_shipped_scenario_come_back(name, tmp_path):
    comes_back(name, tmp_path)


def test_how_long_frames_take_is_inferred_from_answers(tmp_path):
    story = Story()  # each frame stands 50 ms after the one before it
    story.greet().dispatch().wait(0.2).ack().end().wait(0.03).down("turn.delivery", requestId="R1")
    conns, _ = seen_in(written(tmp_path, story.lines()))
    ways = latencies(conns, drawing_of("hook"))
    assert (ways.up, ways.down) == (50_000, 250_000)
    text = scenario_of(conns, "x")
    assert "@latency D->S 50000us..50000us" in text
    again = rerun(text)
    sent = {e.frame.type: e.at for e in again.trace.events if isinstance(e, FrameSent)}
    assert sent["task.ack"] - sent["task.dispatch"] == 250_000


def test_desktops_that_are_connected_at_once_stand_side_by_side(tmp_path):
    one, two = Story("d-1", "a").greet().task(), Story("d-2", "b").greet().task("R2")
    later = Story("d-1", "c").wait(100).greet()
    conns, _ = seen_in(written(tmp_path, [*one.lines(), *two.lines(), *later.lines()]))
    text = scenario_of(conns, "x")
    assert "participant D2" in text
    assert "participant D3" not in text
    assert len(said(rerun(text).trace.events)) == 3


def test_frames_that_no_parser_takes_are_said_again_too(tmp_path):
    story = Story().greet()
    story.up("turn.end", status="maybe", extra={"a": [1, "%% ; # é \u2028"]})
    lines = [*story.lines(), json.dumps({"ts": 1_764_465_601, "dir": "up", "conn": "c1",
                                         "raw": "no JSON"})]  # fmt: skip
    conns, _ = seen_in(written(tmp_path, lines))
    text = scenario_of(conns, "x")
    again = rerun(text).trace.events
    wires = [event.frame.wire for event in again if isinstance(event, FrameSent)]
    assert wires[2:] == [story.frames[2][3], {"type": "(bad)", "text": "no JSON"}]
    assert [event.error for event in again if isinstance(event, BadFrame)]


def test_the_command_draws_logs_and_still_writes_traces_back(shell: Shell, tmp_path):
    result = play(load("typical"), driver="step")
    path = tmp_path / "run.jsonl"
    write_trace(path, result.trace)
    assert "Written back from a run" in shell("diagram", path).out
    drawn = shell("diagram", path, "--frames")
    assert (drawn.code, drawn.err) == (0, "")
    assert said(rerun(drawn.out).trace.events) == said(result.trace.events)
    log = written(tmp_path, [*log_of(result.trace.events), "oops"])
    out = tmp_path / "again.mmd"
    told = shell("diagram", log, "--out", out)
    assert told.code == 0
    assert f"{log}:{len(log_of(result.trace.events)) + 1}:1: cannot be read" in told.err
    assert shell("run", out, "-q").code == 0


def test_a_log_without_frames_is_refused(shell: Shell, tmp_path):
    with pytest.raises(UsageError, match="no frame"):
        scenario_of([], "empty.log")
    assert shell("diagram", written(tmp_path, b"")).code == 2


@needs_mermaid[0]
@needs_mermaid[1]
def test_mermaid_draws_what_a_log_gave(tmp_path):
    texts = [comes_back("typical", tmp_path)]
    assert [complaint for complaint in verdicts(texts) if complaint] == []
