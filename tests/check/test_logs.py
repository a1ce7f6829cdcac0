"""Logs of every form, whole or not: what is read, what is judged, what is said of the rest."""

from __future__ import annotations

import gzip
import json

import pytest

from sim.check.checking import Wanted, check_file
from sim.check.verdict import BROKEN, KEPT, NOT_JUDGED, NOT_SEEN
from sim.core.errors import UsageError
from sim.core.trace import write_trace
from sim.play import load, play
from tests.check.logs import FEATURES, Story, broken, checked, written

GOOD = Story().greet().task("R1").task("R2").down("ping").up("pong")


def wrong() -> Story:
    """Progress before the ack, on line 4 of any log of it."""
    story = Story().greet().dispatch()
    story.up("turn.progress", requestId="R1", text="too early")
    return story.ack().end()


# -- forms -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "lines",
    [
        GOOD.bare(),
        GOOD.lines(),
        GOOD.lines(unit=1e3),
        GOOD.lines(unit=1e6),
        GOOD.lines(start=0.0),
        GOOD.lines(start=0.0, unit=1e3),
        GOOD.lines(words=("out", "in")),
        GOOD.lines(words=("in", "out")),
        GOOD.lines(words=("send", "recv")),
        GOOD.lines(words=(">", "<")),
        GOOD.lines(words=("c2s", "s2c")),
        GOOD.lines(words=("DESKTOP->SERVER", "SERVER->DESKTOP")),
        GOOD.lines(words=("hither", "thither")),
        GOOD.lines(times=False),
    ],
)
def test_a_good_story_is_clean_in_every_form(tmp_path, lines):
    report = checked(tmp_path, lines)
    assert broken(report) == []
    assert (report.frames, report.connections, report.bad) == (len(lines), 1, ())
    assert {rule.verdict for rule in report.rules} <= {KEPT, NOT_SEEN, NOT_JUDGED}


@pytest.mark.parametrize(
    "lines",
    [wrong().bare(), wrong().lines(), wrong().lines(words=("recv", "send")),
     wrong().lines(start=0.0, unit=1e3)],
)  # fmt: skip
def test_a_broken_rule_is_told_with_its_line(tmp_path, lines):
    report = checked(tmp_path, lines)
    assert broken(report) == [(4, "ack-comes-first")]
    (found,) = report.found
    assert "R1 before its ack" in found.finding.text
    assert (found.finding.catalogue, found.sections[0]) == (("HK-02", "HK-06"), "§1")
    verdicts = {rule.rule: rule.verdict for rule in report.rules}
    assert verdicts["ack-comes-first"] == BROKEN
    assert verdicts["hello-comes-first"] == KEPT
    assert verdicts["queries-are-new"] == NOT_SEEN


def test_other_usual_names_are_understood(tmp_path):
    lines = [
        json.dumps({"time": "2026-11-30T02:00:00.100Z", "direction": "outgoing", "id": 7,
                    "data": line}) if n % 2 else
        json.dumps({"@timestamp": "2026-11-30T03:00:00.100+01:00", "direction": "incoming",
                    "id": 7, "frame": json.loads(line)})
        for n, line in enumerate(wrong().bare())
    ]  # fmt: skip
    report = checked(tmp_path, lines)
    assert (report.frames, report.connections, report.bad) == (6, 1, ())


def test_openings_and_closings_are_understood(tmp_path):
    story = Story().greet().dispatch()
    lines = ['{"ts": 1764465599.9, "event": "open", "conn": "c1", "url": "wss://h/telegram"}',
             *story.lines(),
             '{"ts": 1764465600.9, "event": "close", "conn": "c1", "code": 4000, "reason": "x"}',
             *Story(conn="c2").wait(60).greet().lines()]  # fmt: skip
    report = checked(tmp_path, lines)
    assert (4 + 1, "standby-is-told-exactly") in broken(report)
    assert "dispatches-are-acked" not in {rule for _, rule in broken(report)}


