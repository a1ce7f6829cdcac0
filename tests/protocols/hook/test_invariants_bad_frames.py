"""Bad frames: the view does not count them, and the oracles want them to do nothing."""

from __future__ import annotations

from typing import Any

import pytest

from sim.core.invariant import Monitor
from sim.core.op import Close, Save, Send
from sim.protocols.hook import HookBody, Message, Ping
from sim.protocols.hook.invariants import invariants_for
from sim.protocols.hook.server import Server
from tests.protocols.hook.server_play import Play, failed_task

ENVELOPE = {"v": 1, "id": "x-1", "ts": 1}
UNKNOWN = Message("turn.magic", "x-1", 1, None, {**ENVELOPE, "type": "turn.magic", "payload": {}})
EMPTY = Message("turn.end", "x-2", 1, None, {**ENVELOPE, "type": "turn.end", "payload": {}})
NO_JSON = Message("turn.end", "x-3", 1, None, {**ENVELOPE, "type": "turn.end", "payload": object()})
BODILESS = Message("turn.reopen", "x-4", 1, None)
BAD = [UNKNOWN, EMPTY, NO_JSON, BODILESS]


def watched(play: Play) -> Monitor:
    monitor = Monitor(invariants_for(play.view, frozenset({"server"})))
    monitor.attach(play.world.watch)
    return monitor


def broken_by(play: Play, frame: Any) -> list[str]:
    """What breaks when a desktop sends this frame in the middle of a good day."""
    monitor = watched(play)
    failed_task(play)
    play.send_frame(frame)
    play.run(5)
    monitor.finish(len(play.world.events) - 1)
    return [violation.invariant for violation in monitor.violations]


@pytest.mark.parametrize("frame", BAD, ids=["unknown", "empty", "no-json", "bodiless"])
def test_a_bad_frame_changes_nothing(frame: Any) -> None:
    play = Play()
    assert broken_by(play, frame) == []
    assert not play.view.rounds


class Touchy(Server):
    """Closes a connection on which it does not understand a frame."""

    async def on_frame(self, conn: Any, frame: Any) -> None:
        if frame.id.startswith("x-"):
            await self.perform(Close(conn, 1002, "protocol error"))
        else:
            await super().on_frame(conn, frame)


class Diligent(Server):
    """Remembers frames that it does not understand."""

    async def on_frame(self, conn: Any, frame: Any) -> None:
        if frame.id.startswith("x-"):
            await self.perform(Save("strange", 1))
        await super().on_frame(conn, frame)


class Chatty(Server):
    """Asks back."""

    async def on_frame(self, conn: Any, frame: Any) -> None:
        if frame.id.startswith("x-"):
            body: HookBody = Ping()
            await self.perform(Send(conn, Message("ping", "S-ping", 1, body)))
        await super().on_frame(conn, frame)


@pytest.mark.parametrize("server", [Touchy, Diligent, Chatty])
def test_a_server_that_minds_bad_frames_is_noticed(server: type[Server]) -> None:
    play = Play()
    play.world.hosts["S"].factory = lambda port: server(port, play.plan)
    play.crash()
    play.restart(wait=2)
    assert "server-drops-bad-frames" in broken_by(play, EMPTY)
