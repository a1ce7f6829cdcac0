"""Listeners that a controller has turned on, and the streams of tests."""

from __future__ import annotations

from typing import Any

from sim.protocols.relay.acts import SendCommand
from sim.protocols.relay.constants import WAIT_WITH_TIMEOUT
from sim.protocols.relay.controller import calls
from sim.protocols.relay.controller.desk import Desk
from sim.protocols.relay.controller.records import Call, Stream
from sim.protocols.relay.frames.commands import tab_of
from sim.wire.exact import plain_object

SUBSCRIBE = "listener.subscribe"
UNSUBSCRIBE = "listener.unsubscribe"
TEST = "command.test"


def learn_from(desk: Desk, call: Call, payload: dict[str, Any]) -> None:
    """What a good result says: a listener is on or off, commands are known. At once: the
    next frame may be an update."""
    if payload.get("ok") is not True:
        return
    if call.name == SUBSCRIBE:
        desk.streams[call.request] = Stream(call.listener, call.node, call.test)
    elif call.name == UNSUBSCRIBE:
        desk.streams.pop(call.target, None)
    elif call.name == "command.list":
        calls.learn(desk, call.node, payload.get("data"))


async def follow(desk: Desk, test: Call, payload: dict[str, Any]) -> None:
    """Turn on every listener of a test's manifest, in the session that has asked for the test."""
    if test.name != TEST or payload.get("ok") is not True or not desk.client.follows_streams:
        return
    session = test.session
    wanted = plain_object(plain_object(payload.get("data")).get("stream")).get("listeners")
    for one in wanted if isinstance(wanted, list | tuple) else ():
        described = plain_object(one)
        listener, options = described.get("listener"), described.get("options")
        if not isinstance(listener, str) or desk.session != session or not desk.is_ready:
            continue
        inner: dict[str, Any] = {"listener": listener}
        if isinstance(options, dict):
            inner["options"] = options
        subscribe = SendCommand(
            SUBSCRIBE,
            inner,
            node=test.node,
            tab=tab_of({"payload": inner}) or test.tab,
            wait_policy=WAIT_WITH_TIMEOUT,
        )
        await calls.ask(desk, subscribe, test.request)


async def updated(desk: Desk, request: str, update_type: str) -> None:
    """An update has come; what is not subscribed to is not shown to anybody."""
    if request in desk.streams or not desk.rules.updates_need_subscription:
        await desk.note("update", request=request, type=update_type)
    else:
        await desk.note("stray-update", request=request, type=update_type)


async def listener_ended(desk: Desk, request: str, reason: str) -> None:
    """The relay says that a subscription is over."""
    if desk.streams.pop(request, None) is not None:
        await desk.note("listener-ended", request=request, reason=reason)


async def stream_ended(desk: Desk, test: str, reason: str) -> None:
    """The stream of a test is over, with all listeners that belong to it."""
    for request, stream in list(desk.streams.items()):
        if stream.test == test:
            del desk.streams[request]
    await desk.note("stream-ended", request=test, reason=reason)
