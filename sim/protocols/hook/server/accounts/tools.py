"""Slack tools that an agent calls through the server: ``tool.request`` (§5 stage 12).

They act as the bound user of the addressed team, never as the bot (HK-155).
Every request is answered once, with a code that tells what went wrong.
"""

from __future__ import annotations

from typing import Any

from sim.channel.api import Done, Refused, Say
from sim.protocols.hook.constants import HOOK_FEATURE_MULTI_TEAM, HOOK_FEATURE_SLACK_TOOLS
from sim.protocols.hook.frames import ToolError, ToolRequest, ToolResponse
from sim.protocols.hook.server.accounts.reach import Reach
from sim.protocols.hook.server.accounts.rows import SlackBindingRow
from sim.protocols.hook.server.accounts.slack_binding import SlackBindings
from sim.protocols.hook.server.memory import Socket
from sim.wire.absent import ABSENT

UNKNOWN_TOOL = "UNKNOWN_TOOL"
NOT_BOUND = "NOT_BOUND"
TEAM_REQUIRED = "TEAM_REQUIRED"
INVALID_ARGS = "INVALID_ARGS"
CHANNEL_ERROR = "CHANNEL_ERROR"

TOOLS = ({"name": "slack_post_message", "description": "Post a message as yourself"},)

BOT_NAME = "bot"


class _Failed(Exception):
    """A tool cannot do what was asked; ``code`` is for programs, ``text`` for people."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.text = text


class Tools:
    """The server's Slack tools."""

    __slots__ = ("bindings", "reach")

    def __init__(self, reach: Reach, bindings: SlackBindings) -> None:
        self.reach = reach
        self.bindings = bindings

    async def request(self, socket: Socket, body: ToolRequest) -> None:
        """Answer one call; ``replyTo`` says which (HK-153)."""
        if HOOK_FEATURE_SLACK_TOOLS not in socket.offered and self.reach.rules.features_agreed:
            return
        error: ToolError | None = None
        result: Any = ABSENT
        try:
            result = await self._run(socket, body)
        except _Failed as failed:
            error = ToolError(code=failed.code, message=failed.text)
        unknown = error is not None and error.code == UNKNOWN_TOOL
        if socket.ready and (self.reach.rules.unknown_tool_answered or not unknown):
            response = ToolResponse(
                reply_to=body.request_id,
                ok=error is None,
                error=ABSENT if error is None else error,
                result=result,
            )
            await self.reach.say(socket, response)

    async def _run(self, socket: Socket, body: ToolRequest) -> Any:
        assert socket.desk is not None
        rows = self.bindings.of_device(socket.desk.device)
        args = {} if body.args is ABSENT else body.args
        if body.tool == "status":
            teams = [{"teamId": r.team, "slackUserId": r.user} for r in rows]
            return {"bound": bool(rows), "teams": teams}
        if body.tool == "listTools":
            return {"tools": list(TOOLS)}
        if body.tool == "callTool":
            return await self._call(socket, body.team_id, args)
        raise _Failed(UNKNOWN_TOOL, f"There is no tool {body.tool}")

    def _acting(self, socket: Socket, team: Any) -> SlackBindingRow:
        """Whose hands the tool has now; with several accounts nobody guesses (HK-101)."""
        assert socket.desk is not None
        rows = self.bindings.of_device(socket.desk.device)
        if not rows:
            raise _Failed(NOT_BOUND, "No Slack account is connected")
        if isinstance(team, str) and team and socket.agreed(HOOK_FEATURE_MULTI_TEAM):
            found = next((row for row in rows if row.team == team), None)
            if found is None:
                raise _Failed(NOT_BOUND, "That workspace is not connected")
            return found
        if len(rows) > 1 and self.reach.rules.team_not_guessed:
            raise _Failed(TEAM_REQUIRED, "Several workspaces are connected: say which")
        return rows[0]

    async def _call(self, socket: Socket, team: Any, args: dict[str, Any]) -> Any:
        acting = self._acting(socket, team)
        if args.get("name") != TOOLS[0]["name"]:
            raise _Failed(UNKNOWN_TOOL, "There is no such tool")
        inner = args.get("arguments")
        given = inner if isinstance(inner, dict) else {}
        text, chat, thread = given.get("text"), given.get("channel", ""), given.get("thread")
        if not isinstance(text, str) or not text or not isinstance(chat, str):
            raise _Failed(INVALID_ARGS, "text must be a non-empty string")
        plan, calling = self.reach.plan, self.reach.calling
        while True:
            channel, place = self._place(acting, chat)
            rest = calling.rest_us(channel, place)
            if not rest:
                break
            if rest > plan.limits.call_us:  # the agent waits no longer
                raise _Failed(CHANNEL_ERROR, "Slack refused: rate_limited")
            await calling.rested(channel, place)
            if not socket.ready:
                raise _Failed(CHANNEL_ERROR, "The agent has gone")
            acting = self._acting(socket, team)  # it may have been disconnected meanwhile
        person = acting.person if self.reach.rules.tools_as_user else BOT_NAME
        said = Say(person, text, thread if isinstance(thread, str) else None, False, place)
        reply = await calling.ask(channel, place, said)
        if isinstance(reply, Refused):
            raise _Failed(CHANNEL_ERROR, f"Slack refused: {reply.code}")
        if not isinstance(reply, Done):
            raise _Failed(CHANNEL_ERROR, "Slack did not answer")
        return {"messageId": reply.message, "userId": acting.user}

    def _place(self, acting: SlackBindingRow, chat: str) -> tuple[str, str]:
        """The channel host of somebody's workspace, and a chat's name there."""
        plan = self.reach.plan
        channel = plan.channel_of_team(acting.team)
        if acting.team != plan.team(channel) and "." not in chat:
            chat = f"{acting.team}.{chat or 'C1'}"
        return channel, chat
