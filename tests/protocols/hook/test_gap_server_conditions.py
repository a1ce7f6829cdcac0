"""The server's compound conditions: each part of them decides somewhere."""

from __future__ import annotations

from collections import deque
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from sim.channel.api import Button, Done, PersonSaid, Refused
from sim.core.op import NO_ANSWER, Call, Save, Send, Spawn
from sim.protocols.hook import InteractionDecision, TaskDispatch
from sim.protocols.hook.machine import ACCEPTED, PROBING, READY, WELCOMING
from sim.protocols.hook.server import Limits, Server, ServerPlan
from sim.protocols.hook.server.delivery import Receipt
from sim.protocols.hook.server.inbox import _running
from sim.protocols.hook.server.line import Line, Picture
from sim.protocols.hook.server.manners import TELEGRAM
from sim.protocols.hook.server.stored import Final, ReceiptRow
from sim.protocols.hook.server.tasks import Round, place_of
from tests.protocols.hook.by_hand import ByHand
from tests.protocols.hook.delivery_play import LanePlay
from tests.protocols.hook.server_play import SECOND_US, failed_task


class Stage(LanePlay):
    """Alice's desktop D on one lane; handlers can be moved by hand."""

    @property
    def server(self) -> Any:
        return self.world.hosts["S"].actor

    @property
    def writing(self) -> Any:
        return self.server._writing

    @property
    def socket(self) -> Any:
        return self.server.memory.desks[self.lane, "D"].socket

    def hand(self, run: Any, *answers: Any) -> ByHand:
        return ByHand(self.world, "S", run, *answers)

    def running(self, text: str = "go", **more: Any) -> Any:
        return self.server.memory.routes[self.task(text, **more)]

    def restart_by_hand(self) -> ByHand:
        """What a server that is started now does first."""
        reborn = Server(self.world.hosts["S"], self.plan)
        return self.hand(reborn._recovery.run()).finish()

    def change(self, key: str, **fields: Any) -> None:
        """Another row is stored."""
        store = self.world.hosts["S"].store
        store.put(key, msgspec.structs.replace(store.get(key), **fields))


def picture(claim: Any, text: str = "p", state: str = "WORKING") -> Picture:
    made = Picture(claim, text, state, final=state != "WORKING")
    if made.final:
        claim.final = made
    return made


def spawned(run: ByHand) -> list[str]:
    return [op.name for op in run.asked(Spawn)]


# -- posting --------------------------------------------------------------------------------


def test_an_answer_is_posted_however_often_its_placeholder_was() -> None:
    """hook RC-102"""
    play = Stage("telegram")
    task = play.running()
    task.line.posts = 2
    assert play.writing.posting.may_post(task.line, picture(task, "done", "OK"))


def test_a_card_is_stored_before_it_is_posted() -> None:
    play = Stage("slack")
    task = play.running()
    line = Line(task, "IM", task.line.chat, None, "A1", "card")
    run = play.hand(play.writing.posting.post(line, picture(task)), Done("m9")).finish()
    assert [type(op) for op in run.ops[:2]] == [Save, Call]


def test_a_duplicate_may_be_the_post_itself() -> None:
    """hook RC-100"""
    for code, doubted in (("duplicate", True), ("server_error", False)):
        play = Stage("x")
        task = play.running()
        run = play.hand(
            play.writing.posting.post(task.line, picture(task, "done", "OK")), Refused(code)
        )
        run.finish()
        assert bool(task.line.doubt) is doubted


def test_the_id_of_an_answer_is_stored_with_what_it_replaces() -> None:
    play = Stage("telegram")
    task = play.running()
    end = picture(task, "done", "OK")
    run = play.hand(play.writing.posting._posted(task.line, end, "t9")).finish()
    assert [op.key for op in run.asked(Save)] == [task.row_key] * 2
    play.run(1)


def test_the_id_of_a_rounds_post_is_stored_with_its_task() -> None:
    play = Stage("slack")
    task = play.running()
    over = Round("K1", task.request, task, 1, None)
    task.line.claim = over
    run = play.hand(play.writing.posting._posted(task.line, picture(over, "x", "OK"), "m9"))
    assert [op.key for op in run.finish().asked(Save)] == [task.row_key, over.row_key]


