"""A listening socket of a served HTTP twin: requests of outside programs go into the world.

While the twin's host is down its machine refuses connections, and resets those there are.
What a fault does to a call of the world happens to the real one: a reset is an RST, a
lost answer never comes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import trio

from sim.core.errors import HooktwinError
from sim.core.event import HostCrashed, HostStarted
from sim.core.http import HttpResponse
from sim.drivers import websocket
from sim.drivers.http_serving import Ask, Conversation
from sim.live.control import is_of_this_machine
from sim.live.gate import Gate, abort
from sim.world.world import World


class HttpDoor:
    """One twin's port. ``host`` is the twin's name; ``ask`` puts a request to it.

    ``tell`` gets what goes wrong with a connection. Requests of web pages are refused.
    """

    def __init__(
        self,
        world: World,
        host: str,
        ask: Ask,
        nursery: trio.Nursery,
        tell: Callable[[str], None],
    ) -> None:
        self._host = host
        self._ask = ask
        self._nursery = nursery
        self._tell = tell
        self._gate: Gate | None = None
        self._bound = ""
        self._streams: dict[trio.SocketStream, trio.CancelScope] = {}
        world.watch(HostCrashed, self._crashed)
        world.watch(HostStarted, self._started)

    async def open(self, address: str, port: int) -> int:
        """Listen; gives the port. Raises UsageError when it is taken."""
        self._bound = address
        chosen, listeners = await websocket.bind(port, self._host, address)
        self._gate = Gate(listeners, self._nursery)
        self._gate.begin(self._visit)
        return chosen

    def _crashed(self, event: HostCrashed) -> None:
        if event.host != self._host or self._gate is None:
            return
        self._gate.shut()
        for stream, scope in self._streams.items():
            abort(stream)
            scope.cancel()

    def _started(self, event: HostStarted) -> None:
        if event.host == self._host and self._gate is not None:
            self._gate.open()

    def _judge(self, headers: Mapping[str, str]) -> HttpResponse | None:
        """Web pages must not reach what their reader has on this machine."""
        if "origin" in headers:
            return HttpResponse(403, {"error": "requests of web pages are not taken"})
        if not is_of_this_machine(headers.get("host", ""), self._bound):
            return HttpResponse(403, {"error": "the Host header is not this machine"})
        return None

    async def _visit(self, stream: trio.SocketStream) -> None:
        """One connection, whatever it is. Only what is wrong with ourselves is raised."""
        scope = trio.CancelScope()
        self._streams[stream] = scope
        try:
            with scope:
                await Conversation(stream, self._ask, abort, self._judge).run()
        except* HooktwinError:
            raise
        except* Exception as errors:
            first: BaseException = errors
            while isinstance(first, BaseExceptionGroup):
                first = first.exceptions[0]
            self._tell(f"a connection to {self._host} broke: {type(first).__name__}")
        finally:
            self._streams.pop(stream, None)
            await trio.aclose_forcefully(stream)
