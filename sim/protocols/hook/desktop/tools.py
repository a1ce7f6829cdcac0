"""Tools at the server, with the rights of the bound Slack user (stage 12, section 12)."""

from __future__ import annotations

from sim.core.op import Note
from sim.protocols.hook import HOOK_FEATURE_SLACK_TOOLS, ToolRequest, ToolResponse
from sim.protocols.hook.desktop import asks
from sim.protocols.hook.desktop.desk import Desk
from sim.protocols.hook.desktop.records import Lane
from sim.protocols.hook.desktop.ties import slack_ties
from sim.wire.absent import Absent


def obstacle(desk: Desk, lane: Lane) -> str:
    """The code of the error that a call would meet here, before anything is sent."""
    if not lane.is_ready:
        return "NOT_CONNECTED"
    if HOOK_FEATURE_SLACK_TOOLS not in lane.features:
        return "UNSUPPORTED"
    return "" if slack_ties(lane).is_bound else "NOT_BOUND"


async def call(desk: Desk, lane: Lane, body: ToolRequest) -> None:
    """The agent uses a tool; where it cannot work it fails at once (HK-151)."""
    code = obstacle(desk, lane)
    if code and desk.rules.tools_need_server:
        await answer(desk, body.request_id, code)
        return
    if not await asks.ask(desk, lane, body, desk.settings.tool_timeout_us):
        await answer(desk, body.request_id, "NOT_CONNECTED")


async def answer(desk: Desk, request_id: str, code: str) -> None:
    """What the agent is told; it goes by the code, never by the text (HK-154)."""
    fact = {"did": "tool", "request": request_id, "code": code}
    await desk.perform(Note("tool", fact))


async def told(desk: Desk, lane: Lane, frame: ToolResponse) -> None:
    """tool.response: the agent goes on."""
    asked = asks.take(desk, frame.reply_to)
    if asked is not None:
        error = frame.error
        code = "ok" if frame.ok or error is None or isinstance(error, Absent) else error.code
        await answer(desk, frame.reply_to, code)
        await asks.tell(desk, asked, "answered")
