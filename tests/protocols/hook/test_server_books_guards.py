"""What the server's books of accounts, questions and cards must keep apart."""

from __future__ import annotations

from typing import Any

import pytest

from sim.protocols.hook import (
    Agent,
    BindStart,
    BindState,
    BindUpdate,
    GroupMessage,
    InteractionCancel,
    InteractionRequest,
    Model,
    ProviderBindStart,
    ProviderBindState,
    ProviderBindUpdate,
    QueryRequest,
)
from sim.protocols.hook.server.accounts.links import secret_of
from tests.protocols.hook.accounts_play import GROUP, AccountsPlay
from tests.protocols.hook.server_play import Play
from tests.protocols.hook.test_server_account_guards import asked, bots_messages

CHANNEL = {"slack": "IM", "telegram": "TG", "x": "XX"}


# -- sign-ins ------------------------------------------------------------------


def test_only_who_opens_a_good_link_is_asked_for_a_second_word() -> None:
    """HK-113"""
    play, secret = asked()
    play.authorize("not-" + secret, "Bob", "TG")
    assert play.notices() == []
    play.authorize(secret, "Alice", "TG")
    assert len(play.notices()) == 1


@pytest.mark.parametrize("lane", ["slack", "telegram", "x"])
def test_a_link_that_is_out_outlives_any_number_of_restarts(lane: str) -> None:
    play = AccountsPlay()
    play.join(lane)
    if lane == "slack":
        play.send(BindStart())
        link = secret_of(play.last(BindUpdate).authorize_url)
    else:
        play.send(ProviderBindStart(request_id="q1", provider=lane))
        link = secret_of(play.last(ProviderBindUpdate).connect_url)
    for _ in range(3):
        play.restart_server()
    play.join(lane)
    play.authorize(link, channel=CHANNEL[lane])
    kind = BindUpdate if lane == "slack" else ProviderBindUpdate
    assert play.last(kind).state == "confirmed"


def test_a_second_team_can_be_confirmed_after_a_restart() -> None:
    """HK-100"""
    play = AccountsPlay()
    play.join()
    play.sign_in(team="T1")
    play.send(BindStart(team_id="T2"))
    link = secret_of(play.last(BindUpdate).authorize_url)
    play.restart_server()
    play.join()
    play.authorize(link, team="T2")
    assert [row.team_id for row in play.last(BindState).bindings] == ["T1", "T2"]


def test_an_account_that_gave_way_does_not_come_back_with_a_restart() -> None:
    """hook RC-85"""
    play = AccountsPlay()
    play.join()
    play.sign_in("Alice", team="T1")
    play.sign_in("Bob", team="T1")
    before = play.last(BindState).bindings
    assert len(before) == 1
    play.restart_server()
    play.join()
    assert play.last(BindState).bindings == before
    play.say("from Alice")
    assert play.dispatched() == []


@pytest.mark.parametrize("scope", [None, "hooktwinbot"])
def test_an_attempt_is_for_the_scope_that_was_named(scope: str | None) -> None:
    play = AccountsPlay()
    play.join("telegram")
    play.send(ProviderBindStart(request_id="q1", provider="telegram", scope_id=scope))
    assert play.last(ProviderBindUpdate).scope_id == scope


def test_what_may_be_done_goes_by_the_state_of_the_account() -> None:
    """HK-112, HK-113"""
    play, secret = asked()
    update = play.last(ProviderBindUpdate)
    assert update.actions == ("open_connect_url", "copy_connect_url", "cancel")
    play.authorize(secret, "Alice", "TG")
    update = play.last(ProviderBindUpdate)
    assert (update.state, update.connect_url) == ("awaiting_confirmation", None)
    assert update.actions == ("cancel",)
    assert update.expires_at > play.world.hosts["S"].now_ms()


@pytest.mark.parametrize(("lane", "groups"), [("telegram", True), ("x", False)])
def test_only_a_channel_with_groups_offers_to_go_into_one(lane: str, groups: bool) -> None:
    play = AccountsPlay(bound=True)
    play.join(lane)
    state = play.last(ProviderBindState)
    assert state.state == "confirmed"
    assert ("add_to_group" in state.actions) is groups


# -- questions -----------------------------------------------------------------


def test_a_lost_connection_ends_the_questions_on_it_and_no_others() -> None:
    play = AccountsPlay(bound=True)
    for who in ("D", "D2"):
        play.join(who=who)
    play.types("/bind", "Alice")
    play.types("/bind", "Bob")
    play.cut(who="D")
    play.answer("D2", workspaces=("chat", "web"))
    assert len([m for m in bots_messages(play) if m.buttons]) == 1
    assert len(play.got(QueryRequest, "D2")) == 1


def test_a_choice_before_the_first_task_is_for_the_folder_of_that_task() -> None:
    """HK-53, HK-148"""
    agent = Agent(
        agent_kind="claude-code",
        models=(Model(id="opus", label="Opus", efforts=("low",), default_effort=None),),
    )
    for default, folder in (("web", "web"), (None, "chat")):
        play = AccountsPlay(bound=True)
        play.join(default_workspace=default)
        play.types("/model", chat="D1")
        play.answer(agents=(agent,))
        play.presses("Opus")
        assert [row.workspace for row in play.rows("prefs/")] == [folder]


# -- groups --------------------------------------------------------------------


def test_a_groups_message_without_a_word_is_not_passed_on() -> None:
    play = AccountsPlay(bound=True)
    play.join("telegram")
    play.types("hello", channel="TG", chat=GROUP)
    play.types("", channel="TG", chat=GROUP)
    assert [message.text for message in play.got(GroupMessage)] == ["hello"]


# -- cards ---------------------------------------------------------------------


def running() -> tuple[Play, str]:
    """A task of Alice's runs on D; Bob's desktop is there too."""
    play = Play()
    play.connect()
    play.connect("D2")
    request = play.say("go")
    play.ack(request)
    return play, request


@pytest.mark.parametrize(("body", "text"), [("rm", "Allow?\nrm"), ("", "Allow?")])
def test_a_card_says_its_title_and_its_body_if_it_has_one(body: str, text: str) -> None:
    """HK-139"""
    play, request = running()
    fields: dict[str, Any] = {"kind": "permission", "title": "Allow?", "buttons": ()}
    play.send(InteractionRequest(request_id=request, interaction_id="A1", body=body, **fields))
    card = play.view.card_of("A1")
    assert card is not None
    assert card.text == text


def test_a_card_is_taken_back_by_the_desktop_that_asked_only() -> None:
    """HK-144"""
    play, request = running()
    play.ask(request)
    back = InteractionCancel(request_id=request, interaction_id="A1", reason="timed out")
    for who, open in (("D2", True), ("D", False)):
        play.send(back, who)
        card = play.view.card_of("A1")
        assert card is not None
        assert bool(card.buttons) is open
