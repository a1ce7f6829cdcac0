"""A rule with a deadline is decided by the same frame, however one comes by the frames."""

from __future__ import annotations

import json

import pytest

from sim.check.judge import FrameJudge
from sim.check.verdict import BROKEN, KEPT, NOT_JUDGED
from tests.check.logs import FEATURES, Story, checked

RULE = "preference-is-said-again"
OFFERED = (*FEATURES, "lifecycle-announcement-v1")
CLOSED = '{"ts": 1764465700, "event": "close", "conn": "c1", "code": 1000}'


def story(pings: tuple[float, ...], said: bool = False) -> Story:
    one = Story().greet(OFFERED).dispatch().ack()
    if said:
        one.up("lifecycle.preference", enabled=True)
    for gap in pings:
        one.wait(gap).down("ping").up("pong")
    return one


def in_log(folder, one: Story, *more: str) -> tuple[str, list[int], tuple[str, ...]]:
    lines = [json.dumps({"ts": 1_764_465_599, "event": "open", "conn": "c1",
                         "url": "wss://h/slack"}), *one.lines(), *more]  # fmt: skip
    report = checked(folder, lines)
    verdict = next(rule.verdict for rule in report.rules if rule.rule == RULE)
    found = [located.line for located in report.found if located.finding.rule == RULE]
    return verdict, found, report.notes


def live(one: Story) -> list[int]:
    """After how many frames a judge that sees them pass has found it."""
    judge, found = FrameJudge(), []
    judge.opened(0, "c1", "D", "S", "slack")
    for number, (at, conn, up, frame) in enumerate(one.frames, 2):
        before = len(judge.findings)
        judge.passed(int(at * 1e6), conn, up, json.dumps(frame))
        found += [number for finding in judge.findings[before:] if finding.rule == RULE]
    judge.finish()
    return found


@pytest.mark.parametrize(
    ("one", "verdict", "found"),
    [
        (story((7.0, 7.0, 7.0)), BROKEN, [11]),
        (story((7.0, 7.0, 7.0), said=True), KEPT, []),
        (story((7.0,)).wait(9).progress(), BROKEN, [8]),
        (story((7.0,)), NOT_JUDGED, []),
        (story((7.0,)).wait(60).down("ping"), NOT_JUDGED, []),
    ],
)
def test_with_a_close_without_one_and_live_the_verdict_is_the_same(tmp_path, one, verdict, found):
    for more in ((), (CLOSED,)):
        told, lines, notes = in_log(tmp_path, one, *more)
        assert (told, lines) == (verdict, found)
        assert any(RULE in note for note in notes) is (verdict == NOT_JUDGED)
    assert live(one) == found
