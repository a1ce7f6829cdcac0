"""Logs of the relay protocol: found by their frames, judged, and drawn."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sim.check.checking import check_file
from sim.check.diagram import all_seen_in, scenario_of
from sim.check.judge import FrameJudge
from sim.check.protocols import judged
from sim.check.wanted import Wanted
from sim.core.errors import UsageError
from sim.core.event import ConnectionClosed, ConnectionOpened, Event
from sim.core.trace import write_trace
from sim.play import load, play
from sim.protocols.relay.catalogue.tale import Tale
from sim.protocols.relay.catalogue.tales import TALES
from sim.protocols.relay.invariants import INVARIANTS
from sim.scenario.load import shipped_scenarios
from sim.wire.encode import encode_json
from tests.check.coming_back import comes_back
from tests.check.logs import Story, written
from tests.check.observing import PLACES, KeepsEvents, Observer
from tests.cli.screens import Shell
from tests.protocols.relay.frames_for_tests import changed, golden_files, without

SHIPPED = sorted(name for name, path in shipped_scenarios().items() if "relay" in path[0].parts)
QUICK = ("first-hello-then-auth", "node-goes-away", "race-poison")
FAULTY = {
    "race-poison": "controller-frames-pass-the-parser",
    "race-nonce-again": "nonces-are-fresh",
}
"""Scenarios in which a controller is told to do what is wrong."""


def some(names: list[str]) -> list[Any]:
    """Few of them by default, all of them in the deep run."""
    return [pytest.param(name, marks=() if name in QUICK else pytest.mark.deep) for name in names]


def test_there_are_relay_scenarios_to_look_at():
    assert set(QUICK) < set(SHIPPED)


@pytest.fixture
def traced(tmp_path: Path):
    """The trace of a shipped scenario, in a file."""

    def trace(name: str) -> Path:
        path = tmp_path / "run.jsonl"
        write_trace(path, play(load(name), driver="step").trace)
        return path

    return trace


@pytest.mark.parametrize("name", SHIPPED)
def test_the_trace_of_a_relay_scenario_gives_no_false_finding(name, traced):
    report = check_file(str(traced(name)), Wanted())
    assert report.frames
    wrong = {FAULTY[name]} if name in FAULTY else set()
    assert {one.finding.rule for one in report.found} == wrong


@pytest.mark.parametrize("name", some(SHIPPED))
def test_the_diagram_of_its_frames_says_them_again(name, traced):
    comes_back(traced(name))


# -- frames of logs ----------------------------------------------------------------------


def said(family: str, sender: str = "", /, **payload: Any) -> dict[str, Any]:
    """A good frame under requestId f-1; ``sender`` "" is whoever usually sends it."""
    wire = changed(family, **payload)
    return {**wire, "senderRole": sender} if sender else wire


NODE = said("hello", "node")
HELLO = {**without("hello", "nodeId"), "senderRole": "controller"}
HELLO["payload"]["role"] = "controller"
GREETED = [
    ("send", HELLO),
    ("recv", said("hello_ack")),
    ("send", said("auth", "controller")),
    ("recv", said("auth_ack")),
]
ASKED = [("send", said("command")), ("recv", said("result"))]


def lines_of(frames: Any, conn: str = "A") -> list[str]:
    return [
        json.dumps(
            {"ts": 1_800_000_000 + n / 10, "dir": way, "conn": conn, "raw": encode_json(wire)}
        )
        for n, (way, wire) in enumerate(frames)
    ]


def found_in(path: Any, **wanted: Any) -> list[tuple[int, str, str]]:
    report = check_file(str(path), Wanted(**wanted))
    return [(one.line, one.finding.side, one.finding.rule) for one in report.found]


def test_what_a_log_speaks_is_seen_in_its_frames(tmp_path):
    path = written(tmp_path, lines_of(GREETED + ASKED))
    report = check_file(str(path), Wanted())
    assert report.found == ()
    assert (report.frames, report.connections) == (6, 1)
    names = {rule.rule for rule in report.rules}
    assert names == set(judged("relay").rules)


def test_frames_alone_without_a_word_of_anybody_are_told_apart_by_who_signs_them(tmp_path):
    path = written(tmp_path, [encode_json(wire) for _, wire in GREETED + ASKED])
    report = check_file(str(path), Wanted())
    assert (report.frames, report.found) == (6, ())
    seen, _ = all_seen_in(str(path))
    assert [frame.up for frame in seen.conns[0].frames] == [True, False, True, False, True, False]


def test_prose_before_the_first_frame_does_not_hide_what_is_spoken(tmp_path):
    before = ["2026-11-30T08:00:00Z starting", json.dumps({"msg": "listening", "level": "info"})]
    path = written(tmp_path, before + lines_of(GREETED))
    report = check_file(str(path), Wanted())
    assert (report.frames, len(report.bad), report.found) == (4, 2, ())


def test_each_role_obeys_its_own_rules(tmp_path):
    wrong = said("auth", "controller")
    path = written(tmp_path, lines_of([("send", NODE), ("send", wrong)], "N"))
    assert found_in(path) == [(2, "node", "nodes-are-honest")]


def test_a_frame_that_is_malformed_is_a_finding_about_the_role_of_its_connection(tmp_path):
    bad = {**said("pong", "node"), "timestamp": "yesterday"}
    path = written(tmp_path, lines_of([("send", NODE), ("send", bad)], "N"))
    assert found_in(path) == [(2, "node", "node-frames-pass-the-parser")]


def test_a_log_that_mixes_protocols_says_so(tmp_path):
    path = written(tmp_path, Story().greet().lines() + lines_of(GREETED[:1], "c1"))
    report = check_file(str(path), Wanted())
    assert any("frames look like those of the relay protocol" in note for note in report.notes)
    other = check_file(str(path), Wanted(protocol="relay"))
    assert any("2 frames look like those of the hook protocol" in note for note in other.notes)


def test_a_rule_that_only_another_protocol_has_is_refused_with_the_log(tmp_path):
    path = written(tmp_path, lines_of(GREETED))
    assert found_in(path, rules=("OT-03",)) == []
    with pytest.raises(UsageError, match="no rule about frames is called 'HK-06'"):
        check_file(str(path), Wanted(rules=("HK-06",)))
    with pytest.raises(UsageError, match="'XX-01'"):
        check_file(str(path), Wanted(rules=("XX-01",)))


def test_recordings_that_name_their_actors_and_milliseconds_are_read(tmp_path):
    lines = [
        json.dumps({"at_ms": 10.5 * n, "who": "controllerA", "dir": way, "frame": wire})
        for n, (way, wire) in enumerate(GREETED)
    ]
    seen, bad = all_seen_in(str(written(tmp_path, lines)))
    assert bad == []
    assert [(conn.name, conn.lane) for conn in seen.conns] == [("controllerA", "controller")]


def test_the_diagram_of_a_log_names_controllers_and_nodes(tmp_path):
    path = written(tmp_path, lines_of(GREETED, "one") + lines_of([("send", NODE)], "two"))
    seen, _ = all_seen_in(str(path))
    text = scenario_of(seen.conns, "x.log", seen.others, seen.protocol.name)
    for told in ("@protocol relay", "@host R relay", "@host A controller", "@host N node"):
        assert told in text
    assert "A to R, hello (requestId=Q1)" in text


def test_the_commands_take_a_protocol_by_name(shell: Shell, tmp_path):
    path = written(tmp_path, lines_of(GREETED))
    assert shell("check", path, "--protocol", "relay").code == 0
    other = shell("check", path, "--protocol", "hook")
    assert (other.code, "--protocol relay judges them" in other.out) == (2, True)
    assert "@protocol relay" in shell("diagram", path).out
    told = shell("check", path, "--protocol", "morse")
    assert (told.code, "hook" in told.err, "relay" in told.err) == (2, True, True)


# -- what frames alone can show broken -------------------------------------------------------


def broken_by(lane: str, *frames: tuple[bool, Any]) -> list[str]:
    judge = FrameJudge("relay")
    judge.opened(0, "c", "P", "R", lane)
    for n, (up, wire) in enumerate(frames):
        judge.passed(n * 1_000, "c", up, encode_json(wire))
    judge.finish()
    return [one.rule for one in judge.findings]


ERROR = said("error", "relay")


@pytest.mark.parametrize(
    ("rule", "lane", "up", "wire"),
    [
        ("relays-send-their-families", "node", False, said("result", "node")),
        ("nodes-are-honest", "node", True, said("pong", "controller")),
        ("controllers-are-honest", "controller", True, said("pong", "node")),
        ("errors-have-their-category", "controller", False, said("error", retryable=False)),
        ("relay-frames-pass-the-parser", "node", False, {**ERROR, "requestId": 7}),
        ("node-frames-pass-the-parser", "node", True, {**ERROR, "requestId": 7}),
        ("controller-frames-pass-the-parser", "controller", True, {**ERROR, "requestId": 7}),
    ],
    ids=lambda value: value if isinstance(value, str) and "-" in value else "",
)
def test_each_rule_about_frames_can_be_broken_by_them(rule, lane, up, wire):
    assert broken_by(lane, (up, wire)) == [rule]


class Kept(KeepsEvents, Tale):
    """A tale of this protocol that keeps its events."""


def seen_of(told, bad: bool) -> set[str]:
    """Which rules an observer of the frames of a tale sees broken."""
    tale = Kept(next(one for one in INVARIANTS if one.name == told.invariant))
    told.story(tale, bad)
    tale.finish()
    return {one.rule for one in Observer(FrameJudge("relay")).watch(tale.kept).findings}


RULES = {one.name for one in judged("relay").invariants}
NOT_IN_FRAMES = {
    "command without an end": "what has not come yet may be under way",
    "conflict with the time of the asker": "which lease a request has met",
    "test without a hook": "which commands a node has",
}
TOLD = [told for told in TALES if told.invariant in RULES and told.name not in NOT_IN_FRAMES]


@pytest.mark.parametrize("told", TOLD, ids=lambda told: told.name)
def test_what_a_tale_does_wrong_is_seen_in_its_frames(told):
    assert told.invariant not in seen_of(told, bad=False)
    assert told.invariant in seen_of(told, bad=True)


def test_every_rule_about_frames_is_shown_broken_by_a_tale():
    assert {told.invariant for told in TOLD} == RULES


# -- logs that do not show everything --------------------------------------------------------


def parts_of(events: list[Event]) -> Iterator[tuple[str, list[Event]]]:
    """What the log of one peer has, and logs that begin when much has happened."""
    links = {one.link: one.client for one in events if isinstance(one, ConnectionOpened)}
    for client in dict.fromkeys(links.values()):
        mine = [one for one in events if links.get(getattr(one, "link", ""), client) == client]
        yield f"only {client}", mine
    for share in (3, 2):
        at = len(events) // share
        over = {one.link for one in events[:at] if isinstance(one, ConnectionClosed)}
        there = [
            one for one in events[:at] if isinstance(one, ConnectionOpened) and one.link not in over
        ]
        yield f"from step {at}", [*there, *events[at:]]


@pytest.mark.parametrize("name", some(SHIPPED))
def test_no_log_of_one_peer_and_none_that_begins_late_gives_a_false_finding(name):
    scenario = load(name)
    puppets = {one.kind for one in scenario.participants if one.puppet is not None}
    events = list(play(scenario, driver="step").trace.events)
    wrong = {FAULTY.get(name)}
    found = []
    for part, seen in parts_of(events):
        for place, closings in itertools.product(PLACES, (True, False)):
            judge = FrameJudge("relay", sides=judged("relay").sides - puppets)
            Observer(judge, place, True, closings).watch(seen)
            texts = [f"{one.rule}: {one.text}" for one in judge.findings if one.rule not in wrong]
            found += [f"{part}, {place}: {text}" for text in texts]
    assert found == []


def told(*frames: tuple[str, bool, Any]) -> list[str]:
    """What is found in frames of controller A and node N at a relay, both greeted before."""
    judge = FrameJudge("relay")
    for conn, role, named in (("A", "controller", "controllerId"), ("N", "node", "nodeId")):
        judge.opened(0, conn, conn, "R", role)
        ack = said("auth_ack", "relay")
        ack["payload"] = {"accepted": True, "role": role, "scopes": ["*"], named: conn}
        hello = {**HELLO, "senderRole": role, "payload": {"role": role, "capabilities": []}}
        for up, wire in ((True, hello), (False, said("hello_ack")), (True, said("auth", role))):
            judge.passed(0, conn, up, encode_json(wire))
        judge.passed(0, conn, False, encode_json(ack))
    for n, (conn, up, wire) in enumerate(frames, 1):
        judge.passed(n * 1_000, conn, up, encode_json(wire))
    return [one.rule for one in judge.findings]


COMMAND = said("command", targetNodeId="N")
QUEUED = {**said("event", "relay"), "payload": {
    "type": "queued", "targetNodeId": "N", "tabSessionId": "T1", "queueDepth": 1}}  # fmt: skip
FAILED = {**said("error", "node"), "payload": {
    "category": "execution", "code": "command_failed", "message": ""}}  # fmt: skip
LOST = {**ERROR, "payload": {
    "category": "execution", "code": "node_disconnected", "message": "", "retryable": True,
}}  # fmt: skip
LOCKED = {**ERROR, "payload": {
    "category": "lock_conflict", "code": "tab_locked", "message": "", "retryable": True,
}}  # fmt: skip
WAITS = [("A", True, COMMAND), ("A", False, QUEUED)]
RUNS = [("N", False, COMMAND), ("N", True, FAILED), ("A", False, FAILED)]


def test_a_refusal_under_the_request_id_of_a_waiting_command_is_not_its_end():
    lock = [("A", True, said("tab_lock")), ("A", False, LOCKED)]
    assert told(*WAITS, *lock, *RUNS) == []
    assert told(*WAITS, *lock, *RUNS, ("A", False, LOST)) == ["one-terminal-per-command"]


def test_a_frame_that_a_log_tells_twice_has_used_its_nonce_once():
    later = {**COMMAND, "requestId": "f-2"}
    assert told(("A", True, COMMAND), ("A", True, COMMAND)) == []
    assert told(("A", True, COMMAND), ("A", True, later)) == ["nonces-are-fresh"]


def test_two_commands_with_one_request_id_may_have_two_ends():
    again = said("command", targetNodeId="N", replayNonce="another")
    assert told(*WAITS, *RUNS, ("A", True, again), ("A", False, LOST)) == []


def test_what_was_over_for_its_controller_is_not_sent_and_another_may_have_its_request_id():
    gone = [
        *WAITS,
        ("A", False, {**LOST, "payload": {**LOST["payload"], "code": "command_cancelled"}}),
    ]
    assert told(*gone, ("N", False, COMMAND)) == ["given-up-work-never-runs"]
    assert told(*gone, ("N", False, said("command", targetNodeId="N", replayNonce="other"))) == []


GOLDEN = {
    "12-timestamp-skew": {"lock-events-carry-the-lease"},
    "13-nonce-forgotten-future-stamp": {"nonces-are-fresh"},
    "15-controller-disconnect-with-queue": {"lock-events-carry-the-lease"},
    "17-lock-conflict-renew-release": {"lock-events-carry-the-lease"},
    "37-idempotency-node-ledger": {"nodes-answer-once"},
}
"""What real programs do wrong behind the envelope, as the index of the recordings says too."""
OF_ONE_FRAME = {
    "errors-have-their-category", "nodes-are-honest", "controllers-are-honest",
    "relays-send-their-families", "results-fit-their-action",
}  # fmt: skip


@pytest.mark.parametrize("file", golden_files(), ids=lambda file: file.stem)
def test_recordings_of_real_programs_break_the_rules_that_they_are_known_to_break(file):
    report = check_file(str(file), Wanted())
    broken = {one.finding.rule for one in report.found if not one.finding.is_wire}
    assert broken - OF_ONE_FRAME == GOLDEN.get(file.stem, set())
