"""What people tell the server itself: ``/bind``, ``/model``, ``/effort``, ``/session``.

A command is stored when it arrives, so the channel gets its SEEN at once; then
the desktop is asked, and the answer is a picker or a notice. After a crash an
unanswered command is taken up again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from sim.channel.api import PersonSaid
from sim.core.op import Erase, Save, Spawn
from sim.protocols.hook.frames import PrefsSet, QueryResponse
from sim.protocols.hook.server.accounts.pickers import Picker, Pickers
from sim.protocols.hook.server.accounts.queries import (
    OFFLINE,
    SILENT,
    NoList,
    Queries,
)
from sim.protocols.hook.server.accounts.reach import Reach
from sim.protocols.hook.server.accounts.rows import CommandRow
from sim.protocols.hook.server.accounts.standing import Standing
from sim.protocols.hook.server.tasks import Conversation
from sim.protocols.hook.server.texts import UNBOUND_TEXT

BIND, MODEL, EFFORT, SESSION = "/bind", "/model", "/effort", "/session"

LANES = {BIND: ("slack", "telegram"), MODEL: ("slack", "telegram"), EFFORT: ("slack", "telegram"),
         SESSION: ("telegram",)}  # fmt: skip
"""Where each command is one: X has no cards, and Slack no session picker (HK-108)."""

KINDS = {BIND: "workspaces", MODEL: "models", EFFORT: "models", SESSION: "sessions"}

TITLES = {
    BIND: "Which folder?",
    MODEL: "Which model?",
    EFFORT: "How much effort?",
    SESSION: "Which session?",
}

DESKTOP_OFFLINE_TEXT = "The desktop is offline"
DESKTOP_SILENT_TEXT = "The desktop did not answer in time"
NO_LIST_TEXT = "The desktop cannot offer that"
NOTHING_TEXT = "There is nothing to choose from"

Option = tuple[str, tuple[str, ...]]
Place = Callable[[str, PersonSaid], Awaitable[Conversation]]


class Commands:
    """The server's book of commands."""

    __slots__ = ("_running", "pickers", "queries", "reach", "standing")

    def __init__(
        self, reach: Reach, standing: Standing, queries: Queries, pickers: Pickers
    ) -> None:
        self.reach = reach
        self.standing = standing
        self.queries = queries
        self.pickers = pickers
        pickers.chosen = self.chosen
        self._running: dict[str, None] = {}

    def takes(self, lane: str, text: str) -> bool:
        """Whether a text is one of these commands on this lane."""
        return lane in LANES.get(text, ())

    async def take(self, channel: str, lane: str, event: PersonSaid) -> None:
        """Store a command and see to it beside everything else."""
        if self.standing.device_of(lane, event.team or "", event.person) is None:
            run = self.reach.notice(channel, event.chat, event.thread, UNBOUND_TEXT)
            await self.reach.actor.perform(Spawn(f"notice {event.event}", run))
            return
        command = CommandRow(
            event.event, channel, lane, event.chat, event.thread, event.person, event.team or "",
            event.text.strip(), self.reach.port.now_us(),
        )  # fmt: skip
        await self.reach.actor.perform(Save(f"command/{event.event}", command))
        await self.reach.actor.perform(Spawn(f"command {event.event}", self._run(command)))

    def read(self) -> None:
        """What a crash left unanswered was seen all the same."""
        for _, command in self.reach.port.store.items("command/"):
            self.reach.memory.seen[command.event] = self.reach.actor.port.now_us()

    async def resume(self) -> None:
        """Commands that a crash left unanswered."""
        limit = self.reach.plan.limits.query_us
        for key, command in self.reach.port.store.items("command/"):
            if self.reach.port.now_us() - command.at_us > 6 * limit:
                await self.reach.actor.perform(Erase(key))
            else:
                run = self._run(command)
                await self.reach.actor.perform(Spawn(f"command {command.event}", run))

    async def _run(self, command: CommandRow) -> None:
        if not self.pickers.made(command.event):
            await self._answer(command)
        await self.reach.actor.perform(Erase(f"command/{command.event}"))

    async def _answer(self, command: CommandRow) -> None:
        device = self.standing.device_of(command.lane, command.team, command.person)
        if device is None:
            await self._notice(command, UNBOUND_TEXT)
            return
        desk = self.reach.memory.desk(command.lane, device)
        answer = await self.queries.ask(desk, KINDS[command.word])
        if isinstance(answer, NoList):
            texts = {OFFLINE: DESKTOP_OFFLINE_TEXT, SILENT: DESKTOP_SILENT_TEXT}
            await self._notice(command, texts.get(answer.why, NO_LIST_TEXT))
            return
        workspace = await self.standing.workspace_of(command)
        options = self._options(command, workspace, answer)
        if options:
            await self.pickers.offer(Picker(command, workspace, TITLES[command.word], options))
        else:
            await self._notice(command, NOTHING_TEXT)

    async def _notice(self, command: CommandRow, text: str) -> None:
        await self.reach.notice(command.channel, command.chat, command.thread, text)

    def _options(self, command: CommandRow, workspace: str, answer: QueryResponse) -> list[Option]:
        if command.word == BIND:
            return [(alias, (alias,)) for alias in answer.workspaces]
        if command.word == SESSION:
            return [(f"{s.title} ({s.workspace})", (s.id, s.workspace)) for s in answer.sessions]
        if command.word == MODEL:
            return [
                (f"{model.label} ({agent.agent_kind})", (model.id, agent.agent_kind))
                for agent in answer.agents
                for model in agent.models
            ]
        chosen = self.standing.prefs_of(command, workspace).model
        efforts: dict[str, None] = {}
        for agent in answer.agents:
            for model in agent.models:
                if chosen in (None, model.id):
                    efforts.update(dict.fromkeys(model.efforts))
        return [(effort, (effort,)) for effort in efforts]

    async def chosen(self, picker: Picker, choice: tuple[str, ...]) -> None:
        """Somebody pressed a button of a picker."""
        command, word = picker.command, picker.command.word
        if word == BIND:
            await self.standing.choose_workspace(command, choice[0])
        elif word == SESSION:
            await self.standing.take_over(command, choice[0], choice[1])
        else:
            fields: dict[str, Any] = {"effort": choice[0]}
            if word == MODEL:
                fields = {"model": choice[0], "agent_kind": choice[1]}
            patch = PrefsSet(request_id="-", workspace=picker.workspace, **fields)
            await self.standing.prefer(command, picker.workspace, patch)
