"""All frame checks, in the order of the catalogue."""

from __future__ import annotations

from typing import Any, Final

from sim.protocols.catalogue import GONE
from sim.protocols.hook.catalogue.frame_checks import check, judged, whole
from sim.protocols.hook.constants import HOOK_MAX_FRAME_CHARS, MAX_GROUP_TEXT_CHARS
from sim.protocols.hook.parse import serialize_hook_message

_BUTTON: Final = {"id": "yes", "label": "Go", "style": "primary"}
_SESSION: Final = {"id": "s-1", "title": "t", "workspace": "web", "lastActiveAt": 1}
_BIND: Final[dict[str, Any]] = {"state": "confirmed", "slackUserId": "U1", "authorizeUrl": None}
_TIED: Final[dict[str, Any]] = {
    "state": "confirmed", "attemptId": None, "bindingId": "b-1", "principalId": "u-1",
    "scopeId": "c-1", "connectUrl": None, "expiresAt": None,
}  # fmt: skip
_FAILED: Final[dict[str, Any]] = {
    "state": "expired", "connectUrl": None, "expiresAt": None, "reason": "expired",
}  # fmt: skip
_REVOKED: Final[dict[str, Any]] = {
    "state": "revoked", "attemptId": None, "bindingId": "b-1", "connectUrl": None,
    "expiresAt": None, "reason": "by_user",
}  # fmt: skip
_DELIVERED: Final[dict[str, Any]] = {
    "state": "delivered", "attempt": 1, "retryAt": None, "error": None,
}  # fmt: skip
_UNBOUND: Final[dict[str, Any]] = {
    "bound": False, "emojiReactions": "minimal", "replyQuoteDm": "off",
    "replyQuoteGroup": "first", "groupActivation": {},
}  # fmt: skip
_ROW: Final[dict[str, Any]] = {
    "workspace": "web", "model": None, "effort": None, "agentKind": None, "permissionMode": None,
}  # fmt: skip


_GOOD: Final = whole("", "ping", None).good


def _too_long() -> str:
    text = serialize_hook_message(check("", "turn.progress", "text").good)
    return text.replace("Reading", "R" * HOOK_MAX_FRAME_CHARS)


_ENVELOPE: Final = (
    judged("HK-13", "frame", "envelope", _GOOD, [1]),
    check("HK-09", "query.response", "sessions[0].workspace", sessions__0__workspace="/disk/a"),
    check("HK-09", "provider.prefs.set", "workspace", workspace="C:\\private"),
    check("HK-20", "provider.prefs.state", "prefs[0].teamId",
          good={"bound": True, "prefs": [_ROW]},
          bound=True, prefs=[{**_ROW, "teamId": "T1"}]),
    whole("HK-21", "ping", None, v=2),
    whole("HK-22", "ping", "envelope.id", good={"id": "anything"}, id=""),
    whole("HK-23", "ping", "envelope.ts", good={"ts": -5}, ts="now"),
    whole("HK-24", "ping", None, type="turn.magic"),
    judged("HK-25", "bind.revoke", "bind.revoke.new",
               check("", "turn.progress", "text", good={"new": 1}).good,
               check("", "bind.revoke", "", new=1).bad),
    check("HK-26", "bind.update", "installUrl", installUrl=1),
    check("HK-29", "hello", "lifecycleAnnouncement",
          good={"lifecycleAnnouncement": GONE}, lifecycleAnnouncement="yes"),
    judged("HK-33", "frame", None, serialize_hook_message(_GOOD), _too_long),
    whole("HK-36", "turn.end", None, v=1.5),
)  # fmt: skip

