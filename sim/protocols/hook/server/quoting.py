"""Whether an answer quotes the message that asked (Telegram's behaviour settings)."""

from __future__ import annotations

from sim.channel.api import is_direct
from sim.protocols.hook.constants import DEFAULT_TELEGRAM_BEHAVIOR
from sim.protocols.hook.server.tasks import Task


def quote_mode(task: Task) -> str:
    """``off``, ``first`` (the first message of an answer) or ``all``: the defaults.

    A server that keeps behaviour settings puts its own function into
    ``Writing.quotes``.
    """
    place = task.conversation
    if place.lane != "telegram":
        return "off"
    key = "replyQuoteDm" if is_direct(place.chat) else "replyQuoteGroup"
    return DEFAULT_TELEGRAM_BEHAVIOR[key]
