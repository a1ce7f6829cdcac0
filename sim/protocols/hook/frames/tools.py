"""Stage 12: agents call tools at the server (spec §5)."""

from __future__ import annotations

from typing import Any

from sim.protocols.hook.constants import HOOK_FEATURE_SLACK_TOOLS
from sim.protocols.hook.frames.envelope import (
    DESKTOP_TO_SERVER,
    SERVER_TO_DESKTOP,
    WELCOME,
    HookBody,
)
from sim.wire.absent import ABSENT, Absent
from sim.wire.declare import Gate, Record, message, record, wire
from sim.wire.linkage import Fault, Wire, among, is_null, is_set, linkage
from sim.wire.spec import ANY_TEXT, SOME_TEXT, AnyObject, Anything, Flag, Nested

_GATE = Gate(HOOK_FEATURE_SLACK_TOOLS, WELCOME)


@message(
    "tool.request",
    direction=DESKTOP_TO_SERVER,
    section="§5.12",
    gate=_GATE,
    example={"requestId": "t-1", "tool": "callTool", "args": {"name": "search"}},
)
class ToolRequest(HookBody):
    """Calls a tool with the bound user's rights. Unknown tools are answered, not dropped."""

    request_id: str = wire(SOME_TEXT)
    tool: str = wire(SOME_TEXT)
    args: dict[str, Any] | Absent = wire(AnyObject(), default=ABSENT)
    team_id: str | Absent | None = wire(ANY_TEXT, nullable=True, default=ABSENT)


@record()
class ToolError(Record):
    """Why a call failed; the code decides, the message is for people."""

    code: str = wire(SOME_TEXT)
    message: str = wire(SOME_TEXT)


@linkage({"if": among("ok", [False]), "then": is_set("error"), "else": is_null("error")})
def error_tells_failure(payload: Wire) -> Fault | None:
    """error is set when ok is false, and absent or null when ok is true."""
    if payload["ok"] and payload.get("error") is not None:
        return ".error", "must be absent or null when ok is true"
    if not payload["ok"] and payload.get("error") is None:
        return ".error", "must be an object when ok is false"
    return None


@message(
    "tool.response",
    direction=SERVER_TO_DESKTOP,
    section="§5.12",
    gate=_GATE,
    example={"replyTo": "t-1", "ok": True, "result": {"hits": 3}},
)
class ToolResponse(HookBody):
    """Answer to a tool call; the shape of ``result`` is the tool's own affair."""

    reply_to: str = wire(SOME_TEXT)
    ok: bool = wire(Flag())
    error: ToolError | Absent | None = wire(
        Nested(ToolError), nullable=True, default=ABSENT, before=(error_tells_failure,)
    )
    result: Any = wire(Anything(), default=ABSENT)
