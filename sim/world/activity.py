"""One running call of a handler, and how it is moved along."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from sim.core.errors import LocalProtocolError

if TYPE_CHECKING:
    from sim.world.call import PendingCall
    from sim.world.host import Host
    from sim.world.item import Item


class Suspended:
    """The marker that an op gives back when its handler has to wait."""


SUSPENDED = Suspended()


class Activity:
    """A handler in progress.

    ``cause`` is the event that moved it last, ``call`` the API call that it
    answers (its return value is the reply), ``pause`` the end of its Sleep,
    ``task`` the driver's own business. ``started``: it has run up to its first
    op; ``parked``: its host knows it as waiting.
    """

    __slots__ = (
        "call", "cause", "coro", "epoch", "host", "name", "ops", "origin", "parked", "pause",
        "started", "task",
    )  # fmt: skip

    def __init__(
        self,
        host: Host,
        coro: Coroutine[Any, Any, Any],
        name: str,
        cause: int,
    ) -> None:
        self.host = host
        self.epoch = host.epoch
        self.coro = coro
        self.name = name
        self.cause = cause
        self.call: PendingCall | None = None
        self.pause: Item | None = None
        self.task: Any = None
        self.started = False
        self.parked = False
        # For a helm: what began it, and how many ops it has performed.
        self.origin: str | None = None
        self.ops = 0

    def alias(self, symbol: Callable[[str, str], str]) -> str:
        """Host and handler, for a helm; what stands behind the first word may be a drawn id."""
        host = self.host.name
        word, _, rest = self.name.partition(" ")
        return f"{host}.{word} {symbol(f'{host} {word}', rest)}" if rest else f"{host}.{word}"

    def drop(self) -> None:
        """The host crashed: throw the handler away."""
        try:
            self.coro.close()
        except RuntimeError as error:
            raise LocalProtocolError(
                f"{self.host.name}/{self.name} awaits while it is being dropped; "
                "no finally block of a handler may await"
            ) from error

    def __repr__(self) -> str:
        return f"<{self.host.name}/{self.name}>"
