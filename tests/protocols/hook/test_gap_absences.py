"""Short absences, adopted devices and receipts that nobody asked for: what each guard is for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from sim.core.op import Save, Send, StartTimer
from sim.protocols.hook import InteractionDecision
from sim.protocols.hook.acts import Adopt
from sim.protocols.hook.server.delivery import Receipt
from sim.protocols.hook.server.inbox import _running
from tests.protocols.hook.accounts_play import AccountsPlay
from tests.protocols.hook.by_hand import ByHand
from tests.protocols.hook.delivery_play import LanePlay
from tests.protocols.hook.server_play import Play


def server(play: Play) -> Any:
    return play.world.hosts["S"].actor


def by_hand(play: Play, run: Any) -> ByHand:
    return ByHand(play.world, "S", run)


def test_a_desktop_that_has_just_left_is_missed_only_later() -> None:
    play = Play()
    play.connect()
    request = play.say("go")
    play.ack(request)
    play.cut()
    desk = server(play).memory.routes[request].desk
    run = by_hand(play, server(play)._requests.absent(desk)).finish()
    assert [type(op) for op in run.ops] == [StartTimer]
    assert play.shows(request)[0] == "WORKING"


@pytest.mark.parametrize(("after", "told"), [(0.1, 0), (5, 1)])
def test_a_short_absence_is_no_news(after: float, told: int) -> None:
    """hook RC-84"""
    play = AccountsPlay(bound=True, announces=True)
    play.join()
    book = server(play).books.lifecycle
    book._wanted["D"], book._told["D"] = None, True
    play.cut(wait=after)
    book._wanted["D"], book._told["D"] = None, True
    run = by_hand(play, book.look("D")).finish()
    assert (len(run.asked(Save)), len(run.asked(StartTimer))) == (told, 1 - told)
    play.run(1)


@pytest.mark.parametrize("lane", ["slack", "telegram"])
def test_a_device_is_given_to_whoever_has_none_if_nobody_has_it(lane: str) -> None:
    play = AccountsPlay()
    books = server(play).books

    def adopt(person: str, device: str) -> str | None:
        play.world.act("S", Adopt(lane, person, device))
        play.run(0.1)
        device_of: str | None = books.standing.device_of(lane, "T1", person)
        return device_of

    assert adopt("Alice", "D") == "D"
    assert adopt("Alice", "D2") == "D"
    assert adopt("Bob", "D") is None
    assert adopt("Bob", "D2") == "D2"
    other = "telegram" if lane == "slack" else "slack"
    assert books.standing.device_of(other, "T1", "Alice") is None


def test_a_receipt_that_nobody_asked_for_is_told_to_who_asks() -> None:
    """HK-82"""
    play = LanePlay("slack")
    task = server(play).memory.routes[play.task()]
    delivery = server(play)._writing.delivery
    task.state, task.receipt = "ENDED", Receipt()
    task.receipt.silent = True
    task.receipt.step("fail")
    assert by_hand(play, delivery.settled(task)).finish().ops == []
    run = by_hand(play, delivery.again(task.desk.socket, task)).finish()
    assert len(run.asked(Send)) == 1
    assert not task.receipt.silent


@pytest.mark.parametrize(
    ("off", "offered", "asked", "wanted"),
    [((), True, True, True), ((), True, False, False), ((), False, True, False),
     (("delivery_where_asked",), True, False, True),
     (("delivery_where_asked",), False, True, False)],
)  # fmt: skip
def test_who_is_told_what_became_of_an_end(
    off: tuple[str, ...], offered: bool, asked: bool, wanted: bool
) -> None:
    """HK-70, HK-71"""
    play = LanePlay("slack", off=off)
    play.connect(features=("turn-delivery-v1",) if asked else ())
    socket = server(play).memory.desks["slack", "D"].socket
    socket.offered = ("turn-delivery-v1",) if offered else ()
    assert server(play)._writing.delivery._agreed(socket) is wanted
    assert not server(play)._writing.delivery._agreed(None)


def test_with_one_decision_off_a_card_can_be_pressed_again() -> None:
    """hook RC-63"""
    play = Play(off=("one_decision",))
    play.connect()
    request = play.say("go")
    play.ack(request)
    play.ask(request, wait=2)
    for button in ("yes", "no"):
        play.press("A1", button)
    assert [d.button_id for d in play.got(InteractionDecision)] == ["yes", "no"]


@pytest.mark.parametrize(
    ("states", "stopped"),
    [(("INTERRUPTED", "WAITING", "QUEUED"), 1), (("WAITING", "RUNNING"), 1),
     (("INTERRUPTED", "INTERRUPTED"), 1), (("QUEUED", "INTERRUPTED"), 0)],
)  # fmt: skip
def test_a_stop_is_about_what_runs_then_what_waits_then_what_was_interrupted(
    states: tuple[str, ...], stopped: int
) -> None:
    """HK-65, hook RC-26"""
    tasks = {str(n): SimpleNamespace(state=state) for n, state in enumerate(states)}
    lane: Any = SimpleNamespace(rounds=None, tasks=tasks)
    assert _running(lane) is tasks[str(stopped)]
    lane.tasks = {}
    assert _running(lane) is None