_TASKS: Final = (
    check("HK-51", "ping", "payload", n=1),
    check("HK-51", "pong", "payload", n=1),
    check("HK-52", "hello", "defaultWorkspace", good={"defaultWorkspace": None},
          defaultWorkspace=""),
    check("HK-55", "hello", "defaultWorkspace", defaultWorkspace="private"),
    check("HK-57", "hello", "defaultWorkspace", good={"defaultWorkspace": GONE},
          defaultWorkspace=7),
    check("HK-58", "task.dispatch", "workspace", workspace=None),
    check("HK-59", "task.dispatch", "options.model", good={"options": {"model": None}},
          options={"model": 1}),
    check("HK-60", "task.ack", "reason", reason="invalid"),
    check("HK-60", "task.ack", "queuePosition", queuePosition=None),
    check("HK-60", "task.ack", "sessionId", sessionId=None),
    check("HK-61", "task.ack", "reason",
          good={"result": "rejected", "reason": "disabled", "sessionId": None,
                "queuePosition": None},
          result="rejected", reason="no idea", sessionId=None, queuePosition=None),
    check("HK-67", "turn.end", "errorMessage", errorMessage="but it is ok"),
    check("HK-67", "turn.end", "errorMessage",
          good={"status": "error", "errorMessage": "disk full"}, status="error"),
    check("HK-68", "turn.end", "usage.durationMs", good={"usage__durationMs": None},
          usage__durationMs=-1),
)  # fmt: skip

_RESULTS: Final = (
    check("HK-77", "turn.delivery", "retryAt", retryAt=None),
    check("HK-77", "turn.delivery", "error.retryable", error__retryable=False),
    check("HK-78", "turn.delivery", "error", good=_DELIVERED,
          **{**_DELIVERED, "error": {"code": "c", "message": "m", "retryable": False}}),
    check("HK-78", "turn.delivery", "retryAt",
          good={"state": "failed", "retryAt": None, "error__retryable": False},
          state="failed", error__retryable=False),
    check("HK-81", "turn.delivery", "error.body", error__body="<html>"),
    check("HK-83", "turn.delivery", "attempt", attempt=0),
    check("HK-88", "bind.start", "email", good={"email": "a@b"}, email="somebody"),
    check("HK-89", "bind.update", "authorizeUrl", authorizeUrl=None),
    check("HK-89", "bind.update", "slackUserId", good=_BIND, **{**_BIND, "slackUserId": None}),
    check("HK-92", "bind.revoke", "teamId", teamId=7),
    check("HK-94", "bind.revoke", "pendingOnly", pendingOnly="yes"),
)  # fmt: skip

_PROVIDERS: Final = (
    check("HK-103", "query.response", "queryId", queryId=GONE),
    check("HK-106", "query.response", "error", good={"ok": False, "error": "offline"}, ok=False),
    check("HK-106", "query.response", "sessions", sessions=GONE),
    check("HK-107", "query.response", "sessions[0].prompt", sessions__0__prompt="private"),
    check("HK-107", "query.response", "sessions",
          sessions=[{**_SESSION, "id": f"s-{n}"} for n in range(21)]),
    check("HK-112", "provider.bind.state", "scopeName", scopeName=GONE),
    check("HK-113", "provider.bind.state", "state", state="maybe"),
    check("HK-114", "provider.bind.update", "connectUrl", connectUrl=None),
    check("HK-114", "provider.bind.update", "connectUrl", connectUrl="http://t.me/bot?start=a"),
    check("HK-114", "provider.bind.update", "connectUrl", good=_TIED,
          **{**_TIED, "connectUrl": "https://t.me/somebot?start=abc"}),
    check("HK-116", "provider.bind.update", "principalId", good=_TIED,
          **{**_TIED, "principalId": None}),
    check("HK-117", "provider.bind.update", "reason", good=_FAILED, **{**_FAILED, "reason": None}),
    check("HK-117", "provider.bind.update", "principalName", good=_FAILED,
          **{**_FAILED, "principalName": "Alice"}),
    check("HK-118", "provider.bind.update", "bindingId", good=_REVOKED,
          **{**_REVOKED, "bindingId": None}),
    check("HK-118", "provider.bind.update", "attemptId", good=_REVOKED,
          **{**_REVOKED, "attemptId": "a-1"}),
    check("HK-119", "provider.prefs.get", "", scopeId="c-1"),
    check("HK-121", "provider.prefs.state", "prefs", prefs=[_ROW]),
    check("HK-121", "provider.prefs.state", "prefs[0].workspace",
          good={"bound": True, "prefs": [_ROW]}, bound=True,
          prefs=[{**_ROW, "workspace": "/disk/a"}]),
    check("HK-122", "provider.bind.update", "actions",
          good={"actions": ["an action of next year"]}, actions=[""]),
    check("HK-125", "provider.behavior.get", "bindingId", bindingId=GONE, scopeId="c-1"),
    check("HK-130", "provider.behavior.set", "groupActivation.value",
          good={"groupActivation__value": None}, groupActivation__value="never"),
    check("HK-131", "provider.behavior.set", "", emojiReactions=GONE, replyQuoteDm=GONE,
          groupActivation=GONE),
    check("HK-132", "provider.behavior.state", "replyQuoteDm", replyQuoteDm=None),
    check("HK-133", "provider.behavior.state", "groupActivation",
          good={"groupActivation": {f"-{n}": "always" for n in range(1, 3000)}},
          groupActivation={"7": "always"}),
    check("HK-134", "provider.behavior.state", "groupActivation", good=_UNBOUND,
          **{**_UNBOUND, "groupActivation": {"-1": "always"}}),
    check("HK-134", "provider.behavior.state", "", good=_UNBOUND,
          **{**_UNBOUND, "replyQuoteDm": "first"}),
    check("HK-136", "group.message", "author.id", author__id="U123"),
    check("HK-136", "group.message", "author.username", author__username="@bob"),
)  # fmt: skip

