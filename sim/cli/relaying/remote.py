"""A controller of ours at somebody else's relay, over a WebSocket."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

import attrs
import trio

from sim.cli.relaying.address import Address, TokenRefused, new_token, node_of
from sim.core.entropy import real_uuid4
from sim.core.errors import UsageError
from sim.core.event import Noted
from sim.drivers.codec import JsonCodec
from sim.drivers.driver import never
from sim.drivers.wall import WallDriver
from sim.hosts.controller import controller_host
from sim.live.dialling import Dialler, Headers
from sim.live.gateway import Gateway
from sim.live.outsider import Outsider
from sim.live.tail import Tail
from sim.live.wallclock import show_real_time
from sim.protocols.relay import parse_relay_message
from sim.protocols.relay.acts import UseToken
from sim.protocols.relay.controller import Controller, ControllerPlan
from sim.protocols.relay.controller.errand import Extracted, NotExtracted, Wanted, extraction
from sim.world.dial import DialRequest
from sim.world.world import World

ADMISSION_S: Final = 5.0
"""How long to wait for auth_ack, the dial included."""
_CLIENT: Final = "C"
_RELAY: Final = "R"
_FAREWELL: Final = (1000, "done")


def _nothing(text: str) -> None:
    """Nobody listens: what matters comes out as the result."""


class RemoteClient:
    """A session with a real relay; made by :func:`session_with`."""

    def __init__(self, address: Address, node: str, nursery: trio.Nursery) -> None:
        self._address = address
        self._nursery = nursery
        self.world = world = World(int(real_uuid4().replace("-", ""), 16) >> 65)
        world.events = Tail()
        plan = ControllerPlan(relay=_RELAY, token=address.token, nodes=(node,))
        world.add_host(_RELAY, "relay", Outsider)
        world.add_host(_CLIENT, "controller", controller_host(plan))
        for pair in ((_CLIENT, _RELAY), (_RELAY, _CLIENT)):
            world.latencies[pair] = (0, 0)  # what crosses a socket has had its latency
        show_real_time(world)
        self._driver = WallDriver(world)
        self._gateway = Gateway(self._driver, JsonCodec(parse_relay_message), _nothing)
        dialler = Dialler(self._gateway, _nothing, self._where, ADMISSION_S, self._told)
        dialler.enter(nursery)
        self._news = trio.Event()
        self._why_not = ""
        world.watch(Noted, self._noted)
        # Ids of two clients at one relay must not be the same.
        self._names = real_uuid4()[:13]
        self._asked = 0

    def _where(self, dial: DialRequest) -> tuple[str, Headers]:
        return self._address.dialled(), []

    def _noted(self, event: Noted) -> None:
        if event.what == "refused":
            self._why_not = f"the relay refuses {event.data['asked']}: {event.data['code']}"
        self._wake()

    def _told(self, why: str) -> None:
        """A dial came to nothing."""
        self._why_not = why
        self._wake()

    def _wake(self) -> None:
        self._news.set()
        self._news = trio.Event()

    # -- the session

    @property
    def _controller(self) -> Controller:
        actor = self.world.hosts[_CLIENT].actor
        assert isinstance(actor, Controller)
        return actor

    async def begin(self) -> None:
        """Connect and be admitted. Raises UsageError where the relay does not let us in."""
        for name in (_RELAY, _CLIENT):
            self.world.boot(name)
        self._nursery.start_soon(self._run)
        await self._let_in()

    async def show(self, token: str) -> None:
        """Try another access token on the same socket. Raises UsageError as :meth:`begin`."""
        self._why_not = ""
        self._driver.nudge()
        self.world.act(_CLIENT, UseToken(token, now=True))
        await self._let_in()

    async def _let_in(self) -> None:
        if await self._admitted(give_up=lambda: bool(self._why_not)):
            return
        why = self._why_not or f"no auth_ack within {ADMISSION_S:g} s"
        refused = TokenRefused if self._why_not.endswith("invalid_access_token") else UsageError
        raise refused(f"{self._address.shown}: {why}")

    async def _admitted(self, give_up: Callable[[], bool] = never) -> bool:
        """Wait a little for the session; one that was lost comes back by itself."""
        with trio.move_on_after(ADMISSION_S):
            while not self._controller.is_ready and not give_up():
                await self._soon()
        return self._controller.is_ready

    async def _run(self) -> None:
        await self._driver.go(lambda: False, endless=True)

    async def _soon(self) -> None:
        with trio.move_on_after(0.02):
            await self._news.wait()

    async def extract(self, wanted: Wanted) -> Extracted | NotExtracted:
        """Do an extraction; each of its commands ends in time or is given up."""
        errand = extraction(wanted, self._name)
        try:
            request, act = next(errand)
            while True:
                if not await self._admitted():
                    return NotExtracted("", "there is no connection to the relay")
                self._driver.nudge()
                self.world.act(_CLIENT, act)
                while (outcome := self._controller.outcome(request)) is None:
                    await self._soon()
                request, act = errand.send(outcome)
        except StopIteration as end:
            result: Extracted | NotExtracted = end.value
            return result

    def _name(self) -> str:
        self._asked += 1
        return f"{self._names}-{self._asked}"

    async def end(self) -> None:
        """Take leave; the relay cleans up what was left open."""
        with trio.move_on_after(ADMISSION_S):
            await self._gateway.close_all(*_FAREWELL)
        self.world.carrier = None
        self.world.close()


async def _in_a_thread(ask: Callable[[Address], str], address: Address) -> str:
    """A request over HTTP that a Ctrl-C, or a server that trickles, does not have to wait for."""
    with trio.move_on_after(2 * ADMISSION_S):
        return await trio.to_thread.run_sync(ask, address, abandon_on_cancel=True)
    raise UsageError(f"{address.shown}: no whole answer within {2 * ADMISSION_S:g} s")


async def _prepared(address: Address) -> tuple[Address, str]:
    """The node that is meant, and the address with a token that was good enough to ask."""
    try:
        return address, await _in_a_thread(node_of, address)
    except TokenRefused:
        if not address.refresh_token:
            raise
    token = await _in_a_thread(new_token, address)
    address = attrs.evolve(address, token=token)
    return address, await _in_a_thread(node_of, address)


@asynccontextmanager
async def session_with(address: Address) -> AsyncIterator[RemoteClient]:
    """A controller that is admitted at the relay. Raises UsageError where it is not."""
    address, node = await _prepared(address)
    failure: BaseException | None = None
    async with trio.open_nursery() as nursery:
        client = RemoteClient(address, node, nursery)
        try:
            try:
                await client.begin()
            except TokenRefused:
                if not address.refresh_token:
                    raise
                await client.show(await _in_a_thread(new_token, address))
            yield client
        except trio.Cancelled:
            raise
        except BaseException as error:
            failure = error  # raised again outside, where the nursery cannot wrap it
        finally:
            with trio.CancelScope(shield=True):
                await client.end()
            nursery.cancel_scope.cancel()
    if failure is not None:
        raise failure


def extract_once(address: Address, wanted: Wanted) -> Extracted | NotExtracted:
    """Connect, extract, leave. Raises UsageError where the relay does not let us in."""

    async def main() -> Extracted | NotExtracted:
        async with session_with(address) as client:
            return await client.extract(wanted)

    return trio.run(main)
