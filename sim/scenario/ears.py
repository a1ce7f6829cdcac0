"""Who hears what is said without frames, by protocol: for traces, where no stage is at hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

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


def decides(protocol: str, kind: str, name: str) -> bool:
    """Whether a host of this kind that says this does what any program in its place would.

    What else a real program says is its own way: it may look more often, edit another
    message, or say the same in another order.
    """
    return name in _DECISIVE.get((protocol, kind), ())


_DECISIVE: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {
    ("question", "hook"): ("sendMessage",),
    ("question", "listener"): (
        "POST /question/{requestID}/reply",
        "POST /question/{requestID}/reject",
    ),
}
