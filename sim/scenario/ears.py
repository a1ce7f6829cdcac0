"""Who hears what is said without frames, by protocol: for traces, where no stage is at hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from sim.core.event import Event
from sim.core.trace import Header
from sim.scenario.playing.ear import Ear

Hosts = Sequence[tuple[str, str]]
"""(name, kind) of all hosts of a run."""


def _question(hosts: Hosts) -> Ear:
    from sim.protocols.question.constants import STORE, STORE_FILE
    from sim.scenario.stages.question_ear import QuestionEar

    store = next((name for name, kind in hosts if kind == STORE), STORE)
    return QuestionEar(store, STORE_FILE)


_EARS: Final[Mapping[str, Callable[[Hosts], Ear]]] = {"question": _question}


def ear_of(protocol: str, hosts: Hosts) -> Ear | None:
    """What hears a run of this protocol; None where all that is said is framed."""
    make = _EARS.get(protocol)
    return None if make is None else make(hosts)


def services_of(header: Header) -> tuple[str, ...]:
    """The hosts of a recording that are real services: puppets play them again."""
    if header.protocol != "question":
        return ()
    from sim.scenario.stages.question_record import SERVICES

    return tuple(n for n, kind in header.hosts if kind in SERVICES and kind in header.outside)


def retold(events: Iterable[Event], services: Sequence[str]) -> Iterator[tuple[int, int, str, Any]]:
    """What they did, as acts: before which event, when (µs), who, what."""
    from sim.scenario.stages.question_record import retold as acts

    return acts(events, services)


def ahead_us(events: Iterable[Event]) -> int:
    """How much the clocks of such a recording were ahead of those of a run (µs)."""
    from sim.scenario.stages.question_record import ahead_us as ahead

    return ahead(events)


def decides(protocol: str, kind: str, name: str) -> bool:
    """Whether a host of this kind that says this does what any program in its place would.

    What else a real program says, or a twin that answers one, is its own way: it may look
    more often, edit another message, or say the same in another order.
    """
    return name in _DECISIVE.get((protocol, kind), ())


_DECISIVE: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {
    ("question", "hook"): ("sendMessage",),
    ("question", "listener"): (
        "POST /question/{requestID}/reply",
        "POST /question/{requestID}/reject",
    ),
}