_TALK: Final = (
    check("HK-139", "interaction.request", "kind", good={"kind": "next_year"}, kind=""),
    check("HK-140", "interaction.request", "buttons[0].id", buttons=[{**_BUTTON, "id": "a|b"}]),
    check("HK-140", "interaction.request", "buttons",
          buttons=[{**_BUTTON, "id": str(n)} for n in range(25)]),
    check("HK-140", "interaction.request", "buttons[1].id", buttons=[_BUTTON, _BUTTON]),
    check("HK-147", "prefs.set", "model", good={"model": "no-such-model-yet"}, model=1),
    check("HK-149", "prefs.state", "prefs", good={"bound": False, "prefs": []}, bound=False),
    check("HK-153", "tool.response", "error", ok=False),
    check("HK-153", "tool.response", "error", error={"code": "c", "message": "m"}),
    check("HK-153", "tool.response", "replyTo", replyTo=GONE),
    check("HK-161", "group.message", "recipient.principalId", recipient={"bindingId": "b-1"}),
    check("HK-165", "group.message", "messageId", good={"threadId": "7"}, messageId=""),
    check("HK-168", "group.message", "text", good={"text": "x" * MAX_GROUP_TEXT_CHARS},
          text="x" * (MAX_GROUP_TEXT_CHARS + 1)),
    check("HK-168", "group.message", "fileNames", good={"fileNames": ["a.png"]},
          fileNames=[{"name": "a.png", "dataBase64": "aA=="}]),
)  # fmt: skip

_CONTINUING: Final = (
    check("HK-169", "turn.reopen", "requestId", requestId="r-1"),
    check("HK-197", "turn.reopen", "reason", good={"reason": "a reason of next year"}, reason=""),
    check("HK-201", "task.dispatch", "attachments[0].dataBase64",
          attachments=[{"name": "a", "mimeType": "image/png", "url": "https://a/b"}]),
    check("HK-201", "turn.end", "attachments[0].dataBase64",
          good={"attachments": [{"name": None, "mimeType": "text/plain", "dataBase64": "aA=="}]},
          attachments=[{"name": "a", "mimeType": "text/plain"}]),
)  # fmt: skip

CHECKS: Final = (*_ENVELOPE, *_TASKS, *_RESULTS, *_PROVIDERS, *_TALK, *_CONTINUING)
