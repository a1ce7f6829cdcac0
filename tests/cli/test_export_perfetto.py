"""``hooktwin export perfetto``: a run as a trace that trace viewers take."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from sim.cli.exporting.perfetto import perfetto_of
from sim.cli.exporting.runs import subject_of
from sim.core import event as events
from tests.cli.hostile import write_hostile
from tests.cli.screens import Shell

NAMES = ("cut-redelivers", "lock-with-lease", "answer-from-the-phone")


@cache
def told(name: str) -> tuple[list[dict[str, Any]], Any]:
    subject = subject_of(name)
    return json.loads("".join(perfetto_of(subject)))["traceEvents"], subject.trace


def of(rows: list[dict[str, Any]], *phases: str) -> list[dict[str, Any]]:
    return [row for row in rows if row["ph"] in phases]


@pytest.mark.parametrize("name", NAMES)
def test_hosts_are_processes_and_their_activities_never_overlap_on_a_thread(name: str) -> None:
    rows, trace = told(name)
    processes = {r["pid"]: r["args"]["name"] for r in of(rows, "M") if r["name"] == "process_name"}
    for host, kind in trace.header.hosts:
        assert f"{host} ({kind})" in processes.values()
    threads = {(r["pid"], r["tid"]) for r in of(rows, "M") if r["name"] == "thread_name"}
    lanes = defaultdict(list)
    for row in of(rows, "X"):
        lanes[row["pid"], row["tid"]].append((row["ts"], row["ts"] + row["dur"]))
    assert set(lanes) == threads
    assert len({tid for _, tid in threads}) == len(threads)
    assert 0 not in {number for row in rows for number in (row["pid"], row["tid"])}
    for spans in lanes.values():
        spans.sort()
        assert all(end <= begin for (_, end), (begin, _) in pairwise(spans))


@pytest.mark.parametrize("name", NAMES)
def test_every_event_is_there_once_with_its_content(name: str) -> None:
    rows, trace = told(name)
    seen = [row["args"]["n"] for row in of(rows, "i") if "n" in row["args"]]
    assert seen == list(range(trace.count))
    for row in of(rows, "i"):
        event = trace.event(row["args"]["n"])
        assert row["ts"] == event.at
        if isinstance(event, events.FaultInjected):
            assert (row["s"], row["name"]) == ("g", event.fault)
        if isinstance(event, events.FrameSent):
            assert row["args"]["frame"] == event.frame


@pytest.mark.parametrize("name", NAMES)
def test_frames_and_calls_flow_from_one_activity_into_another(name: str) -> None:
    rows, trace = told(name)
    slices = defaultdict(list)
    for row in of(rows, "X"):
        slices[row["pid"], row["tid"]].append((row["ts"], row["ts"] + row["dur"]))
    began = {row["id"]: row for row in of(rows, "s")}
    assert all(type(row["id"]) is int for row in of(rows, "s", "f"))
    ended = of(rows, "f")
    kinds = Counter(type(trace.event(n)) for n in range(trace.count))
    arrived = sum(row["cat"] == "frame" for row in ended)
    assert arrived == kinds[events.FrameDelivered]
    assert len(began) == len(of(rows, "s"))
    for row in ended:
        start = began[row["id"]]
        assert start["ts"] <= row["ts"]
        assert start["pid"] != row["pid"]
    for row in of(rows, "s", "f"):
        assert any(a <= row["ts"] <= b for a, b in slices[row["pid"], row["tid"]]), row


@pytest.mark.parametrize("name", NAMES)
def test_what_begins_ends_and_lasts_as_long_as_the_run_says(name: str) -> None:
    rows, trace = told(name)
    began = {(row["cat"], row["id"]): row for row in of(rows, "b")}
    ended = {(row["cat"], row["id"]): row for row in of(rows, "e")}
    assert set(began) == set(ended)
    assert all(began[key]["ts"] <= ended[key]["ts"] for key in began)
    assert all(began[key]["name"] == ended[key]["name"] for key in began)
    calls = [e for n in range(trace.count) if isinstance(e := trace.event(n), events.CallAnswered)]
    for event in calls:
        assert ended["call", f"call {event.call}"]["ts"] == event.at
    assert calls or name == "lock-with-lease"  # nobody calls anybody there
    links = {e.link for n in range(trace.count)
             if isinstance(e := trace.event(n), events.ConnectionOpened)}  # fmt: skip
    assert {id for kind, id in began if kind == "connection"} == links


def test_one_activity_is_what_a_host_did_of_one_cause(shell: Shell) -> None:
    rows, _ = told("cut-redelivers")
    pids = {r["args"]["name"]: r["pid"] for r in of(rows, "M") if r["name"] == "process_name"}
    server = [row for row in of(rows, "X") if row["pid"] == pids["S (server)"]]
    said = next(row for row in server if row["name"] == "said")
    within = [
        row["name"] for row in of(rows, "i")
        if (row["pid"], row["tid"]) == (said["pid"], said["tid"])
        and said["ts"] <= row["ts"] <= said["ts"] + said["dur"]
    ]  # fmt: skip
    assert "sends task.dispatch" in within
    assert "asks IM: post" in within
    assert "IM answers" in within


def test_what_broke_stands_over_everything(shell: Shell) -> None:
    race = ("reopen-teardown", "--without", "ownership-at-write")
    said = shell("export", "perfetto", *race)
    assert said.code == 0
    rows = json.loads(said.out)["traceEvents"]
    [broken] = [row for row in rows if row.get("cat") == "invariant"]
    assert broken["name"] == "✗ close-out-respects-owner"
    assert broken["s"] == "g"
    assert said.out == shell("export", "perfetto", *race).out


def test_a_recording_whose_texts_want_to_act_is_exported_like_any_other(
    shell: Shell, tmp_path: Path
) -> None:
    trace, out = tmp_path / "hostile.jsonl", tmp_path / "out.json"
    write_hostile(trace)
    assert shell("export", "perfetto", trace, "--out", out).code == 0
    text = out.read_text("ascii")
    assert json.loads(text)["traceEvents"]
    assert shell("export", "perfetto", trace).out.isascii()
    trace.write_bytes(trace.read_bytes()[:-30] + b'"\n')
    said = shell("export", "perfetto", trace, "--out", out)
    assert (said.code, str(trace) in said.err) == (2, True)
