"""The dials of twins, made as real ones: each that succeeds gets a socket for its far end."""

from __future__ import annotations

from collections.abc import Callable

import trio

from sim.drivers import websocket
from sim.drivers.websocket import Refused
from sim.live.gateway import Gateway, Seat, Tell
from sim.world.dial import DialRequest

Headers = list[tuple[bytes, bytes]]


class Dialler:
    """What a gateway asks to connect. ``where`` gives the URL and the headers for a dial,
    ``upgrade_s`` is what the HTTP upgrade may take; ``on_refused`` hears each time why a dial
    came to nothing. ``connected`` and ``refused`` count."""

    def __init__(
        self,
        gateway: Gateway,
        tell: Tell,
        where: Callable[[DialRequest], tuple[str, Headers]],
        upgrade_s: float,
        on_refused: Callable[[str], None] | None = None,
    ) -> None:
        self.connected = 0
        self.refused: dict[str, int] = {}
        self._gateway = gateway
        self._world = gateway.world
        self._tell = tell
        self._where = where
        self._upgrade_s = upgrade_s
        self._on_refused = on_refused
        self._nursery: trio.Nursery | None = None
        gateway.dialler = self._dials

    def enter(self, nursery: trio.Nursery) -> None:
        """Sockets live in this nursery."""
        self._nursery = nursery

    def _dials(self, dial: DialRequest) -> None:
        assert self._nursery is not None
        self._nursery.start_soon(self._dial, dial, self._world.cause)

    async def _dial(self, dial: DialRequest, cause: int) -> None:
        """One attempt of a twin, over a real socket."""
        try:
            async with trio.open_nursery() as nursery:
                await self._meet(nursery, dial, cause)
                nursery.cancel_scope.cancel()
        except BaseExceptionGroup as errors:
            refused = websocket.rejection_in(errors)
            if refused is None:
                raise
            self._refuse(dial, cause, refused)

    async def _meet(self, nursery: trio.Nursery, dial: DialRequest, cause: int) -> None:
        url, headers = self._where(dial)
        try:
            socket = await websocket.dial_url(nursery, url, headers, self._upgrade_s)
        except Refused as refused:
            self._refuse(dial, cause, refused)
            return
        seat = Seat(socket, self._tell)
        self.connected += 1
        self._gateway.take(seat, dial.end.other)
        self._now(cause, lambda: dial.accept(self._world))
        await self._gateway.serve(seat)

    def _refuse(self, dial: DialRequest, cause: int, refused: Refused) -> None:
        why = str(refused)
        self.refused[why] = self.refused.get(why, 0) + 1
        if self.refused[why] == 1:
            self._tell(f"a dial came to nothing: {why}")
        if self._world.carrier is not None:
            self._now(cause, lambda: dial.refuse(self._world, refused.status))
        if self._on_refused is not None:
            self._on_refused(why)

    def _now(self, cause: int, deed: Callable[[], None]) -> None:
        self._gateway.driver.nudge()
        self._world.cause = cause
        deed()
        self._world.cause = -1
