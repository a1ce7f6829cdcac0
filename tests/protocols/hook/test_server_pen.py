"""The pen itself, held by hand: pictures whose claim is lost while they wait.

Only an interrupted handler brings such a picture about, so here the server is
led: it runs what the test gives it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from sim.protocols.hook.server import Server
from sim.protocols.hook.server.line import Picture
from sim.protocols.hook.server.tasks import CloseOut, Round
from tests.protocols.hook.server_play import Play, failed_task

Deed = Callable[[Any], Awaitable[None]]


class Led(Server):
    """A server that also does what the test says."""

    __slots__ = ()

    async def on_act(self, act: Any) -> None:
        await act(self)


class LedPlay(Play):
    """A world with such a server."""

    def add_hosts(self) -> None:
        super().add_hosts()
        self.world.hosts["S"].factory = lambda port: Led(port, self.plan)

    def lead(self, deed: Deed, seconds: float = 0.1) -> None:
        """The server does this, and some time passes."""
        self.world.act("S", deed)
        self.run(seconds)

    def round(self, request: str) -> Round:
        """A round in the server's memory."""
        actor: Any = self.world.hosts["S"].actor
        found = actor.memory.routes[request]
        assert type(found) is Round
        return found


def reopened() -> tuple[LedPlay, str]:
    """A round of a failed task runs, and its first snapshot takes the channel 5 s."""
    play = LedPlay()
    failed = failed_task(play)
    play.reopen("K1", failed)
    play.channel("edit", "latency", 5)
    play.progress("K1", "slow", wait=0.1)
    return play, failed


def test_a_picture_without_a_claim_does_not_push_out_the_one_that_waits() -> None:
    play, failed = reopened()
    play.end("K1", "ok", "done", wait=0.1)
    over = play.round("K1")

    async def late(server: Any) -> None:
        claim = CloseOut(over)
        await server._writing.show(over.line, Picture(claim, "torn", "INTERRUPTED", final=True))

    play.lead(late, 30)
    assert play.shows(failed) == ("OK", "done")
    assert [note["request"] for note in play.notes("close-out-dropped")] == ["K1"]


def test_a_close_out_that_loses_its_claim_while_it_waits_is_dropped_and_noted() -> None:
    play, failed = reopened()
    over = play.round("K1")
    claim = CloseOut(over)

    async def torn(server: Any) -> None:
        over.line.claim = claim
        await server._writing.show(over.line, Picture(claim, "torn", "INTERRUPTED", final=True))

    async def taken(server: Any) -> None:
        over.line.claim = over

    play.lead(torn)
    play.lead(taken, 30)
    assert "INTERRUPTED" not in play.chips(failed)
    assert len(play.notes("close-out-dropped")) == 1
