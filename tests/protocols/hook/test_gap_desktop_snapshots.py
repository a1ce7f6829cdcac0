"""What a desktop shows and believes: snapshots of turns and of bindings, part by part."""

from __future__ import annotations

from typing import Any

import pytest

from sim.core.op import Save, Send, StartTimer
from sim.protocols.hook import TaskSource
from sim.protocols.hook.acts import AgentAsks, AgentEnds, AgentProgresses, Operate, Retry
from sim.protocols.hook.desktop import interactions, operate, outbox, progress
from sim.protocols.hook.desktop.links import may_open
from sim.protocols.hook.desktop.provider_binding import counts
from sim.protocols.hook.desktop.records import Unaccepted
from sim.protocols.hook.desktop.ties import BindingRow, NeutralTies
from tests.protocols.hook.by_hand import ByHand
from tests.protocols.hook.test_desktop_bindings import confirmed, pending, snapshot
from tests.protocols.hook.test_desktop_small_guards import X_LINK
from tests.protocols.hook.test_gap_desktop_conditions import BOUND, On
from tests.protocols.hook.test_gap_desktop_ends import AWAITED, end_of, ends


def texts(run: ByHand) -> list[str]:
    return [op.frame.body.text for op in run.asked(Send) if op.frame.type == "turn.progress"]


# -- progress -------------------------------------------------------------------------------


def test_a_turn_waits_for_its_own_questions_only() -> None:
    play = On()
    one, other = play.task("R1", key="a"), play.task("R2", key="b")
    play.hand(interactions.ask(play.desktop(), one, AgentAsks("permission"))).finish()
    assert progress.snapshot(play.desktop(), one) == progress.WAITING
    assert progress.snapshot(play.desktop(), other) == ""


def claimed() -> tuple[On, Any]:
    """The person continues a failed task, and the server knows."""
    play = On()
    play.task()
    play.do(AgentEnds(status="error", error="boom"))
    play.do(Retry("R1"))
    turn = next(iter(play.work.turns.values()))
    play.do(AgentProgresses("on it"))
    return play, turn


def test_a_round_shows_no_questions() -> None:
    """HK-174"""
    play, turn = claimed()
    turn.body = ""
    play.hand(interactions.ask(play.desktop(), turn, AgentAsks("permission"))).finish()
    assert len(play.work.cards) == 1
    assert progress.snapshot(play.desktop(), turn) == ""


def test_only_a_turn_that_has_begun_takes_time() -> None:
    play = On()
    task = play.task()
    assert progress.snapshot(play.desktop(), task, elapsed=True) != ""
    task.started_us = -1
    assert progress.snapshot(play.desktop(), task, elapsed=True) == ""


@pytest.mark.parametrize(
    ("lane", "body", "fresh", "shown"),
    [("telegram", "one", True, "one\n\ntwo"), ("telegram", "one", False, "two"),
     ("telegram", "", True, "two"), ("slack", "one", True, "two")],
)  # fmt: skip
def test_telegram_shows_all_messages_of_a_turn(
    lane: str, body: str, fresh: bool, shown: str
) -> None:
    """section 5"""
    play = On(lane)
    task = play.task(source=TaskSource(im=lane))
    task.body = body
    act = AgentProgresses("two", fresh=fresh)
    play.hand(progress.show(play.desktop(), task, act)).finish()
    assert task.body == shown


def test_a_snapshot_that_is_not_due_any_more_is_not_sent() -> None:
    play = On()
    task = play.task()
    task.body = "half"
    key = str(task.number)
    for is_due, sent in ((False, []), (True, ["half"])):
        play.work.throttled[key], task.is_due = task, is_due
        assert texts(play.hand(progress.due(play.desktop(), key)).finish()) == sent
    assert play.hand(progress.due(play.desktop(), "99")).finish().ops == []


def test_a_snapshot_is_sent_if_it_says_something_new() -> None:
    """HK-44"""
    play = On()
    task = play.task()
    for text, sent in (("", []), ("half", ["half"]), ("half", []), ("", []), ("more", ["more"])):
        assert texts(play.hand(progress.emit(play.desktop(), task, text)).finish()) == sent


def test_a_turn_ticks_once() -> None:
    play = On()
    task = play.task()
    for text, ticks in (("one", 1), ("two", 0)):
        run = play.hand(progress.emit(play.desktop(), task, text)).finish()
        assert [op.kind for op in run.asked(StartTimer)] == ["tick"] * ticks


def test_a_round_that_nobody_claimed_sends_no_snapshot() -> None:
    """HK-192"""
    play, turn = claimed()
    for state, sent in (("CUT", []), ("CLAIMED", ["more"])):
        turn.state = state
        assert texts(play.hand(progress.emit(play.desktop(), turn, "more")).finish()) == sent


def test_a_newer_snapshot_is_not_forgotten_when_an_older_one_fails() -> None:
    play = On()
    task = play.task()
    run = play.hand(progress.emit(play.desktop(), task, "old")).before(Send)
    task.last_text = "new"
    play.go_offline()
    run.finish()
    assert task.last_text == "new"
    play.hand(progress.emit(play.desktop(), task, "lost")).finish()
    assert task.last_text == "new"


