"""Storms with a mutant in them: how long does it take until its invariant speaks up?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from sim.cli.proving.gale import Gale
from sim.cli.proving.lane_storm import LaneStorm
from sim.cli.proving.making import making
from sim.cli.proving.storm import Storm, Weather
from sim.cli.proving.wild import WILD
from sim.protocols.hook.desktop import Desktop
from sim.protocols.hook.server import Server
from sim.protocols.mutant import Mutant
from sim.protocols.proven import proven_by

SIDES: Final[dict[type[Any], str]] = {Server: "server", Desktop: "desktop"}
LESSONS = (
    "colliding-reopen", "foreign-frames", "reopened-after-a-cut", "late-answer",
    "half-open-session", "slow-event",
)  # fmt: skip
"""What a mutant may need and no storm has: a desktop that breaks the protocol on purpose."""

WEATHERS = (
    Weather(),
    Weather(deeds=150, seconds=200),
    Weather(cut=0, crash=0, frame=0, channel=0, sleep=0),
    Weather(cut=120, crash=0, sleep=0, channel=120),
    Weather(frame=0, cut=150, crash=80),
    Weather(deeds=120, seconds=30, cut=100, channel=100),
    Weather(deeds=80, crash=120, cut=100, absent_s=4),
)


def storm_with(mutant: Mutant, seed: int) -> Storm:
    """A storm in which one side has the mutant in it."""
    weather = WEATHERS[seed % len(WEATHERS)]
    if mutant.needs == "absence":
        weather = Weather(deeds=80, crash=120, cut=100, absent_s=4)
    if mutant.needs == "many-sessions":
        calm = Weather(deeds=120, cut=10, crash=0)
        return LaneStorm(seed, off=(mutant.rule,), weather=calm, chatty=True)
    kind = LaneStorm if mutant.needs in ("lanes", "wild-server") else Storm
    return kind(
        seed,
        off=(mutant.rule,) if mutant.rule else (),
        weather=weather,
        make=making(mutant, SIDES, WILD if mutant.needs == "wild-server" else None),
        features=() if mutant.needs == "no-reopen" else ("turn-reopen-v1",),
    )


def _of_relay(mutant: Mutant, seed: int) -> Gale:
    from sim.cli.proving import relay_mutants

    return relay_mutants.storm_with(mutant, seed)


def _of_question(mutant: Mutant, seed: int) -> Gale:
    from sim.cli.proving import question_mutants

    return question_mutants.storm_with(mutant, seed)


_STORMS: Final[Mapping[str, Callable[[Mutant, int], Gale]]] = {
    "hook": storm_with,
    "relay": _of_relay,
    "question": _of_question,
}


def storm_of(mutant: Mutant, seed: int) -> Gale:
    """A storm of the mutant's protocol, with the mutant in it."""
    return _STORMS[proven_by(mutant).name](mutant, seed)


def seeds_until_noticed(mutant: Mutant) -> int:
    """The number of storms that it took; 0 when the budget did not do."""
    for seed in range(mutant.seeds):
        storm = storm_of(mutant, seed)
        storm.run()
        if mutant.caught_by in storm.broken():
            return seed + 1
    return 0
