"""All books of accounts and settings, and when each is asked.

``handle`` is for frames, ``heard`` for what is said in channels, ``welcomed``
and ``lost`` for connections, ``due`` for timers.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any

from sim.channel.api import PersonSaid, SignedIn, is_direct
from sim.core.actor import Actor
from sim.core.op import Spawn
from sim.protocols.hook.constants import (
    HOOK_FEATURE_PROVIDER_BEHAVIOR,
    HOOK_FEATURE_PROVIDER_BIND,
    HOOK_FEATURE_PROVIDER_PREFS,
)
from sim.protocols.hook.server.accounts import (
    group_relay,
    lifecycle,
    provider_binding,
    slack_binding,
)
from sim.protocols.hook.server.accounts.behavior import Behaviors
from sim.protocols.hook.server.accounts.briefing import Briefing
from sim.protocols.hook.server.accounts.commands import Commands
from sim.protocols.hook.server.accounts.features import NEUTRAL_LANES
from sim.protocols.hook.server.accounts.group_relay import GroupRelay
from sim.protocols.hook.server.accounts.lifecycle import Lifecycle
from sim.protocols.hook.server.accounts.pickers import Pickers
from sim.protocols.hook.server.accounts.provider_binding import ProviderBindings
from sim.protocols.hook.server.accounts.provider_prefs import ProviderPrefs
from sim.protocols.hook.server.accounts.queries import Queries
from sim.protocols.hook.server.accounts.reach import Reach
from sim.protocols.hook.server.accounts.slack_binding import SlackBindings
from sim.protocols.hook.server.accounts.slack_prefs import SlackPrefs
from sim.protocols.hook.server.accounts.standing import Standing
from sim.protocols.hook.server.accounts.tools import Tools
from sim.protocols.hook.server.memory import Memory, Socket
from sim.protocols.hook.server.plan import ServerPlan
from sim.protocols.hook.server.tasks import Desk
from sim.protocols.hook.server.writing import Writing

Handler = Callable[[Socket, Any], Awaitable[None]]

START = re.compile(r"/start(?:@\w+)?\s+(\S+)", re.ASCII)
CONFIRM = "/confirm"
CONFIRM_TEXT = "Say /confirm to connect this account to your desktop"

NEEDS = {
    "provider.bind": HOOK_FEATURE_PROVIDER_BIND,
    "provider.prefs": HOOK_FEATURE_PROVIDER_PREFS,
    "provider.behavior": HOOK_FEATURE_PROVIDER_BEHAVIOR,
}
"""What both sides must have before such a frame counts (HK-16, HK-124)."""


class Books:
    """The server's accounts and settings."""

    __slots__ = (
        "_frames", "behaviors", "briefing", "commands", "lifecycle", "pickers", "provider_bindings",
        "provider_prefs", "queries", "reach", "relay", "slack_bindings", "slack_prefs", "standing",
        "tools",
    )  # fmt: skip

    def __init__(self, actor: Actor, memory: Memory, plan: ServerPlan, writing: Writing) -> None:
        self.reach = reach = Reach(actor, memory, plan, writing.calling)
        self.slack_bindings = slack = SlackBindings(reach)
        self.provider_bindings = neutral = ProviderBindings(reach)
        self.slack_prefs = SlackPrefs(reach, slack)
        self.provider_prefs = ProviderPrefs(reach, neutral, self.slack_prefs)
        self.behaviors = Behaviors(reach, neutral)
        self.tools = Tools(reach, slack)
        self.relay = GroupRelay(reach, neutral)
        self.lifecycle = Lifecycle(reach, slack)
        self.queries = Queries(reach)
        self.pickers = Pickers(reach, writing)
        self.standing = Standing(reach, self.slack_prefs, self.provider_prefs)
        self.commands = Commands(reach, self.standing, self.queries, self.pickers)
        self.briefing = Briefing(self.slack_prefs, self.provider_prefs)
        self._frames: dict[str, Handler] = {
            "bind.start": slack.start,
            "bind.revoke": slack.revoke,
            "provider.bind.start": neutral.start,
            "provider.bind.cancel": neutral.cancel,
            "provider.bind.revoke": neutral.revoke,
            "query.response": self.queries.response,
            "prefs.get": self.slack_prefs.get,
            "prefs.set": self.slack_prefs.set,
            "provider.prefs.get": self.provider_prefs.get,
            "provider.prefs.set": self.provider_prefs.set,
            "provider.behavior.get": self.behaviors.get,
            "provider.behavior.set": self.behaviors.set,
            "tool.request": self.tools.request,
            "lifecycle.preference": self.lifecycle.preference,
        }

    def read(self) -> None:
        """Read what a former life of the server had stored, without a gap."""
        self.slack_bindings.read()
        self.provider_bindings.read()
        self.slack_prefs.read()
        self.provider_prefs.read()
        self.behaviors.read()
        self.relay.read()
        self.pickers.read()
        self.commands.read()

    async def resume(self) -> None:
        """Go on with what that life had begun."""
        await self.slack_bindings.resume()
        await self.provider_bindings.resume()
        await self.pickers.resume()
        await self.lifecycle.resume()
        await self.commands.resume()

    def adopt(self, lane: str, person: str, device: str) -> None:
        """The plan binds these from now on; a desktop learns it with its next welcome."""
        if lane in NEUTRAL_LANES:
            self.provider_bindings.adopt(lane, person, device)
        else:
            self.slack_bindings.adopt(lane, person, device)

    # -- connections -----------------------------------------------------------

    async def welcomed(self, socket: Socket) -> None:
        """The welcome is on the wire: tell how things stand."""
        desk = socket.desk
        assert desk is not None
        await self.queries.arrived(desk)
        if desk.lane not in NEUTRAL_LANES:
            await self.lifecycle.welcomed(socket)
            await self.slack_bindings.welcomed(socket)
        elif self.provider_bindings.can_use(socket, desk.lane):
            await self.provider_bindings.welcomed(socket)
            await self.relay.welcomed(socket)

    async def lost(self, socket: Socket, desk: Desk) -> None:
        """A connection is gone, and its device has no other one yet."""
        await self.queries.lost(socket)
        await self.lifecycle.lost(desk)

    # -- frames ----------------------------------------------------------------

    async def handle(self, socket: Socket, kind: str, body: Any) -> None:
        """A frame of accounts or settings; what was not agreed is dropped (HK-32)."""
        handler = self._frames.get(kind)
        if handler is not None and socket.ready and self._may(socket, kind, body):
            await handler(socket, body)

    def _may(self, socket: Socket, kind: str, body: Any) -> bool:
        assert socket.desk is not None
        lane = socket.desk.lane
        need = NEEDS.get(kind.rpartition(".")[0])
        if need is None:
            return lane not in NEUTRAL_LANES or kind == "query.response"
        if body.provider != lane or lane not in NEUTRAL_LANES:
            return False
        if not self.reach.rules.features_agreed:
            return True
        return socket.agreed(need) and f"provider:{lane}" in socket.offered

    # -- people ----------------------------------------------------------------

    async def signed_in(self, channel: str, event: SignedIn) -> None:
        """Somebody came back from a sign-in page; the link says which."""
        if self.reach.plan.channels.get(channel) in NEUTRAL_LANES:
            await self.provider_bindings.signed_in(event)
        else:
            await self.slack_bindings.signed_in(event)

    async def heard(self, channel: str, lane: str, event: PersonSaid) -> bool:
        """Something was said; whether it was for the server alone (a link, a word of consent)."""
        if self.relay.is_group(lane, event.chat):
            await self.relay.heard(event)
            return START.match(event.text) is not None
        if lane != group_relay.PROVIDER:
            return False
        text = event.text.strip()
        link = START.fullmatch(text)
        if link is not None:
            await self._opened(channel, event, link[1])
        elif text == CONFIRM and (awaited := self.provider_bindings.awaited(event.person)):
            await self._confirmed(event, awaited)
        else:
            return False
        return True

    async def _opened(self, channel: str, event: PersonSaid, link: str) -> None:
        """A deep link was opened: ``/start <token>`` in the direct chat."""
        bindings = self.provider_bindings
        if not self.reach.plan.asks_to_confirm:
            await self._confirmed(event, link)
        elif await bindings.ask(link, event.person):
            run = self.reach.notice(channel, event.chat, event.thread, CONFIRM_TEXT)
            await self.reach.actor.perform(Spawn(f"notice {event.event}", run))

    async def _confirmed(self, event: PersonSaid, link: str) -> None:
        name = event.username or event.person
        who = SignedIn(event.event, link, event.person, user=event.user, user_name=name)
        await self.provider_bindings.signed_in(who)

    def addressed(self, lane: str, event: PersonSaid) -> bool:
        """Whether a message is for the bot: said so, or in a group that needs no mention."""
        if event.to_bot:
            return True
        if lane != group_relay.PROVIDER or is_direct(event.chat):
            return False
        return self.behaviors.answers_all(lane, event.person, event.chat)

    # -- time ------------------------------------------------------------------

    async def due(self, kind: str, key: str) -> None:
        """A timer of one of the books."""
        if kind == slack_binding.TIMER:
            await self.slack_bindings.expire(key)
        elif kind == provider_binding.TIMER:
            await self.provider_bindings.expire(key)
        elif kind == lifecycle.TIMER:
            await self.lifecycle.look(key)
