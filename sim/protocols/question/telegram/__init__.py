"""Telegram's Bot API as bots see it, and the people who use it.

``plan`` says who is there, ``actor`` is the host. What has no port is pure: ``board``
(messages), ``updates`` (who has been told what), ``queries`` (presses), ``markup`` and
``entities`` (what a message may look like), ``refusals`` (what the API says instead).
"""

from __future__ import annotations

from sim.protocols.question.telegram.actor import BotApi
from sim.protocols.question.telegram.plan import BotAccount, BotApiPlan, Standing

__all__ = ["BotAccount", "BotApi", "BotApiPlan", "Standing"]
