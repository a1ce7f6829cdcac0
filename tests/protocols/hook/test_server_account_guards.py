"""What the server must not do with accounts and pickers: a story for each guard."""

from __future__ import annotations

from typing import Any

from sim.channel.api import ButtonPressed, PostMessage
from sim.protocols.hook import ProviderBindStart, ProviderBindUpdate, QueryRequest
from tests.protocols.hook.accounts_play import AccountsPlay

FOLDERS = ("chat", "web")


def offered() -> AccountsPlay:
    """Alice has said /bind and sees the picker of her folders."""
    play = AccountsPlay(bound=True)
    play.join("slack")
    play.types("/bind")
    play.answer(workspaces=FOLDERS)
    return play


def chosen(play: AccountsPlay) -> list[str]:
    """The folders that are kept for conversations."""
    return [row.workspace for row in play.rows("lane/") if row.workspace]


def bots_messages(play: AccountsPlay) -> list[Any]:
    """The bot's messages that stand in the channels."""
    return [m for m in play.view.history.messages.values() if m.by_bot and not m.deleted]


def test_a_picker_outlives_a_restart() -> None:
    play = offered()
    play.restart_server()
    play.join("slack")
    play.presses("web", wait=3)
    assert chosen(play) == ["web"]
    [picker] = bots_messages(play)
    assert not picker.buttons
    assert "web (Alice)" in picker.text


def test_a_press_on_a_picker_that_is_faster_than_the_answer_to_its_post_is_not_lost() -> None:
    play = AccountsPlay(bound=True)
    play.join("slack")
    play.types("/bind")
    play.world.latencies["IM", "S"] = (1_000_000, 1_000_000)
    play.world._routes.clear()
    play.answer(workspaces=FOLDERS, wait=0.5)
    play.presses("web", wait=8)
    assert chosen(play) == ["web"]
    assert len({press.event for press in play.calls(ButtonPressed)}) == 1


def test_nobody_waits_for_the_id_of_a_picker_that_stands() -> None:
    play = offered()
    server: Any = play.world.hosts["S"].actor
    assert server.memory.unposted_cards == 0


def test_only_the_word_itself_confirms() -> None:
    """HK-113"""
    play = AccountsPlay(asks_to_confirm=True)
    play.join("telegram")
    play.send(ProviderBindStart(request_id="q1", provider="telegram"))
    secret = str(play.last(ProviderBindUpdate).connect_url).rsplit("=", 1)[1]
    play.authorize(secret, "Alice", "TG")
    play.types("/confirmed?", channel="TG")
    assert play.last(ProviderBindUpdate).state == "awaiting_confirmation"
    play.types(" /confirm ", channel="TG")
    assert play.last(ProviderBindUpdate).state == "confirmed"
    assert play.last(ProviderBindUpdate).principal_name


def test_a_command_that_is_given_in_a_thread_is_answered_there() -> None:
    play = AccountsPlay(bound=True)
    play.join("slack")
    play.types("/bind", thread="m7")
    assert play.last(QueryRequest).kind == "workspaces"
    play.answer(workspaces=FOLDERS)
    assert [post.thread for post in play.calls(PostMessage)] == ["m7"]


def asked() -> tuple[AccountsPlay, str]:
    """A server that wants a second word; a link is out that nobody has opened."""
    play = AccountsPlay(asks_to_confirm=True)
    play.join("telegram")
    play.send(ProviderBindStart(request_id="q1", provider="telegram"))
    return play, str(play.last(ProviderBindUpdate).connect_url).rsplit("=", 1)[1]


def test_the_first_who_opens_a_link_is_the_one_who_may_confirm() -> None:
    """HK-113"""
    play, secret = asked()
    play.authorize(secret, "Alice", "TG")
    play.authorize(secret, "Bob", "TG")
    play.types("/confirm", "Bob", channel="TG")
    assert play.last(ProviderBindUpdate).state == "awaiting_confirmation"
    play.types("/confirm", "Alice", channel="TG")
    assert play.last(ProviderBindUpdate).state == "confirmed"


def test_a_link_that_is_opened_too_late_asks_nobody() -> None:
    """HK-114"""
    play, secret = asked()
    play.run(10 * 60 + 30)
    told = len(play.got(ProviderBindUpdate))
    play.authorize(secret, "Alice", "TG")
    play.types("/confirm", "Alice", channel="TG")
    states = [update.state for update in play.got(ProviderBindUpdate)[told:]]
    assert "awaiting_confirmation" not in states
    assert "confirmed" not in states


def test_a_second_word_without_a_question_is_an_ordinary_message() -> None:
    play, _ = asked()
    play.types("/confirm", "Alice", channel="TG")
    assert play.last(ProviderBindUpdate).state == "pending"
    assert play.notices() == ["No desktop is connected to you yet"]
