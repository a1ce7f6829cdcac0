"""Tales of commands: what bars them, where they go, in which order, for how long."""

from __future__ import annotations

from sim.protocols.catalogue import Tales
from sim.protocols.relay.catalogue.tale import CLOSE_OWNED, LIST, OPEN, Tale

TALES = Tales(Tale)


@TALES.of("busy-tabs-refuse-the-hasty", "OT-33", "OT-44")
def free_tab_is_called_busy(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    if not bad:
        tale.runs("A", "k1")
    tale.asks("A", "k2", waitPolicy="fail_fast")
    tale.fails("A", "k2", "tab_busy")


@TALES.of("tab-queues-have-a-limit", "OT-33", "OT-45")
def one_too_many_waits_for_a_tab(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.runs("A", "k1")
    tale.waits("A", "k2")
    if bad:
        tale.waits("A", "k3", place=2)
    else:
        tale.asks("A", "k3")
        tale.fails("A", "k3", "tab_queue_limit_exceeded")


@TALES.of("controller-queues-have-a-limit", "OT-46")
def other_session_is_refused_for_it(tale: Tale, bad: bool) -> None:
    tale.join("A", "B", "N")
    for tab in ("T1", "T2", "T3"):
        tale.runs("A", f"k-{tab}", tab)
    for tab in ("T1", "T2"):
        tale.waits("A", f"w-{tab}", tab)
    who = "B" if bad else "A"
    tale.asks(who, "k3", "T3")
    tale.fails(who, "k3", "controller_queue_limit_exceeded")


@TALES.of("locked-tabs-refuse-strangers", "OT-50", "OT-59")
def stranger_works_in_a_locked_tab(tale: Tale, bad: bool) -> None:
    tale.join("A", "B", "N")
    tale.holds("A")
    if bad:
        tale.runs("B", "k")
    else:
        tale.asks("B", "k")
        tale.fails("B", "k", "tab_locked")


@TALES.of("locked-tabs-refuse-strangers", "OT-60")
def refused_after_the_end_of_the_lease(tale: Tale, bad: bool) -> None:
    tale.join("A", "B", "N")
    tale.holds("A")
    tale.wait(0.4 if bad else 0.39)
    tale.asks("B", "k")
    tale.fails("B", "k", "tab_locked")


@TALES.of("nonces-count-once", "OT-51")
def captured_command_runs_again(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.runs("A", "k1", "", LIST, replayNonce="n")
    tale.join("A")
    wire = tale.asks("A", "k2", "", LIST, replayNonce="n")
    if bad:
        tale.goes(wire)
    else:
        tale.fails("A", "k2", "replay_rejected")


@TALES.of("request-ids-are-taken", "OT-11", "OT-42")
def one_id_of_two_sessions(tale: Tale, bad: bool) -> None:
    tale.join("A", "B", "N")
    tale.runs("A", "same", "", LIST)
    wire = tale.asks("B", "same", "", LIST)
    if bad:
        tale.goes(wire)
    else:
        tale.fails("B", "same", "request_id_in_use")


@TALES.of("offline-nodes-are-said-so", "OT-41", "OT-49")
def node_that_is_there_is_called_offline(tale: Tale, bad: bool) -> None:
    tale.join("A", *(["N"] if bad else []))
    tale.asks("A", "k")
    tale.fails("A", "k", "node_offline")


@TALES.of("duplicates-run-once", "OT-11", "OT-41")
def command_that_is_repeated_runs_twice(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.runs("A", "k", "", LIST)
    wire = tale.asks("A", "k", "", LIST)
    if bad:
        tale.goes(wire)
    else:
        tale.relay("A", "event", "k", type="duplicate_ignored")


@TALES.of("queues-hold-who-waits", "OT-33")
def hasty_command_is_queued(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.runs("A", "k1")
    tale.waits("A", "k2", waitPolicy="fail_fast" if bad else "wait_with_timeout")


@TALES.of("queues-hold-who-waits", "OT-44")
def command_waits_before_a_free_tab(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.runs("A", "k1", "T1")
    tale.waits("A", "k2", "T2" if bad else "T1")


# -- where they go -----------------------------------------------------------------------


@TALES.of("one-node-per-command", "OT-28", "OT-41")
def command_goes_to_another_node(tale: Tale, bad: bool) -> None:
    tale.join("A", "N", "M")
    tale.goes(tale.asks("A", "k", "", LIST), to="M" if bad else "N")


@TALES.of("one-node-per-command", "OT-10")
def relay_commands_on_its_own(tale: Tale, bad: bool) -> None:
    tale.join("N")
    action = LIST if bad else CLOSE_OWNED
    inner = {"controllerClientId": "ctl_a"}
    tale.relay("N", "command", "r", targetNodeId="node_n", action=action, payload=inner)


@TALES.of("commands-go-as-they-came", "OT-04", "OT-06", "OT-30", "OT-64")
def command_is_changed_on_its_way(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    wire = tale.asks("A", "k")
    tale.goes(wire | ({"senderRole": "controller", "extra": 1} if bad else {}))


@TALES.of("owners-are-named-by-the-relay", "OT-55")
def forged_owner_passes(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    inner = {"url": "https://example.com/", "__controllerClientId": "ctl_b"}
    tale.goes(tale.asks("A", "k", "", OPEN, inner), owner="ctl_b" if bad else "ctl_a")


@TALES.of("origin-gets-the-answer", "OT-42")
def answer_goes_to_somebody_else(tale: Tale, bad: bool) -> None:
    tale.join("A", "B", "N")
    tale.runs("A", "k", "", LIST)
    tale.hands("B" if bad else "A", tale.result("k"))


@TALES.of("origin-gets-the-answer", "OT-42", "OT-11")
def answer_of_a_node_that_was_not_asked(tale: Tale, bad: bool) -> None:
    tale.join("A", "N", "M")
    tale.runs("A", "k", "", LIST)
    tale.hands("A", tale.result("k", {"commands": []}, who="M" if bad else "N"))


@TALES.of("one-terminal-per-command", "OT-11", "OT-48")
def success_after_failure(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.runs("A", "k", timeoutMs=1000)
    tale.wait(1)
    tale.fails("A", "k", "command_timed_out")
    late = tale.result("k")
    if bad:
        tale.hands("A", late)


@TALES.of("one-terminal-per-command", "OT-11", "OT-14", "OT-16")
def command_without_an_end(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.runs("A", "k", timeoutMs=1000)
    wire = tale.result("k")
    if not bad:
        tale.hands("A", wire)


@TALES.of("progress-reaches-the-owner", "OT-12")
def progress_is_swallowed(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.runs("A", "k")
    wire = tale.wire("N", "event", "k", {"type": "progress", "percent": 40})
    tale.frame("N", wire)
    if not bad:
        tale.hands("A", wire)


@TALES.of("progress-reaches-the-owner", "OT-42")
def progress_goes_to_somebody_else(tale: Tale, bad: bool) -> None:
    tale.join("A", "B", "N")
    tale.runs("A", "k")
    wire = tale.wire("N", "event", "k", {"type": "progress"})
    tale.frame("N", wire)
    tale.hands("B" if bad else "A", wire)


# -- order and time ------------------------------------------------------------------------


@TALES.of("fifo-per-tab", "OT-43")
def two_at_work_in_one_tab(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.runs("A", "k1")
    wire = tale.waits("A", "k2")
    if not bad:
        tale.ended("A", "k1")
    tale.goes(wire)


@TALES.of("fifo-per-tab", "OT-43")
def newcomer_overtakes(tale: Tale, bad: bool) -> None:
    tale.join("A", "B", "N")
    tale.runs("A", "k1")
    first, second = tale.waits("A", "k2"), tale.waits("B", "k3", place=2)
    tale.ended("A", "k1")
    tale.goes(second if bad else first)


@TALES.of("fifo-per-tab", "OT-48")
def next_one_goes_while_the_node_is_late(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.runs("A", "k1", timeoutMs=1000)
    wire = tale.waits("A", "k2")
    tale.wait(1)
    tale.fails("A", "k1", "command_timed_out")
    if not bad:
        tale.result("k1")
    tale.goes(wire)


@TALES.of("free-tabs-go-on", "OT-44")
def queue_stands_before_a_free_tab(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.runs("A", "k1")
    wire = tale.waits("A", "k2")
    tale.ended("A", "k1")
    if bad:
        tale.wait(0.5)
    tale.goes(wire)


@TALES.of("given-up-work-never-runs", "OT-47")
def work_runs_after_its_caller_gave_up(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.runs("A", "k1")
    wire = tale.waits("A", "k2", timeoutMs=1000)
    tale.wait(1)
    tale.fails("A", "k2", "queue_wait_timed_out")
    tale.ended("A", "k1")
    if bad:
        tale.goes(wire)


@TALES.of("given-up-work-never-runs", "OT-53")
def ghost_of_a_closed_program(tale: Tale, bad: bool) -> None:
    tale.join("A", "B", "N")
    tale.runs("B", "k1")
    wire = tale.waits("A", "k2")
    tale.ends("A")
    tale.ended("B", "k1")
    if bad:
        tale.goes(wire)


@TALES.of("given-up-work-never-runs", "OT-63")
def cancelled_work_is_sent(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.runs("A", "k1")
    wire = tale.waits("A", "k2")
    tale.says("A", "command_cancel", "c", targetRequestId="k2")
    tale.fails("A", "k2", "command_cancelled")
    tale.relay("A", "event", "c", type="cancel_ack", targetRequestId="k2", status="cancelled")
    tale.ended("A", "k1")
    if bad:
        tale.goes(wire)


@TALES.of("budgets-are-kept", "OT-32", "OT-14", "OT-16")
def two_budgets_in_a_row(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.runs("A", "k1", timeoutMs=9000)
    wire = tale.waits("A", "k2", timeoutMs=2000)
    tale.wait(1.9)
    tale.ended("A", "k1")
    tale.goes(wire)
    tale.wait(1.9 if bad else 0.1)
    tale.fails("A", "k2", "command_timed_out")


@TALES.of("budgets-are-kept", "OT-47", "OT-48")
def timeout_of_the_wrong_kind(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.runs("A", "k", timeoutMs=1000)
    tale.wait(1)
    tale.fails("A", "k", "queue_wait_timed_out" if bad else "command_timed_out")


@TALES.of("timeouts-stop-the-node", "OT-48", "OT-63")
def node_works_on_for_nobody(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.runs("A", "k", timeoutMs=1000)
    tale.wait(1)
    tale.fails("A", "k", "command_timed_out")
    if not bad:
        tale.relay("N", "command_cancel", "r", targetRequestId="k")


@TALES.of("cancels-go-where-the-work-is", "OT-41", "OT-63")
def cancel_goes_to_another_node(tale: Tale, bad: bool) -> None:
    tale.join("A", "N", "M")
    tale.runs("A", "k")
    tale.says("A", "command_cancel", "c", targetRequestId="k")
    tale.relay("M" if bad else "N", "command_cancel", "c", targetRequestId="k")
    tale.relay("A", "event", "c", type="cancel_ack", targetRequestId="k", status="forwarded")
