"""Telegram as a host whose Bot API is the protocol: what bots see, and what people do."""

from __future__ import annotations

from collections.abc import Callable

from sim.core.actor import Port
from sim.protocols.question.telegram.actor import BotApi
from sim.protocols.question.telegram.plan import BotApiPlan
from sim.protocols.question.telegram.state import State


def bot_api_host(plan: BotApiPlan) -> Callable[[Port], BotApi]:
    """A factory for ``world.add_host``: each life of the host gets a new endpoint.

    What Telegram knows outlives them all: a crash of this host is an outage of its API.
    """
    state = State(plan)

    def make(port: Port) -> BotApi:
        return BotApi(port, plan, state)

    return make