@pytest.mark.parametrize(
    ("lane", "doubted_final", "age_us", "over"),
    [("telegram", False, 0, True), ("telegram", True, 0, False), ("slack", False, 0, False),
     ("slack", False, 91 * SECOND_US, True), ("telegram", True, 91 * SECOND_US, True)],
)  # fmt: skip
def test_how_long_a_post_may_still_appear(
    lane: str, doubted_final: bool, age_us: int, over: bool
) -> None:
    """hook RC-100"""
    play = Stage(lane)
    task = play.running()
    line = task.line
    line.doubt, line.doubt_us = "k", play.world.now - age_us
    line.doubted = picture(task, "x", "OK" if doubted_final else "WORKING")
    end = picture(task, "done", "OK")
    run = play.hand(play.writing.posting.resolve(line, end), Refused("not_found")).finish()
    assert run.result is over
    assert bool(line.doubt) is not over


def test_a_post_whose_picture_was_lost_is_taken_for_the_present_one() -> None:
    play = Stage("slack")
    task = play.running()
    task.line.doubt, task.line.doubted = "k", None
    now = picture(task, "half")
    play.hand(play.writing.posting.resolve(task.line, now), Done("m9")).finish()
    assert task.line.shown is now


def test_where_nothing_can_be_edited_no_doubt_is_resolved_blindly() -> None:
    play = Stage("x")
    task = play.running()
    task.line.doubt = "k"
    for doubted in (picture(task), picture(task, "x", "OK")):
        task.line.doubted = doubted
        run = play.hand(
            play.writing.posting.resolve(task.line, picture(task)), Refused("unsupported")
        )
        assert run.finish().result is False


def test_what_cannot_be_deleted_now_is_tried_again_and_what_never_can_is_not() -> None:
    for code, tries in (("server_error", 2), ("delete_refused", 1)):
        play = Stage("telegram")
        task = play.running()
        task.line.leftovers = ("t9",)
        run = play.hand(play.writing.posting._tidy(task.line), Refused(code), Done()).finish()
        assert len(run.asked(Call)) == tries


# -- writing --------------------------------------------------------------------------------


def test_only_an_end_counts_as_an_attempt() -> None:
    """HK-79"""
    play = Stage("slack")
    task = play.running()
    task.receipt = Receipt()
    end = picture(task, "done", "OK")
    for shown, attempts in (
        (picture(task), 0),
        (Picture(task, "old", "OK", final=True), 0),
        (end, 1),
    ):
        play.hand(play.writing.publish(task.line, shown, "request"), Done()).finish()
        assert task.receipt.attempt == attempts


def test_what_is_no_end_or_settled_already_settles_nothing() -> None:
    play = Stage("slack")
    task = play.running()
    end = picture(task, "done", "OK")
    assert play.hand(play.writing.settle(picture(task))).finish().ops == []
    assert play.hand(play.writing.settle(Picture(task, "old", "OK", final=True))).finish().ops == []
    assert play.hand(play.writing.settle(end)).finish().ops != []
    assert play.hand(play.writing.settle(end)).finish().ops == []


def test_an_interruption_settles_no_receipt_and_is_not_told_as_a_retry() -> None:
    """hook RC-55"""
    play = Stage("slack")
    task = play.running()
    task.receipt = Receipt()
    task.receipt.durable = True
    torn = picture(task, "interrupted", "INTERRUPTED")
    play.hand(play.writing.later(task.line, torn, "server_error", Refused("server_error"))).finish()
    play.hand(play.writing.settle(torn)).finish()
    assert task.receipt.state == ACCEPTED


def test_an_end_that_a_newer_one_has_replaced_is_not_told_as_a_retry() -> None:
    play = Stage("slack")
    task = play.running()
    task.receipt = Receipt()
    old = picture(task, "old", "OK")
    picture(task, "new", "OK")
    play.hand(play.writing.later(task.line, old, "server_error", Refused("server_error"))).finish()
    assert task.receipt.state == ACCEPTED


