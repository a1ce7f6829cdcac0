"""``hooktwin export pcapng``: what crossed in a run, as packets that Wireshark takes."""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from sim.cli.exporting.capture import pcapng_of
from sim.cli.exporting.runs import Subject, subject_of
from sim.core import event as events
from sim.core.trace import Header, Trace
from sim.view.tracefile import TraceFile
from sim.world.host import START_MS
from tests.cli.captured import ACK, FIN, RST, SYN, Capture, messages, read, streams
from tests.cli.hostile import write_hostile
from tests.cli.screens import Shell

TEXT, BINARY, CLOSE = 1, 2, 8
RUNS = {"hook": "cut-redelivers", "relay": "lock-with-lease", "question": "answer-from-the-phone"}


def of(subject: Subject) -> bytes:
    return b"".join(pcapng_of(subject))


def captured(*happened: events.Event, **header: object) -> Capture:
    """The capture of a run that is made of these events."""
    made = Header(protocol="hook", hosts=(("S", "server"), ("D", "desktop")), **header)  # type: ignore[arg-type]
    return read(of(Subject(TraceFile.of_trace(Trace(made, happened)))))


def opened(n: int = 0, at: int = 5) -> events.Event:
    return events.ConnectionOpened(n, at, -1, "D.slack#1", "D", "S", "slack")


def sent(n: int, frame: object, *, by_client: bool = True, at: int = 10) -> events.Event:
    ends = ("D", "S") if by_client else ("S", "D")
    return events.FrameSent(n, at, -1, "D.slack#1", *ends, n, frame)


@pytest.mark.parametrize("name", [RUNS["hook"], RUNS["relay"]])
def test_every_frame_of_a_run_crosses_its_connection_masked_by_clients_only(name: str) -> None:
    subject = subject_of(name)
    capture = read(of(subject))
    trace = subject.trace
    wanted = [e for e in map(trace.event, range(trace.count)) if isinstance(e, events.FrameSent)]
    found = []
    for (source, target), stream in streams(capture).items():
        for kind, masked, payload, at_us in messages(stream):
            assert masked == (target[1] == 80)
            if kind == TEXT:
                ends = capture.names[source[0]], capture.names[target[0]]
                found.append((at_us, *ends, json.loads(payload)))
    began = START_MS * 1_000
    assert wanted
    assert sorted(map(repr, found)) == sorted(
        repr((began + one.at, one.sender, one.receiver, one.frame)) for one in wanted
    )


