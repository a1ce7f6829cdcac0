"""What the server must not do with sign-ins, commands and settings: more stories of guards."""

from __future__ import annotations

from typing import Any

import pytest

from sim.channel.api import PersonSaid
from sim.protocols.hook import (
    Agent,
    BindRevoke,
    BindStart,
    BindState,
    BindUpdate,
    Model,
    PrefsSet,
    PrefsState,
    ProviderPrefsGet,
    ProviderPrefsState,
    QueryRequest,
)
from sim.protocols.hook.server.accounts.links import secret_of
from tests.protocols.hook.accounts_play import FEATURES, AccountsPlay

MINUTE = 60


def started(**fields: Any) -> tuple[AccountsPlay, str]:
    """A sign-in with Slack is under way; its link."""
    play = AccountsPlay(uninstalled=frozenset({"T3"}))
    play.join()
    play.send(BindStart(**fields))
    return play, secret_of(play.last(BindUpdate).authorize_url)


def attempts(play: AccountsPlay) -> list[str]:
    """Whose links are stored and watched."""
    timers = [name for kind, name in play.world.hosts["S"].timers if kind == "sign-in"]
    stored = [row.device for row in play.rows("slack-attempt/")]
    return [*stored, *timers]


# -- sign-ins ------------------------------------------------------------------


ENDS: list[tuple[str, dict[str, Any]]] = [
    ("confirmed", {}),
    ("denied", {"decline": True}),
    ("failed", {"team": "T3"}),
]


@pytest.mark.parametrize(("state", "how"), ENDS)
def test_nothing_is_left_of_a_sign_in_that_has_come_to_an_end(
    state: str, how: dict[str, Any]
) -> None:
    play, link = started()
    assert attempts(play) == ["D", "D"]
    play.authorize(link, **how)
    assert play.last(BindUpdate).state == state
    assert attempts(play) == []


def test_nothing_is_left_of_a_sign_in_that_was_taken_back() -> None:
    """HK-94"""
    play, _ = started()
    play.send(BindRevoke(pending_only=True))
    assert attempts(play) == []


def test_nothing_is_left_of_a_sign_in_that_took_too_long() -> None:
    play, _ = started()
    play.run(11 * MINUTE)
    assert play.last(BindUpdate).state == "expired"
    assert attempts(play) == []


@pytest.mark.parametrize(
    ("pinned", "named", "voided"),
    [("T2", "T2", True), ("T2", "T1", False), ("T2", None, True), (None, "T1", False)],
)
def test_taking_back_a_team_ends_the_sign_in_for_that_team_only(
    pinned: str | None, named: str | None, voided: bool
) -> None:
    """HK-93, HK-94"""
    play, link = started(team_id=pinned)
    play.send(BindRevoke(team_id=named))
    assert (attempts(play) == []) is voided
    assert (play.last(BindUpdate).state == "none") is voided
    play.authorize(link, team=pinned or "T1")
    assert (play.last(BindUpdate).state == "confirmed") is not voided


@pytest.mark.parametrize("pinned", [None, "T2"])
def test_every_word_about_a_sign_in_names_its_team_or_none(pinned: str | None) -> None:
    """HK-90"""
    play, link = started(team_id=pinned)
    play.authorize(link, decline=True)
    play.send(BindStart(team_id=pinned))
    play.run(11 * MINUTE)
    play.send(BindStart(team_id=pinned))
    play.send(BindRevoke(pending_only=True, team_id=pinned))
    told = [(update.state, update.team_id) for update in play.got(BindUpdate)]
    states = ["pending", "denied", "pending", "expired", "pending", "none"]
    assert told == [(state, pinned) for state in states]


def test_a_desktop_with_one_binding_hears_of_a_sign_in_instead_of_none() -> None:
    """hook RC-89"""
    play = AccountsPlay(features=("turn-reopen-v1",))
    play.join()
    play.send(BindStart())
    before = len(play.got(BindUpdate))
    play.cut()
    play.join()
    assert [update.state for update in play.got(BindUpdate)[before:]] == ["pending"]


