"""Rounds, cards, events and the server's return after a crash: what each guard is for."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from sim.channel.api import SEEN, ButtonPressed, EditMessage
from sim.core.event import CallIssued, Saved
from sim.core.op import Call, Save, Send, Sleep, Spawn, StartTimer
from sim.protocols.hook import TaskCancel, TurnReopen
from sim.protocols.hook.machine import CLOSED, DECIDED, OPEN, PROBING
from sim.protocols.hook.server import Server
from sim.protocols.hook.server.delivery import Receipt
from sim.protocols.hook.server.line import Picture
from sim.protocols.hook.server.stored import CardRow, ReceiptRow, RoundRow
from sim.protocols.hook.server.tasks import Round
from tests.protocols.hook.by_hand import ByHand
from tests.protocols.hook.delivery_play import LanePlay
from tests.protocols.hook.server_books import imbalances
from tests.protocols.hook.server_play import Play, failed_task


class Stage(Play):
    """A server whose handlers can be moved by hand."""

    @property
    def server(self) -> Any:
        return self.world.hosts["S"].actor

    @property
    def desk(self) -> Any:
        return self.server.memory.desks["slack", "D"]

    def hand(self, run: Any) -> ByHand:
        return ByHand(self.world, "S", run)

    def restarted(self, wait: float = 2) -> Any:
        """The server after a crash."""
        self.crash()
        self.restart(wait)
        return self.server

    def put(self, row: Any, key: str) -> None:
        self.world.hosts["S"].store.put(key, row)

    def running(self, text: str = "go", **more: Any) -> Any:
        """A task that D runs."""
        if not self.puppet().conns:
            self.connect()
        request = self.say(text, **more)
        self.ack(request)
        return self.server.memory.routes[request]

    def reopening(self, request: str, of: str) -> ByHand:
        body = TurnReopen(
            request_id=request, reopen_of=of, external_key="k", session_id="s-1",
            reason="user-continued",
        )  # fmt: skip
        return self.hand(self.server._frames["turn.reopen"](self.desk.socket, body))

    def edits(self, since: int = 0) -> list[Any]:
        return [
            e.request
            for e in self.events(CallIssued)
            if e.n >= since and type(e.request) is EditMessage
        ]


# -- rounds ---------------------------------------------------------------------------------


def two_rounds() -> tuple[Stage, list[str]]:
    """Two failed tasks of one conversation are continued on one connection."""
    play = Stage()
    play.connect()
    requests = [play.say(text, thread="t1") for text in ("one", "two")]
    for n, request in enumerate(requests):
        play.ack(request)
        play.end(request, "error", f"e{n}")
    for n, request in enumerate(requests):
        play.reopen(f"K{n}", request)
    return play, requests


def test_two_rounds_of_one_connection_are_both_known() -> None:
    play, requests = two_rounds()
    assert imbalances(play.server) == []
    play.say("/stop", thread="t1")
    assert [c.request_id for c in play.got(TaskCancel)] == ["K0"]
    play.cut(wait=3)
    assert [play.shows(request)[0] for request in requests] == ["INTERRUPTED"] * 2


def test_two_ids_that_a_connection_may_not_use_are_both_known() -> None:
    """HK-183"""
    play, requests = two_rounds()
    for n, request in enumerate(reversed(requests)):
        play.reopen(f"K{n}", request)
    socket = play.desk.socket
    assert [socket.silences(f"K{n}") for n in range(3)] == [True, True, False]


def test_progress_that_came_while_a_reopen_was_stored_stays() -> None:
    play = Stage()
    failed = failed_task(play)
    run = play.reopening("K1", failed).behind(Save, "round/")
    play.progress("K1", "half")
    run.finish()
    play.run(1)
    assert play.shows(failed) == ("WORKING", "half")


def test_only_an_open_round_is_superseded() -> None:
    """hook RC-06"""
    play = Stage()
    failed = failed_task(play)
    task = play.server.memory.routes[failed]
    rounds = play.server._handshake.rounds
    assert rounds._supersede(task) is None
    over = Round("K1", failed, task, 1, None)
    over.state = "ENDED"
    assert rounds._supersede(over) is None
    over.state = OPEN
    assert rounds._supersede(over) is over


# -- cards ----------------------------------------------------------------------------------


def asked(*cards: str, **more: Any) -> tuple[Stage, Any]:
    play = Stage(**more)
    task = play.running()
    for card in cards:
        play.ask(task.request, card, wait=2)
    return play, task


def test_all_cards_of_a_task_close_with_it() -> None:
    """hook RC-64"""
    play, task = asked("A1", "A2")
    play.end(task.request, "ok", "done", wait=2)
    assert [card.state for card in play.server.memory.cards.values()] == [CLOSED, CLOSED]


def test_with_retire_cards_off_they_stay_open() -> None:
    """hook RC-64"""
    play, task = asked("A1", off=("retire_cards",))
    play.end(task.request, "ok", "done", wait=2)
    assert play.server.memory.cards["A1"].state == OPEN


def test_a_card_says_which_button_was_pressed() -> None:
    play, _ = asked("A1")
    play.press("A1", "no")
    assert play.server.memory.cards["A1"].outcome == "No (Alice)"


def pressing(play: Stage) -> ByHand:
    card = play.server.memory.cards["A1"]
    press = ButtonPressed("e9", "C1", card.line.message, "yes", "Alice")
    return play.hand(play.server._inbox.cards.press("IM", press))


def test_a_card_that_was_taken_back_while_a_press_was_stored_is_not_decided() -> None:
    """HK-144"""
    play, task = asked("A1")
    run = pressing(play).behind(Save)
    play.take_back(task.request)
    assert run.finish().asked(Send) == run.asked(Spawn) == []
    assert play.server.memory.cards["A1"].state == CLOSED


def test_a_card_that_was_taken_back_while_its_decision_was_sent_is_not_shown_as_decided() -> None:
    play, task = asked("A1")
    run = pressing(play).behind(Send)
    play.take_back(task.request)
    assert run.finish().asked(Spawn) == []


def test_a_decision_is_sent_once_per_welcome_to_whom_it_is_for_while_the_task_runs() -> None:
    play, task = asked("A1")
    play.press("A1", "yes")
    card, cards = play.server.memory.cards["A1"], play.server._inbox.cards
    assert card.state == DECIDED
    send = cards._send_decision
    assert play.hand(send(play.desk.socket, card)).finish().ops == []
    card.sent = 0
    task.account = "A"
    assert play.hand(send(play.desk.socket, card)).finish().ops == []
    task.account = ""
    task.state, running = "REJECTED", task.state
    assert play.hand(send(play.desk.socket, card)).finish().ops == []
    task.state = running
    assert len(play.hand(send(play.desk.socket, card)).finish().asked(Send)) == 1


# -- events ---------------------------------------------------------------------------------


def test_a_press_on_the_servers_own_card_waits_for_no_other() -> None:
    play = Stage()
    play.server.memory.unposted_cards = 1

    async def press(channel: str, event: Any) -> bool:
        return True

    play.server._inbox.books.pickers = type("Known", (), {"press": staticmethod(press)})
    event = ButtonPressed("e9", "C1", "m9", "c0", "Alice")
    run = play.hand(play.server._inbox.take("IM", event)).finish()
    assert (run.result, run.ops) == (SEEN, [])


def test_a_conversation_is_stored_when_it_is_made_and_not_with_each_message() -> None:
    for connected in (True, False):
        play = Stage()
        if connected:
            play.connect()
        for text in ("one", "two"):
            play.say(text, thread="t1")
        assert len([e for e in play.events(Saved) if e.key.startswith("lane/")]) == 1


def test_a_task_that_was_dispatched_while_it_was_stored_gets_no_placeholder() -> None:
    play = Stage()
    task = play.running()
    assert play.hand(play.server._inbox._begin(task)).finish().ops == []


def test_a_desktop_that_is_about_to_be_welcomed_is_not_missed() -> None:
    play = Stage()
    task = play.running()
    play.desk.socket.state, task.state, task.sent = PROBING, "WAITING", 0
    run = play.hand(play.server._inbox._begin(task)).finish()
    assert run.asked(StartTimer) == run.asked(Send) == []
    play.run(1)


# -- after a crash --------------------------------------------------------------------------


def test_the_account_that_a_device_had_last_is_known_after_a_crash() -> None:
    """hook RC-44"""
    play = LanePlay("slack")
    play.account = "A"
    play.task("one")
    play.cut()
    play.account = ""
    play.connect()
    play.task("two")
    play.crash()
    play.restart()
    server: Any = play.world.hosts["S"].actor
    assert server.memory.desks["slack", "D"].account == "A"


def test_what_had_no_receipt_has_none_after_a_crash() -> None:
    play = Stage()
    task = play.running()
    server = play.restarted()
    assert server.memory.routes[task.request].receipt is None


@pytest.mark.parametrize("ended", [False, True])
def test_the_books_are_in_order_after_a_crash(ended: bool) -> None:
    play = Stage()
    task = play.running()
    if ended:
        play.end(task.request, "ok", "done")
    server = play.restarted()
    assert imbalances(server) == []
    assert not server.memory.desks["slack", "D"].interrupted


def test_rows_of_tasks_that_are_forgotten_harm_nobody() -> None:
    play = Stage()
    play.put(RoundRow("K1", "R1", "R1", 1, "", "ENDED", 1, None, True), "round/K1")
    play.put(CardRow("A1", "R1", "?", (), OPEN, "m9", "", "", False), "card/A1")
    server = play.restarted()
    assert (server.memory.routes, server.memory.cards) == ({}, {})


def test_the_end_of_the_last_round_is_known_after_a_crash() -> None:
    play = Stage(restore=True)
    failed = failed_task(play)
    play.reopen("K1", failed)
    play.end("K1", "error", "e2")
    play.restarted()
    play.connect()
    play.reopen("K2", failed)
    play.progress("K2", "half")
    play.cut(wait=3)
    assert play.shows(failed) == ("FAILED", "e2")


def test_a_round_that_was_open_hides_no_earlier_end() -> None:
    play = Stage(restore=True)
    failed = failed_task(play)
    play.reopen("K1", failed)
    play.progress("K1", "half")
    play.restarted(5)
    assert play.shows(failed) == ("FAILED", "e1")


def test_what_was_written_is_not_doubted_after_a_crash() -> None:
    play = Stage()
    failed = failed_task(play)
    play.reopen("K1", failed)
    play.end("K1", "ok", "done")
    server = play.restarted()
    assert not server.memory.routes[failed].line.unsure
    assert [at for at, _, _ in server.memory.ended if not at] == []


def test_only_a_round_that_ended_has_a_time_of_its_end() -> None:
    play = Stage()
    failed = failed_task(play)
    play.reopen("K1", failed)
    server = play.restarted()
    assert [at for at, _, _ in server.memory.ended if not at] == []
    play.run(3)
    assert imbalances(server) == []


def test_a_close_out_that_was_written_is_not_written_again() -> None:
    play = Stage()
    failed = failed_task(play)
    play.reopen("K1", failed)
    play.cut(wait=3)
    assert play.shows(failed)[0] == "INTERRUPTED"
    n = len(play.world.events)
    play.restarted(10)
    assert play.edits(n) == []


def test_an_end_that_nobody_has_seen_is_owed_once() -> None:
    play = Stage()
    failed = failed_task(play)
    play.reopen("K1", failed)
    play.end("K1", "ok", "done")
    store = play.world.hosts["S"].store
    store.put("round/K1", msgspec.structs.replace(store.get("round/K1"), written=False))
    reborn = Server(play.world.hosts["S"], play.plan)
    run = play.hand(reborn._recovery.run()).finish()
    assert [op.name for op in run.asked(Spawn)] == ["owed K1"]
    play.run(1)


def test_what_is_left_over_is_deleted_after_a_crash() -> None:
    """hook RC-102"""
    play = LanePlay("telegram")
    request = play.task()
    placeholder = play.message(request).id
    store = play.world.hosts["S"].store
    row = msgspec.structs.replace(store.get(f"request/{request}"), leftovers=(placeholder,))
    store.put(f"request/{request}", row)
    play.crash()
    play.restart(3)
    assert play.message(request).deleted


def test_what_a_task_showed_before_a_crash_it_shows_behind_it() -> None:
    play = Stage()
    task = play.running()
    play.progress(task.request, "half")
    n = len(play.world.events)
    play.restarted(10)
    assert play.shows(task.request) == ("WORKING", "half")
    assert play.edits(n) == []


def test_a_placeholder_whose_id_was_lost_is_found_after_a_crash() -> None:
    """hook RC-100"""
    play = Stage()
    task = play.running()
    store = play.world.hosts["S"].store
    key = f"request/{task.request}"
    store.put(key, msgspec.structs.replace(store.get(key), message="", posts=0))
    server = play.restarted(5)
    assert server.memory.routes[task.request].line.message == task.line.message
    assert play.posts() == 1


def test_a_card_that_stands_is_not_drawn_again_after_a_crash() -> None:
    play, _ = asked("A1")
    n = len(play.world.events)
    play.restarted(10)
    assert play.edits(n) == []


@pytest.mark.parametrize("wait_ms", [-5, 0, 5_000])
def test_the_next_try_is_when_the_desktop_was_told_that_it_is(wait_ms: int) -> None:
    """HK-77"""
    play = Stage()
    task = play.running()
    at = play.server.port.now_ms() + wait_ms
    task.receipt = Receipt(ReceiptRow("RETRYING", 3, at, "server_error"))
    task.line.draining = True
    shown = Picture(task, "done", "OK", final=True)
    run = play.hand(play.server._recovery._when_promised(shown, task)).finish()
    assert [op.for_us for op in run.asked(Sleep)] == [wait_ms * 1_000] * (wait_ms > 0)
    assert task.line.failures == 3
    assert run.asked(Call) == []
