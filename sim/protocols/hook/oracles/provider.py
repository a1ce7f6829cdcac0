"""Bindings of provider-neutral channels: attempts, snapshots, what the desktop takes (§5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from sim.core.event import Event, FrameDelivered, FrameSent, Noted, Saved
from sim.core.invariant import Handler
from sim.protocols.hook.constants import HOOK_FEATURE_PROVIDER_BIND
from sim.protocols.hook.machine import CONFIRMED
from sim.protocols.hook.oracles.oracle import SECOND_US, HookInvariant
from sim.protocols.hook.server.accounts.rows import ProviderBindingRow
from sim.protocols.hook.view import HookView
from sim.protocols.hook.view_records import LinkView

PATIENCE_US = 15 * SECOND_US
SNAPSHOTS = ("provider.bind.update", "provider.bind.state")
ORDER = {"pending": 0, "awaiting_confirmation": 1, "denied": 2, "expired": 2, "failed": 2}
GONE = ("revoked", "superseded")


class AttemptsGoForward(HookInvariant):
    name = "attempts-go-forward"
    sentence = (
        "An attempt goes from pending over awaiting_confirmation to its end, a binding from "
        "confirmed to revoked or superseded; none goes back."
    )
    from_frames = True
    catalogue = ("HK-113", "HK-117", "HK-118")
    obeyed_by = "server"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        # by attempt or binding: how far it has come
        self._reached: dict[str, int] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(FrameSent, kind): self._sent for kind in SNAPSHOTS}

    def _sent(self, event: FrameSent) -> str | None:
        body = self.view.said
        if body is None:
            return None
        self.exercised += 1
        if body.state in ORDER and body.attempt_id is not None:
            return self._step(body.attempt_id, ORDER[body.state], body.state)
        if body.binding_id is not None:
            return self._step(body.binding_id, int(body.state in GONE), body.state)
        return None

    def _step(self, what: str, stage: int, state: str) -> str | None:
        reached = self._reached.get(what, 0)
        if stage < reached:
            return f"{what} is {state} again, after it was over"
        self._reached[what] = stage
        return None


class RequestsEndWhatTheyName(HookInvariant):
    name = "requests-end-what-they-name"
    sentence = (
        "provider.bind.cancel ends an attempt and no binding, provider.bind.revoke the binding "
        "that it names, a new attempt nothing that is confirmed."
    )
    catalogue = ("HK-110", "HK-111")
    obeyed_by = "server"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._asked: dict[int, str | None] = {}
        self._due: list[tuple[str, str, int, int, int]] = []

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {
            (FrameDelivered, "provider.bind.cancel"): self._cancelled,
            (FrameDelivered, "provider.bind.start"): self._cancelled,
            (FrameDelivered, "provider.bind.revoke"): self._revoked,
            (Saved, ProviderBindingRow): self._saved,
        }

    def _cancelled(self, event: FrameDelivered) -> str | None:
        self.exercised += 1
        self._asked[event.n] = None
        return None

    def _revoked(self, event: FrameDelivered) -> str | None:
        link, body = self.view.links.get(event.link), self.view.arrived
        if link is None or body is None or event.receiver != link.server:
            return None
        self._asked[event.n] = body.binding_id
        if link.has(HOOK_FEATURE_PROVIDER_BIND) and body.provider == link.lane and link.welcomes:
            epoch = self.view.hosts[link.server].epoch
            self._due.append((body.binding_id, link.device, event.n, event.at, epoch))
        return None

    def _saved(self, event: Saved) -> str | None:
        row = event.value
        if row.state == CONFIRMED or event.cause not in self._asked:
            return None
        named = self._asked[event.cause]
        if named == row.binding:
            return None
        return f"a request about {named or 'an attempt'} ends the binding {row.binding}"

    def at_end(self) -> Iterator[str]:
        view = self.view
        for binding, device, n, at, epoch in self._due:
            found = view.accounts.neutral.get(binding)
            if found is None or not found.is_confirmed or found.n > n or found.row.device != device:
                continue
            same_life = all(view.hosts[server].epoch == epoch for server in view.writers)
            if view.now - at > PATIENCE_US and same_life:
                yield f"{binding} was revoked, and is still bound to {device}"


class SnapshotsSayWhatIsSo(HookInvariant):
    name = "snapshots-say-what-is-so"
    sentence = "The last snapshot that a desktop got of its binding is how the binding stands."
    catalogue = ("HK-112", "HK-114")
    obeyed_by = "server"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._told: dict[str, dict[str, str]] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(FrameSent, kind): self._sent for kind in SNAPSHOTS}

    def _sent(self, event: FrameSent) -> str | None:
        body = self.view.said
        if body is not None:
            told = self._told.setdefault(event.link, {})
            told[body.binding_id or ""] = body.state
            self.view.links.forget_over(self._told)
        return None

    def at_end(self) -> Iterator[str]:
        for link in self.view.links.values():
            provider = link.lane
            if not link.server_open or not link.has(HOOK_FEATURE_PROVIDER_BIND):
                continue
            if f"provider:{provider}" not in link.features or link.greeted is not link.hello:
                continue
            if self.view.now - link.welcomed_us < PATIENCE_US:
                continue
            self.exercised += 1
            told = self._told.get(link.name)
            if told is None:
                yield f"{link.client} was told nothing of its binding on {link.name}"
                continue
            yield from self._compare(link, told)

    def _compare(self, link: LinkView, told: dict[str, str]) -> Iterator[str]:
        accounts = self.view.accounts
        named = [accounts.neutral[name] for name in told if name in accounts.neutral]
        mine_now = list(accounts.neutrals_of(link.lane, link.device))
        for binding in (*mine_now, *(one for one in named if one not in mine_now)):
            row = binding.row
            if row.provider != link.lane or self.view.now - binding.at < PATIENCE_US:
                continue
            mine = binding.is_confirmed and row.device == link.device
            state = told.get(row.binding, "")
            if (state == "confirmed") is not mine:
                yield f"{link.client} is told {state or 'nothing'} of {row.binding}: {row.state}"


@attrs.define(eq=False)
class _Told:
    """A snapshot that reached a desktop."""

    body: Any
    link: str


class DesktopTakesItsOwn(HookInvariant):
    """What a desktop may take of the server's snapshots (section 13 of its manners)."""

    name = "desktop-takes-its-own"
    sentence = (
        "A desktop takes a snapshot that answers its own request, or is the first of a "
        "connection, or names its present attempt or binding; no other."
    )
    catalogue = ("HK-109", "HK-113")
    obeyed_by = "desktop"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._told: dict[int, _Told] = {}
        self._asked: dict[str, dict[str, None]] = {}
        self._known: dict[tuple[str, str], dict[str, None]] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        asks = ("provider.bind.start", "provider.bind.cancel", "provider.bind.revoke")
        return {
            **{(FrameSent, kind): self._asks for kind in asks},
            **{(FrameDelivered, kind): self._heard for kind in SNAPSHOTS},
            (Noted, "binding"): self._takes,
        }

    def _asks(self, event: FrameSent) -> str | None:
        if self.view.said is not None:
            self._asked.setdefault(event.sender, {})[self.view.said.request_id] = None
        return None

    def _heard(self, event: FrameDelivered) -> str | None:
        if self.view.arrived is not None:
            self._told[event.n] = _Told(self.view.arrived, event.type)
        return None

    def _takes(self, event: Noted) -> str | None:
        told = self._told.get(event.cause)
        if told is None:
            return None
        self.exercised += 1
        body = told.body
        known = self._known.setdefault((event.host, body.provider), {})
        mine = body.reply_to in self._asked.get(event.host, {})
        names = body.attempt_id in known or body.binding_id in known
        fits = body.reply_to is None and (names or told.link == "provider.bind.state")
        won = body.state == "confirmed" and bool(known)
        for name in (body.attempt_id, body.binding_id):
            if name is not None:
                known[name] = None
        if mine or fits or won:
            return None
        return (
            f"{event.host} takes {body.state} of {body.attempt_id or body.binding_id}: not its own"
        )
