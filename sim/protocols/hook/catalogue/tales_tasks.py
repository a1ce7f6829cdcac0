"""Tales of tasks, from the dispatch to the end."""

from __future__ import annotations

from sim.protocols.catalogue import Tales
from sim.protocols.hook.acts import AgentProgresses
from sim.protocols.hook.catalogue.tale import ACCEPTED, Tale
from sim.protocols.hook.desktop.records import LedgerRow
from sim.protocols.hook.server.stored import Final

TALES = Tales(Tale)


@TALES.of("one-session-per-key", "HK-01")
def second_task_in_another_session(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.task("R1")
    tale.end("R1")
    tale.dispatch("R2")
    facts = ACCEPTED | {"sessionId": "s-2" if bad else "s-1"}
    tale.desktop("task.ack", requestId="R2", **facts)


@TALES.of("dispatches-are-acked", "HK-02")
def dispatch_without_an_ack(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.dispatch()
    if not bad:
        tale.desktop("task.ack", requestId="R1", **ACCEPTED)


@TALES.of("ack-comes-first", "HK-02", "HK-06")
def progress_before_the_ack(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.dispatch()
    if bad:
        tale.desktop("turn.progress", requestId="R1")
    tale.desktop("task.ack", requestId="R1", **ACCEPTED)
    tale.desktop("turn.progress", requestId="R1")


@TALES.of("nothing-after-the-end", "HK-06")
def progress_after_the_end(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.task()
    tale.end()
    if bad:
        tale.desktop("turn.progress", requestId="R1")


@TALES.of("the-key-comes-back", "HK-07")
def key_that_was_tidied_up(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.task(externalKey=" slack:C1 ")
    tale.end(externalKey="slack:C1" if bad else " slack:C1 ")


@TALES.of("keys-are-threads", "HK-08")
def key_of_another_channel(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.task(externalKey="telegram:C1" if bad else "slack:C1")


@TALES.of("redelivery-is-the-same-task", "HK-14")
def ordinary_task_in_somebody_elses_session(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.task(sessionId="s-9" if bad else None)


@TALES.of("finals-are-the-owners-end", "HK-15")
def end_of_the_other_task_with_this_session(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.task("R1")
    tale.task("R2", externalKey="slack:C2")
    tale.end("R2", text="for R2", sessionId="s-1")
    tale.store("R2", "ENDED", final=Final("for R2", "OK"))
    tale.edit("R1" if bad else "R2", "for R2", "OK")


@TALES.of("no-second-run", "HK-37")
def dispatched_twice_and_run_twice(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.task()
    tale.note("D", "agent", {"did": "start", "request": "R1", "session": "s-1"})
    tale.dispatch()
    if bad:
        tale.note("D", "agent", {"did": "start", "request": "R1", "session": "s-1"})


@TALES.of("acks-are-repeated", "HK-37")
def another_ack_for_the_same_task(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.task()
    tale.dispatch()
    again = {"result": "queued", "queuePosition": 1} if bad else {}
    tale.desktop("task.ack", requestId="R1", **(ACCEPTED | again))


@TALES.of("unended-is-redelivered", "HK-38")
def lost_dispatch_that_is_not_repeated(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.store(state="WAITING")
    tale.dispatch()
    tale.cut()
    tale.connect()
    if not bad:
        tale.dispatch()


@TALES.of("redelivery-is-the-same-task", "HK-39")
def redelivery_with_another_prompt(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.task()
    tale.dispatch(prompt="something else" if bad else "fix")


@TALES.of("working-text-is-the-owners", "HK-42")
def snapshots_that_pile_up(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.task()
    for text in ("one", "two"):
        tale.desktop("turn.progress", requestId="R1", text=text)
    tale.edit("R1", "onetwo" if bad else "two", "WORKING")


@TALES.of("finals-are-the-owners-end", "HK-44")
def lost_snapshot_that_changes_the_answer(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.task()
    tale.desktop("turn.progress", requestId="R1", text="half of it", lost=True)
    tale.end(text="all of it")
    tale.store("R1", "ENDED", final=Final("all of it", "OK"))
    tale.edit("R1", "it is not known" if bad else "all of it", "OK")


@TALES.of("shows-final-state", "HK-44")
def lost_snapshot_that_is_waited_for(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.task()
    tale.desktop("turn.progress", requestId="R1", text="half of it", lost=True)
    tale.end(text="all of it")
    tale.store("R1", "ENDED", final=Final("all of it", "OK"))
    if not bad:
        tale.edit("R1", "all of it", "OK")


@TALES.of("speaks-of-its-own-turns", "HK-45")
def end_of_a_task_that_was_never_there(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.server("task.cancel", requestId="R7")
    if bad:
        tale.end("R7", "cancelled", errorMessage=None)


@TALES.of("speaks-of-its-own-turns", "HK-46", "HK-47")
def word_about_an_unknown_card(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.server("session.archive", externalKey="slack:C9")
    tale.server("interaction.decision", requestId="R7", interactionId="A9", buttonId="yes")
    if bad:
        tale.desktop("interaction.cancel", requestId="R7", interactionId="A9")


@TALES.of("results-are-handed-in", "HK-03", "HK-40")
def result_that_is_kept(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.task()
    row = LedgerRow("R1", "slack:C1", "accepted", None, "s-1", None, "ok", "x", None, 1, 1, False)
    tale.save("D", "ledger/a/R1", row)
    tale.cut()
    tale.connect()
    if not bad:
        tale.end()


@TALES.of("options-may-be-missing", "HK-59")
def task_without_options_is_invalid(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.dispatch(options={"model": None, "effort": None})
    no = {"result": "rejected", "reason": "invalid", "sessionId": None, "queuePosition": None}
    tale.desktop("task.ack", requestId="R1", **(no if bad else ACCEPTED))


@TALES.of("acks-fit-their-result", "HK-61")
def known_folder_that_is_called_unknown(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.dispatch(workspace="web" if bad else "docs")
    facts = ACCEPTED | {"result": "rejected", "reason": "unknown_workspace", "sessionId": None}
    tale.desktop("task.ack", requestId="R1", **facts)


@TALES.of("takeovers-keep-their-session", "HK-62")
def takeover_that_starts_afresh(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.dispatch(sessionId="s-7")
    facts = ACCEPTED | {"sessionId": "s-8" if bad else "s-7"}
    tale.desktop("task.ack", requestId="R1", **facts)


@TALES.of("snapshots-are-whole", "HK-63")
def only_the_newest_words(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.task()
    tale.act("D", AgentProgresses("Reading files and writing tests"))
    text = "and writing tests" if bad else "Reading files and writing tests"
    tale.desktop("turn.progress", requestId="R1", text=text)


@TALES.of("progress-is-throttled", "HK-64")
def two_snapshots_in_a_tenth_of_a_second(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.task()
    tale.desktop("turn.progress", requestId="R1", text="one")
    tale.wait(0.1 if bad else 1.5)
    tale.desktop("turn.progress", requestId="R1", text="two")


@TALES.of("cancel-ends-the-turn", "HK-66")
def cancelled_task_that_ends_well(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.task()
    tale.server("task.cancel", requestId="R1")
    tale.wait(3)
    tale.end("R1", "ok" if bad else "cancelled", text="")


@TALES.of("ends-fit-their-status", "HK-67")
def error_without_a_word(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.task()
    tale.typed = True
    tale.end("R1", "error", errorMessage=None if bad else "disk full")


@TALES.of("durations-are-measured", "HK-68")
def an_hour_of_work_in_a_second(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.task()
    tale.wait(1)
    tale.end("R1", usage={"durationMs": 3_600_000 if bad else 1_000})


@TALES.of("shows-final-state", "HK-69")
def answer_that_is_not_shown(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.task()
    tale.end()
    tale.store("R1", "ENDED", final=Final("done", "OK"))
    if not bad:
        tale.edit("R1", "done", "OK")


@TALES.of("one-message-per-request", "HK-69")
def second_message_for_one_request(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.task()
    if bad:
        tale.post("R1", "Working, again")


@TALES.of("ends-do-not-differ", "HK-75")
def result_that_changes_from_try_to_try(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.task()
    tale.end("R1", text="42")
    tale.end("R1", text="43" if bad else "42")


@TALES.of("requests-are-shown", "HK-69")
def request_without_a_message(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.store("R1", message="", posts=0)
    if not bad:
        tale.post("R1")
    tale.dispatch()


@TALES.of("no-dispatch-after-the-end", "HK-37", "HK-39")
def finished_task_that_is_dispatched_again(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.task()
    tale.end()
    if not bad:
        tale.dispatch()
    tale.store("R1", "ENDED", final=Final("done", "OK"))
    if bad:
        tale.dispatch()