def test_a_trace_is_judged_by_what_frames_show(tmp_path):
    path = tmp_path / "run.jsonl"
    result = play(load("typical"), seed=1, without=["pong"], driver="step")
    write_trace(path, result.trace)
    report = check_file(str(path), Wanted())
    assert (report.form, report.is_clean) == ("trace", True)
    assert report.frames == sum(type(e).__name__ == "FrameSent" for e in result.trace.events)


def test_half_a_trace_is_judged_as_far_as_it_goes(tmp_path):
    path = tmp_path / "run.jsonl"
    write_trace(path, play(load("typical"), driver="step").trace)
    data = path.read_bytes()
    report = check_file(written(tmp_path, data[: len(data) * 2 // 3 + 7]), Wanted())
    assert (report.form, report.is_clean, len(report.bad)) == ("trace", True, 1)
    assert "in the middle" in report.bad[0].error


def test_puppets_of_a_scenario_are_not_blamed_for_what_it_tells_them(tmp_path):
    path = tmp_path / "run.jsonl"
    write_trace(path, play(load("reopen-teardown"), driver="step").trace)
    report = check_file(str(path), Wanted())
    assert report.is_clean
    assert "puppet" in report.notes[0]


HAR_ENTRY = {
    "startedDateTime": "2026-11-30T02:00:00.000Z",
    "request": {"url": "wss://example.test/slack?token=secret"},
}


def test_a_har_gives_its_web_sockets_with_lines(tmp_path):
    messages = [
        {"type": "send" if up else "receive", "time": 1_764_465_600 + at, "opcode": 1,
         "data": json.dumps(frame)} for at, _, up, frame in wrong().frames
    ]  # fmt: skip
    entries = [{**HAR_ENTRY, "_webSocketMessages": messages}, {"startedDateTime": "x"}]
    text = json.dumps({"log": {"version": "1.2", "entries": entries}}, indent=1)
    report = checked(tmp_path, text.encode())
    assert (report.form, report.frames, report.connections) == ("HAR", 6, 1)
    ((line, rule),) = broken(report)
    assert rule == "ack-comes-first"
    assert "turn.progress" in text.splitlines()[line - 1]
    assert "secret" not in json.dumps(report.to_json())


def test_binary_frames_of_a_har_are_named(tmp_path):
    odd = [{"type": "send", "time": 1, "opcode": 2, "data": "AAA="}]
    text = json.dumps({"log": {"entries": [{**HAR_ENTRY, "_webSocketMessages": odd}]}})
    report = checked(tmp_path, text.encode())
    assert "opcode 2" in report.bad[0].error


def test_packed_logs_are_unpacked(tmp_path):
    data = gzip.compress("\n".join(wrong().lines()).encode())
    assert broken(checked(tmp_path, data)) == [(4, "ack-comes-first")]


# -- what is not whole -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "column", "error"),
    [
        (b"plain words", 1, "no JSON"),
        (b'{"ts": 1, "raw": "x"', 21, "middle of its JSON"),
        (b'{"v":1,"type":"ping" oops}', 22, "no valid JSON"),
        (b'{"ts":1,"raw":"\xff\xfe"}', 16, "not UTF-8"),
        (b"\0\0\0\0", 1, "no JSON"),
        (b"[1,2]", 1, "no JSON object"),
        (b'{"level":"info"}', 1, "no frame in it"),
        ('{"schön": ü}'.encode(), 11, "no valid JSON"),
    ],
)
def test_a_bad_line_is_named_with_line_and_column(tmp_path, line, column, error):
    lines = [one.encode() for one in GOOD.lines()]
    data = b"\n".join([*lines[:5], line, *lines[5:], b""])
    report = checked(tmp_path, data)
    (bad,) = report.bad
    assert (bad.line, bad.column) == (6, column)
    assert error in bad.error
    assert report.is_clean
    assert report.frames == len(lines)


def test_marks_line_ends_and_empty_lines_do_not_matter(tmp_path):
    data = b"\xef\xbb\xbf" + "\r\n\r\n".join(wrong().lines()).encode()
    report = checked(tmp_path, data)
    assert (report.bad, broken(report)) == ((), [(7, "ack-comes-first")])


def test_in_an_empty_file_and_in_a_file_of_rubbish_nothing_can_be_judged(tmp_path):
    empty = checked(tmp_path, b"")
    assert (empty.is_clean, empty.is_readable, empty.form) == (True, False, "empty")
    rubbish = checked(tmp_path, b"\x89PNG\r\n\x1a\n\0\0\0")
    assert not rubbish.is_readable


def test_a_huge_line_is_a_frame_like_any_other(tmp_path):
    text = "x" * 3_000_000
    report = checked(tmp_path, Story().greet().dispatch().ack().progress(text=text).lines())
    assert broken(report) == [(5, "progress-is-throttled")]


def test_the_cut_off_last_line_costs_nothing_else(tmp_path):
    data = "\n".join(wrong().lines()).encode()
    report = checked(tmp_path, data[:-30])
    assert len(report.bad) == 1
    assert broken(report) == [(4, "ack-comes-first")]


def test_a_log_whose_first_line_is_half_a_line_begins_in_the_middle(tmp_path):
    story = Story().greet().dispatch().ack().progress().end()
    lines = story.lines()
    data = "\n".join([lines[2][40:], *lines[3:]]).encode()
    report = checked(tmp_path, data)
    assert (report.is_clean, len(report.bad)) == (True, 1)
    assert any("begins in the middle" in note for note in report.notes)


def test_a_log_that_begins_in_the_middle_is_judged_when_one_says_so(tmp_path):
    lines = Story().greet().dispatch().ack().progress().end().lines()[3:]
    report = checked(tmp_path, lines)
    assert "hello-comes-first" in {rule for _, rule in broken(report)}
    assert any("--from-middle" in note for note in report.notes)
    assert checked(tmp_path, lines, from_middle=True).is_clean


# -- order and connections ------------------------------------------------------------------------


def test_lines_out_of_order_are_put_in_order_and_counted(tmp_path):
    lines = Story().greet().dispatch().ack().progress().end().lines()
    lines[3], lines[4] = lines[4], lines[3]
    report = checked(tmp_path, lines)
    assert report.is_clean
    assert (report.disorder.moved, report.disorder.line) == (1, 5)
    assert report.disorder.by_us == 1_650_000


def test_interleaved_connections_are_told_apart(tmp_path):
    one = Story("d-1", "a").greet().task("R1")
    two = Story("d-2", "b").greet().task("R2")
    bad = Story("d-3", "c").greet().dispatch("R3")
    bad.up("turn.progress", requestId="R3", text="early").ack("R3").end("R3")
    lines = [*one.lines(), *two.lines(), *bad.lines()]
    lines.sort(key=lambda line: json.loads(line)["ts"])
    report = checked(tmp_path, lines)
    assert [rule for _, rule in broken(report)] == ["ack-comes-first"]
    assert report.found[0].finding.link == "c"
    assert report.connections == 3


def test_a_log_without_connections_finds_out_where_the_next_one_begins(tmp_path):
    story = Story().greet().dispatch()
    again = Story().wait(9).greet(FEATURES).dispatch().ack().progress().end()
    again.frames = [(at, conn, up, {**frame, "id": f"again-{frame['id']}"})
                    for at, conn, up, frame in again.frames]  # fmt: skip
    report = checked(tmp_path, [*story.bare(), *again.bare()])
    assert (report.connections, broken(report)) == (2, [])


def test_pings_whose_sender_nobody_knows_are_not_judged(tmp_path):
    report = checked(tmp_path, GOOD.bare())
    assert any("2 pings and pongs" in note for note in report.notes)


def test_whole_seconds_do_not_show_rules_about_less(tmp_path):
    story = Story().greet().dispatch().ack()
    for number in range(4):
        story.up("turn.progress", requestId="R1", text=f"{number}")
    lines = [json.dumps({**json.loads(line), "ts": int(json.loads(line)["ts"])})
             for line in story.end().lines()]  # fmt: skip
    report = checked(tmp_path, lines)
    assert report.is_clean
    verdicts = {rule.rule: rule.verdict for rule in report.rules}
    assert verdicts["progress-is-throttled"] == NOT_JUDGED


# -- what is wanted ------------------------------------------------------------------------------


def malformed() -> Story:
    story = wrong()
    story.up("turn.progress", requestId="", text=5)
    story.down("hello")
    return story.up("no.such.type" if False else "turn.end", status="maybe")


def test_wire_faults_have_their_field_and_rows(tmp_path):
    report = checked(tmp_path, malformed().lines(), only_wire=True)
    told = [(one.line, one.finding.path) for one in report.found]
    assert told == [(7, "turn.progress.requestId"), (8, None), (9, "turn.end.status")]
    assert all(one.finding.is_wire for one in report.found)
    assert {rule.rule for rule in report.rules} == {
        "desktop-frames-pass-the-parser", "server-frames-pass-the-parser"}  # fmt: skip


def test_an_unknown_type_is_a_wire_fault_of_its_sender(tmp_path):
    line = json.dumps({"v": 1, "type": "msg.op", "id": "x", "ts": 1, "payload": {}})
    report = checked(tmp_path, [*Story().greet().bare(), line])
    (found,) = report.found
    assert "'msg.op' is not known" in found.finding.text


def test_one_rule_may_be_asked_for_by_name_or_row(tmp_path):
    lines = malformed().lines()
    for asked in ("ack-comes-first", "HK-02", "hk-06"):
        report = checked(tmp_path, lines, rules=(asked,))
        assert (4, "ack-comes-first") in broken(report)
        assert not any(one.finding.is_wire for one in report.found)
    with pytest.raises(UsageError, match="did you mean ack-comes-first"):
        checked(tmp_path, lines, rules=("ack-come-first",))
    with pytest.raises(UsageError, match="cannot be judged by frames alone"):
        checked(tmp_path, lines, rules=("HK-180",))


def test_a_missing_file_a_folder_and_utf_16_are_refused_clearly(tmp_path):
    with pytest.raises(UsageError, match="No such file"):
        check_file(str(tmp_path / "nothing"), Wanted())
    with pytest.raises(UsageError, match="UTF-16"):
        check_file(written(tmp_path, "x".encode("utf-16")), Wanted())


def test_lines_that_several_writers_have_torn_are_read_as_far_as_they_are_whole(tmp_path):
    lines = wrong().lines()
    glued = [lines[0] + lines[1], *lines[2:4], lines[4][:30] + lines[4], lines[5]]
    report = checked(tmp_path, glued)
    assert report.frames == 6
    assert broken(report) == [(3, "ack-comes-first")]
    assert [(one.line, one.column) for one in report.bad] == [(4, 33)]


def test_what_never_came_stands_at_the_last_line_of_its_connection(tmp_path):
    silent, other = Story("d-1", "a").greet().down("ping"), Story("d-2", "b").greet()
    silent.wait(30).down("bind.update", state="none")
    lines = [*silent.lines(), *other.wait(40).up("lifecycle.preference", enabled=True).lines()]
    report = checked(tmp_path, lines)
    found = [(one.line, one.finding.rule) for one in report.found]
    assert (4, "desktop-answers-pings") in found


def test_an_absurd_time_does_not_spoil_what_comes_after_it(tmp_path):
    lines = [line for n in range(1_200) for line in (
        json.dumps({"ts": 1_764_465_600.25 + n, "dir": "up", "conn": "c1", "raw": frame})
        for frame in [json.dumps({"v": 1, "type": "ping", "id": f"p{n}", "ts": n * 1000,
                                  "payload": {}})])]  # fmt: skip
    story = Story().wait(2_000).greet().dispatch().ack().wait(9)
    story.up("turn.progress", requestId="R1", text="a").up(
        "turn.progress", requestId="R1", text="b"
    )
    odd = '{"ts": 4e9, "dir": "up", "conn": "c1", "raw": "{}"}'
    report = checked(tmp_path, [*lines[:3], odd, *lines[3:], *story.lines()])
    assert "progress-is-throttled" in {rule for _, rule in broken(report)}
