"""Oracles: named sentences about what was sent, shown and stored.

An invariant never reads an actor's fields. It names the events that it wants,
gets each at the moment it is recorded (dispatched by kind: none is asked
after every event), and says what is wrong in one sentence. ``always``
invariants speak up at once, ``eventually`` ones at the end of the run, and
``sometimes`` shows that a run exercised the rule at all, so that silence
means something.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, ClassVar, TypeAlias

import attrs

from sim.core.dispatch import Judges, plan_for
from sim.core.event import Event

Handler: TypeAlias = Callable[[Any], str | None]


@attrs.frozen
class Violation:
    """A broken invariant. ``step`` is the number of the event that broke it."""

    invariant: str
    step: int
    text: str


class Invariant:
    """Base of the oracles.

    ``name`` as schedules and scenarios write it, ``sentence`` what must be
    true, ``catalogue`` the rows of the rule catalogue that it watches,
    ``obeyed_by`` the kind of host that can break it (it is not judged when all
    hosts of that kind are puppets). ``from_frames``: connections and frames alone show
    whether it holds, whoever the hosts are and whatever they store. ``ALIKE``: all
    instances of a class give methods of theirs, and the same ones, as handlers; a
    monitor then asks one instance per process and not one per run. ``WRITER``: the end of a
    connection, client or server, whose ``FrameSent`` are all that it looks at ("": both), and
    ``ONLY_FIRST`` that the first frame of that end is: whoever knows the end and the number
    may leave out the others. ``IN_CALM``: what a calm frame adds to ``exercised``, of which
    there is nothing else to say (its view knows which are calm); None: it has to be asked.
    ``ON_ALERT``: of ``FrameSent`` it wants only those on a connection whose ``alerts`` it has
    counted up in the view. ``EVERY``: it judges one in so many of what it could, once it has
    seen a few; 1 judges all.
    ``exercised`` counts the occasions on which the rule was put to the test, ``undecided``
    those whose deadline has not come. ``news``: (word, fact) of what its view found new with
    the event that it has folded last; see :meth:`hears_news`.
    """

    name: ClassVar[str]
    sentence: ClassVar[str]
    catalogue: ClassVar[tuple[str, ...]] = ()
    obeyed_by: ClassVar[str] = ""
    from_frames: ClassVar[bool] = False
    ALIKE: ClassVar[bool] = False
    WRITER: ClassVar[str] = ""
    ONLY_FIRST: ClassVar[bool] = False
    IN_CALM: ClassVar[int | None] = None
    ON_ALERT: ClassVar[bool] = False

    EVERY: int = 1
    exercised: int = 0
    undecided: int = 0
    news: Sequence[tuple[str, Any]] = ()

    def handlers(self) -> Mapping[type[Event], Handler]:
        """Which events it wants; a handler returns what is wrong, or None."""
        return {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        """The same for one sort of such events (see ``dispatch.SORTS``):
        ``(FrameSent, "turn.end")``."""
        return {}

    def hears_news(self) -> Mapping[type[Event], Collection[str]]:
        """Of which kinds of :meth:`handlers` it has to hear only what is new, by the words
        that the view has for it."""
        return {}

    def at_end(self) -> Iterator[str]:
        """What never came true, asked once when the run is over and settled."""
        return iter(())


class Monitor:
    """Feeds events to invariants and keeps what broke, first per invariant."""

    def __init__(self, invariants: list[Invariant]) -> None:
        self.invariants = invariants
        self.violations: list[Violation] = []
        self._broken: dict[str, None] = {}

    def attach(self, watch: Callable[[type[Event], Callable[[Any], None]], None]) -> None:
        """Subscribe to each kind of event that some invariant wants (``World.watch``)."""
        for kind, row in plan_for(self.invariants).items():
            watch(kind, self._watcher(Judges(row, self.invariants)))

    def _watcher(self, judges: Judges) -> Callable[[Any], None]:
        """One function per kind of event: this runs hotter than anything else."""
        key = judges.key
        if key is None:
            only = judges[None]

            def watch_all(event: Any) -> None:
                for handler in only:
                    text = handler(event)
                    if text is not None:
                        self._break(judges.owner(None, handler), event.n, text)

            return watch_all

        def watch(event: Any) -> None:
            for handler in judges[key(event)]:
                text = handler(event)
                if text is not None:
                    self._break(judges.owner(key(event), handler), event.n, text)

        return watch

    def finish(self, step: int) -> None:
        """The run is over: ask for what never came true."""
        for invariant in self.invariants:
            self.finish_one(invariant, step)

    def finish_one(self, invariant: Invariant, step: int) -> None:
        """The same for one of them."""
        for text in invariant.at_end():
            self._break(invariant, step, text)

    def _break(self, invariant: Invariant, step: int, text: str) -> None:
        if invariant.name not in self._broken:
            self._broken[invariant.name] = None
            self.violations.append(Violation(invariant.name, step, text))
