"""A command at the node, from its arrival to its one terminal frame."""

from __future__ import annotations

from typing import Any, Final

from sim.core.op import Erase, Save, StartTimer, StopTimer
from sim.protocols.relay.browser import Done, Failed, HandedOver, Order, perform, takes_ms
from sim.protocols.relay.browser.outcome import VALIDATION_STAGE
from sim.protocols.relay.browser.site_commands import SITE_COMMANDS
from sim.protocols.relay.constants import OWNER_FIELD, RELAY
from sim.protocols.relay.frames.commands import TAB_OPEN
from sim.protocols.relay.machine_peer import COPY, HANDED_OVER, HANGING, QUEUED, RUNNING
from sim.protocols.relay.node import keeping, listening
from sim.protocols.relay.node.bench import Bench
from sim.protocols.relay.node.ledger import CONFLICT, REPEAT, RUN, WAIT, Deed
from sim.protocols.relay.node.records import Job, Outcome
from sim.protocols.relay.peer.actor import MS
from sim.wire.message import Message

CLOSE_OWNED: Final = "primitive.tab.close_owned"
ALIAS: Final = "command.reddit_posts"
TEST: Final = "command.test"
SUBSCRIBE: Final = "listener.subscribe"
_ONLY_LOOK: Final = ("primitive.dom.", "primitive.page.", "primitive.tab.query", "listener.")
"""What changes nothing that would have to be kept."""
_ANYTHING: Final = Deed("", None, {})


async def accept(bench: Bench, message: Message) -> None:
    """A command has arrived: run it, or say at once why not."""
    conn = bench.conn
    assert conn is not None
    if bench.job_of(message.id) is not None:
        await bench.note("command-repeated", request=message.id)
        return
    wire = message.wire["payload"]
    job = _job(bench, message, conn)
    refused = _refusal(bench, job, wire["targetNodeId"], message.sender)
    if refused is not None:
        await bench.answer(job, refused)
        return
    bench.jobs[job.name] = job
    if job.key and await _is_known(bench, job):
        return
    if job.name in bench.jobs:
        await _line_up(bench, job)


def _job(bench: Bench, message: Message, conn: Any) -> Job:
    wire = message.wire["payload"]
    order = Order.of(wire, message.id)
    if order.action == TAB_OPEN:
        order = Order(order.action, _owned(bench, order.payload), "", message.id, bench.next_tab())
    deed = Deed(order.action, order.tab, order.payload)
    key = str(wire.get("idempotencyKey") or "").strip()
    if not bench.rules.keyed_work_runs_once:
        key = ""
    if not bench.rules.key_means_one_work:
        deed = _ANYTHING
    name = bench.job_name(message.id)
    return Job(name, message.id, conn, order, deed, key)


def _owned(bench: Bench, payload: dict[str, Any]) -> dict[str, Any]:
    if bench.rules.owner_kept_per_tab:
        return payload
    return {name: value for name, value in payload.items() if name != OWNER_FIELD}


def _refusal(bench: Bench, job: Job, target: str, sender: str) -> Failed | None:
    """Why a command is not for this node, or not for anybody."""
    action = job.order.action
    if target != bench.node_id:
        text = f"this is {bench.node_id}, the command is for {target}"
        return Failed("node_mismatch", text, VALIDATION_STAGE)
    if action == CLOSE_OWNED and sender != RELAY:
        return Failed("forbidden_action", "only the relay cleans up", VALIDATION_STAGE)
    if action == ALIAS and not bench.rules.alias_is_kept:
        return Failed("unsupported_action", f"this node knows no action {action!r}")
    if action == TEST and not bench.rules.test_falls_back and not _has_hook(job.order.payload):
        return Failed("unsupported_action", "the command has no test hook")
    return None


def _has_hook(payload: dict[str, Any]) -> bool:
    site, id = str(payload.get("site")).strip().lower(), str(payload.get("command"))
    command = SITE_COMMANDS.get((site, id))
    return command is None or command.test is not None


async def _is_known(bench: Bench, job: Job) -> bool:
    """Ask the ledger; True when that is the end of it, or the job waits for another one."""
    decision, found = bench.ledger.begin(job.key, job.deed, job.name, bench.port.now_ms())
    if decision == WAIT and not bench.rules.copy_waits_for_first:
        decision, job.key = RUN, ""
    if decision == WAIT:
        job.fire("copy")
    elif decision != RUN:
        del bench.jobs[job.name]
        job.fire("answer")
    if decision == REPEAT:
        id = "" if bench.rules.answer_under_own_id else found.request_id
        await bench.answer(job, found.end, id)
    elif decision == CONFLICT:
        text = f"idempotencyKey {job.key} was used for another command"
        hint = "give every command a key of its own"
        await bench.answer(job, Failed("idempotency_conflict", text, VALIDATION_STAGE, hint))
    await bench.erase_forgotten()
    return decision != RUN


