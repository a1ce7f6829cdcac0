"""Preferences of Slack users: ``prefs.get``, ``prefs.set``, ``prefs.state`` (§5 stage 11).

A row belongs to a user of a team and an alias; it exists once it was set. A
desktop sees the rows of the accounts that are bound to it, and no others.
"""

from __future__ import annotations

from typing import Any

import msgspec

from sim.core.op import Save
from sim.protocols.hook.constants import HOOK_FEATURE_MULTI_TEAM
from sim.protocols.hook.frames import Preference, PrefsGet, PrefsSet, PrefsState
from sim.protocols.hook.server.accounts.reach import Reach
from sim.protocols.hook.server.accounts.rows import PrefRow, SlackBindingRow
from sim.protocols.hook.server.accounts.slack_binding import SLACK, SlackBindings
from sim.protocols.hook.server.memory import Socket
from sim.wire.absent import ABSENT

FIELDS = ("model", "effort", "agent_kind", "permission_mode")

NOTHING_SET = PrefRow("")


def patched(row: PrefRow | None, workspace: str, patch: Any, *, partial: bool) -> PrefRow | None:
    """A row after a set: absent keeps, null clears (HK-146, HK-120); None if nothing was set.

    Values are taken as they are: which models exist only the desktop knows (HK-147).
    """
    given = {name: getattr(patch, name) for name in FIELDS}
    given = {name: value for name, value in given.items() if value is not ABSENT}
    if not given:
        return row
    old = row if row is not None and partial else PrefRow(workspace)
    return msgspec.structs.replace(old, **given)


class SlackPrefs:
    """The server's book of Slack preferences."""

    __slots__ = ("_rows", "bindings", "reach")

    def __init__(self, reach: Reach, bindings: SlackBindings) -> None:
        self.reach = reach
        self.bindings = bindings
        # (team, user) → alias → row
        self._rows: dict[tuple[str, str], dict[str, PrefRow]] = {}

    def read(self) -> None:
        """Read what is stored."""
        for key, row in self.reach.port.store.items("prefs/"):
            _, team, user, _ = key.split("/", 3)
            self._rows.setdefault((team, user), {})[row.workspace] = row

    def of(self, team: str, user: str, workspace: str) -> PrefRow:
        """What a task of this user in this folder runs with."""
        return self._rows.get((team, user), {}).get(workspace, NOTHING_SET)

    # -- frames ----------------------------------------------------------------

    async def get(self, socket: Socket, body: PrefsGet) -> None:
        """``prefs.get`` (HK-145)."""
        await self._show(socket, body.request_id)

    async def set(self, socket: Socket, body: PrefsSet) -> None:
        """``prefs.set``; one that does not say which team changes nothing (HK-101)."""
        binding = self._addressed(socket, body.team_id)
        if binding is not None:
            await self.write(binding, body.workspace, body)
        if socket.ready:
            await self._show(socket, body.request_id)

    def _addressed(self, socket: Socket, team: Any) -> SlackBindingRow | None:
        assert socket.desk is not None
        rows = self.bindings.of_device(socket.desk.device)
        if isinstance(team, str) and team:
            return next((row for row in rows if row.team == team), None)
        if len(rows) == 1 or (rows and not self.reach.rules.team_not_guessed):
            return rows[0]
        return None

    async def write(self, binding: SlackBindingRow, workspace: str, patch: Any) -> None:
        """Change a row and store it, without a gap between (RC-90, RC-91)."""
        rows = self._rows.setdefault((binding.team, binding.user), {})
        partial = self.reach.rules.prefs_partial
        row = patched(rows.get(workspace), workspace, patch, partial=partial)
        if row is not None:
            rows[workspace] = row
            key = f"prefs/{binding.team}/{binding.user}/{workspace}"
            await self.reach.actor.perform(Save(key, row))

    async def push(self, device: str) -> None:
        """Tell a desktop what was changed in the channel (HK-148)."""
        socket = self.reach.socket(SLACK, device)
        if socket is not None and self.reach.rules.prefs_pushed:
            await self._show(socket, None)

    async def _show(self, socket: Socket, reply_to: str | None) -> None:
        """The whole of it, as it is now: whatever is sent last is the newest (RC-90)."""
        assert socket.desk is not None
        bindings = self.bindings.of_device(socket.desk.device)
        multi = socket.agreed(HOOK_FEATURE_MULTI_TEAM)
        rows = tuple(
            Preference(
                workspace=row.workspace,
                model=row.model,
                effort=row.effort,
                agent_kind=row.agent_kind,
                permission_mode=row.permission_mode,
                team_id=binding.team if multi else ABSENT,
            )
            for binding in bindings
            for row in self._rows.get((binding.team, binding.user), {}).values()
        )
        await self.reach.say(
            socket, PrefsState(reply_to=reply_to, bound=bool(bindings), prefs=rows)
        )