def test_a_tick_shows_the_time_where_nothing_else_is_about_to_be_shown() -> None:
    play = On()
    task = play.task()
    key = str(task.number)
    task.shown_us = -(10**9)
    task.is_due = True
    assert texts(play.hand(progress.tick(play.desktop(), key)).finish()) == []
    task.is_due = False
    assert len(texts(play.hand(progress.tick(play.desktop(), key)).finish())) == 1
    task.state, task.shown_us = "CLOSING", -(10**9)
    assert play.hand(progress.tick(play.desktop(), key)).finish().ops == []
    assert play.hand(progress.tick(play.desktop(), "99")).finish().ops == []


# -- whose word counts ----------------------------------------------------------------------


def ties(binding: BindingRow | None, attempt: str | None, mutation: str | None) -> NeutralTies:
    made = NeutralTies(binding)
    made.attempt, made.mutation, made.is_settled = attempt, mutation, True
    return made


@pytest.mark.parametrize(
    ("binding", "attempt", "frame", "expected"),
    [
        (BOUND, None, confirmed("b1"), True),
        (BOUND, "a1", confirmed("b2"), False),
        (None, "a1", confirmed("b2"), True),
        (None, None, confirmed("b2"), False),
        (BOUND, "a1", pending("a1"), True),
        (BOUND, "a1", pending("a2"), False),
        (BOUND, None, snapshot("revoked", pushed=True, binding_id="b1"), True),
        (BOUND, None, snapshot("revoked", pushed=True, binding_id="b0"), False),
        (None, None, snapshot("revoked", pushed=True, binding_id="b1"), False),
        (BOUND, None, snapshot("revoked", binding_id="b1", reply_to="q1"), True),
        (BOUND, None, snapshot("revoked", binding_id="b0", reply_to="q1"), False),
        (None, None, snapshot("revoked", binding_id="b1", reply_to="q1"), False),
        (None, None, snapshot("none", reply_to="q1"), True),
        (None, None, snapshot("none", reply_to="q2"), False),
        (None, None, snapshot("none"), False),
    ],
)
def test_whose_word_about_a_binding_counts(
    binding: BindingRow | None, attempt: str | None, frame: Any, expected: bool
) -> None:
    """section 13"""
    assert counts(ties(binding, attempt, "q1"), frame) is expected


def test_the_first_list_after_a_welcome_counts() -> None:
    """hook RC-89"""
    fresh = ties(BOUND, None, None)
    fresh.is_settled = False
    assert counts(fresh, snapshot("none"))
    assert not counts(fresh, snapshot("none", pushed=True))


@pytest.mark.parametrize(
    ("old", "new", "good"),
    [("", "", True), ("scope=s", "scope=s#x", False), ("scope=s", "scope=", False),
     ("response_type=code", "response_type=token", False), ("=S256", "=plain", False)],
)  # fmt: skip
def test_a_link_of_x_says_all_that_it_has_to(old: str, new: str, good: bool) -> None:
    """HK-123"""
    assert may_open("x", X_LINK.replace(old, new)) is good


# -- what the person does -------------------------------------------------------------------


def test_settings_are_asked_for_by_the_binding_that_is_named() -> None:
    """HK-119"""
    for fields, binding in (({}, "b1"), ({"bindingId": "b0"}, "b0"), ({"scopeId": "s"}, None)):
        play = On("telegram").bound()
        play.do(Operate("provider.prefs.get", fields))
        assert play.last("provider.prefs.get").binding_id == binding


def test_what_is_not_offered_is_said_so() -> None:
    play = On("telegram").bound()
    play.lane.state = "INCAPABLE"
    for frame in ("provider.prefs.get", "provider.bind.start"):
        play.do(Operate(frame, {}))
        assert play.notes("not sent")[-1]["why"] == "the channel is not offered"


def test_with_no_empty_patch_off_a_question_is_still_one() -> None:
    play = On("telegram", rules_off=("no_empty_patch", "behavior_needs_feature")).bound()
    for frame, asked in (("provider.behavior.get", 1), ("provider.behavior.set", 0)):
        play.work.asked.clear()
        play.hand(operate.operate(play.desktop(), frame, {})).finish()
        assert len(play.work.asked) == asked


def test_a_channel_that_is_on_is_not_switched_on() -> None:
    play = On("telegram")
    for name, is_on in (("telegram", True), ("x", False)):
        assert play.hand(operate.toggle(play.desktop(), name, is_on=is_on)).finish().ops == []


@pytest.mark.parametrize(
    ("features", "is_on", "revokes"),
    [(("multi-team",), False, 1), ((), False, 0), (("multi-team",), True, 0)],
)
def test_a_sign_in_is_void_when_slack_goes_off(
    features: tuple[str, ...], is_on: bool, revokes: int
) -> None:
    """HK-94"""
    play = On(features=("turn-reopen-v1", *features))
    play.lane.is_off = is_on
    run = play.hand(operate.toggle(play.desktop(), "slack", is_on=is_on)).behind(Save)
    assert sum(op.frame.type == "bind.revoke" for op in run.asked(Send)) == revokes


def test_a_welcome_sends_what_was_not_taken_over_even_if_nothing_else_waits() -> None:
    """hook RC-46"""
    play = On(features=AWAITED)
    play.task()
    play.lane.unaccepted = {"k": Unaccepted(end_of("R9"))}
    assert ends(play.hand(outbox.flush(play.desktop(), play.lane)).finish()) == ["R9"]


def test_a_flush_of_one_account_ends_with_it() -> None:
    """hook RC-44"""
    play = On()
    play.unsent("R1", "R2")
    desk = play.desktop()
    run = play.hand(outbox.flush(desk, play.lane)).behind(Send)
    desk.logins += 1
    assert ends(run.finish()) == ["R1"]
