"""Telegram as a host: the Bot API over HTTP on one side, people on the other.

A bot asks ``GET`` or ``POST /bot<token>/METHOD`` with its parameters in the query or the
JSON body (``HttpRequest``). People act on it through :mod:`sim.channel.api` (``Say``,
``Press``, ``Remove``), by ``Call`` of a person's host or as the scenario's act.
"""

from __future__ import annotations

from sim.core.actor import Actor, Port
from sim.protocols.question.telegram.plan import BotApiPlan


class BotApi(Actor):
    """Telegram with the bots, chats and people of a plan."""

    __slots__ = ("plan",)

    def __init__(self, port: Port, plan: BotApiPlan) -> None:
        super().__init__(port)
        self.plan = plan