async def _line_up(bench: Bench, job: Job) -> None:
    """Begin, unless work of an earlier session is still going on in the tab."""
    tab = job.tab
    if tab and bench.rules.one_at_a_time_in_tab:
        queue = bench.queues.setdefault(tab, [])
        queue.append(job)
        if queue[0] is not job:
            job.fire("wait")
            return
    await begin(bench, job)


async def begin(bench: Bench, job: Job) -> None:
    """The work begins, and takes its time."""
    job.fire("run")
    job.begun_us = bench.port.now_us()
    order = job.order
    if order.action == TAB_OPEN and bench.rules.no_tab_after_cleanup:
        owner = order.payload.get(OWNER_FIELD)
        bench.browser.begin_open(job.name, owner if isinstance(owner, str) else "")
    if job.key:
        row = keeping.begun_row(job.deed, job.request_id)
        await bench.perform(Save(keeping.LEDGER + job.key, row))
        if job.state != RUNNING:
            return  # it was cancelled meanwhile
    if _taken_from(bench.hangs, order.action):
        job.fire("hang")
        return
    await _work(bench, job)


async def _work(bench: Bench, job: Job) -> None:
    ms = 0
    if job.order.action != CLOSE_OWNED:  # the cleanup waits for nothing
        ms = takes_ms(bench.browser, job.order) + bench.node.thinks_ms
        ms += bench.slow_ms.get("", 0) + bench.slow_ms.get(job.order.action, 0)
    if ms:
        await bench.perform(StartTimer("work", job.name, ms * MS))
    else:
        await done(bench, job.name)


def _taken_from(counts: dict[str, int], action: str) -> bool:
    """Whether one of the next so many is meant, for this action or for any."""
    for name in (action, ""):
        left = counts.get(name, 0)
        if left:
            counts[name] = left - 1
            return True
    return False


async def done(bench: Bench, name: str) -> None:
    """The time that a command takes is over: its effect, and its end."""
    job = bench.jobs.get(name)
    if job is None or job.state != RUNNING:
        return
    if _is_of_the_past(bench, job):
        await abandon(bench, job)
        return
    end = _carried_out(bench, job)
    if not isinstance(end, HandedOver):
        await finish(bench, job, end)
        return
    if bench.conn is not job.conn:
        await abandon(bench, job)  # there is nobody to sign in for
        return
    job.fire("hand over")
    await bench.keep_browser()
    await listening.pages_changed(bench)
    if job.state == HANDED_OVER:
        await listening.report_hand_over(bench, job, end)


def _is_of_the_past(bench: Bench, job: Job) -> bool:
    """Whether a listener would be turned on, or off, for a session that is over (DR-18)."""
    is_about_session = job.order.action.startswith("listener.")
    return is_about_session and bench.conn is not job.conn and bench.rules.listeners_end_with_socket


def _carried_out(bench: Bench, job: Job) -> Done | Failed | HandedOver:
    """What the browser makes of a command, in one step."""
    order, browser = job.order, bench.browser
    for action in (order.action, ""):
        if bench.faults.get(action):
            browser.forget_open(job.name)
            browser.give_up(job.name, bench.port.now_ms())
            return bench.faults[action].pop(0)
    if order.action == "listener.unsubscribe" and not bench.rules.silent_after_unsubscribe:
        target = order.payload.get("targetRequestId")
        if target in browser.subscriptions:
            return Done({"targetRequestId": target, "unsubscribed": True})
    if order.action == CLOSE_OWNED and not bench.rules.only_own_tabs_close:
        for owner in dict.fromkeys(browser.owners.values()):
            browser.close_owned(owner)
    # Subscriptions are known by requestId, hand-overs and openings by the job.
    id = job.request_id if order.action == SUBSCRIBE else job.name
    now_ms = bench.port.now_ms()
    now = Order(order.action, order.payload, order.tab, id, order.new_tab, now_ms)
    return perform(browser, now)


