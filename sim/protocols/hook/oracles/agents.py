"""What desktops make of their agents: snapshots, times, takeovers, silence, archives."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sim.core.event import Acted, Erased, Event, FrameDelivered, FrameSent, Noted
from sim.core.invariant import Handler
from sim.protocols.hook.acts import AgentProgresses
from sim.protocols.hook.oracles.oracle import SECOND_US, HookInvariant, shown
from sim.protocols.hook.view import HookView
from sim.wire.absent import ABSENT

GRANTS = ("perm:allow", "perm:always", "plan:approve")
SILENCE = ("time limit", "turn end")
TELEGRAM_LINK = re.compile(r"https://t\.me/[A-Za-z0-9_]+\?start=[A-Za-z0-9_-]+")
QUEUE = 20  # tasks that may wait in a session
ELSEWHERE_MS = 2_000  # what a clock that is not the desktop's may be off
FOOT = ("⏳", "⏱")


class SnapshotsAreWhole(HookInvariant):
    """What the agent shows is scripted, so that the oracle knows the whole text."""

    name = "snapshots-are-whole"
    sentence = "A snapshot begins with what the agent's visible work begins with."
    catalogue = ("HK-63",)
    obeyed_by = "desktop"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._texts: dict[str, dict[str, None]] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(Acted, AgentProgresses): self._acted, (FrameSent, "turn.progress"): self._sent}

    def _acted(self, event: Acted) -> str | None:
        self._texts.setdefault(event.host, {})[event.act.text] = None
        return None

    def _sent(self, event: FrameSent) -> str | None:
        body, known = self.view.said, self._texts.get(event.sender)
        if body is None or known is None:
            return None
        self.exercised += 1
        text = body.text
        if text in known or text.startswith(FOOT):
            return None
        if any(text.startswith(one) or one.startswith(text[:40]) for one in known if one):
            return None
        return f"{event.sender} shows {shown(text)}, which is no beginning of the agent's work"


class DurationsAreMeasured(HookInvariant):
    name = "durations-are-measured"
    sentence = "A duration is null or no longer than the time since the task came."
    from_frames = True
    catalogue = ("HK-68",)
    obeyed_by = "desktop"

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(FrameSent, "turn.end"): self._sent}

    def _sent(self, event: FrameSent) -> str | None:
        body = self.view.said
        since = -1 if self.view.turn is None else self.view.turn.came_us
        if since < 0 or body.usage.duration_ms is None:
            return None
        self.exercised += 1
        limit_ms = (event.at - since) // 1000 + 1
        if self.view.frames_only:
            limit_ms += limit_ms // 10 + ELSEWHERE_MS
        if body.usage.duration_ms <= limit_ms:
            return None
        took = (event.at - since) / SECOND_US
        return f"{self.request} came {took:.1f} s ago and took {body.usage.duration_ms} ms"


class TakeoversKeepTheirSession(HookInvariant):
    name = "takeovers-keep-their-session"
    sentence = "A task that names a session runs in that session, or is refused for it."
    from_frames = True
    IN_CALM = 0
    catalogue = ("HK-62",)
    obeyed_by = "desktop"

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(FrameSent, "task.ack"): self._sent}

    def _sent(self, event: FrameSent) -> str | None:
        body = self.view.said
        wanted = None if self.view.turn is None else self.view.turn.wanted
        if wanted is None:
            return None
        self.exercised += 1
        if body.session_id in (wanted, None) and body.reason != "unknown_workspace":
            return None
        return f"{self.request} names the session {wanted} and is acked {body.session_id}"


class OptionsMayBeMissing(HookInvariant):
    name = "options-may-be-missing"
    sentence = "No task is called invalid that the parser takes, whatever options it leaves out."
    from_frames = True
    catalogue = ("HK-59",)
    obeyed_by = "desktop"

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {
            (FrameDelivered, "task.dispatch"): self._told,
            (FrameSent, "task.ack"): self._sent,
        }

    def _told(self, event: FrameDelivered) -> str | None:
        body, turn = self.view.arrived, self.view.turn
        if turn is not None and _leaves_it_to_the_desktop(body.options) and _is_here(body.source):
            turn.is_plain = True
        return None

    def _sent(self, event: FrameSent) -> str | None:
        body, turn = self.view.said, self.view.turn
        if turn is None or not turn.is_plain:
            return None
        self.exercised += 1
        if body.reason != "invalid" or self._has_a_cause(event):
            return None
        return f"{event.sender} calls {self.request} invalid, which names no option at all"

    def _has_a_cause(self, event: FrameSent) -> bool:
        """A full queue, a lane that is not ready, or an account that has changed."""
        link = self.view.links.get(event.link)
        if link is None or link.told_us < 0 or link.lane != "slack":
            return True
        desktop = self.view.desktops.of(event.sender)
        waiting = sum(turn.ack is not None and turn.end is None for turn in desktop.turns.values())
        return waiting >= QUEUE or desktop.logins > 0


def _is_here(source: Any) -> bool:
    return getattr(source, "im", "slack") == "slack"


def _leaves_it_to_the_desktop(options: Any) -> bool:
    if options is ABSENT or options is None:
        return True
    return not (options.model or options.permission_mode or options.agent_kind or options.effort)


class SilenceIsNoConsent(HookInvariant):
    name = "silence-is-no-consent"
    sentence = "A question that nobody answered is never taken for granted."
    catalogue = ("HK-12",)
    obeyed_by = "desktop"

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(Noted, "agent"): self._noted}

    def _noted(self, event: Noted) -> str | None:
        fact = event.data
        if fact.get("did") != "answered" or fact.get("by") not in SILENCE:
            return None
        self.exercised += 1
        if fact["button"] not in GRANTS:
            return None
        return f"{event.host} takes silence ({fact['by']}) for {fact['button']}"


class LinksAreTheProviders(HookInvariant):
    name = "links-are-the-providers"
    sentence = "A Telegram link is opened only if it leads to a bot's start, and nowhere else."
    catalogue = ("HK-123",)
    obeyed_by = "desktop"

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(Noted, "link"): self._noted}

    def _noted(self, event: Noted) -> str | None:
        fact = event.data
        if fact["lane"] != "telegram":
            return None
        self.exercised += 1
        if TELEGRAM_LINK.fullmatch(fact["opened"]):
            return None
        return f"{event.host} opens {shown(fact['opened'])}"


class ArchivesTakeOneSession(HookInvariant):
    name = "archives-take-one-session"
    sentence = "An archive unbinds the session of its own key."
    catalogue = ("HK-138",)
    obeyed_by = "desktop"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._archives: dict[int, str] = {}

    def handlers(self) -> Mapping[type[Event], Handler]:
        return {Erased: self._erased}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(FrameDelivered, "session.archive"): self._told}

    def _told(self, event: FrameDelivered) -> str | None:
        if self.view.arrived is not None:
            self._archives[event.n] = self.view.arrived.external_key
        return None

    def _erased(self, event: Erased) -> str | None:
        key = self._archives.get(event.cause)
        if key is None or not event.key.startswith("session/"):
            return None
        self.exercised += 1
        if event.key.endswith(f"/{key}"):
            return None
        return f"{event.host} archives {key}, and {event.key} goes"
