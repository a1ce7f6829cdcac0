"""Storms around a relay with a mutant in them."""

from __future__ import annotations

from typing import Any, Final

from sim.cli.proving.making import making
from sim.cli.proving.relay_storm import WEATHERS, RelayStorm, Weather
from sim.protocols.mutant import Mutant
from sim.protocols.relay.constants import CONTROLLER, NODE, RELAY
from sim.protocols.relay.controller import Controller
from sim.protocols.relay.mutants_relay import GHOSTS, PINGING
from sim.protocols.relay.node import Node
from sim.protocols.relay.relay.endpoint import Relay

SIDES: Final[dict[type[Any], str]] = {Relay: RELAY, Node: NODE, Controller: CONTROLLER}
SURROUNDINGS: Final = {
    "listening": Weather(listening=60, cut=10, crash=4, nodes=300),
    "wrong": Weather(wrong=500),
    "comings": Weather(comings=140, cut=80, crash=40),
    "keyed": Weather(keyed=80, crash=60, cut=60),
    "frozen": Weather(frozen=80, deeds=80, seconds=150, comings=4, cut=4, crash=4),
    "ghosts": Weather(listening=60, cut=10, crash=4, nodes=300),
    "busy": Weather(deeds=400, seconds=60, cut=4, crash=4),
    "tests": Weather(listening=40, cut=4, crash=2, frame=4, deeds=250),
}
"""What a mutant may need: much of something."""
STRANGE: Final = {one.name: one for one in (PINGING, GHOSTS)}
"""Or a strange relay."""


def storm_with(mutant: Mutant, seed: int) -> RelayStorm:
    """A storm in which one side has the mutant in it."""
    make = making(mutant, SIDES, STRANGE.get(mutant.needs))
    off = (mutant.rule,) if mutant.rule else ()
    weather = SURROUNDINGS.get(mutant.needs, WEATHERS[seed % len(WEATHERS)])
    return RelayStorm(seed, off=off, weather=weather, make=make)
