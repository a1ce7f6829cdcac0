"""Ids and forms of frames."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim.core.event import Event, FrameSent
from sim.core.invariant import Handler
from sim.protocols.hook.oracles.oracle import HookInvariant
from sim.protocols.hook.parse import parse_hook_message
from sim.protocols.hook.view import HookView
from sim.protocols.hook.view_records import LinkView


class FrameIdsAreUnique(HookInvariant):
    """For one side; see the two classes below.

    Of a sender's ids at least the newest ``REMEMBERED`` are known, and at most twice as
    many: who judges for days must not remember every frame of a lifetime.
    """

    REMEMBERED = 20_000

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._ids: dict[str, set[str]] = {}
        self._older: dict[str, set[str]] = {}

    def handlers(self) -> Mapping[type[Event], Handler]:
        return {FrameSent: self._sent}

    def _sent(self, event: FrameSent) -> str | None:
        link, sender = self.view.link, event.sender
        if link is None or sender != (link.client if self.WRITER == "client" else link.server):
            return None
        id = event.frame.id
        ids = self._ids.get(sender)
        if ids is None:
            self._ids[sender] = ids = set()
        self.exercised += 1
        is_new = id not in ids and (not self._older or id not in self._older.get(sender, ()))
        ids.add(id)
        if is_new:
            if len(ids) > self.REMEMBERED:
                self._older[sender], self._ids[sender] = ids, set()
            return None
        return f"{event.sender} uses the frame id {id!r} again, for {event.frame.type}"


class ServerFrameIds(FrameIdsAreUnique):
    name = "server-frame-ids-are-unique"
    sentence = "A server never uses a frame id twice."
    from_frames = True
    catalogue = ("HK-22",)
    obeyed_by = "server"
    WRITER = "server"


class DesktopFrameIds(FrameIdsAreUnique):
    name = "desktop-frame-ids-are-unique"
    sentence = "A desktop never uses a frame id twice."
    from_frames = True
    catalogue = ("HK-22",)
    obeyed_by = "desktop"
    WRITER = "client"


class FramesPassTheParser(HookInvariant):
    """For one side. Every frame of a type is parsed at first, later one in ``EVERY``.

    Parsing costs more than simulating the frame; wrong frames are wrong in form,
    so that a sample shows them. ``EVERY = 1`` judges all of them.
    """

    FIRST = 4
    EVERY = 128

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._seen: dict[str, int] = {}

    def handlers(self) -> Mapping[type[Event], Handler]:
        return {FrameSent: self._sent}

    def is_mine(self, link: LinkView, sender: str) -> bool:
        """Whether this sender is judged."""
        raise NotImplementedError

    def _sent(self, event: FrameSent) -> str | None:
        frame = event.frame
        seen = self._seen.get(frame.type, 0)
        self._seen[frame.type] = seen + 1
        if seen >= self.FIRST and seen % self.EVERY:
            return None
        link = self.view.links.get(event.link)
        if link is None or not self.is_mine(link, event.sender):
            return None
        self.exercised += 1
        body = self.view.said
        if body is None:
            return f"{event.sender} sends a {frame.type} that the parser refuses"
        verdict: Any = parse_hook_message(body.enclose(frame.id, frame.ts, body.to_wire()))
        if verdict.ok:
            return None
        return f"{event.sender} sends a {frame.type} that the parser refuses: {verdict.error}"


class ServerFramesPass(FramesPassTheParser):
    name = "server-frames-pass-the-parser"
    sentence = "Whatever a server sends, the parser takes."
    catalogue = ("HK-33", "HK-58", "HK-201", "HK-203")
    obeyed_by = "server"

    def is_mine(self, link: LinkView, sender: str) -> bool:
        return sender == link.server


class DesktopFramesPass(FramesPassTheParser):
    name = "desktop-frames-pass-the-parser"
    sentence = "Whatever a desktop sends, the parser takes."
    catalogue = ("HK-33", "HK-60", "HK-67", "HK-201", "HK-203")
    obeyed_by = "desktop"

    def is_mine(self, link: LinkView, sender: str) -> bool:
        return sender == link.client
