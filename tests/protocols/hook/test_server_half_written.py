"""The server died between two writes that belong together: the next life puts them right."""

from __future__ import annotations

from typing import Any

import pytest

from sim.channel.api import ChannelFault, PostMessage
from sim.core.event import CallIssued
from sim.protocols.hook import TaskDispatch
from tests.protocols.hook.delivery_play import LanePlay
from tests.protocols.hook.server_play import Play, failed_task


def stored(play: Play, key: str) -> Any:
    """A row on the server's disk."""
    return play.world.hosts["S"].store.get(key)


def die_without(play: Play, key: str, row: Any) -> None:
    """The server dies, and this row is still what it was."""
    play.crash()
    play.world.hosts["S"].store.put(key, row)


def test_a_round_whose_successor_was_stored_is_superseded_after_the_crash() -> None:
    """hook RC-06, RC-24"""
    play = Play()
    failed = failed_task(play)
    play.reopen("K1", failed)
    before = stored(play, "round/K1")
    play.reopen("K2", failed)
    die_without(play, "round/K1", before)
    play.restart(wait=5)
    assert [stored(play, f"round/K{n}").state for n in (1, 2)] == ["SUPERSEDED", "TORN"]
    assert play.shows(failed)[0] == "INTERRUPTED"


def test_a_task_whose_continuation_was_stored_is_over_after_the_crash() -> None:
    """hook RC-19, RC-24"""
    play = Play()
    play.connect()
    request = play.say("fix it")
    play.ack(request)
    before = stored(play, f"request/{request}")
    play.reopen("K1", request)
    die_without(play, f"request/{request}", before)
    play.restart(wait=5)
    assert stored(play, f"request/{request}").state == "ENDED"
    play.received.clear()
    play.connect()
    assert play.got(TaskDispatch) == []


@pytest.mark.parametrize("outcome", ["server_error", "rate_limited"])
def test_a_piece_that_is_refused_is_posted_later_and_only_that_one(outcome: str) -> None:
    play = LanePlay("telegram")
    request = play.task()
    left = [2]

    def refuse_the_second(event: Any) -> None:
        if type(event.request) is PostMessage:
            left[0] -= 1
            if left[0] == 1:
                refusal = ChannelFault("post", outcome, 2_000_000)
                later = play.world.now + 50_000
                play.world.at(later, "refuse", lambda: play.world.act("IM", refusal))

    play.world.watch(CallIssued, refuse_the_second)
    text = "a" * 4_000 + "b" * 4_000 + "c" * 1_000
    play.end(request, "ok", text, wait=60)
    pieces = [m.text for m in play.view.history.messages.values() if m.by_bot and not m.deleted]
    assert "".join(piece.removesuffix("…") for piece in pieces) == text
    assert len(pieces) == 3
    assert len(play.calls(PostMessage)) == 5
