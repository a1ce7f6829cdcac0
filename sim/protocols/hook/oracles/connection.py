"""Connections: hello, welcome, ping, standby, and frames that nobody understands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sim.core.event import (
    CallIssued,
    ConnectionClosed,
    Event,
    FrameDelivered,
    FrameSent,
    Saved,
)
from sim.core.invariant import Handler
from sim.protocols.hook.constants import HOOK_CHAT_WORKSPACE_ALIAS
from sim.protocols.hook.oracles.oracle import SECOND_US, HookInvariant
from sim.protocols.hook.view import HookView
from sim.protocols.hook.view_records import LinkView

PATIENCE_US = 15 * SECOND_US
MISSED_US = 40 * SECOND_US  # more than one heartbeat
STANDBY = (4000, "device already connected")


class HelloComesFirst(HookInvariant):
    name = "hello-comes-first"
    sentence = "The first frame of a desktop on each new connection is hello."
    from_frames = True
    catalogue = ("HK-04",)
    obeyed_by = "desktop"
    WRITER = "client"
    ONLY_FIRST = True

    def handlers(self) -> Mapping[type[Event], Handler]:
        return {FrameSent: self._sent}

    def _sent(self, event: FrameSent) -> str | None:
        if event.nth != 1:
            return None
        link = self.view.link
        if link is None or event.sender != link.client:
            return None
        self.exercised += 1
        if event.frame.type == "hello":
            return None
        return f"{event.sender} begins {event.link} with {event.frame.type}"


class ChatIsFirst(HookInvariant):
    name = "chat-is-first"
    sentence = "The first folder in hello is chat, and the default is one of the folders."
    from_frames = True
    catalogue = ("HK-48", "HK-56")
    obeyed_by = "desktop"

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(FrameSent, "hello"): self._sent}

    def _sent(self, event: FrameSent) -> str | None:
        self.exercised += 1
        body = self.view.said
        if body is None:
            return f"{event.sender} says a hello that no server takes"
        if tuple(body.workspaces[:1]) != (HOOK_CHAT_WORKSPACE_ALIAS,):
            return f"{event.sender} lists {', '.join(body.workspaces)}: chat is not the first"
        return None


class ChangesAreAnnounced(HookInvariant):
    name = "changes-are-announced"
    sentence = "When the folders change, hello is said again on every live connection."
    catalogue = ("HK-49",)
    obeyed_by = "desktop"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._changed: dict[str, tuple[tuple[str, ...], int]] = {}
        self._said: dict[str, tuple[str, ...]] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(Saved, tuple): self._saved, (FrameSent, "hello"): self._hello}

    def _saved(self, event: Saved) -> str | None:
        if event.key == "workspaces":
            self._changed[event.host] = (event.value, event.at)
        return None

    def _hello(self, event: FrameSent) -> str | None:
        if self.view.said is not None:
            self._said[event.link] = tuple(self.view.said.workspaces)
            self.view.links.forget_over(self._said)
        return None

    def at_end(self) -> Iterator[str]:
        for link in self.view.links.values():
            wanted, at = self._changed.get(link.client, ((), 0))
            said = self._said.get(link.name)
            if not wanted or said is None or not link.client_open:
                continue
            self.exercised += 1
            if said != wanted and self.view.now - at > PATIENCE_US:
                yield f"{link.client} offers {wanted}, but its last hello says {said}"


class HelloIsWelcomed(HookInvariant):
    name = "hello-is-welcomed"
    sentence = "A good hello is answered by welcome, or its connection is closed; a bad one is not."
    from_frames = True
    catalogue = ("HK-05", "HK-55")
    obeyed_by = "server"

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(FrameSent, "welcome"): self._welcomed}

    def _welcomed(self, event: FrameSent) -> str | None:
        link = self.view.links.get(event.link)
        self.exercised += 1
        if link is None or link.hello is not None:
            return None
        return f"{event.sender} welcomes {event.link}, which has not said a good hello"

    def at_end(self) -> Iterator[str]:
        for link in self.view.links.values():
            if link.hello is None or not link.server_open or link.welcomed_us >= link.hello_us:
                continue
            if self.view.now - link.hello_us > PATIENCE_US:
                yield f"the hello on {link.name} was never answered"


class PingsAreAnswered(HookInvariant):
    """For one side; see the two classes below."""

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._owed: dict[str, int] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(FrameDelivered, "ping"): self._pinged, (FrameSent, "pong"): self._answered}

    def is_mine(self, link: LinkView, host: str) -> bool:
        """Whether this end of the connection is judged."""
        raise NotImplementedError

    def _pinged(self, event: FrameDelivered) -> str | None:
        link = self.view.link
        if link is None or not self.is_mine(link, event.receiver) or self.view.arrived is None:
            return None
        self.exercised += 1
        since = self._owed.setdefault(event.link, event.at)
        self.view.links.forget_over(self._owed)
        if event.at - since > MISSED_US:
            return f"{event.receiver} has not answered the ping of {since / SECOND_US:.0f} s"
        return None

    def _answered(self, event: FrameSent) -> str | None:
        link = self.view.link
        if link is not None and self.is_mine(link, event.sender):
            self._owed.pop(event.link, None)
        return None

    def at_end(self) -> Iterator[str]:
        for name, since in self._owed.items():
            link = self.view.links.get(name)
            if link is None or self.view.now - since < PATIENCE_US:
                continue
            if link.client_open and link.server_open:
                yield f"the ping on {name} at {since / SECOND_US:.0f} s was never answered"


class DesktopAnswersPings(PingsAreAnswered):
    name = "desktop-answers-pings"
    sentence = "A desktop answers every ping with a pong."
    from_frames = True
    catalogue = ("HK-51",)
    obeyed_by = "desktop"

    def is_mine(self, link: LinkView, host: str) -> bool:
        return host == link.client


class ServerAnswersPings(PingsAreAnswered):
    name = "server-answers-pings"
    sentence = "A server answers every ping with a pong."
    from_frames = True
    catalogue = ("HK-51",)
    obeyed_by = "server"

    def is_mine(self, link: LinkView, host: str) -> bool:
        return host == link.server


class StandbyIsToldExactly(HookInvariant):
    name = "standby-is-told-exactly"
    sentence = "A second socket of a device is sent away with 4000 and the exact reason."
    from_frames = True
    obeyed_by = "server"

    def handlers(self) -> Mapping[type[Event], Handler]:
        return {ConnectionClosed: self._closed}

    def _closed(self, event: ConnectionClosed) -> str | None:
        # Each end has an event of the same close; by the second one the link is over.
        link = self.view.links.get(event.link)
        if event.code != STANDBY[0] or link is None:
            return None
        if event.by == link.client or not (link.client_open or link.server_open):
            return None
        self.exercised += 1
        if event.reason == STANDBY[1]:
            return None
        return f"{event.link} is closed with 4000 {event.reason!r}: its client will try again soon"


class BadFramesDoNothing(HookInvariant):
    """For one side; see the two classes below."""

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._bad: dict[int, tuple[str, str]] = {}

    def handlers(self) -> Mapping[type[Event], Handler]:
        return {
            FrameDelivered: self._arrived,
            FrameSent: self._effect,
            CallIssued: self._effect,
            Saved: self._effect,
            ConnectionClosed: self._closed,
        }

    def is_mine(self, link: LinkView, host: str) -> bool:
        """Whether this receiver is judged."""
        raise NotImplementedError

    def _arrived(self, event: FrameDelivered) -> str | None:
        if self.view.arrived is None:
            link = self.view.links.get(event.link)
            if link is not None and self.is_mine(link, event.receiver):
                self.exercised += 1
                self._bad[event.n] = (event.link, event.type)
        return None

    def _effect(self, event: Event) -> str | None:
        if event.cause not in self._bad:
            return None
        kind = self._bad[event.cause][1]
        return f"a {kind} that must be refused has an effect: {type(event).__name__}"

    def _closed(self, event: ConnectionClosed) -> str | None:
        link, kind = self._bad.get(event.cause, ("", ""))
        if link != event.link:
            return None
        return f"{event.host} closes {event.link} because of a {kind} that it should drop"


class ServerDropsBadFrames(BadFramesDoNothing):
    name = "server-drops-bad-frames"
    sentence = "A frame that is malformed or unknown changes nothing at the server."
    catalogue = ("HK-13", "HK-21", "HK-24", "HK-34", "HK-55")
    obeyed_by = "server"

    def is_mine(self, link: LinkView, host: str) -> bool:
        return host == link.server


class DesktopDropsBadFrames(BadFramesDoNothing):
    name = "desktop-drops-bad-frames"
    sentence = "A frame that is malformed or unknown changes nothing at the desktop."
    catalogue = ("HK-13", "HK-21", "HK-24", "HK-34")
    obeyed_by = "desktop"

    def is_mine(self, link: LinkView, host: str) -> bool:
        return host == link.client
