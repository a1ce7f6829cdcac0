"""Events of a node: what its listeners see, and how commands get on."""

from __future__ import annotations

from typing import Any

from sim.core.op import Note, Send, StartTimer
from sim.protocols.relay.browser import HandedOver, Update
from sim.protocols.relay.build import make_event
from sim.protocols.relay.constants import NODE
from sim.protocols.relay.frames.events import CancellationRejected, ListenerUpdate
from sim.protocols.relay.node.bench import Bench
from sim.protocols.relay.node.records import Job
from sim.protocols.relay.peer.actor import MS
from sim.protocols.relay.predicates import iso_timestamp
from sim.wire.linkage import JsonObject


async def pages_changed(bench: Bench) -> None:
    """Something may have been turned on, or have been loaded anew: when is each heard next?"""
    for request in list(bench.browser.subscriptions):
        await _await_next(bench, request)


async def _await_next(bench: Bench, request: str) -> None:
    if request in bench.untold:
        return  # who sends its result sees to that
    at_ms = bench.browser.next_update_ms(request)
    if at_ms is not None:
        after_ms = max(0, at_ms - bench.port.now_ms())
        await bench.perform(StartTimer("update", request, after_ms * MS))


async def due(bench: Bench, request: str) -> None:
    """A listener has something to tell; what was turned off meanwhile keeps silent."""
    if request in bench.untold:
        return
    subscription = bench.browser.subscriptions.get(request)
    for update in bench.browser.take_updates(request, bench.port.now_ms()):
        if bench.browser.subscriptions.get(request) is subscription and bench.conn is not None:
            await _tell(bench, request, update)
    await _await_next(bench, request)


async def _tell(bench: Bench, request: str, update: Update) -> None:
    body = ListenerUpdate(
        data=update.data,
        update_type=update.update_type,
        emitted_at=iso_timestamp(update.at_ms),
    )
    id = request if bench.rules.updates_under_subscribe_id else bench.port.new_frame_id()
    await bench.send(body, id)


async def tell_early(bench: Bench, job: Job) -> None:
    """What the rule forbids: an update before the result of its subscribe."""
    data = {"listener": job.order.payload.get("listener")}
    await emit(bench, job.request_id, "debug.subscribe_ack", data)


async def emit(bench: Bench, request: str, update_type: str, data: Any) -> None:
    """Send an update, whether anybody has subscribed under this requestId or not."""
    if request not in bench.browser.subscriptions or bench.job_of(request) is not None:
        bench.early[request] = bench.early.get(request, 0) + 1
    emitted_at = iso_timestamp(bench.port.now_ms())
    await bench.send(
        ListenerUpdate(data=data, update_type=update_type, emitted_at=emitted_at), request
    )


async def not_wanted(bench: Bench, request: str) -> None:
    """listener_not_found: the relay knows of no such stream, so it is turned off here too.

    A refusal of what was sent before the subscribe had its result says nothing of later.
    """
    early = bench.early.get(request, 0)
    if early > 1:
        bench.early[request] = early - 1
    elif early:
        del bench.early[request]
    elif bench.browser.unsubscribe(request):
        await bench.perform(Note("listener-off", {"request": request}))


async def report(bench: Bench, request: str, fields: JsonObject) -> None:
    """An event about a command, under its requestId."""
    if bench.conn is not None:
        frame = make_event(
            request_id=request, timestamp_ms=bench.port.now_ms(), sender_role=NODE, **fields
        )
        await bench.perform(Send(bench.conn, frame))


async def report_hand_over(bench: Bench, job: Job, end: HandedOver) -> None:
    """Who sent the command learns that a person has to sign in first."""
    fields = {
        "type": "login_required",
        "site": end.site,
        "tabSessionId": end.tab_session_id,
        "loginUrl": end.login_url,
    }
    await report(bench, job.request_id, fields)


async def reject_cancel(bench: Bench, target: str, cancel_id: str) -> None:
    """The command goes on; its own terminal frame will follow."""
    reason = "the browser cannot stop what it has begun"
    await bench.send(CancellationRejected(target_request_id=target, reason=reason), cancel_id)