@pytest.mark.parametrize(("off", "wanted"), [((), "new"), (("newest_wins",), "old")])
def test_after_a_failure_the_newest_picture_goes_as_the_rule_says(
    off: tuple[str, ...], wanted: str
) -> None:
    play = Stage("slack", off=off)
    task = play.running()
    old, task.line.wanted = picture(task, "old"), picture(task, "new")
    play.hand(play.writing.later(task.line, old, "server_error", Refused("server_error"))).finish()
    assert task.line.wanted.text == wanted


@pytest.mark.parametrize(
    ("answers", "calls"),
    [((Refused("message_not_found"),), 1), ((Refused("not_modified"),), 1), ((Done(),), 1),
     ((Refused("server_error"), NO_ANSWER, Done()), 3)],
)  # fmt: skip
def test_a_blind_write_ends_when_nothing_is_left_to_do(
    answers: tuple[Any, ...], calls: int
) -> None:
    play = Stage("slack", off=("ownership_at_write",))
    task = play.running()
    shown = picture(Round("K1", task.request, task, 1, None), "torn", "INTERRUPTED")
    run = play.hand(play.writing.write_blindly(task.line, shown), *answers).finish()
    assert len(run.asked(Call)) == calls


def test_late_close_outs_wait_for_whoever_writes_again() -> None:
    play = Stage("slack", off=("ownership_at_write",))
    task = play.running()
    over = Round("K1", task.request, task, 1, None)
    task.line.late = deque(picture(over, text, "INTERRUPTED") for text in "ab")
    run = play.hand(play.writing.show(task.line, picture(task, "half")), Done()).behind(Spawn)
    task.line.draining = True
    assert len(spawned(run.finish())) == 1
    assert len(task.line.late) == 1
    play.run(1)


@pytest.mark.parametrize("field", ["text", "state", "files", "buttons"])
def test_pictures_differ_in_whatever_a_reader_sees(field: str) -> None:
    facts: dict[str, Any] = {"text": "t", "state": "OK", "files": ("a",), "buttons": ()}
    other = {**facts, field: {"files": ("b",), "buttons": (Button("b", "B"),)}.get(field, "?")}
    claim: Any = SimpleNamespace()
    assert Picture(claim, **facts).looks_like(Picture(claim, **facts))
    assert not Picture(claim, **facts).looks_like(Picture(claim, **other))


def test_a_message_is_lost_only_if_there_was_one() -> None:
    line = Line(None, "IM", "C1", None, "R1", "request")
    for gone, message, lost in ((True, "m1", True), (True, "", False), (False, "m1", False)):
        line.gone, line.message = gone, message
        assert line.is_lost is lost


def test_a_text_that_just_fits_is_one_piece() -> None:
    assert [len(TELEGRAM.pieces("a" * n)) for n in (1, 4_096, 4_097)] == [1, 1, 2]


# -- receipts -------------------------------------------------------------------------------


def test_an_acceptance_is_told_once() -> None:
    """HK-73"""
    play = Stage("slack")
    task = play.running()
    task.receipt = Receipt()
    accepted = play.writing.delivery.accepted
    assert len(play.hand(accepted(task)).finish().asked(Send)) == 1
    assert play.hand(accepted(task)).finish().ops == []


@pytest.mark.parametrize(("steps", "told"), [((), 1), (("deliver",), 0)])
def test_with_delivery_receipts_off_only_what_is_under_way_is_told_again(
    steps: tuple[str, ...], told: int
) -> None:
    """HK-82"""
    play = Stage("slack", off=("delivery_receipts",))
    task = play.running()
    task.state, task.receipt = "ENDED", Receipt()
    task.receipt.durable = True
    for step in steps:
        task.receipt.step(step)
    run = play.hand(play.writing.delivery.again(play.socket, task)).finish()
    assert len(run.asked(Send)) == told


def test_a_socket_is_ready_from_the_writing_of_its_welcome_on() -> None:
    play = Stage("slack")
    play.connect()
    for state, ready in ((READY, True), (WELCOMING, True), (PROBING, False)):
        play.socket.state = state
        assert play.socket.ready is ready
        assert play.writing.delivery._agreed(play.socket) is ready


# -- events ---------------------------------------------------------------------------------


def said(text: str, person: str = "Alice", thread: str | None = "t1", n: int = 9) -> PersonSaid:
    return PersonSaid(f"e{n}", "C1", thread, f"m{n}", person, text, True, "T1")


