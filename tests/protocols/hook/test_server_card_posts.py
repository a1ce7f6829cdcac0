"""The server twin: cards whose post fails, and what a crash leaves of them."""

import pytest

from sim.channel.api import FindMessage, PostMessage
from sim.protocols.hook import InteractionDecision
from sim.protocols.hook.server.stored import CardRow
from tests.protocols.hook.server_play import Play


def asked(outcome, wait=0.7, always=True):
    """D asks; the channel answers the card's post like this."""
    play = Play()
    play.connect()
    request = play.say("a")
    play.ack(request)
    play.channel("post", outcome, always=always)
    play.ask(request, wait=wait)
    return play, request


def cards(play):
    return [p for p in play.calls(PostMessage) if p.role == "card"]


def shown(play):
    return [m for m in play.view.history.messages.values() if m.role == "card"]


def row(play) -> CardRow:
    return play.world.hosts["S"].store.get("card/A1")


@pytest.mark.parametrize("outcome", ["server_error", "rate_limited"])
def test_a_card_whose_post_was_refused_is_posted_after_a_crash(outcome):
    play, request = asked(outcome)
    assert (row(play).posts, row(play).doubt) == (0, "")
    play.crash()
    play.channel("post", "ok", always=True)
    play.restart(wait=10)
    play.connect()
    play.ack(request)
    [message] = shown(play)
    assert [b.id for b in message.buttons] == ["yes", "no"]
    assert row(play).message == message.id
    play.press("A1", "yes")
    assert [d.button_id for d in play.got(InteractionDecision)] == ["yes"]


@pytest.mark.parametrize("crash", [False, True])
def test_a_card_whose_post_may_have_worked_is_found_and_not_posted_again(crash):
    play, request = asked("unknown", wait=1, always=False)
    assert row(play).doubt == "A1/1"
    if crash:
        play.crash()
        play.restart(wait=5)
        play.connect()
        play.ack(request)
    play.run(60)
    assert len(cards(play)) == 1
    assert play.calls(FindMessage)
    assert row(play).message == shown(play)[0].id
    play.press("A1", "no")
    assert [d.button_id for d in play.got(InteractionDecision)] == ["no"]


def test_a_card_that_was_stored_but_never_set_out_is_posted_when_nothing_is_found():
    play, _ = asked("server_error")
    stored = row(play)
    play.crash()
    play.channel("post", "ok", always=True)
    doubtful = CardRow(
        stored.interaction, stored.request, stored.text, stored.buttons, stored.state,
        "", "", "", False, 1, "A1/1",
    )  # fmt: skip
    play.world.hosts["S"].store.put("card/A1", doubtful)
    play.restart(wait=20)
    assert shown(play) == []
    play.run(120)
    assert len(shown(play)) == 1


def test_a_card_that_was_over_before_anybody_saw_it_is_not_posted_after_a_crash():
    play, request = asked("server_error")
    play.end(request, "ok", "done", wait=0.2)
    play.crash()
    play.channel("post", "ok", always=True)
    play.restart(wait=60)
    assert shown(play) == []
    assert row(play).written
    assert play.shows(request) == ("OK", "done")


def test_presses_wait_for_a_card_that_is_posted_again_after_a_crash():
    play, _ = asked("server_error")
    play.crash()
    play.channel("post", "ok", always=True)
    play.restart(wait=0.001)
    assert play.world.hosts["S"].actor.memory.unposted_cards == 1
    play.run(60)
    assert play.world.hosts["S"].actor.memory.unposted_cards == 0
