"""What strangers put into recordings and logs, and who is blamed for the end of a connection."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from sim.check import source
from sim.check.checking import Wanted, check_file
from sim.check.clock import read_time
from sim.check.diagram import scenario_of, seen_in
from sim.check.judge import FrameJudge
from sim.core.errors import UsageError
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


def test_a_first_line_that_is_too_long_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(source, "LONGEST", 40_000)
    log = tmp_path / "a.log"
    log.write_bytes(b"x" * 50_000 + b"\n" + PROGRESS.encode() + b"\n")
    report = check_file(str(log), Wanted())
    assert [(one.line, "longer than" in one.error) for one in report.bad] == [(1, True)]
    assert report.frames == 1


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le"])
def test_wide_characters_are_told_by_their_name(tmp_path, encoding):
    (tmp_path / "a.log").write_bytes(PROGRESS.encode(encoding))
    with pytest.raises(UsageError, match="UTF-16 or UTF-32; save it as UTF-8"):
        check_file(str(tmp_path / "a.log"), Wanted())


@pytest.mark.parametrize("data", [b"\x1f\x8bxxxx", gzip.compress(b"{}\n" * 99, mtime=0)[:-9]])
def test_a_packed_log_that_is_damaged_is_told_to_be(tmp_path, data):
    (tmp_path / "a.log.gz").write_bytes(data)
    with pytest.raises(UsageError, match="cannot read on"):
        check_file(str(tmp_path / "a.log.gz"), Wanted())


def add(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def followed(path: Path, *deeds: Callable[[], object]) -> list[bytes]:
    """The lines that come while these things happen, one at each look."""
    left = iter(deeds)

    def wait() -> None:
        deed = next(left, None)
        if deed is None:
            raise KeyboardInterrupt
        deed()

    lines: list[bytes] = []
    with suppress(KeyboardInterrupt):
        lines.extend(one[1] for one in source.follow(str(path), wait) if one is not None)
    return lines


def test_a_log_that_is_rotated_is_followed_into_the_next_file(tmp_path):
    path = tmp_path / "a.log"
    path.write_bytes(b"one\ntwo\n")
    lines = followed(
        path,
        lambda: path.rename(tmp_path / "a.log.1"),
        lambda: add(tmp_path / "a.log.1", b"three\n"),
        lambda: path.write_bytes(b"4\n"),
        lambda: None,
        lambda: add(path, b"5\n"),
        lambda: None,
    )
    assert lines == [b"one", b"two", b"three", b"4", b"5"]


def test_a_log_that_is_emptied_is_followed_from_its_start(tmp_path):
    path = tmp_path / "a.log"
    path.write_bytes(b"one\ntwo\n")
    lines = followed(path, lambda: path.write_bytes(b"1\n"), lambda: None, lambda: None)
    assert lines == [b"one", b"two", b"1"]


def test_a_packed_log_is_not_followed(tmp_path):
    path = tmp_path / "a.log.gz"
    path.write_bytes(gzip.compress(b"one\n"))
    with pytest.raises(UsageError, match="does not grow"):
        followed(path)


def test_a_frame_that_is_nested_deeply_is_drawn_as_its_text(tmp_path):
    text = PROGRESS.replace('"\\ud800"', '"x","z":' + "[" * 900 + "]" * 900)
    (tmp_path / "a.log").write_text(text + "\n")
    conns, _ = seen_in(str(tmp_path / "a.log"))
    assert "[" * 900 in scenario_of(conns, "a.log")


def test_a_trace_with_a_damaged_head_is_judged_as_it_was_begun(tmp_path: Path) -> None:
    """A frame of another protocol in it changed whose rules were told, not who judged."""
    path = tmp_path / "run.jsonl"
    path.write_text(
        '{"hooktwin":1,"scenario":"x","protocol":"hook","seed":1,"driver":"step","without":[],"so\n'
        '{"protocolVersion": "1.0", "messageType": "event", "requestId": "A-6", "timestamp": '
        '"2026-01-01T00:00:01.250Z", "senderRole": "relay", "payload": {"type": "lock_renewed"}}\n'
        '{"kind":"ConnectionOpened","n":5,"at":5,"cause":4,"link":"D.slack#1","client":"D",'
        '"server":"S","lane":"slack"}\n'
        '{"kind":"FrameSent","n":11,"at":21,"cause":10,"link":"D.slack#1","sender":"D",'
        '"receiver":"S","nth":2,"frame":{"v":1,"type":"lifecycle.preference","id":"D-2","ts":1,'
        '"payload":{"enabled":false}}}',
        encoding="utf-8",
    )
    assert check_file(path, Wanted()).found
