"""Coverage: which frame reached whom in which state, over which kind of connection; and what
came of which request over HTTP, as things stood then."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from sim.core.entropy import origin
from sim.core.event import CallAnswered, FrameDelivered
from sim.core.http import HttpRequest, HttpResponse, Unreached

if TYPE_CHECKING:
    from sim.scenario.playing.play import Run
    from sim.world.link import Link
    from sim.world.world import World


class Situations:
    """Collects during a run. A situation is one of 64-bit many; equal ones are equal anywhere."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._seen: dict[int, None] = {}
        run.world.watch(FrameDelivered, self._on_delivered)
        run.world.watch(CallAnswered, self._on_answered)

    def seen(self) -> frozenset[int]:
        """All situations of this run."""
        return frozenset(self._seen)

    def _on_delivered(self, event: FrameDelivered) -> None:
        run = self._run
        frame = run.world.events[event.sent].frame  # type: ignore[attr-defined]
        kind = run.world.hosts[event.receiver].kind
        state = run.stage.situation(event.receiver, frame)
        link = _link_state(run.world, event.link)
        self._seen[_number(f"{kind} {state} {event.type} {link}")] = None

    def _on_answered(self, event: CallAnswered) -> None:
        run = self._run
        request = run.world.events[event.call].request  # type: ignore[attr-defined]
        if isinstance(request, HttpRequest):
            kind, came = run.world.hosts[event.caller].kind, _came(event.reply)
            words = f"{kind} {run.stage.situation_now()} {request.word} {came}"
            self._seen[_number(words)] = None


def _came(reply: object) -> str:
    """What came of a request: a status, or why there was none."""
    if isinstance(reply, HttpResponse):
        return str(reply.status)
    return reply.why if isinstance(reply, Unreached) else "no answer"


def _link_state(world: World, name: str) -> str:
    link = world.links.get(name)
    if link is None:
        return "gone"
    words = [word for word, is_so in _states(world, link) if is_so]
    return " ".join(words) or "open"


def _states(world: World, link: Link) -> tuple[tuple[str, bool], ...]:
    older = any(
        other.lane == link.lane
        and other.client.host == link.client.host
        and other.generation < link.generation
        for other in world.links.values()
    )
    return (
        ("closing", not (link.client.is_open and link.server.is_open)),
        ("silent", link.silent),
        ("held", link.client.held or link.server.held),
        ("replaced", older),
        ("again", link.generation > 1),
    )


@lru_cache(maxsize=1 << 16)
def _number(words: str) -> int:
    number = origin(0, words)
    _WORDS[number] = words
    return number


_WORDS: dict[int, str] = {}


def told(number: int) -> str:
    """A situation in words (who, state, frame or request, how); "" if another process met it."""
    return _WORDS.get(number, "")
