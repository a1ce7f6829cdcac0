"""From events to rows, and from rows to a screen: what is told, merged, left out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from rich.cells import cell_len

from sim.cli.drawing.layout import lay_out, lifelines
from sim.cli.drawing.rows import Row, rows_of
from sim.cli.drawing.screen import fit, paint, wrap
from sim.cli.drawing.shorten import HEAD, TAIL, shorten
from sim.cli.drawing.telling import TELLING, Names, tell
from sim.core import event as events
from sim.core.invariant import Violation
from sim.core.trace import Header, Trace
from sim.protocols.hook import MESSAGES
from tests.cli.screens import Shell

HOSTS = (("D", "desktop"), ("S", "server"), ("IM", "slack"))


def trace_of(*happened: events.Event) -> Trace:
    return Trace(Header(scenario="x", hosts=HOSTS), happened)


def sent(n: int, type_name: str, **payload: object) -> events.FrameSent:
    frame = {"v": 1, "type": type_name, "id": "f", "ts": 0, "payload": payload}
    return events.FrameSent(n, n * 1000, -1, "D.slack#1", "D", "S", n, frame)


def came(n: int, frame: events.FrameSent) -> events.FrameDelivered:
    type_name = frame.frame["type"]
    return events.FrameDelivered(n, n * 1000, frame.n, frame.link, "D", "S", frame.n, type_name)


def drawn(rows: list[Row], width: int = 120) -> list[str]:
    layout = lay_out(lifelines(HOSTS, rows), width)
    return [line.plain for line in paint(rows, layout)]


def test_every_message_type_has_its_telling_fields() -> None:
    assert set(TELLING) == set(MESSAGES)
    for type_name, told in TELLING.items():
        declared = {field.name for field in MESSAGES[type_name].FIELDS}
        assert set(told) <= declared, type_name


def test_an_id_is_told_by_the_name_that_the_diagram_gave_it() -> None:
    real = "6c684e7d-0b26-46eb-a147-d1fffcac0310"
    payload = {"requestId": real, "status": "ok", "finalText": "done", "errorMessage": None}
    assert tell("turn.end", payload, Names((("R1", real),))) == 'R1 ok "done"'
    assert tell("turn.end", payload, Names()) == '6c684e7d ok "done"'


def test_a_frame_that_arrives_twice_says_so() -> None:
    frame = sent(0, "turn.progress", requestId="r", text="p1")
    rows = rows_of(trace_of(frame, came(1, frame), came(2, frame)))
    assert [row.detail for row in rows] == ['r "p1"', '(again) r "p1"']


def test_heartbeats_in_a_row_are_one_row_unless_all_are_wanted() -> None:
    frames = [sent(n, "ping") for n in range(0, 20, 2)]
    trace = trace_of(*(e for frame in frames for e in (frame, came(frame.n + 1, frame))))
    assert ["10 heartbeat" in row.detail for row in rows_of(trace)] == [True]
    assert len(rows_of(trace, every=True)) == 20


def test_a_violation_stands_behind_the_event_that_broke_it() -> None:
    first, second = sent(0, "ping"), sent(2, "pong")
    trace = trace_of(first, came(1, first), second, came(3, second))
    rows = rows_of(trace, violations=[Violation("owner", 1, "wrong")])
    assert [row.shape for row in rows] == ["frame", "banner", "frame"]
    assert "✗ owner: wrong" in drawn(rows)[3]


def test_a_crashed_host_has_no_lifeline_until_it_is_back() -> None:
    frame = sent(3, "ping")
    trace = trace_of(
        events.FaultInjected(0, 0, -1, "crash D", "D"),
        events.CallIssued(1, 1, -1, "S", "IM", {"is": "post", "chat": "C", "text": "x"}),
        events.FaultInjected(2, 2, -1, "restart D", "D"),
        frame,
        came(4, frame),
    )
    rows = rows_of(trace)
    column = lay_out(lifelines(HOSTS, rows), 120).at["D"]
    assert [line[column] for line in drawn(rows)[2:]] == ["●", " ", "●", "│"]


def test_a_call_that_is_applied_later_shows_its_gap() -> None:
    post = {"is": "post", "chat": "C", "text": "x", "state": "WORKING"}
    issued = events.CallIssued(0, 0, -1, "S", "IM", post)
    frame = sent(1, "ping")
    applied = events.CallApplied(3, 9000, 0, "S", "IM", 0, post, {"is": "done", "message": "m1"})
    apart = rows_of(trace_of(issued, frame, came(2, frame), applied))
    assert [row.label for row in apart] == ["post", "ping", "m1 posted"]
    merged = rows_of(trace_of(issued, applied))
    assert [row.detail for row in merged] == ['WORKING "x" · m1 posted after 9 ms']


def test_a_refused_call_says_when_to_try_again() -> None:
    edit = {"is": "edit", "message": "m1", "text": "x"}
    refused = {"is": "refused", "code": "rate_limited", "retry_after_us": 5_000_000}
    issued = events.CallIssued(0, 0, -1, "S", "IM", edit)
    applied = events.CallApplied(1, 9, 0, "S", "IM", 0, edit, refused)
    assert "rate_limited, retry after 5 s" in rows_of(trace_of(issued, applied))[0].detail


def test_a_long_run_loses_its_middle_but_never_a_violation() -> None:
    frames = [sent(n, "turn.progress", requestId="r", text=str(n)) for n in range(0, 1000, 2)]
    trace = trace_of(*(e for frame in frames for e in (frame, came(frame.n + 1, frame))))
    rows = shorten(rows_of(trace, violations=[Violation("owner", 501, "wrong")]))
    assert len(rows) < HEAD + TAIL + 20
    assert [row.shape for row in rows].count("banner") == 1
    assert [row.shape for row in rows].count("gap") == 2
    assert "--show all" in next(row for row in rows if row.shape == "gap").detail


@pytest.mark.parametrize("width", [60, 80, 120, 200])
@pytest.mark.parametrize("count", [1, 2, 5, 12])
def test_any_number_of_lifelines_fits_any_width(width: int, count: int) -> None:
    hosts = tuple((f"主机{n}", "desktop") for n in range(count))
    rows = [Row(0, 0, "frame", hosts[0][0], hosts[-1][0], "turn.end", "完成" * 80)]
    lines = [line.plain for line in paint(rows, lay_out(hosts, width))]
    assert [line for line in lines if cell_len(line) > width] == []


def test_wide_signs_are_cut_at_whole_signs() -> None:
    assert fit("你好世界", 5) == "你好…"
    assert fit("你好", 4) == "你好"
    assert fit("abc", 0) == ""


def test_a_channel_fault_is_told_in_words() -> None:
    fault = {"is": "channel-fault", "op": "edit", "outcome": "latency", "for_us": 2_000_000}
    (row,) = rows_of(trace_of(events.Acted(0, 0, -1, "IM", fault)))
    assert (row.label, row.detail) == ("⚡ channel", "the next edit: latency 2 s")


def test_a_puppet_s_act_is_told_by_its_frame_alone() -> None:
    act = {"is": "puppet-sends", "peer": "S", "frame": {}}
    trace = trace_of(events.Acted(0, 0, -1, "D", act))
    assert rows_of(trace) == []
    assert len(rows_of(trace, every=True)) == 1


def test_the_step_of_the_verdict_stands_in_the_drawing_and_its_banner_is_whole(
    shell: Shell, tmp_path: Path
) -> None:
    picture = tmp_path / "race.svg"
    said = shell(
        *("run", "reopen-teardown", "--without", "ownership-at-write", "--seed", 1),
        *("--svg", picture),
    )
    step = re.search(r"close-out-respects-owner broken at step (\d+)", said.out)
    assert step
    drawn = said.out.partition("\n\n")[0]
    lines = [line for line in drawn.splitlines() if line.split()[:1] == [step[1]]]
    assert "by close-out of K1" in lines[0]
    assert "✗ close-out-respects-owner: A late close-out of K1" in lines[1]
    words = " ".join(drawn.split())
    assert "which owns message m2 since step" in words
    assert "is still running on D.slack#2" in words
    svg = picture.read_text(encoding="utf-8")
    assert f"step {step[1]}: close-out-respects-owner" in svg
    assert "still running on D.slack#2" in " ".join(re.sub("<[^>]*>", " ", svg).split())


@pytest.mark.parametrize("room", [10, 20, 33])
def test_a_wrapped_text_is_whole_and_fits(room: int) -> None:
    text = "a late edit of 完成完成完成完成完成完成完成 overwrites averyveryverylongwordindeed ."
    lines = wrap(text, room)
    assert max(map(cell_len, lines)) <= room
    assert "".join("".join(lines).split()) == "".join(text.split())
