"""Forwarding what is said in groups to the members' desktops (§5 stage 14).

A message is in a local variable while it is sent and nowhere else: no row, no
queue, no note (HK-159). What is kept is that a principal is in a group. Each
copy names the binding that its target holds at that very moment (HK-162).
Who leaves a group stays known as a member: the protocol has no word for it,
and no event of these channels tells. Who gives up the binding gets nothing more.
"""

from __future__ import annotations

import re

from sim.channel.api import PersonSaid, is_direct
from sim.core.op import Save
from sim.protocols.hook.constants import (
    HOOK_FEATURE_GROUP_RELAY,
    HOOK_FEATURE_GROUP_RELAY_RECIPIENT,
)
from sim.protocols.hook.frames import GroupAuthor, GroupMessage, GroupRecipient
from sim.protocols.hook.predicates import TELEGRAM_USER_ID, TELEGRAM_USERNAME
from sim.protocols.hook.server.accounts.provider_binding import ProviderBindings
from sim.protocols.hook.server.accounts.reach import Reach
from sim.protocols.hook.server.accounts.rows import MemberRow, ProviderBindingRow
from sim.protocols.hook.server.memory import Socket
from sim.protocols.hook.server.texts import cut
from sim.wire.absent import ABSENT, Absent

PROVIDER = "telegram"
CREDENTIAL = re.compile(
    r"^\s*/start(@\w+)?\s+\S+\s*$"
    r"|/start(@\w+)?\s+[\w-]{16,}"
    r"|[?&](start|startgroup|state)=[\w-]{16,}",
    re.ASCII | re.IGNORECASE,
)
"""A binding link or its token, where everybody can read it."""


class GroupRelay:
    """The server's book of group members."""

    __slots__ = ("_kept", "_members", "bindings", "reach")

    def __init__(self, reach: Reach, bindings: ProviderBindings) -> None:
        self.reach = reach
        self.bindings = bindings
        # chat → the binding that each principal had when it was last seen there
        self._members: dict[str, dict[str, str]] = {}
        # only with the rule ``relay_forgets`` off: what offline desktops missed
        self._kept: dict[str, list[GroupMessage]] | None = None

    def read(self) -> None:
        """Read what is stored."""
        for _, row in self.reach.port.store.items("member/"):
            self._members.setdefault(row.chat, {})[row.principal] = ""

    def is_group(self, lane: str, chat: str) -> bool:
        return lane == PROVIDER and not is_direct(chat)

    async def heard(self, event: PersonSaid) -> None:
        """Something was said in a group."""
        await self._join(event)
        if CREDENTIAL.search(event.text) and self.reach.rules.credentials_filtered:
            return
        if not event.text:
            return
        body = self._message(event)
        for principal in tuple(self._members.get(event.chat, ())):
            await self._forward(event.chat, principal, body)

    async def _join(self, event: PersonSaid) -> None:
        """Whoever speaks in a group is in it."""
        row = self.bindings.of_person(PROVIDER, event.person)
        if row is None:
            return
        members = self._members.setdefault(event.chat, {})
        known = row.principal in members
        members[row.principal] = row.binding
        if not known:
            key = f"member/{PROVIDER}/{event.chat}/{row.principal}"
            await self.reach.actor.perform(
                Save(key, MemberRow(PROVIDER, event.chat, row.principal))
            )

    def _message(self, event: PersonSaid) -> GroupMessage:
        user = event.user if TELEGRAM_USER_ID.accepts(event.user) else ABSENT
        handle = event.username if TELEGRAM_USERNAME.accepts(event.username) else ABSENT
        return GroupMessage(
            provider=PROVIDER,
            chat_id=event.chat,
            thread_id=event.thread,
            message_id=event.message,
            chat_name=event.chat_name or None,
            author=GroupAuthor(name=event.person, id=user, username=handle),
            text=cut(event.text, self.reach.plan.limits.group_chars),
            sent_at=max(1, self.reach.port.now_ms()),
        )

    async def _forward(self, chat: str, principal: str, body: GroupMessage) -> None:
        """One copy, for whoever holds this account now (HK-160, HK-161)."""
        row = self.bindings.of_principal(PROVIDER, principal)
        if row is None and self.reach.rules.recipient_at_sending:
            return
        device = self._last_device(principal) if row is None else row.device
        socket = None if device is None else self.reach.socket(PROVIDER, device)
        if socket is None:
            self._keep(device, body)
        elif self._agreed(socket):
            await self.reach.say(socket, _copy(body, self._recipient(chat, row, principal)))

    def _recipient(
        self, chat: str, row: ProviderBindingRow | None, principal: str
    ) -> GroupRecipient | Absent:
        binding = "" if row is None else row.binding
        if not self.reach.rules.recipient_at_sending:
            binding = self._members[chat][principal] or binding or "unknown"
        return GroupRecipient(binding_id=binding, principal_id=principal)

    def _last_device(self, principal: str) -> str | None:
        """Who had this account once; nobody asks that unless the rule is off."""
        rows = self.reach.port.store.items("provider-binding/")
        return next((row.device for _, row in rows if row.principal == principal), None)

    def _agreed(self, socket: Socket) -> bool:
        """Both features on both sides (HK-156, HK-157)."""
        if not self.reach.rules.relay_needs_features:
            return True
        return socket.agreed(HOOK_FEATURE_GROUP_RELAY, HOOK_FEATURE_GROUP_RELAY_RECIPIENT)

    def _keep(self, device: str | None, body: GroupMessage) -> None:
        if device is not None and not self.reach.rules.relay_forgets:
            self._kept = {} if self._kept is None else self._kept
            self._kept.setdefault(device, []).append(body)

    async def welcomed(self, socket: Socket) -> None:
        """Nothing waits for a desktop that comes back (HK-158)."""
        assert socket.desk is not None
        kept = (self._kept or {}).pop(socket.desk.device, ())
        row = self.bindings.of_device(PROVIDER, socket.desk.device)
        if row is None:
            return
        for body in kept:
            recipient = GroupRecipient(binding_id=row.binding, principal_id=row.principal)
            await self.reach.say(socket, _copy(body, recipient))


def _copy(body: GroupMessage, recipient: GroupRecipient | Absent) -> GroupMessage:
    return GroupMessage(
        provider=body.provider,
        recipient=recipient,
        chat_id=body.chat_id,
        thread_id=body.thread_id,
        message_id=body.message_id,
        chat_name=body.chat_name,
        author=body.author,
        text=body.text,
        file_names=body.file_names,
        sent_at=body.sent_at,
    )
