"""Receipts that nobody may get: a story for each guard of the server's book of them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.protocols.hook.delivery_play import DELIVERY, LanePlay

LANES = ("slack", "telegram", "x")


def receipt(play: LanePlay, request: str) -> Any:
    """What is stored of a task's receipt."""
    return play.world.hosts["S"].store.get(f"request/{request}").receipt


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize(("wants", "has"), [((DELIVERY,), True), ((), False)])
def test_a_receipt_is_kept_for_a_desktop_that_wants_it(
    lane: str, wants: tuple[str, ...], has: bool
) -> None:
    """HK-70, HK-71"""
    play = LanePlay(lane, wants=wants)
    request = play.task()
    assert receipt(play, request) is None
    play.end(request, "ok", "done", wait=3)
    assert (receipt(play, request) is not None) is has
    play.end(request, "ok", "done", wait=3)
    assert (receipt(play, request) is not None) is has


def test_a_repetition_is_told_what_holds_as_often_as_it_comes() -> None:
    """HK-76"""
    play = LanePlay("slack", preempt=True)
    request = play.task()
    play.channel("post", "latency", 5)
    play.channel("edit", "latency", 5)
    for _ in range(3):
        play.end(request, "ok", "done", wait=0)
    play.run(20)
    for _ in range(2):
        play.end(request, "ok", "done", wait=3)
    states = play.states(request)
    assert states[-2:] == ["delivered", "delivered"]
    assert states[: states.index("delivered")].count("accepted") <= 3
    assert states.count("delivered") == 3


@pytest.mark.parametrize("crash", [False, True])
@pytest.mark.parametrize("lane", LANES)
def test_who_asks_only_later_is_not_told_that_a_failure_was_delivered(
    lane: str, crash: bool
) -> None:
    """HK-78, HK-82"""
    play = LanePlay(lane, wants=())
    request = play.task()
    play.channel("*", "quota_exceeded", always=True)
    play.end(request, "ok", "done", wait=3)
    assert receipt(play, request).state == "FAILED"
    if crash:
        play.crash()
        play.restart()
        play.dial("D", lane)
    play.hello(features=(DELIVERY,))
    assert play.states(request) == []
    play.end(request, "ok", "done", wait=3)
    assert play.states(request) == ["failed"]


def test_who_asks_only_later_is_not_told_for_ever_that_an_overtaken_end_was_accepted() -> None:
    """HK-82"""
    play = LanePlay("slack", wants=())
    request = play.task()
    play.channel("edit", "server_error", 60, always=True)
    play.end(request, "error", "broken", wait=1)
    play.reopen("K1", request)
    play.hello(features=(DELIVERY,))
    play.end(request, "error", "broken", wait=3)
    assert play.states(request) == ["failed"]