def test_a_connection_begins_with_a_handshake_and_an_upgrade_that_is_answered_rightly() -> None:
    capture = captured(opened())
    flags = [one.flags & (SYN | ACK) for one in capture.packets]
    assert flags == [SYN, SYN | ACK, ACK, ACK, ACK]
    asked, answered = (one.payload.decode() for one in capture.packets[3:])
    assert asked.startswith("GET /slack HTTP/1.1\r\n")
    head = dict(line.split(": ", 1) for line in asked.split("\r\n")[1:-2])
    digest = hashlib.sha1(
        (head["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()
    )
    assert f"Sec-WebSocket-Accept: {base64.b64encode(digest.digest()).decode()}\r\n" in answered
    assert len(base64.b64decode(head["Sec-WebSocket-Key"])) == 16
    assert capture.names == {"10.0.0.1": "S", "10.0.0.2": "D"}


@pytest.mark.parametrize("size", [0, 125, 126, 65_535, 65_536, 200_000])
def test_frames_of_any_size_are_cut_into_segments_and_come_out_whole(size: int) -> None:
    text = "x" * size
    frame = {"type": "(bad)", "text": text}
    capture = captured(opened(), sent(1, frame), sent(2, frame, by_client=False))
    assert max(len(one.payload) for one in capture.packets) <= 1460
    for stream in streams(capture).values():
        [(kind, _, payload, _)] = messages(stream)
        assert (kind, payload) == (TEXT, text.encode())


def test_what_was_no_frame_crosses_as_it_was() -> None:
    binary = "data:application/octet-stream;base64," + base64.b64encode(b"\x00\xff").decode()
    texts = [binary, "data:application/octet-stream;base64,*", "{", "\ud800"]
    frames = [{"type": "(bad)", "text": text} for text in texts]
    capture = captured(opened(), *(sent(n, frame) for n, frame in enumerate(frames, 1)))
    told = [one[:3:2] for stream in streams(capture).values() for one in messages(stream)]
    assert told[:3] == [(BINARY, b"\x00\xff"), (TEXT, texts[1].encode()), (TEXT, b"{")]
    told[3][1].decode()  # what UTF-8 cannot hold is replaced
    lone = captured(opened(), sent(1, {"type": "x", "t": "\ud800"}))
    [payload] = [one[2] for stream in streams(lone).values() for one in messages(stream)]
    assert payload == rb'{"type":"x","t":"\ud800"}'


@pytest.mark.parametrize(
    ("code", "reason", "by", "last"),
    [
        (1006, "rst", "network", ("D", RST)),
        (1006, "fin", "network", ("D", FIN)),
        (1006, "silent", "S", ("S", RST)),
        (4000, "standby 备用" * 20, "S", ("S", FIN)),
        (1005, "", "S", ("S", FIN)),
    ],
)
def test_the_end_of_a_connection_is_told_as_it_was(
    code: int, reason: str, by: str, last: tuple[str, int]
) -> None:
    end = events.ConnectionClosed(1, 20, 0, "D.slack#1", "S", "D", code, reason, by)
    capture = captured(opened(), end)
    packet = capture.packets[-1]
    assert (capture.names[packet.source[0]], packet.flags & (RST | FIN)) == last
    closings = [
        payload for stream in streams(capture).values()
        for kind, _, payload, _ in messages(stream) if kind == CLOSE
    ]  # fmt: skip
    if code == 1006:
        assert not closings
    else:
        [payload] = closings
        said = (int.from_bytes(payload[:2], "big"), payload[2:].decode()) if payload else (1005, "")
        assert len(payload) <= 125
        assert said[0] == code
        assert reason.startswith(said[1])
        assert bool(said[1]) == bool(reason)


def test_refusals_losses_and_arrivals_are_on_the_wire() -> None:
    refused = events.ConnectionRefused(0, 1, -1, "D.slack#1", "D", "S", "slack", 0)
    forbidden = events.ConnectionRefused(1, 2, -1, "D.slack#2", "D", "S", "slack", 401)
    capture = captured(refused, forbidden)
    assert capture.packets[1].flags & RST
    assert capture.packets[-2].payload.startswith(b"HTTP/1.1 401 Unauthorized\r\n")
    lost = events.FrameLost(2, 11, 1, "D.slack#1", "D", "S", 1, "ping", "lost")
    arrived = events.FrameDelivered(4, 30, 3, "D.slack#1", "D", "S", 3, "pong")
    capture = captured(
        opened(), sent(1, {"type": "ping"}), lost, sent(3, {"type": "pong"}, at=20), arrived
    )
    told = [one.comment for one in capture.packets if one.comment]
    assert told[1:] == ["step 1: ping (lost: it never arrives)", "step 3: pong"]
    last = capture.packets[-1]
    assert (last.at_us - START_MS * 1_000, capture.names[last.source[0]]) == (30, "S")
    assert last.heard == streams(capture)[last.target, last.source].next


def test_a_frame_that_arrives_twice_is_on_the_wire_twice() -> None:
    twice = [events.FrameDelivered(n, 10 * n, 1, "D.slack#1", "D", "S", 1, "ping") for n in (2, 3)]
    capture = captured(opened(), sent(1, {"type": "ping"}), *twice)
    told = [
        payload for stream in streams(capture).values() for _, _, payload, _ in messages(stream)
    ]
    assert told == [b'{"type":"ping"}'] * 2
    [copy] = [one for one in capture.packets if "duplicate" in one.comment]
    assert (copy.at_us - START_MS * 1_000, copy.comment) == (
        30, "step 3: ping (once more: a duplicate)",
    )  # fmt: skip


def test_a_question_run_is_http_with_answers_for_every_request_that_got_one() -> None:
    subject = subject_of(RUNS["question"])
    capture = read(of(subject))
    trace = subject.trace
    every = [trace.event(n) for n in range(trace.count)]
    asked = [e for e in every if isinstance(e, events.CallIssued) and e.request.get("is") == "http"]
    heads, bodies = [], []
    for (_, target), stream in streams(capture).items():
        head, _, body = stream.data.partition(b"\r\n\r\n")
        if head and target[1] == 80:
            heads.append(head.decode().split("\r\n")[0])
            if b"Content-Length" in head:
                assert f"Content-Length: {len(body)}" in head.decode()
                bodies.append(json.loads(body))
    assert len(heads) == len(asked) > 5
    assert sum(line.startswith("POST /question/que_1/reply?directory=%2Fproj ") for line in heads)
    assert {"answers": [["A"]]} in bodies


def test_a_live_recording_has_the_time_of_day_that_its_frames_tell() -> None:
    ts = 1_790_000_000_123
    hello = {
        "v": 1, "type": "ping", "id": "f-1", "ts": ts, "payload": {},
    }  # fmt: skip
    capture = captured(opened(), sent(1, {"type": "nobody knows"}), sent(2, hello), driver="live")
    assert capture.packets[-1].at_us == ts * 1_000
    assert captured(opened(), sent(1, hello)).packets[-1].at_us == START_MS * 1_000 + 10
    assert captured(opened(), driver="live").packets[0].at_us == START_MS * 1_000 + 5


def test_frames_of_a_connection_that_nobody_saw_opening_are_there_all_the_same() -> None:
    capture = captured(sent(0, {"type": "ping"}))
    assert [payload for s in streams(capture).values() if s.data.startswith(b"GET")
            for _, _, payload, _ in messages(s)] == [b'{"type":"ping"}']  # fmt: skip


def test_the_same_run_gives_the_same_file_and_a_hostile_one_gives_one_too(
    shell: Shell, tmp_path: Path
) -> None:
    trace = tmp_path / "run.jsonl"
    assert shell("run", "typical", "-q", "--trace", trace).code == 0
    one, two, hostile = (tmp_path / f"{name}.pcapng" for name in ("one", "two", "hostile"))
    assert shell("export", "pcapng", trace, "--out", one).code == 0
    assert shell("export", "pcapng", "typical", "--out", two).code == 0
    assert one.read_bytes() == two.read_bytes()
    write_hostile(tmp_path / "hostile.jsonl")
    assert shell("export", "pcapng", tmp_path / "hostile.jsonl", "--out", hostile).code == 0
    streams(read(hostile.read_bytes()))
    said = shell("export", "pcapng", trace, "--out", trace)
    assert (said.code, "give another name" in said.err) == (2, True)


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
def test_tshark_sees_websocket_and_http_and_nothing_that_is_wrong(tmp_path: Path) -> None:
    for protocol, name in RUNS.items():
        path = tmp_path / f"{protocol}.pcapng"
        subject = subject_of(name)
        path.write_bytes(of(subject))
        checks = ("-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE")
        fields = ("-T", "fields", "-e", "_ws.col.Protocol", "-e", "_ws.expert.message")
        done = subprocess.run(
            ["tshark", "-r", path, *checks, *fields], capture_output=True, text=True, check=True
        )
        rows = [row.split("\t") for row in done.stdout.splitlines()]
        frames = sum(isinstance(subject.trace.event(n), events.FrameSent)
                     for n in range(subject.trace.count))  # fmt: skip
        assert sum(row[0] == "WebSocket" for row in rows) >= frames
        assert any(row[0].startswith("HTTP") for row in rows)
        wrong = [row[1] for row in rows if "alformed" in row[1] or "hecksum" in row[1]]
        assert not wrong
