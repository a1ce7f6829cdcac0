"""Telegram as a host whose Bot API is the protocol: what bots see, and what people do."""

from __future__ import annotations

from collections.abc import Callable

from sim.core.actor import Port
from sim.protocols.question.telegram.actor import BotApi
from sim.protocols.question.telegram.plan import BotApiPlan


def bot_api_host(plan: BotApiPlan) -> Callable[[Port], BotApi]:
    """A factory for ``world.add_host``: each life of the host gets a new endpoint."""

    def make(port: Port) -> BotApi:
        return BotApi(port, plan)

    return make
