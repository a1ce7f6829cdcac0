"""Logs of applications, in which frames are only some of the lines, or parts of them."""

from __future__ import annotations

import json

import pytest

from sim.check.entry import NO_FRAME
from tests.check.logs import Story, broken, checked
from tests.check.test_logs import GOOD, wrong

APP = [
    {"ts": "2026-11-30T03:57:01Z", "level": "info", "msg": "starting"},
    {"ts": 1_764_465_600.5, "msg": "cache miss", "id": 5},
    {"level": 30, "time": 1_764_465_600_000, "pid": 7, "v": 0, "msg": "of bunyan"},
    {"type": "error", "msg": "the cache is closed"},
    {"ts": 1, "event": "end", "text": "of a job"},
    {"from": "server", "level": "info", "message": "a component speaks"},
    {"data": {"type": "user", "name": "x"}},
]


def in_words(story: Story) -> list[str]:
    """As an application logs its frames: as text within an object, and said in words."""
    return [
        json.dumps({"ts": 1_764_465_600 + at, "level": "info", "id": n,
                    "msg": "ws out" if up else "ws in", "data": {"frame": json.dumps(frame)}})
        for n, (at, _, up, frame) in enumerate(story.frames)
    ]  # fmt: skip


@pytest.mark.parametrize("line", APP)
def test_a_line_about_something_else_is_counted_and_not_judged(tmp_path, line):
    lines = GOOD.lines()
    for place in (0, 4, len(lines)):
        report = checked(tmp_path, [*lines[:place], json.dumps(line), *lines[place:]])
        assert [bad.kind for bad in report.bad] == [NO_FRAME]
        assert (broken(report), report.frames, report.connections) == ([], len(lines), 1)


def test_the_field_whose_value_is_a_frame_is_the_frame(tmp_path):
    lines = [json.dumps(APP[0]), *in_words(wrong()), json.dumps(APP[1])]
    report = checked(tmp_path, lines)
    assert (report.frames, report.connections) == (6, 1)
    assert broken(report) == [(5, "ack-comes-first")]


def test_words_of_a_sentence_give_a_direction_only_where_the_frames_agree(tmp_path):
    agreed = checked(tmp_path, in_words(GOOD))
    assert (agreed.is_clean, agreed.notes) == (True, ())
    lines = [line.replace("ws out", "in handler").replace("ws in", "in handler")
             for line in in_words(GOOD)]  # fmt: skip
    report = checked(tmp_path, lines)
    assert report.is_clean
    assert "2 pings and pongs" in report.notes[0]


def test_what_is_no_json_is_a_frame_only_where_the_line_says_so(tmp_path):
    said = [{"ts": 1_764_465_601, "dir": "up", "conn": "c1", "data": "oops"},
            {"ts": 1_764_465_601, "dir": "up", "conn": "c1", "raw": "oops"}]  # fmt: skip
    for line in said:
        report = checked(tmp_path, [*GOOD.lines(), json.dumps(line)])
        assert [one.finding.is_wire for one in report.found] == [True]
    report = checked(tmp_path, [*GOOD.lines(), json.dumps({"raw": "oops", "conn": "c1"})])
    assert report.is_clean
    assert "does not say who" in report.notes[0]


@pytest.mark.parametrize(
    "prefix",
    [
        "2026-11-30 03:57:{:06.3f} INFO ws.{} ",
        "2026-11-30T03:57:{:06.3f}Z {} ",
        "[2026-11-30 03:57:{:06.3f}] [debug] {} frame: ",
    ],
)
@pytest.mark.parametrize("words", [("out", "in"), ("recv", "send"), (">", "<")])
def test_the_json_behind_a_loggers_text_is_read_with_time_and_direction(tmp_path, prefix, words):
    lines = [
        prefix.format(at, words[0 if up else 1]).replace(".", ",", 1) + json.dumps(frame)
        for at, _, up, frame in wrong().down("ping").up("pong").frames
    ]
    report = checked(tmp_path, ["=== desktop 1.2 ===", *lines])
    assert broken(report) == [(5, "ack-comes-first")]
    assert (report.frames, len(report.bad), report.notes) == (8, 1, ())
    assert report.found[0].finding.at == 150_000


def test_a_banner_at_the_head_turns_no_rule_off(tmp_path):
    report = checked(tmp_path, ["*** log opened ***", *wrong().lines()])
    assert broken(report) == [(5, "ack-comes-first")]
    assert not any("middle" in note for note in report.notes)


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("lines", [wrong().lines(), wrong().bare()])
def test_a_json_array_is_read_element_by_element_with_lines(tmp_path, lines, indent):
    text = json.dumps([json.loads(line) for line in lines], indent=indent)
    report = checked(tmp_path, text.encode())
    ((line, rule),) = broken(report)
    assert (report.frames, rule) == (6, "ack-comes-first")
    there = text.count("\n", 0, text.index("turn.progress")) + 1
    assert abs(line - there) <= 4


def test_an_array_that_is_cut_off_is_read_as_far_as_it_goes(tmp_path):
    text = "[" + ",\n".join(wrong().lines())
    report = checked(tmp_path, text[:-30].encode())
    assert (broken(report), report.frames) == ([(4, "ack-comes-first")], 5)
    assert [bad.line for bad in report.bad] == [6]