def test_two_desktops_sign_in_beside_each_other() -> None:
    play = AccountsPlay()
    play.join()
    play.join(who="D2")
    for who in ("D", "D2"):
        play.send(BindStart(), who)
    links = {who: secret_of(play.last(BindUpdate, who).authorize_url) for who in ("D", "D2")}
    play.authorize(links["D2"], "Bob")
    play.authorize(links["D"], "Alice")
    users = [play.last(BindState, who).bindings[0].slack_user_id for who in ("D2", "D")]
    assert users == ["U1", "U2"]


# -- commands ------------------------------------------------------------------


def test_a_command_that_a_crash_left_unanswered_is_not_taken_again() -> None:
    """The crash came between the two writes of a command; the channel repeats its event."""
    play = AccountsPlay(bound=True)
    play.join("slack")
    play.channel("event", "repeated", 5)
    play.types("/bind", wait=0.3)
    play.crash()
    play.world.hosts["S"].store.drop("event/IM-e1")
    before = len(play.got(QueryRequest))
    play.restart(0.1)
    play.join("slack")
    play.run(MINUTE)
    assert len([call for call in play.calls(PersonSaid) if call.event == "IM-e1"]) == 2
    assert len(play.got(QueryRequest)) == before + 1


# -- settings ------------------------------------------------------------------


AGENTS = (
    Agent(
        agent_kind="claude-code",
        models=(Model(id="opus", label="Opus", efforts=("low",), default_effort=None),),
    ),
)


def chosen(off: tuple[str, ...] = (), without: str = "") -> AccountsPlay:
    """Alice has chosen a model on Telegram; her desktop lacks the feature ``without``."""
    play = AccountsPlay(bound=True, off=off)
    play.join("telegram", features=tuple(one for one in FEATURES["telegram"] if one != without))
    play.types("/model", channel="TG")
    play.answer(agents=AGENTS)
    play.presses("Opus", wait=2)
    assert [row.model for row in play.rows("provider-prefs/")] == ["opus"]
    return play


@pytest.mark.parametrize(
    ("off", "without", "told"),
    [((), "", 1), (("prefs_pushed",), "", 0), ((), "provider-prefs-v1", 0)],
)
def test_a_choice_in_a_neutral_chat_is_told_to_the_desktop_that_understands_it(
    off: tuple[str, ...], without: str, told: int
) -> None:
    """HK-148, HK-16"""
    states = chosen(off, without).got(ProviderPrefsState)
    assert [state.reply_to for state in states] == [None] * told


def test_without_a_team_the_only_one_is_meant_and_none_where_there_is_none() -> None:
    """HK-101"""
    play = AccountsPlay(off=("team_not_guessed",))
    play.join()
    play.send(PrefsSet(request_id="q1", workspace="web", model="opus"))
    assert (play.last(PrefsState).bound, play.rows("prefs/")) == (False, [])
    play.sign_in()
    play.send(PrefsSet(request_id="q2", workspace="web", model="opus", team_id=""))
    assert [row.model for row in play.rows("prefs/")] == ["opus"]


def test_the_efforts_that_are_offered_are_those_of_the_chosen_model() -> None:
    """HK-19"""
    models = (
        Model(id="opus", label="Opus", efforts=("low",), default_effort=None),
        Model(id="haiku", label="Haiku", efforts=("high",), default_effort=None),
    )
    play = chosen()
    play.types("/effort", channel="TG")
    play.answer(agents=(Agent(agent_kind="claude-code", models=models),))
    buttons = [
        button.label
        for message in play.view.history.messages.values()
        for button in message.buttons
    ]
    assert buttons == ["low"]


def test_whoever_is_not_bound_gets_an_empty_answer_about_settings() -> None:
    """hook RC-92"""
    play = AccountsPlay()
    play.join("telegram")
    play.send(ProviderPrefsGet(request_id="q1", provider="telegram", binding_id="b", scope_id=None))
    state = play.last(ProviderPrefsState)
    assert (state.bound, state.prefs, state.reply_to) == (False, (), "q1")
