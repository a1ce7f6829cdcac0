"""Notices that a desktop came or went (§5 lifecycle)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sim.channel.api import PostMessage
from sim.core.event import (
    CallIssued,
    ConnectionClosed,
    Event,
    FrameDelivered,
    FrameSent,
    Saved,
)
from sim.core.invariant import Handler
from sim.protocols.hook.constants import HOOK_FEATURE_LIFECYCLE_ANNOUNCEMENT
from sim.protocols.hook.frames import MESSAGES, SERVER_TO_DESKTOP
from sim.protocols.hook.oracles.oracle import SECOND_US, HookInvariant
from sim.protocols.hook.server.accounts.lifecycle import OFFLINE_TEXT, ONLINE_TEXT
from sim.protocols.hook.server.accounts.rows import PresenceRow
from sim.protocols.hook.view import HookView
from sim.protocols.hook.view_records import LinkView

PATIENCE_US = 15 * SECOND_US
FLAP_US = 1_900_000
WRITTEN = tuple(kind for kind, one in MESSAGES.items() if one.DIRECTION != SERVER_TO_DESKTOP)
REPEATED = "repeated its lifecycle preference"


class Presence(HookInvariant):
    """Knows what each device wishes, and when its Slack connection came and went."""

    obeyed_by = "server"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self.wishes: dict[str, tuple[bool, int]] = {}
        # by the step that made somebody look: whose presence is told
        self.about: dict[int, str] = {}
        # by device: its Slack connection that was welcomed last
        self._welcome: dict[str, LinkView] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {
            (FrameSent, "welcome"): self._welcomed,
            (FrameDelivered, "lifecycle.preference"): self._wished,
            (CallIssued, PostMessage): self._posted,
            (Saved, PresenceRow): self._looked,
        }

    def _looked(self, event: Saved) -> str | None:
        self.about[event.cause] = event.key.partition("/")[2]
        return None

    def _welcomed(self, event: FrameSent) -> str | None:
        """hello's value counts first; an old server does not read it, an old desktop has none."""
        link = self.view.links.get(event.link)
        if link is None or link.greeted is None or link.lane in ("telegram", "x"):
            return None
        reads = HOOK_FEATURE_LIFECYCLE_ANNOUNCEMENT in link.features
        wish = link.greeted.lifecycle_announcement is not False or not reads
        self.wishes[link.device] = (wish, event.n)
        self._welcome[link.device] = link
        return None

    def _wished(self, event: FrameDelivered) -> str | None:
        link, body = self.view.links.get(event.link), self.view.arrived
        reads = link is not None and HOOK_FEATURE_LIFECYCLE_ANNOUNCEMENT in link.features
        if link is not None and body is not None and reads:
            self.wishes[link.device] = (body.enabled, event.n)
        return None

    def _posted(self, event: CallIssued) -> str | None:
        post = event.request
        if post.role != "notice" or post.text not in (ONLINE_TEXT, OFFLINE_TEXT):
            return None
        self.exercised += 1
        device = self.about.get(event.cause)
        return None if device is None else self.judge(event, device)

    def judge(self, event: CallIssued, device: str) -> str | None:
        """What is wrong with this notice."""
        raise NotImplementedError

    def link_of(self, device: str) -> LinkView | None:
        """The welcomed Slack connection of a device."""
        link = self._welcome.get(device)
        return link if link is not None and link.device == device and link.server_open else None


class NoticesAreWanted(Presence):
    name = "notices-are-wanted"
    sentence = (
        "A notice is posted only while the device wishes it: by its hello, absent counts as yes, "
        "and by each lifecycle.preference since."
    )
    catalogue = ("HK-28", "HK-29", "HK-30")

    def judge(self, event: CallIssued, device: str) -> str | None:
        wish, since = self.wishes.get(device, (True, -1))
        if wish or since > event.cause:
            return None
        return f"people are told of {device}, which wished for no notices at step {since}"


class FlapsAreNotTold(Presence):
    name = "flaps-are-not-told"
    sentence = "Nobody is told of a gap that is shorter than two seconds, nor of what is not so."
    catalogue = ("HK-30",)

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._gone: dict[str, int] = {}
        # by device: the step that made somebody look last, and how long it was away by then
        self._looks: dict[str, tuple[int, int]] = {}

    def handlers(self) -> Mapping[type[Event], Handler]:
        return {ConnectionClosed: self._closed}

    def _looked(self, event: Saved) -> str | None:
        device = event.key.partition("/")[2]
        self._looks[device] = (event.cause, event.at - self._gone.get(device, -FLAP_US))
        return super()._looked(event)

    def _closed(self, event: ConnectionClosed) -> str | None:
        link = self.view.links.get(event.link)
        mine = link is not None and self.view.by_device.get((link.device, link.lane)) is link
        slack = link is not None and link.lane not in ("telegram", "x")
        if link is not None and slack and mine and event.host == link.server:
            self._gone[link.device] = event.at
        return None

    def judge(self, event: CallIssued, device: str) -> str | None:
        if event.request.text != OFFLINE_TEXT:
            return None
        link = self.link_of(device)
        if link is not None and link.welcome_n < event.cause:
            return f"people are told that {device} is offline, but it is connected"
        cause, away = self._looks[device]
        if cause != event.cause or away >= FLAP_US:
            return None
        return f"people are told of {device}'s absence of {away / SECOND_US:.1f} s"


