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

from sim.core.errors import UsageError

BACKLOG = 1_024
Visit = Callable[[trio.SocketStream], Awaitable[None]]


class Gate:
    """Lets clients in while it is open. ``listeners`` are open already."""

    def __init__(self, listeners: list[trio.SocketListener], nursery: trio.Nursery) -> None:
        self._listening = listeners
        self._nursery = nursery
        self._addresses = [(one.socket.family, one.socket.getsockname()) for one in listeners]
        self._kept: list[socket.socket] = []
        self._scope = trio.CancelScope()
        self._visit: Visit | None = None

    def begin(self, visit: Visit) -> None:
        """``visit`` gets each client's stream, in a task of its own."""
        self._visit = visit
        self._nursery.start_soon(self._give_up)
        self._nursery.start_soon(self._listen, self._scope, self._listening)

    def shut(self) -> None:
        """Nobody listens any more, from this moment on; who waits to be let in is reset.

        Raises UsageError when another program takes the port in the same moment.
        """
        if self._kept:
            return
        self._scope.cancel()
        for listener in self._listening:
            listener.socket.close()
        self._kept = [_bound(family, address) for family, address in self._addresses]

    def open(self) -> None:
        """Listen again, from this moment on. Raises UsageError as :meth:`shut` does."""
        if not self._kept:
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

    async def _give_up(self) -> None:
        """When the session is over, no port is kept."""
        try:
            await trio.sleep_forever()
        finally:
            for one in self._kept:
                one.close()

    async def _listen(self, scope: trio.CancelScope, listeners: list[trio.SocketListener]) -> None:
        assert self._visit is not None
        with scope:
            try:
                await trio.serve_listeners(self._visit, listeners, handler_nursery=self._nursery)
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
