"""What a listener writes into its log: the seed's four lines (§9.3), and troubles."""

from __future__ import annotations

from typing import Final, Literal

from sim.core.actor import Actor
from sim.core.op import Note
from sim.protocols.question.listener.updates import Press, Said

PREFIX: Final = "[PermListener]"

Level = Literal["info", "warn", "error"]


class Logs:
    """A listener's log: facts of kind ``log`` with ``level`` and ``text``."""

    __slots__ = ("_actor", "_chain", "_links")

    def __init__(self, actor: Actor, chain: bool, links: bool) -> None:
        self._actor = actor
        self._chain = chain
        self._links = links

    async def write(self, level: Level, text: str) -> None:
        """One line."""
        await self._actor.perform(Note("log", {"level": level, "text": f"{PREFIX} {text}"}))

    async def trouble(self, link: str, what: str, why: str, level: Level = "warn") -> None:
        """Something failed on the way to ``link`` (QT-45: say which one)."""
        text = f"⚠️ {link} {what}: {why}" if self._links else "⚠️ fetch failed"
        await self.write(level, text)

    # -- the evidence chain of a custom answer (§9.3)

    async def pressed(self, press: Press) -> None:
        """Line 1."""
        await self._link(f"📥 收到 callback_query: data={press.data}")

    async def looked_up(self, unique_id: str, type: str) -> None:
        """Line 2. ``type`` of the entry, ``undefined`` where there is none."""
        await self._link(f"📋 getPending({unique_id}): type={type}")

    async def heard(self, said: Said) -> None:
        """Line 3. What was written is nobody's business but the question's."""
        reply_to = "null" if said.reply_to is None else said.reply_to
        about = f"chat={said.chat} from={said.sender.id} message={said.message_id}"
        await self._link(f"📨 收到 message: {about} replyTo={reply_to}")

    async def settled(self, request_id: str) -> None:
        """Line 4."""
        await self._link(f"✅ question 已回传 OpenCode: requestID={request_id}")

    async def _link(self, text: str) -> None:
        if self._chain:
            await self.write("info", text)
