"""How the bot behaves on Telegram: overrides, defaults, groups (§5 stage 19)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim.core.event import Erased, Event, FrameDelivered, FrameSent, Noted, Saved
from sim.core.invariant import Handler
from sim.protocols.hook.constants import DEFAULT_TELEGRAM_BEHAVIOR
from sim.protocols.hook.oracles.oracle import HookInvariant
from sim.protocols.hook.server.accounts.rows import BehaviorRow
from sim.protocols.hook.view import HookView
from sim.wire.absent import ABSENT

FIELDS = {
    "emoji_reactions": "emojiReactions",
    "reply_quote_dm": "replyQuoteDm",
    "reply_quote_group": "replyQuoteGroup",
}
ACTIVATION = "activation/"


class BehaviorIsPatched(HookInvariant):
    name = "behavior-is-patched"
    sentence = (
        "A set changes what it carries: absent keeps, null clears, a value is kept even where it "
        "is the default; and one group only."
    )
    catalogue = ("HK-127", "HK-128", "HK-129", "HK-130")
    obeyed_by = "server"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._sets: dict[int, Any] = {}
        self._rows: dict[str, BehaviorRow] = {}

    def handlers(self) -> Mapping[type[Event], Handler]:
        return {Erased: self._erased}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {
            (FrameDelivered, "provider.behavior.set"): self._set,
            (Saved, BehaviorRow): self._saved,
            (Saved, str): self._activated,
        }

    def _set(self, event: FrameDelivered) -> str | None:
        if self.view.arrived is not None:
            self._sets[event.n] = self.view.arrived
        return None

    def _saved(self, event: Saved) -> str | None:
        binding = event.key.partition("/")[2]
        before = self._rows.get(binding, BehaviorRow())
        row = self._rows[binding] = event.value
        body = self._sets.get(event.cause)
        if body is None:
            return None
        self.exercised += 1
        for name in FIELDS:
            given = getattr(body, name)
            wanted = getattr(before, name) if given is ABSENT else given
            if getattr(row, name) != wanted:
                return f"a set of {binding} makes {name} {getattr(row, name)!r}, not {wanted!r}"
        return None

    def _activated(self, event: Saved) -> str | None:
        return self._group(event.cause, event.key, "always")

    def _erased(self, event: Erased) -> str | None:
        return self._group(event.cause, event.key, None)

    def _group(self, cause: int, key: str, value: str | None) -> str | None:
        body = self._sets.get(cause)
        if body is None or not key.startswith(ACTIVATION):
            return None
        patch = body.group_activation
        wanted = f"{ACTIVATION}{body.binding_id}/{getattr(patch, 'chat_id', '')}"
        if patch is not ABSENT and key == wanted and patch.value == value:
            return None
        return f"a set about another chat makes {key} {value}"


class BehaviorIsToldWhole(HookInvariant):
    name = "behavior-is-told-whole"
    sentence = (
        "A state holds what was set, the defaults for the rest and every group; of a binding that "
        "is gone it holds the defaults only."
    )
    catalogue = ("HK-127", "HK-129", "HK-132", "HK-133", "HK-134")
    obeyed_by = "server"

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(FrameSent, "provider.behavior.state"): self._told}

    def _told(self, event: FrameSent) -> str | None:
        body = self.view.said
        if body is None:
            return None
        self.exercised += 1
        accounts, binding = self.view.accounts, body.binding_id
        row = accounts.overrides.get(binding) if body.bound else None
        groups = accounts.groups.get(binding, {}) if body.bound else {}
        for name, wire in FIELDS.items():
            wanted = getattr(row, name, None) or DEFAULT_TELEGRAM_BEHAVIOR[wire]
            if getattr(body, name) != wanted:
                return f"{event.sender} tells {name} {getattr(body, name)}; it is {wanted}"
        if body.group_activation == groups:
            return None
        return f"{event.sender} tells groups {body.group_activation}; they are {groups}"


class BehaviorIsOfTheBinding(HookInvariant):
    name = "behavior-is-of-the-binding"
    sentence = "The desktop shows the settings of its present binding only."
    catalogue = ("HK-119", "HK-125")
    obeyed_by = "desktop"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._bound: dict[tuple[str, str], str] = {}

    def handlers(self) -> Mapping[type[Event], Handler]:
        return {Erased: self._unbound}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        from sim.protocols.hook.desktop.ties import BindingRow

        return {(Saved, BindingRow): self._saved, (Noted, "shown"): self._shown}

    def _saved(self, event: Saved) -> str | None:
        self._bound[event.host, event.key.rpartition("/")[2]] = event.value.binding
        return None

    def _unbound(self, event: Erased) -> str | None:
        if event.key.startswith("binding/"):
            self._bound[event.host, event.key.rpartition("/")[2]] = ""
        return None

    def _shown(self, event: Noted) -> str | None:
        data = event.data
        if data.get("what") not in ("behavior", "provider.prefs") or data["binding"] is None:
            return None
        self.exercised += 1
        bound = self._bound.get((event.host, data["lane"]))
        if bound is None or bound == data["binding"]:
            return None
        return f"{event.host} shows {data['what']} of {data['binding']}, but is bound as {bound!r}"
