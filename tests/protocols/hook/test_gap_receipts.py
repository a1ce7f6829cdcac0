"""Receipts on the server, one decision at a time (HK-70 ... HK-84)."""

from __future__ import annotations

from typing import Any

from sim.core.op import Save, Send
from sim.protocols.hook import TurnDelivery
from sim.protocols.hook.machine import ACCEPTED
from sim.protocols.hook.server.delivery import Receipt
from sim.protocols.hook.server.line import Picture
from tests.protocols.hook.by_hand import ByHand
from tests.protocols.hook.delivery_play import LanePlay


class Stage:
    """A task that runs, and the server's book of receipts."""

    def __init__(self, lane: str = "slack", **more: Any) -> None:
        self.play = LanePlay(lane, **more)
        self.request = self.play.task()
        actor: Any = self.play.world.hosts["S"].actor
        self.delivery = actor._writing.delivery
        self.task = actor.memory.routes[self.request]
        self.socket = self.task.desk.socket

    def run(self, run: Any) -> ByHand:
        return ByHand(self.play.world, "S", run)

    def kept(self, *steps: str) -> Receipt:
        """The end was taken, and got so far."""
        self.task.state = "ENDED"
        self.task.receipt = receipt = Receipt()
        receipt.durable = True
        for step in steps:
            assert receipt.step(step)
        return receipt


def states(run: ByHand) -> list[str]:
    return [op.frame.body.state for op in run.asked(Send)]


def test_an_end_without_a_receipt_is_told_by_nobody() -> None:
    stage = Stage()
    for run in (
        stage.delivery.settled(stage.task),
        stage.delivery.accepted(stage.task),
        stage.delivery.overtake(stage.task),
        stage.delivery.retry(stage.task, "server_error", 1),
    ):
        assert stage.run(run).finish().ops == []
    stage.delivery.attempt(stage.task)
    stage.delivery.settle(stage.task, "")
    assert stage.task.receipt is None


def test_what_was_overtaken_before_it_was_stored_is_told_behind_its_acceptance() -> None:
    """HK-73"""
    stage = Stage()
    receipt = stage.kept()
    receipt.durable = False
    run = stage.run(stage.delivery.overtake(stage.task)).finish()
    assert (len(run.asked(Save)), states(run)) == (1, [])
    assert states(stage.run(stage.delivery.accepted(stage.task)).finish()) == ["failed"]


def test_what_is_not_stored_yet_is_not_told_to_who_asks_again() -> None:
    stage = Stage()
    stage.kept().durable = False
    assert stage.run(stage.delivery.again(stage.socket, stage.task)).finish().ops == []


def test_who_asks_while_a_newer_state_is_still_to_be_told_gets_that_one() -> None:
    """HK-76"""
    stage = Stage()
    receipt = stage.kept()
    telling = stage.run(stage.delivery._tell(stage.task)).before(Send)
    assert receipt.step("deliver")
    assert stage.run(stage.delivery.settled(stage.task)).finish().ops == []
    assert stage.run(stage.delivery.again(stage.socket, stage.task)).finish().ops == []
    assert states(telling.finish()) == ["accepted", "delivered"]


def test_only_an_attempt_that_is_under_way_is_stored_before_it_is_told_again() -> None:
    """HK-76"""
    for steps, kinds in ((("retry",), [Save, Send]), (("deliver",), [Send]), ((), [Send])):
        stage = Stage()
        stage.kept(*steps)
        run = stage.run(stage.delivery.again(stage.socket, stage.task)).finish()
        assert [type(op) for op in run.ops] == kinds


def test_what_runs_yet_has_no_state_to_be_told() -> None:
    stage = Stage()
    assert stage.run(stage.delivery.again(stage.socket, stage.task)).finish().ops == []
    assert stage.task.receipt is None


def test_an_answer_that_is_not_written_yet_is_not_told_as_delivered() -> None:
    """HK-82"""
    for written, state in ((False, ACCEPTED), (True, "DELIVERED")):
        stage = Stage()
        stage.task.final = Picture(stage.task, "done", "OK", final=True)
        stage.task.written = written
        stage.run(stage.delivery._late(stage.task)).finish()
        assert stage.task.receipt.state == state
        assert stage.task.receipt.durable


def test_an_end_that_was_none_is_superseded() -> None:
    for final in (None, "INTERRUPTED"):
        stage = Stage()
        picture = Picture(stage.task, "x", final, final=True) if final else None
        stage.task.final = picture
        stage.run(stage.delivery._late(stage.task)).finish()
        assert (stage.task.receipt.state, stage.task.receipt.code) == ("FAILED", "superseded")


def test_states_are_told_in_order_by_one_handler() -> None:
    """hook RC-49"""
    stage = Stage()
    receipt = stage.kept()
    first = stage.run(stage.delivery._tell(stage.task)).before(Send)
    receipt.step("deliver")
    assert stage.run(stage.delivery._tell(stage.task)).finish().ops == []
    assert states(first.finish()) == ["accepted", "delivered"]
    assert not receipt.telling


def test_a_receipt_that_is_over_counts_no_more_attempts() -> None:
    stage = Stage()
    receipt = stage.kept("deliver")
    stage.delivery.attempt(stage.task)
    assert receipt.attempt == 1


def test_nobody_is_told_on_a_connection_that_is_gone_or_another_accounts() -> None:
    """HK-70, hook RC-44"""
    stage = Stage()
    stage.kept("deliver")
    stage.task.account = "A"
    assert states(stage.run(stage.delivery.settled(stage.task)).finish()) == []
    stage.task.account = ""
    assert states(stage.run(stage.delivery.settled(stage.task)).finish()) == ["delivered"]
    stage.task.desk.socket = None
    assert states(stage.run(stage.delivery.settled(stage.task)).finish()) == []
    assert stage.delivery._agreed(stage.socket)


def test_rounds_have_no_receipts_but_with_that_rule_off() -> None:
    """HK-84"""
    for off, told in (((), 0), (("no_receipt_for_rounds",), 1)):
        stage = Stage(off=off)
        run = stage.run(stage.delivery.of_round(stage.socket, "K1")).finish()
        assert len(run.asked(Send)) == told
        assert all(type(op.frame.body) is TurnDelivery for op in run.asked(Send))
    stage.socket.hello = None
    assert stage.run(stage.delivery.of_round(stage.socket, "K1")).finish().ops == []
