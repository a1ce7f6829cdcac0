"""The words beside an arrow: which fields of a frame tell the most.

One row per message type, in the order of telling. What is null, false or
empty is not told, with one exception: an ``ok`` is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

TELLING: Mapping[str, tuple[str, ...]] = {
    "hello": ("deviceId", "features"),
    "welcome": ("features",),
    "ping": (),
    "pong": (),
    "task.dispatch": ("requestId", "prompt", "workspace", "attachments", "sessionId"),
    "task.ack": ("requestId", "result", "reason", "queuePosition"),
    "turn.progress": ("requestId", "text"),
    "turn.end": ("requestId", "status", "finalText", "errorMessage", "attachments"),
    "turn.delivery": ("requestId", "state", "attempt", "error"),
    "turn.reopen": ("requestId", "reopenOf", "reason"),
    "bind.start": ("email", "teamId"),
    "bind.update": ("state", "slackUserName", "teamId", "reason", "message"),
    "bind.revoke": ("teamId", "pendingOnly"),
    "bind.state": ("bindings",),
    "provider.bind.start": ("provider", "scopeId", "requestId"),
    "provider.bind.cancel": ("provider", "attemptId"),
    "provider.bind.revoke": ("provider", "bindingId"),
    "provider.bind.update": ("provider", "state", "principalName", "scopeName", "reason"),
    "provider.bind.state": ("provider", "state", "principalName", "scopeName", "reason"),
    "query.request": ("queryId", "kind"),
    "query.response": ("queryId", "kind", "ok", "error", "workspaces", "agents", "sessions"),
    "task.cancel": ("requestId",),
    "session.archive": ("externalKey",),
    "interaction.request": ("interactionId", "kind", "title", "buttons"),
    "interaction.decision": ("interactionId", "buttonId"),
    "interaction.cancel": ("interactionId", "reason"),
    "prefs.get": ("requestId",),
    "prefs.set": ("workspace", "agentKind", "model", "effort", "permissionMode", "teamId"),
    "prefs.state": ("replyTo", "bound", "prefs"),
    "provider.prefs.get": ("provider", "scopeId"),
    "provider.prefs.set": ("provider", "workspace", "agentKind", "model", "effort"),
    "provider.prefs.state": ("provider", "replyTo", "bound", "prefs"),
    "tool.request": ("requestId", "tool", "teamId"),
    "tool.response": ("replyTo", "ok", "error"),
    "group.message": ("chatName", "author", "text", "fileNames"),
    "lifecycle.preference": ("enabled",),
    "provider.behavior.get": ("provider",),
    "provider.behavior.set": ("provider", "emojiReactions", "groupActivation"),
    "provider.behavior.state": ("provider", "bound", "emojiReactions", "groupActivation"),
}

BARE = ("status", "result", "state", "kind", "buttonId", "tool", "provider")
"""Fields whose value speaks for itself."""

QUOTED = ("text", "prompt", "finalText", "errorMessage", "title", "message")

_LONG_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")

_SHORT_ID = re.compile(r"[A-Za-z0-9]+[-_][A-Za-z0-9-]*[0-9]")
"""``C-17``, ``tab_1``: ids that twins count up."""


class Names:
    """Real ids by the names that the diagram gave them; unnamed long ids are cut short."""

    def __init__(self, names: tuple[tuple[str, str], ...] = ()) -> None:
        self._names = {real: name for name, real in names}
        short = [re.escape(real) for real in self._names if _SHORT_ID.fullmatch(real)]
        self._short = re.compile(rf"(?<![\w-])(?:{'|'.join(short)})(?![\w-])") if short else None

    def __call__(self, real: str) -> str:
        """The name of an id, or the first eight digits of a UUID, or what was given."""
        name = self._names.get(real)
        if name is not None:
            return name
        return real[:8] if _LONG_ID.fullmatch(real) else real

    def within(self, text: str) -> str:
        """The same for all ids within a text."""
        text = _LONG_ID.sub(lambda found: self(found[0]), text)
        return text if self._short is None else self._short.sub(lambda found: self(found[0]), text)


def tell(type_name: str, payload: Any, names: Names) -> str:
    """The telling fields of a frame, in one line of any length."""
    if not isinstance(payload, Mapping):
        return ""
    fields = TELLING.get(type_name, tuple(payload))
    told = (_field(name, payload[name], names) for name in fields if name in payload)
    return " ".join(filter(None, told))


def _field(name: str, value: Any, names: Names) -> str:
    if value is None or value == "" or value == [] or (value is False and name != "ok"):
        return ""
    if isinstance(value, str):
        if name in QUOTED:
            return f'"{value}"'
        short = names(value)
        is_id = name.endswith("Id") or name in ("reopenOf", "replyTo")
        return short if name in BARE or (is_id and name != "deviceId") else f"{name}={short}"
    return f"{name}={_short(value, names)}"


def _short(value: Any, names: Names) -> str:
    """A value without its depths."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "[" + ", ".join(_short(one, names) for one in value) + "]"
    if isinstance(value, Mapping):
        for key in ("label", "name", "alias", "title", "message", "code", "id", "workspace"):
            if isinstance(value.get(key), str) and value[key]:
                return names(value[key])
        return "{" + ", ".join(map(str, value)) + "}"
    return names(value) if isinstance(value, str) else str(value)
