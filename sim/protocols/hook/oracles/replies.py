"""What desktops make of replies: none, one that failed, one that they do not know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sim.core.event import ConnectionClosed, Event, FrameDelivered, FrameSent, Noted
from sim.core.invariant import Handler
from sim.protocols.hook.constants import HOOK_FEATURE_MULTI_TEAM
from sim.protocols.hook.oracles.oracle import SECOND_US, HookInvariant
from sim.protocols.hook.view import HookView

PATIENCE_US = 120 * SECOND_US
QUESTIONS = (
    "prefs.get",
    "prefs.set",
    "provider.prefs.get",
    "provider.prefs.set",
    "provider.behavior.get",
    "provider.behavior.set",
    "tool.request",
)


class UnansweredIsOver(HookInvariant):
    name = "unanswered-is-over"
    sentence = "A desktop stops waiting for what an old server never answers, and shows it."
    catalogue = ("HK-35", "HK-150")
    obeyed_by = "desktop"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._open: dict[tuple[str, str], tuple[str, int, int]] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {
            **{(FrameSent, kind): self._sent for kind in QUESTIONS},
            (Noted, "asked"): self._settled,
        }

    def _sent(self, event: FrameSent) -> str | None:
        if self.request:
            life = self.view.desktops.of(event.sender).life
            self._open[event.sender, self.request] = (event.frame.type, event.at, life)
        return None

    def _settled(self, event: Noted) -> str | None:
        self.exercised += self._open.pop((event.host, event.data["request"]), None) is not None
        return None

    def at_end(self) -> Iterator[str]:
        for (host, request), (kind, at, life) in self._open.items():
            if self.view.desktops.of(host).life == life and self.view.now - at > PATIENCE_US:
                yield f"{host} still waits for an answer to {kind} {request}"


class ToolsFailByCode(HookInvariant):
    name = "tools-fail-by-code"
    sentence = "What an agent is told of a failed tool is its code, whatever the text says."
    catalogue = ("HK-154",)
    obeyed_by = "desktop"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._codes: dict[tuple[str, str], str] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(FrameDelivered, "tool.response"): self._told, (Noted, "tool"): self._noted}

    def _told(self, event: FrameDelivered) -> str | None:
        body = self.view.arrived
        if body is not None:
            code = body.error.code if not body.ok and body.error else "ok"
            self._codes.setdefault((event.receiver, body.reply_to), code)
        return None

    def _noted(self, event: Noted) -> str | None:
        code = self._codes.get((event.host, event.data["request"]))
        if code is None:
            return None
        self.exercised += 1
        if event.data["code"] == code:
            return None
        return f"{event.host} takes {code} for {event.data['code']}"


class FailuresGoByReason(HookInvariant):
    name = "failures-go-by-reason"
    sentence = "What a desktop makes of a failed sign-in is its reason, whatever the text says."
    catalogue = ("HK-91",)
    obeyed_by = "desktop"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._reasons: dict[int, Any] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(FrameDelivered, "bind.update"): self._told, (Noted, "binding"): self._noted}

    def _told(self, event: FrameDelivered) -> str | None:
        if self.view.arrived is not None and self.view.arrived.state == "failed":
            self._reasons[event.n] = self.view.arrived.reason or None
        return None

    def _noted(self, event: Noted) -> str | None:
        if event.cause not in self._reasons or event.data.get("state") != "failed":
            return None
        self.exercised += 1
        reason = self._reasons[event.cause]
        if event.data.get("reason") == reason:
            return None
        return f"{event.host} takes the reason {reason} for {event.data.get('reason')}"


class BindStateHurtsNobody(HookInvariant):
    name = "bind-state-hurts-nobody"
    sentence = "A desktop without multi-team passes bind.state over and stays connected."
    catalogue = ("HK-98",)
    obeyed_by = "desktop"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._lists: dict[int, None] = {}

    def handlers(self) -> Mapping[type[Event], Handler]:
        return {ConnectionClosed: self._effect, Noted: self._effect}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(FrameDelivered, "bind.state"): self._told}

    def _told(self, event: FrameDelivered) -> str | None:
        link = self.view.links.get(event.link)
        features = getattr(getattr(link, "hello", None), "features", None) or ()
        if link is not None and link.hello and HOOK_FEATURE_MULTI_TEAM not in features:
            self.exercised += 1
            self._lists[event.n] = None
        return None

    def _effect(self, event: Event) -> str | None:
        if event.cause not in self._lists:
            return None
        return "a desktop that knows no bind.state minds one"
