"""The node as the world sees it: which handler takes what."""

from __future__ import annotations

from typing import Any

from sim.core.actor import Port
from sim.protocols.relay.acts import Act
from sim.protocols.relay.browser import Failed
from sim.protocols.relay.browser.outcome import VALIDATION_STAGE
from sim.protocols.relay.codes import ERROR_CODES
from sim.protocols.relay.frames import Error
from sim.protocols.relay.node import jobs, listening, person
from sim.protocols.relay.node.bench import Bench
from sim.protocols.relay.node.plan import NodePlan
from sim.protocols.relay.parse import RelayRefused
from sim.wire.message import Message

NOT_FOUND = "listener_not_found"


class Node(Bench):
    """The twin of a browser with the relay's extension in it.

    Made anew for each life of its host: ``Node(port, plan)``. The browser is a program
    of its own, so tabs with their owners and logins outlive the node's process, and so
    does the ledger; work and subscriptions do not. With a socket end its subscriptions
    and what waits for anything; what is at work runs on, and nobody is told.
    """

    __slots__ = ()

    def __init__(self, port: Port, plan: NodePlan) -> None:
        super().__init__(port, plan)

    async def take(self, message: Message) -> None:
        """Commands and cancels; a refused update turns its listener off."""
        body: Any = message.body
        if message.type == "command":
            await jobs.accept(self, message)
        elif message.type == "command_cancel":
            await jobs.cancel(self, body.target_request_id, message.id)
        elif message.type == "error" and body.code == NOT_FOUND:
            await listening.not_wanted(self, message.id)

    async def take_bad(self, refused: RelayRefused, family: str) -> None:
        """Even a command that cannot be read is answered, where its requestId can."""
        if family != "command" or self.job_of(refused.request_id) is not None:
            return
        code = ERROR_CODES[refused.code]
        failed = Failed(code.code, refused.error, VALIDATION_STAGE)
        await self.send(
            Error(
                category=code.category,
                code=code.code,
                message=failed.message,
                stage=failed.stage,
                node_id=self.node_id,
            ),
            refused.request_id,
        )

    def enter(self, ack: Any) -> None:
        """auth_ack says for which node commands will come: the token's word counts (DR-10)."""
        if isinstance(ack.node_id, str):
            self.node_id = ack.node_id

    async def began(self) -> None:
        """The relay takes answers again."""
        await self.flush()

    def forget(self) -> None:
        """Subscriptions belong to the session in which they were made (DR-18)."""
        self.early.clear()
        if self.rules.listeners_end_with_socket:
            self.browser.subscriptions.clear()

    async def ended(self) -> None:
        """Who waits for a person, or for others, waits in vain."""
        await jobs.session_lost(self)

    async def on_timer(self, kind: str, key: str) -> None:
        """``work`` by job, ``update`` by subscription; the others are the session's."""
        if kind == "work":
            await jobs.done(self, key)
        elif kind == "update":
            await listening.due(self, key)
        else:
            await super().on_timer(kind, key)

    async def follow(self, act: Act) -> None:
        """The person, or what befalls the browser."""
        await person.direct(self, act)
