"""Listening sockets that a dead server shuts and a new one opens again, on the same port.

A process that died listens no more: whoever dials is refused by the machine. Its port is
kept meanwhile by a socket that is bound and does not listen, so nobody else takes it.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Awaitable, Callable
from contextlib import suppress

import trio

from sim.core.errors import HooktwinError, UsageError
from sim.core.event import HostCrashed, HostStarted
from sim.drivers import websocket
from sim.world.world import World

BACKLOG = 1_024
Visit = Callable[[trio.SocketStream], Awaitable[None]]


class Gate:
    """Lets clients in while the host that they come to is up.

    ``visit`` gets each client's stream, in a task of its own; of what goes wrong there only
    what is wrong with ourselves is raised, the rest ``broke`` is told. When the host dies, the
    streams in ``arriving`` are reset.
    """

    def __init__(
        self,
        world: World,
        host: str,
        nursery: trio.Nursery,
        visit: Visit,
        broke: Callable[[BaseException], None],
    ) -> None:
        self.arriving: dict[trio.SocketStream, trio.CancelScope] = {}
        self._host = host
        self._nursery = nursery
        self._visit = visit
        self._broke = broke
        self._listening: list[trio.SocketListener] = []
        self._addresses: list[tuple[int, tuple[object, ...]]] = []
        self._kept: list[socket.socket] = []
        self._scope = trio.CancelScope()
        world.watch(HostCrashed, self._crashed)
        world.watch(HostStarted, self._started)

    async def open(self, port: int, what: str, address: str) -> int:
        """Listen; gives the port. Raises UsageError when it is taken."""
        chosen, self._listening = await websocket.bind(port, what, address)
        self._addresses = [(x.socket.family, x.socket.getsockname()) for x in self._listening]
        self._nursery.start_soon(self._give_up)
        self._nursery.start_soon(self._listen, self._scope, self._listening)
        return chosen

    def _crashed(self, event: HostCrashed) -> None:
        """A dead server's machine refuses dials from this moment on, and resets what was on
        its way in. Raises UsageError when another program takes the port in the same moment.
        """
        if event.host != self._host or not self._listening:
            return
        if not self._kept:
            self._scope.cancel()
            for listener in self._listening:
                listener.socket.close()
            self._kept = [_bound(family, address) for family, address in self._addresses]
        for stream, scope in self.arriving.items():
            abort(stream)
            scope.cancel()

    def _started(self, event: HostStarted) -> None:
        """Listen again, from this moment on. Raises UsageError as :meth:`_crashed` does."""
        if event.host != self._host or not self._kept:
            return
        kept, self._kept = self._kept, []
        for one, (_, address) in zip(kept, self._addresses, strict=True):
            try:
                one.listen(BACKLOG)
            except OSError as error:
                raise _taken(address, error) from error
        self._listening = [trio.SocketListener(trio.socket.from_stdlib_socket(x)) for x in kept]
        self._scope = trio.CancelScope()
        self._nursery.start_soon(self._listen, self._scope, self._listening)

    async def _receive(self, stream: trio.SocketStream) -> None:
        """One connection, whatever it is."""
        scope = trio.CancelScope()
        self.arriving[stream] = scope
        try:
            with scope:
                await self._visit(stream)
        except* HooktwinError:
            raise
        except* Exception as errors:
            first: BaseException = errors
            while isinstance(first, BaseExceptionGroup):
                first = first.exceptions[0]
            self._broke(first)
        finally:
            self.arriving.pop(stream, None)
            await trio.aclose_forcefully(stream)

    async def _give_up(self) -> None:
        """When the session is over, no port is kept."""
        try:
            await trio.sleep_forever()
        finally:
            for one in self._kept:
                one.close()

    async def _listen(self, scope: trio.CancelScope, listeners: list[trio.SocketListener]) -> None:
        with scope:
            try:
                await trio.serve_listeners(self._receive, listeners, handler_nursery=self._nursery)
            except* trio.ClosedResourceError:
                pass  # shut


def abort(stream: trio.SocketStream) -> None:
    """Let the end of this stream be an RST, as that of a process that died over it."""
    with suppress(OSError):  # it is gone already
        stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def _bound(family: int, address: tuple[object, ...]) -> socket.socket:
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        made.bind(address)
    except OSError as error:
        made.close()
        raise _taken(address, error) from error
    return made


def _taken(address: tuple[object, ...], error: OSError) -> UsageError:
    return UsageError(
        f"the server's port {address[1]} cannot be had again: {error.strerror or error}; "
        "end the program that took it, and serve again"
    )
