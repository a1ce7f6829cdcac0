"""The ground that all modules of the controller stand on: its state, and what it notes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from sim.core.actor import Port
from sim.core.op import Note
from sim.protocols.relay.acts import Act
from sim.protocols.relay.constants import CONTROLLER
from sim.protocols.relay.controller.plan import ControllerPlan
from sim.protocols.relay.controller.records import Call, Hold, Outcome, Stream
from sim.protocols.relay.frames import Hello
from sim.protocols.relay.peer.actor import Peer, texts_or_absent


class Desk(Peer):
    """State of one life of a controller.

    ``calls`` are those without an end, by requestId; ``outcomes`` the ends of the last
    ones; ``lost`` the calls that a lost socket has taken with it. ``held`` are acts that
    wait for a session, with the requestIds they will have, ``later`` retries by theirs.
    ``policies`` are timeoutPolicies by (node, site, command), ``identity`` the
    controllerId of auth_ack.
    """

    __slots__ = (
        "awaited",
        "calls",
        "client",
        "held",
        "identity",
        "later",
        "locks",
        "lost",
        "nonce",
        "outcomes",
        "policies",
        "script_at",
        "streams",
    )

    ROLE: ClassVar[str] = CONTROLLER

    def __init__(self, port: Port, plan: ControllerPlan) -> None:
        super().__init__(port, plan)
        self.client = plan
        self.identity = ""
        self.nonce = ""
        self.calls: dict[str, Call] = {}
        self.outcomes: dict[str, Outcome] = {}
        self.later: dict[str, Act] = {}
        self.lost: list[Call] = []
        self.held: list[tuple[Act, str]] = []
        self.locks: dict[tuple[str, str], Hold] = {}
        self.streams: dict[str, Stream] = {}
        self.policies: dict[tuple[str, str, str], Mapping[str, Any]] = {}
        self.script_at = 0
        self.awaited = ""

    def greeting(self) -> Hello:
        """hello of a controller names nobody; its token does."""
        return Hello(role=CONTROLLER, capabilities=texts_or_absent(self.plan.capabilities))

    def node_of(self, named: str) -> str:
        """The node that an act means. Raises LookupError where it names none and there is none."""
        if named:
            return named
        if not self.client.nodes:
            text = f"{self.port.name} knows no node: name one, or give its plan some"
            raise LookupError(text)
        return self.client.nodes[0]

    async def note(self, what: str, **facts: Any) -> None:
        """A fact for views and invariants."""
        await self.perform(Note(what, facts))
