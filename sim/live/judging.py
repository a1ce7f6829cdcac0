"""Findings while a live run goes on: what the twin breaks, and what outside programs send wrong.

The twin is judged by all invariants, as in a simulation. An outside program is
judged by its frames: those invariants that need nothing else, refused frames,
and frames that only the other side may send.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from functools import partial
from typing import Any

import attrs

from sim.check.protocols import Judged, invariants_of, judged
from sim.check.said import Said
from sim.core.event import BadFrame, Event, FrameSent
from sim.core.invariant import Invariant, Monitor
from sim.world.world import World

KEPT = 1_000


@attrs.frozen
class Finding:
    """Something that is wrong. ``n`` is the event that showed it, ``side`` who has to obey."""

    rule: str
    side: str
    sentence: str
    text: str
    n: int
    at_us: int
    catalogue: tuple[str, ...] = ()

    def line(self) -> str:
        """For a log: where, which rule, what happened, what must be true."""
        return (
            f"step {self.n} at {self.at_us / 1e6:.3f} s: {self.rule} ({self.side}): {self.text}\n"
            f"  rule: {self.sentence}"
        )


class _Breaks(Monitor):
    """Tells of every break, not only of the first."""

    def __init__(self, invariants: list[Invariant], tell: Callable[..., None]) -> None:
        super().__init__(invariants)
        self._tell = tell

    def _break(self, invariant: Invariant, step: int, text: str) -> None:
        self._tell(invariant.name, invariant.obeyed_by, invariant.sentence, text, step,
                   invariant.catalogue)  # fmt: skip


class Findings:
    """Watches a world. ``kept`` are the newest findings, ``count`` is how many there were.

    ``twins`` are the oracles of what is simulated, ``outside`` the kinds of host (``desktop``,
    ``server``) that are judged by their frames alone; without ``by_frames`` there are none.
    """

    def __init__(
        self,
        world: World,
        protocol: str,
        twins: list[Invariant],
        outside: frozenset[str],
        tell: Callable[[Finding], None],
        *,
        by_frames: bool = True,
    ) -> None:
        self.kept: deque[Finding] = deque(maxlen=KEPT)
        self.broken: Counter[str] = Counter()
        self._is_closed = False
        self._world = world
        self._outside = outside
        self._tell = tell
        _Breaks(twins, self._found).attach(world.watch)
        if by_frames:
            self._judge_frames(judged(protocol))

    def _judge_frames(self, protocol: Judged) -> None:
        """What can be told by frames alone, where a protocol has frames."""
        world, outside = self._world, self._outside
        self._protocol = protocol
        view = self._protocol.view()
        self._said = said = Said(self._protocol, lambda host: world.hosts[host].kind)
        for kind in view.kinds:
            world.watch(kind, said.only(view.on))
        oracles = invariants_of(self._protocol, view, outside)
        watch = partial(_watch_said, world, said)
        _Breaks(oracles, self._found).attach(watch)
        world.watch(BadFrame, self._refused)
        world.watch(FrameSent, self._sent)

    @property
    def count(self) -> int:
        """How many findings there were, the forgotten ones included."""
        return sum(self.broken.values())

    def close(self) -> None:
        """The session ends now: that all connections do is nobody's behaviour any more."""
        self._is_closed = True

    def _found(
        self, rule: str, side: str, sentence: str, text: str, n: int, rows: tuple[str, ...] = ()
    ) -> None:
        if self._is_closed:
            return
        finding = Finding(rule, side, sentence, text, n, self._world.now, rows)
        self.kept.append(finding)
        self.broken[rule] += 1
        self._tell(finding)

    def _refused(self, event: BadFrame) -> None:
        """A frame that its receiver's parser refused."""
        link = self._world.links.get(event.link)
        kind = self._world.hosts[event.host].kind
        side = self._protocol.centre
        if kind == side:
            side = self._world.hosts[link.client.host].kind if link is not None else ""
        if side in self._outside:
            rule, rows = self._protocol.parsed[side]
            rows = self._protocol.rows_of(event.path, rows)
            self._found(rule, side, "Every frame passes the parser.", event.error, event.sent, rows)

    def _sent(self, event: FrameSent) -> None:
        """A frame that only the other side may send."""
        side = self._world.hosts[event.sender].kind
        if side in self._outside and self._said.is_misled(event):
            rule, rows = self._protocol.parsed[side]
            text = f"{event.frame.type} is not for a {side} to send"
            self._found(rule, side, "Each side sends its own frames.", text, event.n, rows)


def _watch_said(
    world: World, said: Said, kind: type[Event], watcher: Callable[[Any], None]
) -> None:
    world.watch(kind, said.only(watcher))