def test_a_message_of_blanks_is_no_task() -> None:
    play = Stage("slack")
    play.connect()
    assert play.hand(play.server._inbox._said("IM", said("  "))).finish().ops == []
    assert play.hand(play.server._inbox._said("IM", said("go"))).finish().asked(Save) != []
    play.run(1)
    assert [task.prompt for task in play.got(TaskDispatch)] == ["go"]


def test_a_conversation_learns_its_folder_when_a_desktop_is_there() -> None:
    """HK-53"""
    play = Stage("slack")
    play.say("one", thread="t1")
    (lane,) = play.server.memory.conversations.values()
    assert lane.workspace == ""
    play.connect()
    for workspace, saved in (("", 1), ("chat", 0)):
        lane.workspace = workspace
        run = play.hand(play.server._inbox._conversation("slack", said("two"), play.socket))
        assert (run.finish().result, len(run.asked(Save))) == (lane, saved)
        assert lane.workspace == "chat"


def test_a_conversation_without_a_folder_or_a_team_has_empty_names() -> None:
    play = Stage("slack")
    play.connect(workspaces=())
    event = PersonSaid("e9", "D1", None, "m9", "Alice", "go", True)
    run = play.hand(play.server._inbox._conversation("slack", event, play.socket)).finish()
    assert (run.result.workspace, run.result.team) == ("", "")
    assert run.result.row_key == "lane/slack/D1/"


def test_a_desktop_that_waits_for_the_place_has_no_folder_and_no_placeholder() -> None:
    play = Stage("slack")
    task = play.running(thread="t1")
    play.socket.state = PROBING
    fresh = play.hand(
        play.server._inbox._conversation("slack", said("x", thread="t2"), play.socket)
    )
    assert fresh.finish().result.workspace == ""
    task.state = "WAITING"
    play.hand(play.server._inbox._begin(task)).finish()
    play.run(1)
    assert play.shows(task.request)[0] == "QUEUED"


def test_whoever_is_bound_no_more_ends_no_session() -> None:
    """HK-137"""
    play = Stage("slack")
    play.running(thread="t1")
    for person, archives in (("Carol", 0), ("Alice", 1)):
        run = play.hand(play.server._inbox._new("slack", said("/new", person))).finish()
        assert sum(op.key.startswith("archive/") for op in run.asked(Save)) == archives


def test_an_archive_waits_for_the_welcome() -> None:
    play = Stage("slack")
    play.running(thread="t1")
    play.socket.state = PROBING
    assert play.hand(play.server._inbox._new("slack", said("/new"))).finish().asked(Send) == []


def test_what_a_stop_is_about() -> None:
    """hook RC-26"""
    play = Stage("slack")
    task = play.running(thread="t1")
    lane = task.conversation
    over = Round("K1", task.request, task, 1, play.socket)
    lane.rounds = {"K1": over}
    assert _running(lane) is over
    over.socket = None
    assert _running(lane) is task
    over.socket, over.state = play.socket, "ENDED"
    assert _running(lane) is task


# -- cards ----------------------------------------------------------------------------------


def test_a_card_of_a_task_that_is_over_is_not_drawn() -> None:
    play = Stage("slack")
    task = play.running()
    button = SimpleNamespace(id="yes", label="Yes", style="default")
    body: Any = SimpleNamespace(
        request_id=task.request, interaction_id="A1", buttons=(button,), title="?", body=""
    )
    task.state = "REJECTED"
    assert play.hand(play.server._inbox.cards.request(play.socket, body)).finish().ops == []


def test_a_decision_waits_for_the_welcome() -> None:
    play = Stage("slack")
    task = play.running()
    play.ask(task.request, wait=2)
    play.socket.state = PROBING
    play.press("A1", "yes")
    assert play.server.memory.cards["A1"].state == "DECIDED"
    assert play.got(InteractionDecision) == []


def test_an_open_card_is_not_done_when_it_is_shown() -> None:
    play = Stage("slack")
    task = play.running()
    play.ask(task.request, wait=2)
    card = play.server.memory.cards["A1"]
    assert play.hand(play.writing.settle(card.picture())).finish().ops == []
    assert not card.written


