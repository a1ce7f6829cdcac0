"""A listening socket of a served HTTP twin: requests of outside programs go into the world.

While the twin's host is down its machine refuses connections, and resets those there are.
What a fault does to a call of the world happens to the real one: a reset is an RST, a
lost answer never comes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import trio

from sim.core.http import HttpResponse
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
        self._tell = tell
        self._gate = Gate(world, host, nursery, self._receive, self._broke)
        self._bound = ""

    async def open(self, address: str, port: int) -> int:
        """Listen; gives the port. Raises UsageError when it is taken."""
        self._bound = address
        return await self._gate.open(port, self._host, address)

    def _broke(self, error: BaseException) -> None:
        self._tell(f"a connection to {self._host} broke: {type(error).__name__}")

    def _judge(self, headers: Mapping[str, str]) -> HttpResponse | None:
        """Web pages must not reach what their reader has on this machine."""
        if "origin" in headers:
            return HttpResponse(403, {"error": "requests of web pages are not taken"})
        if not is_of_this_machine(headers.get("host", ""), self._bound):
            return HttpResponse(403, {"error": "the Host header is not this machine"})
        return None

    async def _receive(self, stream: trio.SocketStream) -> None:
        await Conversation(stream, self._ask, abort, self._judge).run()
