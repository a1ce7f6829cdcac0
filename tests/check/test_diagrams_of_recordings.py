"""Recordings of real sessions with faults: their diagrams say the same, to the same, in order."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sim.core.event import ConnectionClosed, FrameDelivered, FrameSent
from sim.core.trace import read_trace, write_trace
from sim.play import load, play, vocabularies
from sim.scenario.load import shipped_scenarios
from sim.scenario.parse import parse_scenario
from sim.scenario.playing.result import Result
from sim.scenario.transcribe import transcribe
from tests.check.coming_back import comes_back, drawn, lost
from tests.check.logs import Story, played, written
from tests.cli.screens import Shell

RECORDINGS = sorted((Path(__file__).parent / "recordings").glob("*.jsonl"))


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_every_host_writes_and_gets_what_it_did_in_a_session_with_faults(path):
    again = comes_back(path)
    assert lost(again) == lost(read_trace(path).events)


def of(name: str) -> Path:
    return next(path for path in RECORDINGS if path.stem == name)


def test_the_recordings_hold_every_fault_that_befalls_frames():
    told = "".join(drawn(path) for path in RECORDINGS)
    for fault in ("lose", "duplicate", "delay", "hold", "release", "heal"):
        assert f"@fault {fault} D.slack#" in told
    assert "silent" in told
    assert "#1 rst" in told
    assert "#1 fin" in told


def test_no_desktop_says_anything_before_its_welcome_has_come():
    for path in RECORDINGS:
        events = comes_back(path)
        types = {e.sent: e.type for e in events if isinstance(e, FrameDelivered)}
        first: dict[str, str] = {}
        for event in events:
            if isinstance(event, FrameDelivered) and event.receiver == "D":
                first.setdefault(event.link, types[event.sent])
        assert set(first.values()) == {"welcome"}


def test_who_closes_says_its_code_and_reason_again():
    [*_, last] = [e for e in comes_back(of("serve-strikes")) if isinstance(e, ConnectionClosed)]
    assert (last.code, last.reason, last.by) == (1001, "the server is going away", "S")


def test_connections_and_devices_keep_the_names_of_the_recording(tmp_path):
    trace = tmp_path / "two.jsonl"
    write_trace(trace, play(load("two-desktops"), driver="step").trace)
    text = drawn(trace)
    for lane in ("D1.slack#1", "D2.slack#1"):
        assert f'"link":"{lane}"' in text
    comes_back(trace)


def test_many_connections_that_nobody_says_to_have_closed_are_told_in_one_line(
    shell: Shell, tmp_path
):
    lines = []
    for number in range(5):
        [ping] = Story(conn=f"c{number}").up("ping").lines()
        closed = {"ts": 1_764_465_601, "event": "close", "conn": f"c{number}", "code": 4000}
        lines += [ping, json.dumps(closed)]
    told = shell("diagram", written(tmp_path, lines))
    assert told.code == 0
    assert "c0, c1 and 3 more were closed with code 4000" in told.err
    assert told.err.count("not drawn") == 1


def test_an_act_on_a_connection_that_is_not_there_fails_with_its_line():
    text = drawn(of("proxy-strikes")).replace("@puppet D\n", "@puppet D pong\n")
    line = next(line for line in text.splitlines() if '"puppet-dials"' in line)
    result = play(parse_scenario(text.replace(line, ""), "x.mmd", vocabularies()), driver="step")
    assert "D has no connection D.slack#1 now" in str(result)


def run(text: str) -> Result:
    return play(parse_scenario(text, "x.mmd", vocabularies()), driver="step")


def texts(result: Result, kind: str) -> list[str]:
    """The payloads of the frames of a type that were written, without what differs by run."""
    payloads = [e.frame.wire["payload"] for e in result.trace.events
                if isinstance(e, FrameSent) and e.frame.type == kind]  # fmt: skip
    return [f"{p['requestId']} {p['status']} {p['finalText']}" for p in payloads]


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_without_its_puppet_line_a_desktop_is_a_twin_whose_agent_does_what_the_log_has(path):
    text = drawn(path)
    first = run(text)
    again = run(text.replace("    %% @puppet D\n", ""))
    assert (again.failures, again.violations) == ((), ())
    cancelled = {e.frame.wire["payload"]["requestId"] for e in first.trace.events
                 if isinstance(e, FrameSent) and e.frame.type == "task.cancel"}  # fmt: skip
    wanted = {end for end in texts(first, "turn.end") if end.split()[0] not in cancelled}
    assert wanted <= set(texts(again, "turn.end"))


def test_a_twin_ends_a_task_that_is_cancelled_whatever_the_log_has_said_of_it():
    again = run(drawn(of("serve-strikes")).replace("    %% @puppet D\n", ""))
    assert " cancelled " in texts(again, "turn.end")[-1]


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_without_its_puppet_line_the_server_is_a_twin_that_greets_whoever_comes(path):
    again = run(drawn(path).replace("    %% @puppet S\n", ""))
    assert again.failures == ()
    sent = [e for e in again.trace.events if isinstance(e, FrameSent) and e.sender == "S"]
    assert {e.frame.type for e in sent} >= {"welcome", "bind.state"}


@pytest.mark.parametrize("host", ["S", "D"])
def test_a_run_with_a_twin_in_place_of_a_puppet_is_written_back_with_the_same_digest(host):
    first = run(drawn(of("serve-strikes")).replace(f"    %% @puppet {host}\n", ""))
    assert run(transcribe(first.trace)).digest == first.digest


def test_an_arrow_out_of_a_twin_tells_its_agent_though_puppets_are_told_everything():
    lines = [line for line in drawn(of("connect-through-faults")).splitlines()
             if "@act D" not in line and "@puppet D" not in line
             and "@fault" not in line and "Note over D" not in line]  # fmt: skip
    dispatched = next(n for n, line in enumerate(lines) if "S to D, task.dispatch" in line)
    end = '    D->>S: turn.end (requestId=R1, finalText="My own")'
    result = run("\n".join([*lines[: dispatched + 1], end, ""]))
    assert result.failures == ()
    assert texts(result, "turn.end")[0].endswith(" ok My own")


@pytest.mark.deep
@pytest.mark.parametrize("name", sorted(shipped_scenarios()))
def test_every_shipped_scenario_comes_back_from_its_frames(name, tmp_path):
    trace = tmp_path / "run.jsonl"
    write_trace(trace, played(name))
    if "were written on closed connections" in drawn(trace):
        pytest.skip("it says itself that frames are missing")
    comes_back(trace)
