"""Sessions, their tools and the open questions of one OpenCode process.

Sessions and the parts of their messages are durable; open questions live in memory and
are forgotten at a restart (DQ-27).
"""

from __future__ import annotations

from typing import Any, Final

from sim.core.actor import Actor
from sim.core.op import Note, Save
from sim.protocols.question.machine import COMPLETED, RUNNING, TOOL
from sim.protocols.question.opencode.parts import Answers, Part, output_of
from sim.protocols.question.opencode.plan import OpenCodePlan
from sim.wire.linkage import JsonObject

SESSION: Final = "session "
PART: Final = "part "
DISMISSED: Final = "Error: The user dismissed this question"
ABORTED: Final = "Tool execution aborted"


class Sessions:
    """What the process knows. Closing is in one place: the first close wins."""

    __slots__ = ("_actor", "_asked", "_named", "_next", "_parts", "_plan")

    def __init__(self, actor: Actor, plan: OpenCodePlan) -> None:
        self._actor = actor
        self._plan = plan
        self._parts: list[Part] = []
        self._named: dict[str, Part] = {}
        self._asked: list[Part] = []
        self._next: dict[str, int] = {}

    # -- what there is

    def listed(self, directory: str) -> list[Part]:
        """The open questions of a project, in the order in which they were asked."""
        rules = self._plan.rules
        if rules.closed_leaves_list:
            self._asked = [part for part in self._asked if part.is_open]
        return [
            part
            for part in sorted(self._asked, key=lambda part: part.place)
            if part.directory == directory or not rules.list_by_directory
        ]

    def sessions(self, directory: str | None) -> list[JsonObject]:
        """All sessions, or those of a project."""
        known = {**self._plan.sessions}
        for key, value in self._actor.port.store.items(SESSION):
            known.setdefault(key.removeprefix(SESSION), value)
        return [
            {"id": id, "directory": place, "title": id}
            for id, place in known.items()
            if directory in (None, place)
        ]

    def messages(self, session: str) -> list[JsonObject]:
        """The assistant's messages of a session, as far as they call tools (§9.2)."""
        rows = (value for _, value in self._actor.port.store.items(PART))
        return [
            {
                "info": {"id": row["messageID"], "role": "assistant", "sessionID": session},
                "parts": [row["part"]],
            }
            for row in rows
            if row["sessionID"] == session
        ]

    def named(self, name: str) -> Part | None:
        """The newest call with that requestId or callID."""
        return self._named.get(name)

    def _call(self, part: Part, name: str) -> None:
        """The newest call has a name that two have."""
        known = self._named.get(name)
        if name and (known is None or known.place <= part.place):
            self._named[name] = part

    def drawn(self, prefix: str) -> str:
        """The next name of a kind: ``que_1``, ``call_1``; after a restart ``que_2_1``.

        An id that was forgotten must not come back (DQ-03), nor must one that an act gave.
        """
        epoch = self._actor.port.epoch
        while True:
            self._next[prefix] = number = self._next.get(prefix, 0) + 1
            name = f"{prefix}_{number}" if epoch == 1 else f"{prefix}_{epoch}_{number}"
            if self.named(name) is None:
                return name

    # -- what happens

    async def begin(self, part: Part) -> None:
        """A session calls a tool."""
        part.place = len(self._parts)
        self._parts.append(part)
        self._call(part, part.call)
        known = self._actor.port.store.get(SESSION + part.session)
        if part.session not in self._plan.sessions and known is None:
            await self._actor.perform(Save(SESSION + part.session, part.directory))
        await self._tell_tool(part)

    async def step(self, part: Part, trigger: str, output: str = "") -> None:
        """The tool goes on, as its table allows."""
        part.state = TOOL.step(part.state, trigger)
        part.output = output
        await self._tell_tool(part)

    async def finish(self, part: Part) -> None:
        """A tool that asks nothing is through at once."""
        part.state = COMPLETED
        await self._tell_tool(part)

    async def ask(self, part: Part, request: str, questions: list[JsonObject]) -> None:
        """The tool registers its question, and waits."""
        part.request = request
        part.questions = questions
        part.is_open = True
        self._asked.append(part)
        self._call(part, request)
        await self.step(part, "ask")
        await self._actor.perform(Note("question.asked", {**part.told, "questions": questions}))

    async def reply(self, id: str, directory: str | None, answers: Answers, by: str) -> None:
        """Answer an open question; one that is not is a warning and nothing else."""
        part = await self._closing(id, directory, "reply")
        if part is None:
            return
        if self._plan.rules.reply_completes_tool:
            part.answers = answers
            await self._end(part, "reply", output_of(part.questions, answers))
        told = {**part.told, "answers": answers, "by": by}
        await self._actor.perform(Note("question.replied", told))

    async def reject(self, id: str, directory: str | None, by: str) -> None:
        """Dismiss an open question, likewise."""
        part = await self._closing(id, directory, "reject")
        if part is None:
            return
        await self._end(part, "reject", DISMISSED)
        await self._actor.perform(Note("question.rejected", {**part.told, "by": by}))

    async def abort(self, part: Part) -> None:
        """The session is interrupted: the tool ends, its question with it."""
        if not TOOL.can(part.state, "abort"):
            return
        asked, part.is_open = part.is_open, False
        await self.step(part, "abort", ABORTED)
        if asked:
            await self._actor.perform(Note("question.rejected", {**part.told, "by": "abort"}))

    async def _closing(self, id: str, directory: str | None, how: str) -> Part | None:
        """The question that is to be closed, closed from now on; None where it is none."""
        part = self._named.get(id)
        if part is None or part.request != id or directory not in (None, part.directory):
            asked = (part for part in reversed(self._parts) if part.request == id and id)
            part = next((one for one in asked if directory in (None, one.directory)), None)
        if part is not None and (part.is_open or not self._plan.rules.first_close_wins):
            part.is_open = False
            return part
        where = "" if directory is None else f" in {directory}"
        text = f"{how} for unknown request {id}{where}"
        await self._actor.perform(Note("log", {"level": "warn", "text": text}))
        return None

    async def _end(self, part: Part, trigger: str, output: str) -> None:
        if part.state != RUNNING:  # closed before: only without first_close_wins
            part.state = RUNNING
        await self.step(part, trigger, output)

    async def _tell_tool(self, part: Part) -> None:
        """The part is written down, and everybody who looks sees its state."""
        row: dict[str, Any] = {
            "sessionID": part.session,
            "messageID": part.message,
            "part": part.shown,
        }
        await self._actor.perform(Save(PART + part.message, row))
        told = {**part.told, "tool": part.tool, "output": part.output}
        await self._actor.perform(Note("tool", told))
