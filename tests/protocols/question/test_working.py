"""Which attempts a listener is at: those that have ended are left out, until they speak again."""

from __future__ import annotations

from sim.core.http import HttpRequest
from sim.protocols.question.view_calls import CallView, UpdateView
from sim.protocols.question.view_records import Attempt
from sim.protocols.question.view_working import Working


def attempt(id: int, listener: str = "L") -> Attempt:
    return Attempt(listener, 1, UpdateView(id, "text", "-42", 7, False), id, 0)


def message(n: int) -> CallView:
    return CallView(n, 0, "L", "TG", "sendMessage", HttpRequest("POST", "/bot7:x/sendMessage"))


def three() -> tuple[Working, list[Attempt]]:
    working, came = Working(), [attempt(n) for n in (3, 1, 2)]
    for one in came:
        working.came(one)
    return working, came


def test_attempts_stand_in_order_of_arrival_each_with_its_listener() -> None:
    working, came = three()
    working.came(attempt(9, "other"))
    assert working.of("L") == came
    assert working.of("nobody") == []


def test_an_attempt_that_has_ended_is_left_out() -> None:
    working, came = three()
    came[1].over_at = 5
    assert working.of("L") == [came[0], came[2]]


def test_an_attempt_that_speaks_after_its_end_is_at_work_until_it_is_heard() -> None:
    working, came = three()
    came[0].over_at = 5
    assert working.of("L") == came[1:]
    came[0].told.append(said := message(8))
    working.speaks(came[0])
    assert working.of("L") == came
    working.speaks(came[0])
    assert working.of("L") == came
    said.ended_at = 9
    assert working.of("L") == came[1:]


def test_what_is_asked_for_is_not_what_is_kept() -> None:
    working, came = three()
    working.of("L").clear()
    assert working.of("L") == came
