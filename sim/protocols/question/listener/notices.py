"""What the person who pressed or wrote is told: a toast for a press, a message for a text."""

from __future__ import annotations

from sim.protocols.question.listener import texts
from sim.protocols.question.listener.bot import BotReply
from sim.protocols.question.listener.desk import Desk
from sim.protocols.question.listener.updates import Press, Said
from sim.protocols.question.texts import FAILED


async def tell(desk: Desk, update: Press | Said, text: str) -> BotReply:
    """One short notice, where the person looks."""
    if isinstance(update, Press):
        return await desk.bot.toast(update.query, text)
    return await desk.bot.message(update.chat, text)


async def tell_failed(desk: Desk, update: Press | Said, cause: str) -> None:
    """The seed's text, always; a message says it again and names the cause, so that it is
    read also where the toast comes too late (DQ-18)."""
    await desk.logs.write("error", f"❌ {FAILED}: {cause}")
    if not desk.rules.failure_in_the_seeds_words:
        return
    if isinstance(update, Press):
        await desk.bot.toast(update.query, FAILED)
    await desk.bot.message(update.chat, texts.failed(cause))
