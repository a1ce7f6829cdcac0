"""Recordings of a bridge: what real services asked and answered is played again by puppets."""

from __future__ import annotations

import json

import msgspec
import pytest

from sim.core.event import Acted, CallIssued, HostStarted, Saved
from sim.core.trace import Trace, decode_event, encode_event
from sim.play import load, play, vocabularies
from sim.protocols.question.constants import KINDS, OPENCODE, TELEGRAM
from sim.protocols.question.telegram.plan import CHAT
from sim.scenario.parse import parse_scenario
from sim.scenario.transcribe import transcribe

REPLY = "/reply"


def recorded(name: str, chat: str = CHAT) -> Trace:
    """A run as a bridge would have recorded it: people and services are not in its world."""
    trace = play(load(name), driver="step").trace
    names = {host: kind for host, kind in trace.header.hosts if kind in KINDS}
    header = msgspec.structs.replace(
        trace.header,
        outside=(OPENCODE, TELEGRAM),
        source="",
        hosts=tuple(names.items()),
    )
    calls = {e.n for e in trace.events if type(e) is CallIssued and e.caller not in names}
    kept = [
        decode_event(encode_event(event).replace(CHAT.encode(), chat.encode()))
        for event in trace.events
        if type(event) is not Acted
        and getattr(event, "call", -1) not in calls
        and event.n not in calls
        and (type(event) is not HostStarted or event.host in names)
    ]
    return Trace(header, kept)


def replies(trace: Trace) -> list[object]:
    asked = (e.request for e in trace.events if type(e) is CallIssued)
    plain = [msgspec.to_builtins(request) for request in asked]
    return [one["body"] for one in plain if str(one.get("path")).endswith(REPLY)]


@pytest.mark.parametrize(
    ("name", "chat"),
    [
        ("custom-answer", CHAT),
        ("answer-from-the-phone", "-1009876543210"),
        ("somebody-else-writes", CHAT),
        ("killed-at-work", CHAT),
    ],
)
def test_a_recording_of_a_bridge_is_played_again_with_its_services_as_puppets(name, chat):
    trace = recorded(name, chat)
    text = transcribe(trace)
    assert "%% @puppet OC\n" in text
    assert "%% @puppet TG\n" in text
    again = play(parse_scenario(text, "again.mmd", vocabularies()), driver="step")
    assert again.ok, again
    assert replies(again.trace) == replies(trace) != []


@pytest.mark.parametrize(
    ("suffix", "line"),
    [
        ("", '%% @act P {{"is":"break","text":{0}}}'),
        (".lock", '%% @act P {{"is":"leave-lock","owner":"killed#1","age_ms":0,"text":{0}}}'),
        (".listener", "%% (not repeated) another process had hermes-pending.json.listener"),
    ],
)
def test_what_another_process_did_to_the_files_is_done_again_or_said(suffix, line):
    trace = recorded("custom-answer")
    read = next(e for e in trace.events if type(e) is CallIssued and _reads(e))
    text = '{"0a4a38d9":{"type":"question"}}'
    path = msgspec.to_builtins(read.request)["path"] + suffix
    place = trace.events.index(read) + 1
    trace.events.insert(place, Saved(read.n, read.at, read.n, read.callee, path, text))
    assert line.format(json.dumps(text)) in transcribe(trace)


def _reads(event: CallIssued) -> bool:
    request = msgspec.to_builtins(event.request)
    return request.get("is") == "read-file" and request["path"].endswith(".json")