def test_the_end_of_a_card_is_said_once_more_too() -> None:
    play = Stage("slack")
    task = play.running()
    play.ask(task.request, wait=2)
    play.take_back(task.request)
    play.run(2)
    card = play.server.memory.cards["A1"]
    assert card.line.shown.final
    run = play.hand(play.server.on_timer("again", "A1"), Done()).finish()
    assert len(run.asked(Call)) == 1


def test_decisions_that_wait_end_with_the_connection() -> None:
    play = Stage("slack")
    task = play.running()
    for card in ("A1", "A2"):
        play.ask(task.request, card, wait=2)
        play.press(card, "yes")
        play.server.memory.cards[card].sent = 0
    run = play.hand(play.server._inbox.cards.send_held(play.socket, task)).behind(Send)
    play.cut()
    assert len(run.finish().asked(Send)) == 1


def test_a_card_that_was_taken_back_without_a_word_says_that_it_is_over() -> None:
    play = Stage("slack")
    task = play.running()
    play.ask(task.request, wait=2)
    play.take_back(task.request, reason="")
    assert play.server.memory.cards["A1"].outcome


# -- after a crash --------------------------------------------------------------------------


def test_all_archives_are_known_after_a_crash() -> None:
    """HK-137"""
    play = Stage("slack")
    play.connect()
    play.lively = False
    for thread in ("t1", "t2"):
        play.say("go", thread=thread)
        play.say("/new", thread=thread)
    play.crash()
    play.restart()
    assert len(play.server.memory.desks["slack", "D"].archives) == 2


def test_what_was_written_is_owed_no_more() -> None:
    play = Stage("slack")
    failed = failed_task(play)
    play.reopen("K1", failed)
    play.end("K1", "ok", "done")
    assert spawned(play.restart_by_hand()) == []


def test_a_round_that_ended_is_not_superseded_by_the_next() -> None:
    play = Stage("slack")
    failed = failed_task(play)
    for round in ("K1", "K2"):
        play.reopen(round, failed)
        play.end(round, "error", "e")
    assert play.restart_by_hand().asked(Save) == []


def test_an_end_without_words_harms_no_restart() -> None:
    play = Stage("slack")
    task = play.running()
    play.end(task.request, "ok", "done")
    play.change(task.row_key, final=None, written=False)
    assert spawned(play.restart_by_hand()) == []


@pytest.mark.parametrize(("lane", "word"), [("x", "later"), ("slack", "owed")])
def test_a_refusal_waits_after_a_crash_only_where_an_end_may_need_its_post(
    lane: str, word: str
) -> None:
    """hook RC-36"""
    play = Stage(lane)
    task = play.running()
    play.change(
        task.row_key, state="REJECTED", ended_us=play.world.now, written=False,
        final=Final("refused", "REJECTED"),
    )  # fmt: skip
    assert spawned(play.restart_by_hand()) == [f"{word} {task.request}"]
    play.run(1)


@pytest.mark.parametrize(
    ("facts", "drawn"),
    [({"state": "CLOSED", "written": True}, 0), ({"state": "CLOSED", "written": False}, 1),
     ({"state": "DECIDED", "written": False}, 1), ({"doubt": "A1/1"}, 1), ({"message": ""}, 1),
     ({}, 0)],
)  # fmt: skip
def test_which_cards_are_drawn_again_after_a_crash(facts: dict[str, Any], drawn: int) -> None:
    play = Stage("slack")
    task = play.running()
    play.ask(task.request, wait=2)
    play.change("card/A1", **facts)
    assert spawned(play.restart_by_hand()).count("card A1") == drawn
    play.run(1)


def test_a_closed_card_that_may_stand_there_is_looked_for() -> None:
    play = Stage("slack")
    task = play.running()
    play.ask(task.request, wait=2)
    play.change("card/A1", state="CLOSED", message="", doubt="A1/1")
    assert "card A1" in spawned(play.restart_by_hand())
    play.run(1)


# -- rounds, places and forgetting ----------------------------------------------------------


def test_a_reopen_before_the_welcome_is_ignored() -> None:
    """HK-177"""
    play = Stage("slack")
    failed = failed_task(play)
    play.socket.state = PROBING
    play.reopen("K1", failed)
    assert "K1" not in play.server.memory.routes