async def finish(bench: Bench, job: Job, end: Done | Failed) -> None:
    """The one end of a command: kept, told, and the next one's turn."""
    del bench.jobs[job.name]
    if job.order.action == SUBSCRIBE:
        bench.untold[job.request_id] = None
    was_copy = job.state == COPY
    job.fire("answer")
    outcome = Outcome(job.request_id, end)
    copies = [] if was_copy else _ended_copies(bench, job, outcome)
    if not job.order.action.startswith(_ONLY_LOOK):
        await bench.keep_browser()
    await _stop_timer(bench, job)
    if job.key and not was_copy:
        row = keeping.ended_row(job.deed, outcome, bench.port.now_ms())
        await bench.perform(Save(keeping.LEDGER + job.key, row))
        await bench.erase_forgotten()
    if job.order.action == SUBSCRIBE and not bench.rules.result_before_updates:
        await listening.tell_early(bench, job)
    await bench.answer(job, end)
    bench.untold.pop(job.request_id, None)
    for copy in copies:
        id = "" if bench.rules.answer_under_own_id else outcome.request_id
        await bench.answer(copy, end, id)
    await _leave_tab(bench, job)
    await listening.pages_changed(bench)


async def _stop_timer(bench: Bench, job: Job) -> None:
    """What was cancelled is not to be done any more, unless another one has taken its name."""
    if job.name not in bench.jobs:
        await bench.perform(StopTimer("work", job.name))


def _ended_copies(bench: Bench, job: Job, outcome: Outcome) -> list[Job]:
    """Those that have waited for this one's outcome; they end with it, in this very step."""
    if not job.key:
        return []
    names = bench.ledger.end(job.key, outcome, bench.port.now_ms())
    copies = [bench.jobs[name] for name in names if name in bench.jobs]
    copies = [copy for copy in copies if copy.state == COPY]
    for copy in copies:
        del bench.jobs[copy.name]
        copy.fire("answer")
    return copies


async def _leave_tab(bench: Bench, job: Job) -> None:
    """The tab is free for the next command, if one has waited."""
    queue = bench.queues.get(job.tab)
    if queue is None or job not in queue:
        return
    queue.remove(job)
    if not queue:
        del bench.queues[job.tab]
    elif queue[0].state == QUEUED:
        await begin(bench, queue[0])


async def abandon(bench: Bench, job: Job) -> None:
    """Nobody is left to be told, and nothing was done: as if it had never come."""
    has_begun = job.state in (RUNNING, HANGING, HANDED_OVER)
    del bench.jobs[job.name]
    give_up(bench, job)
    withdrawn = bool(job.key) and job.state != COPY
    job.fire("abandon")
    if withdrawn:
        bench.ledger.withdraw(job.key)
        if has_begun and job.key not in bench.ledger:
            await bench.perform(Erase(keeping.LEDGER + job.key))
    await _leave_tab(bench, job)


def give_up(bench: Bench, job: Job) -> None:
    """The browser forgets that a command was about to do something."""
    bench.browser.forget_open(job.name)
    bench.browser.give_up(job.name, bench.port.now_ms())


async def session_lost(bench: Bench) -> None:
    """What is at work runs on to its end; what waits for anybody or anything is over."""
    for states in ((QUEUED, COPY), (HANGING, HANDED_OVER)):  # nothing is to move up meanwhile
        for job in list(bench.jobs.values()):
            is_there = bench.jobs.get(job.name) is job and job.state in states
            if is_there and job.conn is not bench.conn:
                await abandon(bench, job)


async def try_again(bench: Bench) -> None:
    """A person has done something: every command that has waited for one is tried again."""
    for job in list(bench.jobs.values()):
        if job.state == HANDED_OVER and bench.jobs.get(job.name) is job:
            job.fire("run")
            await _work(bench, job)


async def cancel(bench: Bench, target: str, cancel_id: str) -> None:
    """command_cancel: stop what can be stopped, and answer for it; what has ended stays so."""
    job = bench.job_of(target)
    if job is None:
        await bench.note("cancel-ignored", target=target)
        if not bench.rules.one_answer_per_command and bench.conn is not None:
            lost = Job(target, target, bench.conn, Order("?", {}), _ANYTHING)
            await bench.answer(lost, CANCELLED)
        return
    if bench.stubborn and job.state in (RUNNING, HANGING):
        await listening.reject_cancel(bench, target, cancel_id)
        return
    if not bench.rules.cancel_stops_work and job.state == RUNNING:
        await bench.answer(job, CANCELLED)
        job.is_told = True  # and done all the same
        return
    job.is_told = not bench.rules.cancel_is_answered
    give_up(bench, job)
    await finish(bench, job, CANCELLED)


CANCELLED: Final = Failed("command_cancelled", "the command was cancelled")
