"""Links, titles, turns and unsent results of a desktop: a story for each guard."""

from __future__ import annotations

from typing import Any

import pytest

from sim.protocols.hook import (
    ABSENT,
    BindState,
    BindUpdate,
    PrefsState,
    ProviderPrefsState,
    SlackBinding,
    TaskSource,
)
from sim.protocols.hook.acts import AgentEnds, Toggle, TypeText
from sim.protocols.hook.desktop.links import may_open
from sim.protocols.hook.desktop.sessions import title_of
from tests.protocols.hook.desktop_play import Play, dispatched
from tests.protocols.hook.test_desktop_bindings import TELEGRAM, confirmed, notes, ties

X_LINK = (
    "https://x.com/i/oauth2/authorize?response_type=code&client_id=c&redirect_uri=r&scope=s"
    "&state=t&code_challenge=h&code_challenge_method=S256"
)


@pytest.mark.parametrize(
    ("link", "good"),
    [
        (X_LINK, True),
        (X_LINK + "#", False),
        (X_LINK + "#top", False),
        (X_LINK.replace("https://x.com/", "https://y.com/"), False),
        (X_LINK.replace("https://x.com/", "http://x.com/"), False),
        ("nonsense".ljust(len(X_LINK), "&"), False),
    ],
)
def test_a_link_of_x_starts_where_x_is_and_has_no_fragment(link: str, good: bool) -> None:
    """HK-123"""
    assert may_open("x", link) is good


@pytest.mark.parametrize(
    ("source", "title"),
    [
        (ABSENT, "do it"),
        (TaskSource(im="slack"), "do it"),
        (TaskSource(im="slack", team_name="Shop"), "Shop: do it"),
        (TaskSource(im="slack", team_name=""), "do it"),
    ],
)
def test_a_session_is_called_by_its_team_and_its_first_words(source: Any, title: str) -> None:
    assert title_of(dispatched("R1", source=source)) == title
    assert title_of(dispatched("R1", source=source, prompt=" do it ")) == title
    untitled = title_of(dispatched("R1", prompt=" "))
    assert untitled == "untitled"


def test_what_a_person_types_into_a_running_session_waits_outside_the_protocol() -> None:
    """HK-190"""
    play = Play()
    play.dispatch("R1")
    before = len(notes(play, "agent"))
    play.do(TypeText("private", "R1"))
    assert len(notes(play, "agent")) == before
    play.do(AgentEnds(text="done", request="R1"))
    assert [end.request_id for end in play.frames("turn.end")] == ["R1"]


def test_an_unsent_result_goes_out_on_its_own_channel_only() -> None:
    """HK-40"""
    lanes = ("slack", "telegram")
    play = Play(lanes=lanes, features=(*TELEGRAM, "turn-reopen-v1"))
    by_lane = {conn.lane: conn for conn in play.sockets}
    for lane in lanes:
        source = TaskSource(im=lane)
        play.dispatch(f"R-{lane}", key=f"{lane}:k", source=source, conn=by_lane[lane])
    play.go_offline()
    for lane in lanes:
        play.do(AgentEnds(text="done", request=f"R-{lane}"))
    play.restart_desktop()
    play.come_back()
    sent = [(name, body.request_id) for name, body in play.received if body.TYPE == "turn.end"]
    names = {conn.name: conn.lane for conn in play.sockets}
    assert sorted((names[name], id) for name, id in sent) == [(lane, f"R-{lane}") for lane in lanes]


def neutral_prefs(provider: str) -> Any:
    """Settings of a scope of this provider."""
    return ProviderPrefsState(
        provider=provider, binding_id="b1", scope_id=None, reply_to=None, bound=True, prefs=()
    )


def test_settings_are_shown_on_the_channel_that_they_are_for_only() -> None:
    """HK-19, HK-119"""
    play = Play(lanes=("slack", "telegram"), features=(*TELEGRAM, "turn-reopen-v1"))
    slack, telegram = sorted(play.sockets, key=lambda conn: conn.lane)
    play.say(confirmed("b1", pushed=False), conn=telegram)
    play.say(PrefsState(reply_to=None, bound=True, prefs=()), conn=telegram)
    play.say(neutral_prefs("telegram"), conn=slack)
    play.say(neutral_prefs("x"), conn=telegram)
    assert notes(play, "shown") == []
    play.say(neutral_prefs("telegram"), conn=telegram)
    play.say(PrefsState(reply_to=None, bound=True, prefs=()), conn=slack)
    assert len(notes(play, "shown")) == 2


@pytest.mark.parametrize("state", ["pending", "failed", "denied", "expired", "none"])
def test_a_sign_in_that_is_not_over_well_takes_no_team_away(state: str) -> None:
    """HK-90, HK-96"""
    play = Play()
    row = SlackBinding(team_id="T1", team_name=None, slack_user_id="U1", slack_user_name=None)
    play.say(BindState(bindings=(row,)))
    nobody = dict.fromkeys(("slack_user_id", "slack_user_name"))
    for team in ("T1", None):
        play.say(BindUpdate(state=state, message="no", team_id=team, **nobody))
        assert [kept.team_id for kept in ties(play).rows] == ["T1"]


@pytest.mark.parametrize("lane", ["slack", "telegram"])
def test_a_channel_that_is_on_already_cannot_be_switched_on(lane: str) -> None:
    play = Play(lanes=(lane,), features=(*TELEGRAM, "turn-reopen-v1"))
    play.forget()
    play.do(Toggle(on=True, lane=lane), 3)
    play.do(Toggle(on=False, lane="nowhere"), 3)
    assert (play.types(), len(play.sockets), play.closed) == ([], 1, [])
