"""Recordings of real sessions with faults: their diagrams say the same, to the same, in order."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sim.core.event import ConnectionClosed, FrameDelivered
from sim.core.trace import read_trace, write_trace
from sim.play import load, play, vocabularies
from sim.scenario.load import shipped_scenarios
from sim.scenario.parse import parse_scenario
from tests.check.coming_back import comes_back, drawn, lost
from tests.check.logs import Story, written
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


def test_a_twin_is_not_told_to_speak_as_a_puppet():
    text = drawn(of("proxy-strikes")).replace("    %% @puppet D\n", "")
    result = play(parse_scenario(text, "x.mmd", vocabularies()), driver="step")
    assert "D is a twin, and speaks for itself: write @puppet D, or an arrow" in str(result)


@pytest.mark.deep
@pytest.mark.parametrize("name", sorted(shipped_scenarios()))
def test_every_shipped_scenario_comes_back_from_its_frames(name, tmp_path):
    trace = tmp_path / "run.jsonl"
    write_trace(trace, play(load(name), driver="step").trace)
    if "were written on closed connections" in drawn(trace):
        pytest.skip("it says itself that frames are missing")
    comes_back(trace)
