"""Preferences of Slack users and of neutral bindings (§5 stage 11, provider preferences)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from sim.core.event import Event, FrameDelivered, FrameSent, Noted, Saved
from sim.core.invariant import Handler
from sim.protocols.hook.oracles.oracle import SECOND_US, HookInvariant
from sim.protocols.hook.server.accounts.rows import PrefRow
from sim.protocols.hook.view import HookView
from sim.protocols.hook.view_records import LinkView
from sim.wire.absent import ABSENT

PATIENCE_US = 15 * SECOND_US
FIELDS = ("model", "effort", "agent_kind", "permission_mode")
OWN = {"prefs.set": "prefs/", "provider.prefs.set": "provider-prefs/"}
Values = tuple[str | None, ...]


def values_of(row: Any) -> Values:
    """What a row or a frame's entry holds."""
    return tuple(getattr(row, name) for name in FIELDS)


@attrs.define(eq=False)
class Written:
    """A stored row, when it was written and by which step."""

    row: PrefRow
    at: int
    n: int
    cause: int


@attrs.define(eq=False)
class SetView:
    """A set that reached the server: its body, and the connection that it came on."""

    body: Any
    kind: str
    link: LinkView
    n: int
    teams: int


class OfPreferences(HookInvariant):
    """Knows the sets that reached the server, and the rows that it stored."""

    obeyed_by = "server"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self.rows: dict[str, Written] = {}
        self.sets: dict[int, SetView] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {
            **{(FrameDelivered, kind): self._set for kind in OWN},
            (Saved, PrefRow): self._saved,
        }

    def _set(self, event: FrameDelivered) -> str | None:
        link, body = self.view.links.get(event.link), self.view.arrived
        if link is not None and body is not None and event.receiver == link.server:
            teams = sum(1 for _ in self.view.accounts.of_device(link.device))
            self.sets[event.n] = SetView(body, event.type, link, event.n, teams)
        return None

    def _saved(self, event: Saved) -> str | None:
        before = self.rows.get(event.key)
        self.rows[event.key] = Written(event.value, event.at, event.n, event.cause)
        asked = self.sets.get(event.cause)
        if asked is None:
            return None
        self.exercised += 1
        return self.judge(event, asked, None if before is None else before.row)

    def judge(self, event: Saved, asked: SetView, before: PrefRow | None) -> str | None:
        """What is wrong with the row that this set made."""
        return None


class PrefsArePatched(OfPreferences):
    name = "prefs-are-patched"
    sentence = "A set changes what it carries in its own folder: absent keeps, null clears."
    catalogue = ("HK-120", "HK-146")

    def judge(self, event: Saved, asked: SetView, before: PrefRow | None) -> str | None:
        row, body = event.value, asked.body
        old = (None,) * len(FIELDS) if before is None else values_of(before)
        given: tuple[Any, ...] = values_of(body)
        wanted = tuple(kept if new is ABSENT else new for kept, new in zip(old, given, strict=True))
        if row.workspace == body.workspace and values_of(row) == wanted:
            return None
        return f"a set in {body.workspace} makes {values_of(row)} of {old}, asked for {wanted}"


class PrefsAreIsolated(OfPreferences):
    name = "prefs-are-isolated"
    sentence = "prefs.set writes Slack's rows only, provider.prefs.set none of them."
    catalogue = ("HK-18", "HK-19")

    def judge(self, event: Saved, asked: SetView, before: PrefRow | None) -> str | None:
        if event.key.startswith(OWN[asked.kind]):
            return None
        return f"{asked.kind} of {asked.link.client} writes {event.key}"


class SetsStayWithTheirAccount(OfPreferences):
    """A set without a team is about the only binding, or about none."""

    name = "sets-stay-with-their-account"
    sentence = (
        "A set writes the rows of an account of its own desktop: of the team, binding or scope "
        "that it names, and of none where it names no team among several."
    )
    catalogue = ("HK-101", "HK-119", "HK-146")

    def judge(self, event: Saved, asked: SetView, before: PrefRow | None) -> str | None:
        body, words = asked.body, event.key.split("/")
        if asked.kind == "prefs.set":
            team = body.team_id if isinstance(body.team_id, str) else ""
            if team and words[1:2] != [team]:
                return f"a set for {team} writes {event.key}"
            if not team and asked.teams > 1 and self._still_several(asked):
                return f"a set without a team writes {event.key}, one of {asked.teams} accounts"
            return None
        selector = f"b:{body.binding_id}" if body.binding_id else f"s:{body.scope_id}"
        if not event.key.startswith("provider-prefs/") or selector in words:
            return None
        return f"a set for {selector} writes {event.key}"

    def _still_several(self, asked: SetView) -> bool:
        return sum(1 for _ in self.view.accounts.of_device(asked.link.device)) > 1