class PresenceIsTold(Presence):
    name = "presence-is-told"
    sentence = "What is stored as told about a desktop was told to those who are bound to it."
    catalogue = ("HK-29",)

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        # by device: the step that made somebody look last, and when
        self._due: dict[str, tuple[int, int]] = {}

    def _looked(self, event: Saved) -> str | None:
        super()._looked(event)
        device = event.key.partition("/")[2]
        if any(True for _ in self.view.accounts.of_device(device)):
            self._due[device] = (event.cause, event.at)
        return None

    def judge(self, event: CallIssued, device: str) -> str | None:
        if self._due.get(device, (-1, 0))[0] == event.cause:
            del self._due[device]
        return None

    def at_end(self) -> Iterator[str]:
        for device, (cause, at) in self._due.items():
            wish, since = self.wishes.get(device, (True, -1))
            if not wish and since > cause:
                continue  # nobody wants to know any more
            crashed = any(self.view.hosts[server].since >= at for server in self.view.writers)
            if not crashed and self.view.now - at > PATIENCE_US:
                yield f"{device} came or went at {at / SECOND_US:.0f} s, and nobody was told"


class PreferenceIsSaidAgain(HookInvariant):
    """Broken by the first frame that a desktop writes after the deadline.

    Only what a desktop still writes shows that it was there to obey. A connection that ends
    before, or on which the desktop falls silent, decides nothing where only frames are known,
    whether or not its end is told. A simulated world knows who is still there, and asks at
    its end, too.
    """

    name = "preference-is-said-again"
    sentence = (
        "After each welcome that offers it a desktop repeats its lifecycle preference, "
        f"within {PATIENCE_US // SECOND_US} s."
    )
    from_frames = True
    catalogue = ("HK-30",)
    obeyed_by = "desktop"
    ON_ALERT = True

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        # by connection: when its desktop was last asked for what it has not yet said
        self._due: dict[str, int] = {}
        self._in_world = False

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        others: dict[tuple[type[Event], Any], Handler] = {
            (FrameSent, kind): self._other for kind in WRITTEN
        }
        return {
            **others,
            (FrameDelivered, "welcome"): self._asked,
            (FrameSent, "lifecycle.preference"): self._said,
        }

    def _asked(self, event: FrameDelivered) -> str | None:
        link = self.view.link
        if link is None or link.lane in ("telegram", "x"):
            return None
        if HOOK_FEATURE_LIFECYCLE_ANNOUNCEMENT not in link.told_features:
            if self._due.pop(event.link, None) is not None:
                self.undecided -= 1
                link.alerts -= 1
            return None
        if event.link not in self._due:
            self.undecided += 1
            link.alerts += 1
        self._due[event.link] = link.told_us
        self._in_world = event.cause >= 0  # frames alone do not show what caused them
        return None

    def _said(self, event: FrameSent) -> str | None:
        late = self._other(event)
        if self._due.pop(event.link, None) is not None:
            self._decided(self.view.link)
        return late

    def _other(self, event: FrameSent) -> str | None:
        since = self._due.get(event.link)
        if since is None or event.at - since < PATIENCE_US:
            return None
        link = self.view.link
        if link is None or link.lane != "slack" or event.sender != link.client:
            return None
        del self._due[event.link]
        self._decided(link)
        after_s = (event.at - since) / SECOND_US
        return f"{event.sender} has not {REPEATED} on {event.link}, {after_s:.0f} s after welcome"

    def at_end(self) -> Iterator[str]:
        for name, since in self._due.items() if self._in_world else ():
            link = self.view.links.get(name)
            if link is None or not link.client_open or link.lane != "slack":
                continue
            if self.view.now - since >= PATIENCE_US:
                self.exercised += 1
                yield f"{link.client} has not {REPEATED} on {name}"

    def _decided(self, link: LinkView | None) -> None:
        if link is not None:
            link.alerts -= 1
        self.undecided -= 1
        self.exercised += 1
        self.view.links.forget_over(self._due)
