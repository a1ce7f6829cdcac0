"""Storms and stories around a question bridge with a mutant in them."""

from __future__ import annotations

from typing import Any, Final

from sim.cli.proving.making import making
from sim.cli.proving.question_edges import STORIES, EdgeStorm
from sim.cli.proving.question_storm import WEATHERS, QuestionStorm, Weather
from sim.protocols.mutant import Mutant
from sim.protocols.question.constants import HOOK, LISTENER, OPENCODE, STORE, TELEGRAM
from sim.protocols.question.hook.twin import Hook
from sim.protocols.question.listener.actor import Listener
from sim.protocols.question.mutants_listener import RAISING
from sim.protocols.question.opencode.twin import OpenCode
from sim.protocols.question.store.file import StoreFile
from sim.protocols.question.telegram.actor import BotApi

SIDES: Final[dict[type[Any], str]] = {
    Hook: HOOK,
    Listener: LISTENER,
    OpenCode: OPENCODE,
    StoreFile: STORE,
    BotApi: TELEGRAM,
}
SURROUNDINGS: Final = {
    "disk": Weather(disk=150, http=20),
    "two-listeners": Weather(second=True, crash=20),
    "private": Weather(private=True),
    "slow": Weather(http=400, slow=True),
    "raising": Weather(crash=0),
}
"""What a mutant may need: much of something."""


def storm_with(mutant: Mutant, seed: int) -> QuestionStorm:
    """A storm, or the story that it needs, in which one side has the mutant in it."""
    make = making(mutant, SIDES, RAISING if mutant.needs == "raising" else None)
    off = (mutant.rule,) if mutant.rule else ()
    if mutant.needs in STORIES:
        return EdgeStorm(STORIES[mutant.needs], off=off, make=make)
    weather = SURROUNDINGS.get(mutant.needs, WEATHERS[seed % len(WEATHERS)])
    return QuestionStorm(seed, off=off, weather=weather, make=make)