def test_a_message_that_is_lost_is_not_continued() -> None:
    """hook RC-28"""
    play = Stage("slack")
    task = play.server.memory.routes[failed_task(play)]
    rounds = play.server._handshake.rounds
    assert rounds._reopenable(play.socket, task)
    task.line.gone = True
    assert not rounds._reopenable(play.socket, task)


def test_a_round_that_lost_its_message_makes_no_progress() -> None:
    play = Stage("slack")
    task = play.server.memory.routes[failed_task(play)]
    play.reopen("K1", task.request)
    rounds, over = play.server._handshake.rounds, play.server.memory.routes["K1"]
    assert rounds.progress(play.socket, over, "x") is not None
    task.line.claim = task
    assert rounds.progress(play.socket, over, "x") is None


def test_the_lane_of_a_connection_is_one_that_there_is() -> None:
    plan = ServerPlan(channels={"IM": "slack", "TG": "telegram"}, bindings={})
    assert [plan.lane(word) for word in ("slack", "telegram", "all")] == [
        "slack",
        "telegram",
        "slack",
    ]
    assert ServerPlan(channels={}, bindings={}).lane("all") == "all"


def test_the_place_of_a_groups_session_names_its_account() -> None:
    assert place_of("telegram", "-1", None) == ("telegram", "-1", None)
    assert place_of("telegram", "-1", None, "u1") == ("telegram", "-1", "@u1")
    assert place_of("telegram", "-1", "7", "u1") == ("telegram", "-1", "7@u1")


@pytest.mark.parametrize("by_round", [False, True])
def test_a_task_is_remembered_as_long_as_a_round_needs_its_message(by_round: bool) -> None:
    """hook RC-29"""
    play = Stage("slack", limits=Limits(mapping_us=5 * SECOND_US))
    task = play.server.memory.routes[failed_task(play)]
    if by_round:
        task.line.claim = Round("K1", task.request, task, 1, None)
    play.run(12)
    assert (task.request in play.server.memory.routes) is by_round


def test_what_is_gone_or_lives_is_not_forgotten() -> None:
    play = Stage("slack")
    task = play.running()
    forget = play.server._expiry._forget
    assert play.hand(forget(1, "gone")).finish().ops == []
    assert play.hand(forget(1, task.request)).finish().ops == []
    task.ended_us = 2
    assert play.hand(forget(1, task.request)).finish().ops == []
    assert task.request in play.server.memory.routes


def test_a_round_is_forgotten_even_while_another_has_its_message() -> None:
    play = Stage("slack")
    failed = failed_task(play)
    for name in ("K1", "K2"):
        play.reopen(name, failed)
    old = play.server.memory.routes["K1"]
    play.hand(play.server._expiry._forget(old.ended_us, "K1")).finish()
    assert "K1" not in play.server.memory.routes


def test_what_is_open_is_known_however_old_it_is() -> None:
    """hook RC-29"""
    play = Stage("slack", limits=Limits(mapping_us=SECOND_US))
    task = play.running()
    known = play.server.memory.known
    play.run(5)
    assert known(task.request, play.world.now) is task
    task.ended_us = 1
    assert known(task.request, play.world.now) is None
    assert known(task.request, SECOND_US + 1) is task


def test_with_end_beats_cancel_off_only_what_was_stopped_ends_as_cancelled() -> None:
    for stopped, chip in ((False, "OK"), (True, "CANCELLED")):
        play = Stage("slack", off=("end_beats_cancel",))
        task = play.running()
        task.cancel = stopped
        play.end(task.request, "ok", "done")
        assert play.shows(task.request)[0] == chip


def test_only_a_result_that_is_tried_again_goes_on_counting_its_failures() -> None:
    for state, failures in (("RETRYING", 3), ("ACCEPTED", 0)):
        play = Stage("slack")
        task = play.running()
        task.receipt = Receipt(ReceiptRow(state, 3, 0, ""))
        task.line.draining = True
        shown = picture(task, "done", "OK")
        play.hand(play.server._recovery._when_promised(shown, task)).finish()
        assert task.line.failures == failures
