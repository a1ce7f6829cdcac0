"""Tales of going on after the end (§5 stage 18)."""

from __future__ import annotations

from sim.channel.api import EditMessage, PostMessage
from sim.core.event import HostStarted, Saved
from sim.protocols.catalogue import Tales
from sim.protocols.hook.acts import Retry
from sim.protocols.hook.catalogue.tale import Tale
from sim.protocols.hook.server.stored import Final, RoundRow

TALES = Tales(Tale)
K1 = "5b1f0d3e-8a2c-4f6b-9d7e-1a2b3c4d5e6f"


@TALES.of("rounds-are-never-replayed", "HK-85", "HK-188", "HK-194")
def end_of_a_round_on_the_next_connection(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.failed()
    tale.reopen(K1)
    if not bad:
        tale.end(K1)
    tale.cut()
    tale.connect()
    if bad:
        tale.end(K1)


@TALES.of("round-ids-are-fresh", "HK-169", "HK-196")
def round_with_a_counter_for_an_id(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.failed()
    tale.reopen("round-2" if bad else K1)


@TALES.of("reopens-are-taken", "HK-170", "HK-179")
def reopen_that_is_ignored(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.failed()
    tale.reopen(K1)
    if not bad:
        tale.store_round(K1, "R1")


@TALES.of("reopens-are-taken", "HK-197")
def reopen_for_a_reason_of_next_year(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.failed()
    tale.reopen(K1, reason="continued-by-a-friend")
    if not bad:
        tale.store_round(K1, "R1")


@TALES.of("finals-are-the-owners-end", "HK-171")
def old_end_over_a_reopened_message(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.failed()
    tale.reopen(K1)
    tale.store_round(K1, "R1")
    tale.edit("R1", "Continued on the desktop…", "WORKING")
    tale.end("R1", "error", "disk full")
    if bad:
        tale.edit("R1", "disk full", "FAILED")


@TALES.of("cancel-ends-the-turn", "HK-172")
def cancelled_round_that_ends_well(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.failed()
    tale.reopen(K1)
    tale.server("task.cancel", requestId=K1)
    tale.wait(3)
    tale.end(K1, "ok" if bad else "cancelled", text="")


@TALES.of("reopens-are-taken", "HK-173")
def second_link_of_a_chain_is_ignored(tale: Tale, bad: bool) -> None:
    second = K1.replace("5b1f", "6c2f")
    tale.connect()
    tale.failed()
    tale.reopen(K1)
    tale.store_round(K1, "R1")
    tale.end(K1, "error", "again")
    tale.store_round(K1, "R1", "ENDED", final=Final("again", "FAILED"))
    tale.reopen(second, K1)
    if not bad:
        tale.store_round(second, K1, serial=2)


@TALES.of("rounds-ask-on-the-desktop", "HK-174")
def card_in_a_round(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.failed()
    tale.reopen(K1)
    if bad:
        tale.desktop("interaction.request", requestId=K1, interactionId="A1")


@TALES.of("cards-stand-in-their-thread", "HK-175")
def card_that_is_drawn_for_a_round(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.failed()
    tale.reopen(K1)
    tale.store_round(K1, "R1")
    tale.desktop("interaction.request", requestId=K1 if bad else "R1", interactionId="A1")
    tale.call(PostMessage("C1", "m0", "?", "", "card", "A1"))


def _ignored(tale: Tale, bad: bool, request: str, of: str) -> None:
    """A reopen that must do nothing; badly, the server registers it."""

    tale.connect()
    tale.failed()
    tale.task("R2", externalKey="slack:C2")
    arrived = tale.reopen(request, of)
    if bad:
        row = RoundRow(request, of, "R1", 1, tale.link, "OPEN", 0, None, True)
        tale.tell(Saved, arrived, host="S", key=f"round/{request}", value=row)


@TALES.of("ignored-reopen-changes-nothing", "HK-176", "HK-177")
def unknown_id_found_by_its_key(tale: Tale, bad: bool) -> None:
    _ignored(tale, bad, K1, "R9")


@TALES.of("ignored-reopen-changes-nothing", "HK-182")
def id_of_a_task_that_runs(tale: Tale, bad: bool) -> None:
    _ignored(tale, bad, "R2", "R1")


@TALES.of("ignored-reopen-changes-nothing", "HK-181")
def same_reopen_twice(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.failed()
    tale.reopen(K1)
    tale.store_round(K1, "R1")
    again = tale.reopen(K1)
    if bad:
        tale.call(EditMessage("m-R1", "Continued on the desktop…", "WORKING"), cause=again)


@TALES.of("finals-are-the-owners-end", "HK-178")
def end_of_an_id_that_nobody_knows(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.failed()
    tale.end("R9", text="a ghost")
    if bad:
        tale.edit("R1", "a ghost", "OK")


@TALES.of("reopened-shows-work", "HK-179")
def reopened_message_that_looks_frozen(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.failed()
    tale.reopen(K1)
    tale.store_round(K1, "R1")
    if not bad:
        tale.edit("R1", "Continued on the desktop…", "WORKING")


@TALES.of("one-message-per-request", "HK-180")
def continuation_with_a_message_of_its_own(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.failed()
    tale.reopen(K1)
    tale.store_round(K1, "R1")
    if bad:
        tale.post("R1", "Continued on the desktop…")


@TALES.of("working-text-is-the-owners", "HK-183")
def progress_under_a_silenced_id(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.failed()
    tale.task("R2", externalKey="slack:C2")
    tale.desktop("turn.progress", requestId="R2", text="its own")
    tale.reopen("R2", "R1")
    tale.desktop("turn.progress", requestId="R2", text="of the wrong task")
    tale.edit("R2", "of the wrong task" if bad else "its own", "WORKING")


def _torn(tale: Tale) -> None:
    """A round whose connection breaks while it runs."""
    tale.connect()
    tale.failed()
    tale.reopen(K1)
    tale.store_round(K1, "R1")
    tale.edit("R1", "Continued on the desktop…", "WORKING")
    tale.cut()
    tale.store_round(K1, "R1", "TORN")


@TALES.of("torn-rounds-are-closed-out", "HK-184", "HK-199")
def message_that_runs_for_ever(tale: Tale, bad: bool) -> None:
    _torn(tale)
    if not bad:
        tale.edit("R1", "Continuation interrupted", "INTERRUPTED")


@TALES.of("finals-are-the-owners-end", "HK-185", "HK-199")
def success_after_the_close_out(tale: Tale, bad: bool) -> None:
    _torn(tale)
    tale.edit("R1", "Continuation interrupted", "INTERRUPTED")
    tale.connect()
    tale.end(K1, text="it worked")
    if bad:
        tale.edit("R1", "it worked", "OK")


def _late_close_out(tale: Tale, bad: bool, ended: bool) -> None:
    newer = K1.replace("5b1f", "7d3f")
    _torn(tale)
    if not bad:
        tale.edit("R1", "Continuation interrupted", "INTERRUPTED", f"close-out of {K1}")
    tale.connect()
    tale.reopen(newer)
    tale.store_round(newer, "R1", serial=2)
    if ended:
        tale.end(newer, text="the answer")
        tale.store_round(newer, "R1", "ENDED", final=Final("the answer", "OK"))
        tale.edit("R1", "the answer", "OK")
    if bad:
        tale.edit("R1", "Continuation interrupted", "INTERRUPTED", f"close-out of {K1}")


@TALES.of("close-out-respects-owner", "HK-186")
def late_close_out_over_a_newer_round(tale: Tale, bad: bool) -> None:
    _late_close_out(tale, bad, ended=False)


@TALES.of("close-out-respects-owner", "HK-187")
def late_close_out_over_an_answer(tale: Tale, bad: bool) -> None:
    _late_close_out(tale, bad, ended=True)


@TALES.of("reopen-needs-feature", "HK-189")
def reopen_to_an_old_server(tale: Tale, bad: bool) -> None:
    tale.connect(features=() if bad else ("turn-reopen-v1",))
    tale.failed()
    tale.act("D", Retry())
    tale.reopen(K1)


@TALES.of("only-a-retry-continues", "HK-190")
def reopen_without_a_press_on_retry(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.failed()
    if not bad:
        tale.act("D", Retry())
    tale.reopen(K1)


@TALES.of("reopen-is-not-remembered", "HK-191")
def reopen_after_a_restart(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.failed()
    if bad:
        tale.cut()
        tale.tell(HostStarted, host="D", epoch=2)
        tale.connect()
    tale.reopen(K1)


@TALES.of("claimed-at-first-event", "HK-192")
def reopen_at_the_press_itself(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.failed()
    pressed = tale.act("D", Retry())
    tale.reopen(K1, cause=pressed if bad else -1)


@TALES.of("reopen-comes-first", "HK-193")
def progress_before_its_reopen(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.failed()
    if bad:
        tale.desktop("turn.progress", requestId=K1, text="going on")
    tale.reopen(K1)
    tale.desktop("turn.progress", requestId=K1, text="going on still")


@TALES.of("no-reopen-of-a-dead-thread", "HK-195")
def continuing_a_round_whose_end_was_never_sent(tale: Tale, bad: bool) -> None:
    second = K1.replace("5b1f", "6c2f")
    tale.connect()
    tale.failed()
    tale.reopen(K1)
    if not bad:
        tale.end(K1, "error", "again")
    tale.reopen(second, K1)


@TALES.of("finished-stays-finished", "HK-198")
def lost_reopen_that_shows_work(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.failed()
    tale.desktop("turn.reopen", lost=True, requestId=K1, reopenOf="R1")
    tale.cut()
    if bad:
        tale.edit("R1", "Continued on the desktop…", "WORKING")


@TALES.of("reopen-gets-no-answer", "HK-200", "HK-177")
def answer_to_a_reopen(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.failed()
    arrived = tale.reopen(K1)
    tale.server("task.cancel", cause=arrived if bad else -1, requestId=K1)
