"""A relay, a node with its simulated browser, and a controller in one world, for a client."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sim.core.errors import SimInternalError
from sim.drivers.step import StepDriver
from sim.hosts.controller import controller_host
from sim.hosts.node import node_host
from sim.hosts.relay import relay_host
from sim.live.tail import Tail
from sim.protocols.relay.browser import Page, built_in_web
from sim.protocols.relay.controller import Controller, ControllerPlan, Outcome
from sim.protocols.relay.controller.errand import Extracted, NotExtracted, Wanted, extraction
from sim.protocols.relay.node import NodePlan
from sim.protocols.relay.relay.plan import RelayPlan
from sim.protocols.relay.relay.sessions import Grant
from sim.world.world import World

NODE_ID: Final = "node_alpha"
_CONTROLLER_TOKEN: Final = "token-C"
_NODE_TOKEN: Final = "token-N"
_CLIENT: Final = "C"
TABS: Final = (("tab_1", "https://example.com/", ""),)
"""What the person at the node has open already."""
MOST_US: Final = 3_600_000_000
"""No command takes longer than ten minutes; an hour of virtual time is a defect."""


class TwinClient:
    """A controller of a simulated relay. ``pages`` are added to those that come along.

    Deterministic: the same calls in the same order give the same.
    """

    def __init__(self, pages: Sequence[Page] = (), seed: int = 1) -> None:
        web = built_in_web().with_pages(list(pages)) if pages else built_in_web()
        self.world = world = World(seed)
        world.events = Tail()
        relay = RelayPlan(
            tokens={
                _CONTROLLER_TOKEN: Grant("controller", "ctl_1"),
                _NODE_TOKEN: Grant("node", NODE_ID),
            }
        )
        node = NodePlan(node_id=NODE_ID, token=_NODE_TOKEN, web=web, tabs=TABS)
        client = ControllerPlan(token=_CONTROLLER_TOKEN, nodes=(NODE_ID,))
        world.add_host("R", "relay", relay_host(relay))
        world.add_host("N", "node", node_host(node))
        world.add_host(_CLIENT, "controller", controller_host(client))
        self._driver = StepDriver(world)
        for name in ("R", "N", _CLIENT):
            world.boot(name)
        self._run_until_connected()
        self._asked = 0

    @property
    def _controller(self) -> Controller:
        actor = self.world.hosts[_CLIENT].actor
        assert isinstance(actor, Controller)
        return actor

    def _run_until_connected(self) -> None:
        names = ("N", _CLIENT)
        peers = [self.world.hosts[name] for name in names]
        self._driver.run(
            lambda: all(getattr(peer.actor, "is_ready", False) for peer in peers),
            limit_us=MOST_US,
        )

    def _name(self) -> str:
        self._asked += 1
        return f"extract-{self._asked}"

    def extract(self, wanted: Wanted) -> Extracted | NotExtracted:
        """Do an extraction. Raises SimInternalError where the twins come to no end."""
        errand = extraction(wanted, self._name)
        try:
            request, act = next(errand)
            while True:
                self.world.act(_CLIENT, act)
                request, act = errand.send(self._outcome_of(request))
        except StopIteration as end:
            result: Extracted | NotExtracted = end.value
            return result

    def _outcome_of(self, request: str) -> Outcome:
        controller = self._controller

        def is_over() -> bool:
            return controller.outcome(request) is not None

        self._driver.run(is_over, limit_us=self.world.now + MOST_US)
        outcome = controller.outcome(request)
        if outcome is None:
            raise SimInternalError(f"{request}: an hour has passed and nobody has answered")
        return outcome

    def close(self) -> None:
        """Throw the world away."""
        self.world.close()
