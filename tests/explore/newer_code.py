"""The twins as they might be after an unrelated change: one more message type, one more timer.

The new message goes both ways: the server says what it is running right after each
welcome, the desktop reports its load behind each ack and each pong. Nobody does anything
with it. The server also tidies up every 400 ms, which nobody can see.
"""

from __future__ import annotations

import types
from typing import Any

import pytest

from sim.core.op import Save, Send, StartTimer
from sim.protocols.hook import parse
from sim.protocols.hook.desktop.actor import Desktop
from sim.protocols.hook.frames.envelope import BOTH, HookBody
from sim.protocols.hook.intake import made
from sim.protocols.hook.server.endpoint import Server
from sim.wire.declare import message, wire
from sim.wire.generate import validator
from sim.wire.spec import SOME_TEXT

TIDY_US = 400_000
TOLD_BEHIND = {Server: ("welcome",), Desktop: ("task.ack", "pong")}


@message("status.report", direction=BOTH, section="§9", example={"words": "all is well"})
class StatusReport(HookBody):
    """How its sender is."""

    words: str = wire(SOME_TEXT)


def change_the_twins(patch: pytest.MonkeyPatch) -> None:
    """From now on until the test is over."""
    for checks in (parse._STRICT, parse._LENIENT):
        entry = (StatusReport, validator(StatusReport, checks.lenient))
        patch.setitem(checks, StatusReport.TYPE, entry)
    for cls, kinds in TOLD_BEHIND.items():
        patch.setattr(cls, "perform", _talkative(cls.perform, kinds), raising=False)
    on_start, on_timer = Server.on_start, Server.on_timer

    async def start_and_tidy(self: Server) -> None:
        await self.perform(StartTimer("tidy", "", TIDY_US, background=True))
        await on_start(self)

    async def tidy(self: Server, kind: str, key: str) -> None:
        if kind != "tidy":
            await on_timer(self, kind, key)
            return
        await self.perform(Save("tidied", self.port.now_us()))
        await self.perform(StartTimer("tidy", "", TIDY_US, background=True))

    patch.setattr(Server, "on_start", start_and_tidy)
    patch.setattr(Server, "on_timer", tidy)


def _talkative(perform: Any, kinds: tuple[str, ...]) -> Any:
    """``perform`` that sends one more frame behind those of some types."""

    @types.coroutine
    def perform_and_tell(self: Any, op: Any) -> Any:
        result = yield from perform(self, op)
        if type(op) is Send and result and op.frame.type in kinds:
            report = made(self.port, StatusReport(words="all is well"))
            yield from perform(self, Send(op.conn, report))
        return result

    return perform_and_tell
