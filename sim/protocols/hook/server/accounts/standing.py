"""Who somebody is to the server: their device, their folder, their preferences.

The one place that knows which of the two kinds of account a lane has.
"""

from __future__ import annotations

from typing import Any

from sim.channel.api import is_direct
from sim.core.op import Save
from sim.protocols.hook.constants import HOOK_CHAT_WORKSPACE_ALIAS
from sim.protocols.hook.server.accounts.features import NEUTRAL_LANES
from sim.protocols.hook.server.accounts.provider_prefs import ProviderPrefs
from sim.protocols.hook.server.accounts.reach import Reach
from sim.protocols.hook.server.accounts.rows import CommandRow, PrefRow
from sim.protocols.hook.server.accounts.slack_prefs import NOTHING_SET, SlackPrefs
from sim.protocols.hook.server.tasks import Conversation, place_of


class Standing:
    """Reads and writes the books on behalf of people in the channels."""

    __slots__ = ("provider_prefs", "reach", "slack_prefs")

    def __init__(
        self, reach: Reach, slack_prefs: SlackPrefs, provider_prefs: ProviderPrefs
    ) -> None:
        self.reach = reach
        self.slack_prefs = slack_prefs
        self.provider_prefs = provider_prefs

    def device_of(self, lane: str, team: str, person: str) -> str | None:
        """Whose device this person's messages go to; None: nobody's."""
        if lane in NEUTRAL_LANES:
            row = self.provider_prefs.bindings.of_person(lane, person)
            return None if row is None else row.device
        return self.slack_prefs.bindings.device_of(team, person)

    def principal_of(self, lane: str, chat: str, person: str) -> str:
        """The account id that a group's sessions are kept apart by, "" outside groups."""
        if lane != "telegram" or is_direct(chat):
            return ""
        row = self.provider_prefs.bindings.of_person(lane, person)
        return "" if row is None else row.principal

    # -- conversations ---------------------------------------------------------

    async def conversation(self, command: CommandRow) -> Conversation:
        """Where a command was given; made if nothing was said there yet."""
        principal = self.principal_of(command.lane, command.chat, command.person)
        place = place_of(command.lane, command.chat, command.thread, principal)
        memory = self.reach.memory
        here = memory.conversations.get(place)
        if here is None:
            here = memory.latest.get((command.lane, command.chat, command.person))
        if here is None:
            here = Conversation(command.lane, command.team, command.chat, command.thread, principal)
            memory.conversations[place] = here
            await self.reach.actor.perform(Save(here.row_key, here.row()))
        memory.latest[command.lane, command.chat, command.person] = here
        return here

    async def workspace_of(self, command: CommandRow) -> str:
        """The folder that a command is about: the lane's, or where its next task would go."""
        here = await self.conversation(command)
        if here.workspace:
            return here.workspace
        device = self.device_of(command.lane, command.team, command.person)
        socket = None if device is None else self.reach.socket(command.lane, device)
        if socket is None:
            return HOOK_CHAT_WORKSPACE_ALIAS
        default = socket.hello.default_workspace
        return default if isinstance(default, str) else HOOK_CHAT_WORKSPACE_ALIAS

    async def choose_workspace(self, command: CommandRow, alias: str) -> None:
        """``/bind``: the lane's directory from its next task on (HK-53)."""
        here = await self.conversation(command)
        here.workspace = alias
        await self.reach.actor.perform(Save(here.row_key, here.row()))

    async def take_over(self, command: CommandRow, session: str, alias: str) -> None:
        """``/session``: the next task goes into that session of the desktop (HK-14)."""
        here = await self.conversation(command)
        here.takeover = session
        here.workspace = alias
        await self.reach.actor.perform(Save(here.row_key, here.row()))

    # -- preferences -----------------------------------------------------------

    def prefs_of(self, command: CommandRow, workspace: str) -> PrefRow:
        """What this person's tasks in this folder run with."""
        if command.lane in NEUTRAL_LANES:
            account = self.provider_prefs.bindings.of_person(command.lane, command.person)
            return NOTHING_SET if account is None else self.provider_prefs.of(account, workspace)
        row = self.slack_prefs.bindings.of_person(command.team, command.person)
        return NOTHING_SET if row is None else self.slack_prefs.of(row.team, row.user, workspace)

    async def prefer(self, command: CommandRow, workspace: str, patch: Any) -> None:
        """Write a choice that was made in the channel, and tell the desktop (HK-148)."""
        if command.lane in NEUTRAL_LANES:
            account = self.provider_prefs.bindings.of_person(command.lane, command.person)
            if account is not None:
                await self.provider_prefs.write(account, workspace, patch)
                await self.provider_prefs.push(account)
            return
        row = self.slack_prefs.bindings.of_person(command.team, command.person)
        if row is not None:
            await self.slack_prefs.write(row, workspace, patch)
            await self.slack_prefs.push(row.device)
