"""What strangers put into recordings and logs, and who is blamed for the end of a connection."""

from __future__ import annotations

from pathlib import Path

import pytest

from sim.check.checking import Wanted, check_file
from sim.check.clock import read_time
from sim.check.judge import FrameJudge
from sim.core.event import ConnectionOpened, FrameSent
from sim.core.op import OpaqueFrame
from sim.core.trace import Header, Trace, write_trace
from sim.drivers.codec import JsonCodec
from sim.protocols.hook import parse_hook_message

PROGRESS = (
    '{"v":1,"type":"turn.progress","id":"a","ts":1,"payload":{"requestId":"r","text":"\\ud800"}}'
)


def recorded(path: Path, frame: object) -> Path:
    opened = ConnectionOpened(0, 0, -1, "D.slack#1", "D", "S", "slack")
    sent = FrameSent(1, 5, -1, "D.slack#1", "D", "S", 1, frame)
    write_trace(path, Trace(Header(scenario="serve", driver="live"), [opened, sent]))
    return path


@pytest.mark.parametrize(
    "frame",
    [
        pytest.param(JsonCodec(parse_hook_message).decode(PROGRESS), id="good"),
        pytest.param(OpaqueFrame("{\ud800", "no JSON", None), id="bad"),
    ],
)
def test_a_recording_with_a_lone_surrogate_is_read_whole(tmp_path, frame):
    report = check_file(str(recorded(tmp_path / "run.jsonl", frame)), Wanted())
    assert (report.frames, report.bad) == (1, ())


def test_a_time_of_ten_thousand_brackets_is_no_time():
    assert read_time("[" * 10_000) is None


def closed(by: str) -> list[str]:
    judge = FrameJudge()
    judge.opened(0, "c1", client="D", server="S")
    judge.closed(1, "c1", by, 4000, "somebody else's words")
    return [finding.rule for finding in judge.findings]


def test_a_desktop_that_closes_with_the_code_of_standby_is_no_servers_fault():
    assert closed("D") == []


@pytest.mark.parametrize("by", ["S", ""])
def test_a_standby_without_its_words_is_told_once(by):
    assert closed(by) == ["standby-is-told-exactly"]