class PrefsAreToldWhole(OfPreferences):
    """What the desktop was told last is what is stored."""

    name = "prefs-are-told-whole"
    sentence = (
        "Every snapshot of preferences holds all rows of the account as they are stored, and "
        "after a change in the channel another one is sent."
    )
    catalogue = ("HK-43", "HK-121", "HK-147", "HK-148", "HK-149")

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._told: dict[str, int] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {
            **super().sorted_handlers(),
            (FrameSent, "prefs.state"): self._slack,
            (FrameSent, "provider.prefs.state"): self._neutral,
        }

    def _slack(self, event: FrameSent) -> str | None:
        link, body = self.view.links.get(event.link), self.view.said
        if link is None or body is None:
            return None
        self._told[event.link] = event.n
        self.view.links.forget_over(self._told)
        self.exercised += 1
        told = {
            (row.team_id, row.workspace): values_of(row)
            for row in body.prefs
            if row.team_id is not ABSENT
        }
        for binding in self.view.accounts.of_device(link.device):
            row = binding.row
            prefix = f"prefs/{row.team}/{row.user}/"
            for key, written in self.rows.items():
                if not key.startswith(prefix):
                    continue
                alias = written.row.workspace
                shown = told.get((row.team, alias)) if link.has("multi-team") else _of(body, alias)
                if shown != values_of(written.row):
                    return f"{event.sender} tells {shown} of {key}: {values_of(written.row)}"
        return None

    def _neutral(self, event: FrameSent) -> str | None:
        link, body = self.view.links.get(event.link), self.view.said
        if link is None or body is None:
            return None
        self._told[event.link] = event.n
        self.view.links.forget_over(self._told)
        selector = f"b:{body.binding_id}" if body.binding_id else f"s:{body.scope_id}"
        prefix = f"provider-prefs/{body.provider}/{selector}/"
        told = {row.workspace: values_of(row) for row in body.prefs}
        stored = {
            w.row.workspace: values_of(w.row)
            for key, w in self.rows.items()
            if key.startswith(prefix)
        }
        if not body.bound or told == stored:
            return None
        return f"{event.sender} tells {told} of {selector}, but {stored} is stored"

    def at_end(self) -> Iterator[str]:
        for key, written in self.rows.items():
            words = key.split("/")
            link = self._link_of(words)
            if link is None or self.view.now - max(written.at, link.welcomed_us) < PATIENCE_US:
                continue
            if written.cause in self.sets or written.n < link.welcome_n:
                continue
            if self._told.get(link.name, -1) < written.n:
                yield f"{link.client} was not told that {key} was changed in the channel"

    def _link_of(self, words: list[str]) -> LinkView | None:
        accounts = self.view.accounts
        if words[0] == "prefs":
            found = [b.row for b in accounts.slack.values() if b.is_confirmed]
            rows = [r for r in found if (r.team, r.user) == (words[1], words[2])]
            lane = ""
        else:
            binding = accounts.neutral.get(words[2].removeprefix("b:"))
            rows = [binding.row] if binding is not None and binding.is_confirmed else []
            lane = words[1]
        if not rows:
            return None
        for link in self.view.links.values():
            mine = link.lane == lane if lane else link.lane not in ("telegram", "x")
            if mine and link.device == rows[0].device and link.server_open and link.welcomes:
                return link if not lane or link.has("provider-prefs-v1") else None
        return None


def _of(body: Any, alias: str) -> Values | None:
    return next((values_of(row) for row in body.prefs if row.workspace == alias), None)


class PrefsAreShownWhole(HookInvariant):
    name = "prefs-are-shown-whole"
    sentence = "The desktop shows the last snapshot of preferences and nothing of older ones."
    catalogue = ("HK-43", "HK-119")
    obeyed_by = "desktop"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._told: dict[int, Any] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {
            (FrameDelivered, "prefs.state"): self._heard,
            (FrameDelivered, "provider.prefs.state"): self._heard,
            (Noted, "shown"): self._shown,
        }

    def _heard(self, event: FrameDelivered) -> str | None:
        if self.view.arrived is not None:
            self._told[event.n] = self.view.arrived
        return None

    def _shown(self, event: Noted) -> str | None:
        told = self._told.get(event.cause)
        if told is None or "rows" not in event.data:
            return None
        self.exercised += 1
        rows = [row.to_wire() for row in told.prefs]
        if event.data["rows"] == rows:
            return None
        return f"{event.host} shows {event.data['rows']}, but was told {rows}"
