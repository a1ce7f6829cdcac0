"""Telling people that a desktop went on- or offline (§5 lifecycle).

What people were told last is stored, so neither a short gap (RC-84) nor a
restart of the server makes two notices of nothing. The device's own wish
counts at the moment of posting: hello's value first, then each
``lifecycle.preference`` (HK-30).
"""

from __future__ import annotations

from sim.core.op import Erase, Save, Spawn, StartTimer
from sim.protocols.hook.constants import HOOK_FEATURE_LIFECYCLE_ANNOUNCEMENT
from sim.protocols.hook.frames import LifecyclePreference
from sim.protocols.hook.server.accounts.features import NEUTRAL_LANES
from sim.protocols.hook.server.accounts.reach import Reach
from sim.protocols.hook.server.accounts.rows import PresenceRow
from sim.protocols.hook.server.accounts.slack_binding import SLACK, SlackBindings
from sim.protocols.hook.server.memory import Socket
from sim.protocols.hook.server.tasks import Desk

TIMER = "presence"
ONLINE_TEXT = "Your desktop is online"
OFFLINE_TEXT = "Your desktop is offline"
RESTART_FACTOR = 20


class Lifecycle:
    """The server's book of presence; devices that want no notices are not in it."""

    __slots__ = ("_told", "_wanted", "bindings", "reach")

    def __init__(self, reach: Reach, bindings: SlackBindings) -> None:
        self.reach = reach
        self.bindings = bindings
        self._wanted: dict[str, None] = {}
        self._told: dict[str, bool] = {}

    async def resume(self) -> None:
        """After a restart every desktop needs a while to be back."""
        for key, row in self.reach.port.store.items("presence/"):
            device = key.partition("/")[2]
            self._told[device] = row.online
            if row.online:
                self._wanted[device] = None
                await self._look_later(device, RESTART_FACTOR)

    async def _look_later(self, device: str, times: int = 1) -> None:
        after = self.reach.plan.limits.flap_us * times
        if not self.reach.rules.flaps_ignored:
            after = 1
        await self.reach.actor.perform(StartTimer(TIMER, device, after, background=True))

    async def welcomed(self, socket: Socket) -> None:
        """The hello's wish; absent counts as yes (HK-29). Old servers do not read it (HK-28)."""
        assert socket.desk is not None
        device = socket.desk.device
        reads = HOOK_FEATURE_LIFECYCLE_ANNOUNCEMENT in socket.offered
        if socket.hello.lifecycle_announcement is False and reads:
            await self._unwanted(device)
            return
        if not self.reach.plan.announces:
            return
        self._wanted[device] = None
        if self._told.get(device) is not True:
            await self._look_later(device)

    async def preference(self, socket: Socket, body: LifecyclePreference) -> None:
        """``lifecycle.preference``: at once, for this device only."""
        assert socket.desk is not None
        if HOOK_FEATURE_LIFECYCLE_ANNOUNCEMENT not in socket.offered:
            return
        device = socket.desk.device
        if not body.enabled:
            if self.reach.rules.preference_at_once:
                await self._unwanted(device)
        elif self.reach.plan.announces:
            self._wanted[device] = None
            if self._told.get(device) is not True:
                await self._look_later(device)

    async def _unwanted(self, device: str) -> None:
        """No more notices of this device, nor after a restart, which knows no wishes."""
        self._wanted.pop(device, None)
        if self.reach.port.store.get(f"presence/{device}") is not None:
            await self.reach.actor.perform(Erase(f"presence/{device}"))

    async def lost(self, desk: Desk) -> None:
        """A device has no connection any more; perhaps it is back in a moment."""
        if desk.lane not in NEUTRAL_LANES and desk.device in self._wanted:
            await self._look_later(desk.device)

    def _has_just_left(self, device: str) -> bool:
        """Whether its absence has not lasted long enough to be told (RC-84)."""
        desk = self.reach.memory.desks.get((SLACK, device))
        if desk is None or not self.reach.rules.flaps_ignored:
            return False
        return desk.has_just_left(self.reach.port.now_us(), self.reach.plan.limits.flap_us)

    async def look(self, device: str) -> None:
        """The moment is over: say how it is, if that is news."""
        online = self.reach.socket(SLACK, device) is not None
        if device not in self._wanted or self._told.get(device, False) is online:
            return
        if not online and self._has_just_left(device):
            await self._look_later(device)
            return
        self._told[device] = online
        await self.reach.actor.perform(Save(f"presence/{device}", PresenceRow(online)))

        def still() -> bool:
            """Wanted, and not told otherwise, since a moment ago."""
            return device in self._wanted and self._told.get(device) is online

        for row in self.bindings.of_device(device):
            if not still():
                return
            text = ONLINE_TEXT if online else OFFLINE_TEXT
            channel = self.reach.plan.channel_of_team(row.team)
            chat = f"D-{row.person}"
            if row.team != self.reach.plan.team(channel):
                chat = f"{row.team}.{chat}"
            run = self.reach.notice(channel, chat, None, text, still)
            await self.reach.actor.perform(Spawn(f"presence {device}", run))
