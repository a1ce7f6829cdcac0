"""How the bot behaves on Telegram: ``provider.behavior.*`` (§5 stage 19).

What was set is kept as it was set, even where it equals the present default
(HK-128); what was not set follows the default. Groups that need no mention are
one row each, so their number has no bound (HK-133).

``emojiReactions`` is kept and told, and that is all: the document says nowhere
which reaction belongs to what, and the reactions themselves are the desktop's,
by a frame (``msg.op``) that is not part of this version.
"""

from __future__ import annotations

from typing import Any

import attrs
import msgspec

from sim.channel.api import is_direct
from sim.core.op import Erase, Save
from sim.protocols.hook.constants import (
    DEFAULT_TELEGRAM_BEHAVIOR,
    TELEGRAM_GROUP_ACTIVATION_ALWAYS,
)
from sim.protocols.hook.frames import (
    ProviderBehaviorGet,
    ProviderBehaviorSet,
    ProviderBehaviorState,
)
from sim.protocols.hook.server.accounts.provider_binding import ProviderBindings
from sim.protocols.hook.server.accounts.reach import Reach
from sim.protocols.hook.server.accounts.rows import BehaviorRow
from sim.protocols.hook.server.memory import Socket
from sim.protocols.hook.server.tasks import Task
from sim.wire.absent import ABSENT

FIELDS = {
    "emoji_reactions": "emojiReactions",
    "reply_quote_dm": "replyQuoteDm",
    "reply_quote_group": "replyQuoteGroup",
}
NOTHING_SET = BehaviorRow()


@attrs.frozen
class Manners:
    """How to write in one Telegram chat.

    ``emoji``: ``off``, ``minimal`` or ``expressive``. ``quote``: which of the
    bot's messages quote the one that they answer: ``off``, ``first`` or ``all``.
    """

    emoji: str
    quote: str


class Behaviors:
    """The server's book of Telegram behaviour."""

    __slots__ = ("_groups", "_rows", "bindings", "defaults", "reach")

    def __init__(self, reach: Reach, bindings: ProviderBindings) -> None:
        self.reach = reach
        self.bindings = bindings
        self.defaults = DEFAULT_TELEGRAM_BEHAVIOR
        self._rows: dict[str, BehaviorRow] = {}
        self._groups: dict[str, dict[str, str]] = {}

    def read(self) -> None:
        """Read what is stored."""
        store = self.reach.port.store
        for key, row in store.items("behavior/"):
            self._rows[key.partition("/")[2]] = row
        for key, value in store.items("activation/"):
            _, binding, chat = key.split("/", 2)
            self._groups.setdefault(binding, {})[chat] = value

    def effective(self, binding: str) -> dict[str, str]:
        """What holds, defaults filled in (HK-132)."""
        row = self._rows.get(binding, NOTHING_SET)
        return {name: getattr(row, name) or self.defaults[wire] for name, wire in FIELDS.items()}

    def manners(self, lane: str, person: str, chat: str) -> Manners:
        """How the bot's messages to this person in this chat look."""
        row = self.bindings.of_person(lane, person)
        if lane != "telegram":
            return Manners("off", "off")
        holds = self.effective("" if row is None else row.binding)
        quote = "reply_quote_dm" if is_direct(chat) else "reply_quote_group"
        return Manners(holds["emoji_reactions"], holds[quote])

    def quote_of(self, task: Task) -> str:
        """Which messages of a task's answer quote the message that asked."""
        place = task.conversation
        return self.manners(place.lane, task.person, place.chat).quote

    def answers_all(self, lane: str, person: str, chat: str) -> bool:
        """Whether this person needs no mention in this group."""
        row = self.bindings.of_person(lane, person)
        return row is not None and chat in self._groups.get(row.binding, {})

    # -- frames ----------------------------------------------------------------

    async def get(self, socket: Socket, body: ProviderBehaviorGet) -> None:
        """``provider.behavior.get`` (HK-126)."""
        await self._show(socket, body.binding_id, body.request_id)

    async def set(self, socket: Socket, body: ProviderBehaviorSet) -> None:
        """``provider.behavior.set``: absent keeps, null clears (HK-127, HK-129)."""
        if self._is_bound(socket, body.binding_id):
            await self._patch(body)
        if self._is_bound(socket, body.binding_id):
            await self._activate(body)
        if socket.ready:
            await self._show(socket, body.binding_id, body.request_id)

    def _is_bound(self, socket: Socket, binding: str) -> bool:
        assert socket.desk is not None
        row = self.bindings.confirmed(binding)
        return (
            row is not None
            and row.provider == socket.desk.lane
            and row.device == socket.desk.device
        )

    async def _patch(self, body: ProviderBehaviorSet) -> None:
        given: dict[str, Any] = {name: getattr(body, name) for name in FIELDS}
        given = {name: value for name, value in given.items() if value is not ABSENT}
        if not self.reach.rules.override_kept:
            for name, wire in FIELDS.items():
                if given.get(name) == self.defaults[wire]:
                    given[name] = None
        if not given:
            return
        partial = self.reach.rules.behavior_partial
        old = self._rows.get(body.binding_id, NOTHING_SET) if partial else NOTHING_SET
        row = self._rows[body.binding_id] = msgspec.structs.replace(old, **given)
        await self.reach.actor.perform(Save(f"behavior/{body.binding_id}", row))

    async def _activate(self, body: ProviderBehaviorSet) -> None:
        """One group on or off; the others stay (HK-130)."""
        patch = body.group_activation
        if patch is ABSENT:
            return
        groups = self._groups.setdefault(body.binding_id, {})
        key = f"activation/{body.binding_id}/{patch.chat_id}"
        if patch.value is None:
            groups.pop(patch.chat_id, None)
            await self.reach.actor.perform(Erase(key))
        else:
            groups[patch.chat_id] = TELEGRAM_GROUP_ACTIVATION_ALWAYS
            await self.reach.actor.perform(Save(key, TELEGRAM_GROUP_ACTIVATION_ALWAYS))

    async def _show(self, socket: Socket, binding: str, reply_to: str | None) -> None:
        """Everything, as it is now; what is bound no longer has the defaults (HK-134)."""
        bound = self._is_bound(socket, binding)
        holds = self.effective(binding if bound else "")
        state = ProviderBehaviorState(
            provider="telegram",
            binding_id=binding,
            reply_to=reply_to,
            bound=bound,
            group_activation=dict(self._groups.get(binding, {})) if bound else {},
            **holds,
        )
        await self.reach.say(socket, state)
