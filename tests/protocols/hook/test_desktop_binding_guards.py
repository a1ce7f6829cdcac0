"""What a desktop must not believe of accounts, groups and cards: a story for each guard."""

from __future__ import annotations

from typing import Any

import attrs
import pytest

from sim.protocols.hook import (
    BindState,
    BindUpdate,
    ProviderBehaviorState,
    ProviderPrefsState,
    SlackBinding,
    TaskSource,
)
from sim.protocols.hook.acts import AgentAsks, AgentEnds, AgentProgresses, Operate
from tests.protocols.hook.desktop_play import Play
from tests.protocols.hook.test_desktop_bindings import (
    TELEGRAM,
    confirmed,
    gone,
    notes,
    on_telegram,
    pending,
    snapshot,
    start,
    ties,
)
from tests.protocols.hook.test_desktop_groups import ask, context, in_group, said


def bound(binding: str = "b1") -> Play:
    """A desktop whose Telegram account is known."""
    play = on_telegram()
    play.say(confirmed(binding, pushed=False))
    assert ties(play).binding.binding == binding
    return play


def timers(play: Play, kind: str) -> list[str]:
    """The keys of the timers of a kind."""
    return [key for one, key in play.host.timers if one == kind]


# -- whose word counts ---------------------------------------------------------------------


def test_the_words_of_another_provider_are_not_this_channels() -> None:
    play = bound()
    play.say(attrs.evolve(snapshot("none"), provider="x"))
    play.close()
    play.pass_time(3)
    play.say(attrs.evolve(confirmed("b2", pushed=False), provider="x"))
    assert ties(play).binding.binding == "b1"


def test_a_request_is_answered_once() -> None:
    play = on_telegram()
    request = start(play)
    play.say(pending("a1", request))
    play.say(pending("a2", request))
    assert ties(play).attempt == "a1"
    assert [data["outcome"] for data in notes(play, "asked")] == ["answered"]
    assert timers(play, "ask") == []


def test_an_answer_that_ends_another_binding_ends_nothing() -> None:
    play = bound()
    play.do(Operate("provider.bind.revoke"))
    request = play.last("provider.bind.revoke").request_id
    play.say(attrs.evolve(gone("revoked", "b0"), reply_to=request))
    assert ties(play).binding.binding == "b1"
    play.say(attrs.evolve(gone("revoked", "b1"), reply_to=request))
    assert ties(play).binding is None


def test_the_end_of_an_attempt_that_is_not_ours_is_not_the_bindings() -> None:
    play = bound()
    ended = snapshot("failed", pushed=True, attempt_id="a9", binding_id="b1", reason="x")
    play.say(ended)
    assert ties(play).state == "confirmed"


def test_a_binding_that_stays_keeps_what_is_known_of_it_and_another_does_not() -> None:
    play = bound()
    prefs = ProviderPrefsState(
        provider="telegram", binding_id="b1", scope_id=None, reply_to=None, bound=True, prefs=()
    )
    play.say(prefs)
    assert ties(play).prefs is not None
    play.say(confirmed("b1"))
    assert ties(play).prefs is not None
    play.say(gone("revoked", "b1"))
    assert ties(play).prefs is None


@pytest.mark.parametrize("kind", ["prefs", "behavior"])
def test_without_a_binding_no_settings_are_shown(kind: str) -> None:
    """HK-119, HK-125"""
    play = on_telegram()
    nobodys: Any = ProviderPrefsState(
        provider="telegram", binding_id=None, scope_id="c1", reply_to=None, bound=True, prefs=()
    )
    if kind == "behavior":
        nobodys = behaviour("b1")
    play.say(nobodys)
    assert notes(play, "shown") == []
    assert notes(play, "bad-frame") == []


def behaviour(binding: str) -> Any:
    fields = dict.fromkeys(f.name for f in attrs.fields(ProviderBehaviorState))
    given = {"provider": "telegram", "binding_id": binding, "bound": True}
    return ProviderBehaviorState(**{**fields, **given})


# -- time ----------------------------------------------------------------------------------


