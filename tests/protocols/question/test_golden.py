"""The twins against recordings of the real program: the same stimuli, the same behaviour.

Where both differ, a decision settles it and stands at the row: then the expectation is
the recording with that decision put into effect. With the rule off that stands behind it
the twin does what the program did.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import attrs
import pytest

from tests.protocols.question.golden_compare import Behaviour, played, recorded
from tests.protocols.question.golden_play import GoldenPlay
from tests.protocols.question.golden_recording import Recording

DATA = Path(__file__).parents[2] / "data" / "question" / "golden"
FILES = sorted(DATA.glob("*.jsonl"))
FAILED = "回传失败，请稍后重试"
LIST = ("GET", "/question", "/proj", "null")


@attrs.frozen
class Decided:
    """``decision`` and what it makes of a recorded behaviour. ``off``: the rule without
    which the twin does as the program did. ``extra_ms``: how much longer it takes."""

    decision: str
    change: Callable[[Behaviour], Any]
    off: str = ""
    extra_ms: int = 0


def _foreign_entry_is_invalid(expected: Behaviour) -> None:
    expected.shown[4] = ("toast", "cbq_5", "invalid")


def _chat_is_told_of_the_broken_store(expected: Behaviour) -> None:
    expected.shown.append(("message", "-4200000001", "store broken"))
    expected.messages.append(("plain", False))


def _plain_text_goes_to_the_last_asked(expected: Behaviour) -> None:
    body = '{"answers": [["plain text"]]}'
    first, replied = expected.calls[:2]
    expected.calls[:] = [first, ("POST", "/question/que_2/reply", "/proj", body), first, replied]
    expected.shown[-2:] = [
        ("message", "-4200000001", "submitted plain text"),
        ("message", "-4200000001", "submitted reply to first"),
    ]


def _a_known_question_that_left_the_list_is_closed(expected: Behaviour) -> None:
    expected.calls[:] = expected.calls[:3]
    expected.shown[-2:] = [("toast", "cbq_2", "closed")]
    expected.store.clear()
    expected.messages[:] = [("question aaaa0001", False), ("plain", False)]


def _success_is_not_told_as_a_failure(expected: Behaviour) -> None:
    expected.shown.pop()
    expected.store.clear()
    expected.messages[:] = [("question aaaa0001", False)]


def _another_call_is_no_match(expected: Behaviour) -> None:
    expected.calls[:] = [LIST] * 20
    expected.shown[-1:] = [
        ("toast", "cbq_1", "failed"),
        ("message", "-4200000001", "failed"),
    ]
    usual = {**expected.store["bbbb0002"], "callID": "call_A", "messageId": 101}
    options = [{"label": label, "value": label} for label in "AB"]
    expected.store["aaaa0001"] = {**usual, "options": options}
    expected.tools["que_2"] = "running"
    expected.listed.append("que_2")
    expected.messages[:] = [(f"question {u}", True) for u in ("aaaa0001", "bbbb0002")]
    expected.messages.append(("plain", False))


def _a_late_reply_is_told_so(expected: Behaviour) -> None:
    expected.shown.append(("message", "-4200000001", "dead prompt"))
    expected.messages.append(("plain", False))


def _a_reply_to_a_dead_prompt_is_no_answer(expected: Behaviour) -> None:
    del expected.calls[2:]
    expected.shown[-1] = ("message", "-4200000001", "dead prompt")
    expected.store["bbbb0002"] = {
        "type": "question",
        "sid": "ses_2",
        "callID": "call_B",
        "directory": "/proj",
        "options": [{"label": label, "value": label} for label in "AB"],
        "chatId": "-4200000001",
        "messageId": 102,
        "awaitingText": True,
        "customPromptMessageId": 105,
        "expectedUserId": 7001,
    }
    expected.tools["que_2"] = "running"
    expected.listed.append("que_2")
    expected.messages[1] = ("question bbbb0002", True)


DECIDED = {
    "11": Decided("DQ-07", _foreign_entry_is_invalid),
    "13": Decided("DQ-22", _chat_is_told_of_the_broken_store),
    "19": Decided("DQ-01", _plain_text_goes_to_the_last_asked, "newest-wait-wins"),
    "20": Decided(
        "DQ-03", _a_known_question_that_left_the_list_is_closed, "closed-is-told-at-once"
    ),
    "36": Decided("DQ-17", _success_is_not_told_as_a_failure),
    "43": Decided("DQ-04", _another_call_is_no_match, "session-fallback-narrow", 5_000),
    "45": Decided("DQ-02", _a_late_reply_is_told_so, "dead-prompt-is-no-fallback"),
    "50": Decided("DQ-02", _a_reply_to_a_dead_prompt_is_no_answer, "dead-prompt-is-no-fallback"),
}
"""By the number of the recording. The decisions of the others change wordings and order of
writes only, which are not compared: DQ-26 (02), DQ-18 (41, 46), DQ-15 (44)."""


def number(path: Path) -> str:
    return path.stem.partition("-")[0]


def named(which: str) -> Path:
    return next(path for path in FILES if number(path) == which)


@cache
def play_of(path: Path, off: str = "", extra_ms: int = 0) -> GoldenPlay:
    return GoldenPlay(Recording(path), *filter(None, [off]), extra_ms=extra_ms)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_twins_do_as_the_program_did_or_as_a_decision_demands(path):
    decided = DECIDED.get(number(path))
    play = play_of(path, "", decided.extra_ms if decided else 0)
    expected = recorded(play.of, play)
    if decided:
        decided.change(expected)
    found = expected.differences(played(play))
    assert "\n".join(found and found + play.unknown) == ""


@pytest.mark.parametrize("which", [n for n, one in DECIDED.items() if one.off])
def test_without_the_rule_behind_a_decision_the_twin_has_the_programs_fault(which):
    play = play_of(named(which), DECIDED[which].off)
    assert "\n".join(recorded(play.of, play).differences(played(play))) == ""


@pytest.mark.parametrize("which", list(DECIDED))
def test_each_decision_makes_a_difference_that_the_comparison_sees(which):
    decided = DECIDED[which]
    play = play_of(named(which), "", decided.extra_ms)
    assert recorded(play.of, play).differences(played(play))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_handler_of_the_twin_raises_and_no_hook_throws(path):
    play = play_of(path, "", DECIDED[number(path)].extra_ms if number(path) in DECIDED else 0)
    assert [line for line in play.logs() if "❌ update" in line] == []
    assert {note["threw"] for note in play.notes("hook_returned")} <= {None}


def test_lists_follow_each_other_as_in_the_recording():
    play = play_of(named("06"))
    starts = play.script.starts
    gaps = [b - a for a, b in itertools.pairwise(starts)]
    theirs = [call["at_ms"] for call in play.of.calls("opencode", "listener")]
    assert len(starts) == len(theirs) == 20
    assert (
        max(abs(gap / 1000 - (b - a)) for gap, a, b in zip(gaps, theirs, theirs[1:], strict=False))
        < 20
    )


@pytest.mark.parametrize("which", ["02", "41", "46"])
def test_a_custom_answer_leaves_the_documents_log_lines_and_words(which):
    play = play_of(named(which))
    ours = [line for line in play.logs() if line.startswith("[PermListener]")]
    kinds = ("📥 收到 callback_query: data=qcustom:aaaa0001", "getPending(aaaa0001): type=question")
    assert [kind in line for kind, line in zip(kinds, ours, strict=False)] == [True, True]
    assert "replyTo=102" in ours[2]
    failed = [body for body in sent_texts(play) if body.startswith(FAILED)]
    assert len(failed) == (0 if which == "02" else 1)
    assert ("✅ question 已回传 OpenCode: requestID=que_1" in ours[-1]) is (which != "46")


def sent_texts(play: GoldenPlay) -> list[str]:
    board = play.world.hosts["telegram"].actor.state.board
    return [post.text for post in board.newest_first() if not post.person]


def test_a_broken_store_was_put_aside_and_not_overwritten():
    play = play_of(named("13"))
    aside = [path for path in play.files() if ".broken-" in path]
    assert [play.file(path) for path in aside] == [play.of.events("corrupt")[0]["raw"]]


def test_the_second_listener_waits_for_the_first():
    play = play_of(named("44"))
    assert any("listener#1" in line and "waiting" in line for line in play.logs())