@pytest.mark.parametrize("end", ["confirmed", "failed"])
def test_nothing_is_left_of_an_attempt_that_has_come_to_an_end(end: str) -> None:
    play = on_telegram()
    play.say(pending("a1", start(play)))
    assert timers(play, "attempt") == ["telegram"]
    if end == "confirmed":
        play.say(confirmed("b1"))
    else:
        play.say(snapshot("failed", pushed=True, attempt_id="a1", reason="x"))
    assert timers(play, "attempt") == []


def test_an_attempt_is_given_up_when_it_expires_and_not_before() -> None:
    """RC-86"""
    play = on_telegram()
    until = play.host.now_ms() + 100_000
    play.say(pending("a1", start(play), expires_at=until), 0)
    play.stay(98)
    assert ties(play).attempt == "a1"
    play.stay(4)
    assert (ties(play).attempt, ties(play).state) == (None, "expired")


# -- Slack's teams -------------------------------------------------------------------------


def test_a_word_about_one_team_is_about_no_other() -> None:
    play = Play()
    rows = tuple(
        SlackBinding(team_id=t, team_name=None, slack_user_id="U1", slack_user_name=None)
        for t in ("T1", "T2")
    )
    play.say(BindState(bindings=rows))
    fields = dict.fromkeys(("slack_user_id", "slack_user_name", "message"))
    update = BindUpdate(state="revoked", team_id="T1", reason="superseded", **fields)
    play.say(update)
    assert [row.team_id for row in ties(play).rows] == ["T2"]
    assert [row.team_id for row in ties(play).displaced] == ["T1"]


def test_a_sign_in_that_could_not_be_sent_is_not_waited_for() -> None:
    play = Play()
    play.do(Operate("bind.start"))
    assert timers(play, "sign in") == ["slack"]
    play = Play()
    play.go_offline()
    play.do(Operate("bind.start"))
    assert timers(play, "sign in") == []


# -- groups --------------------------------------------------------------------------------


def test_a_groups_message_of_another_provider_is_dropped() -> None:
    """HK-163"""
    play = in_group()
    play.say(attrs.evolve(said("1"), provider="x"))
    ask(play, "R1")
    assert context(play) == []


def test_a_groups_message_is_dropped_while_nobody_is_bound() -> None:
    """HK-163"""
    play = on_telegram("recipient_check")
    play.say(said("1"))
    assert play.host.store.items("group/") == []


def test_a_groups_message_that_comes_twice_stands_once() -> None:
    play = in_group()
    play.say(said("1"))
    ask(play, "R1")
    play.do(AgentEnds(text="x"))
    for message in ("1", "2"):
        play.say(said(message))
    ask(play, "R2")
    assert context(play) == [["Bob: text 1"], ["Bob: text 2"]]


def test_a_task_with_another_key_belongs_where_the_message_stands_that_asked() -> None:
    """HK-07"""
    play = in_group()
    play.say(said("1"))
    play.say(said("7", chat_id="-1002"))
    play.say(said("8", chat_id="-1002"))
    ask(play, "R1", key="telegram:opaque")
    assert context(play) == []
    play.do(AgentEnds(text="x"))
    ask(play, "R2", "8", key="telegram:opaque")
    assert context(play) == [["Bob: text 7"]]


# -- cards and progress --------------------------------------------------------------------


def test_the_end_of_a_task_takes_back_its_own_cards_only() -> None:
    """HK-143"""
    play = Play()
    for number in ("1", "2"):
        play.dispatch(f"R{number}", key=f"k{number}")
        play.do(AgentAsks(kind="permission", title="Allow?", request=f"R{number}"))
    play.do(AgentEnds(text="x", request="R1"))
    assert [frame.request_id for frame in play.frames("interaction.cancel")] == ["R1"]


@pytest.mark.parametrize("lane", ["slack", "telegram"])
def test_a_turn_that_has_shown_everything_shows_nothing_more_at_its_end(lane: str) -> None:
    """HK-06"""
    play = Play(lanes=(lane,), features=(*TELEGRAM, "turn-reopen-v1"))
    if lane == "telegram":
        play.say(confirmed("b1", pushed=False))
    play.dispatch("R1", source=TaskSource(im=lane))
    play.do(AgentProgresses("half"), 3)
    shown = len(play.frames("turn.progress"))
    assert shown
    play.do(AgentEnds(text="x"))
    assert len(play.frames("turn.progress")) == shown
    assert timers(play, "tick") == timers(play, "progress") == []
