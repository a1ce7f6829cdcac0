"""How a search is wanted: what the command line said, and how to say it again."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from sim.world.fault import Budget

DEFAULT_SECONDS = 60.0
DEFAULT_STRATEGY = "portfolio"
DEFAULT_DEVIATIONS = 2


@attrs.frozen
class SearchWish:
    """``seconds`` are for all scenarios together, ``most`` schedules for each of them."""

    without: tuple[str, ...] = ()
    faults: Budget | None = None
    most: int | None = None
    seconds: float = DEFAULT_SECONDS
    seed: int | None = None
    everything: bool = False
    strategy: str = DEFAULT_STRATEGY
    deviations: int = DEFAULT_DEVIATIONS
    jobs: int = 1
    engine: str = ""
    save: Path | None = None
    blame: bool = False
    as_json: bool = False

    def command(self, scenario: str, *, seed: int | None = None, save: str = "") -> str:
        """What to paste to search again; ``seed``, ``save``: with this instead."""
        words = ["hooktwin", "explore", scenario]
        for rule in self.without:
            words += ["--without", rule]
        if self.faults is not None:
            words += ["--faults", faults_text(self.faults)]
        seed = self.seed if seed is None else seed
        numbers = {"--seed": seed, "--max-schedules": self.most}
        for option, value in numbers.items():
            words += [] if value is None else [option, str(value)]
        words += self._changed()
        folder = save or (str(self.save) if self.save is not None else "")
        words += ["--save", folder] if folder else []
        return shlex.join(words)

    def _changed(self) -> list[str]:
        """The options that are not as usual."""
        words = [] if self.seconds == DEFAULT_SECONDS else ["--seconds", f"{self.seconds:g}"]
        words += [] if self.strategy == DEFAULT_STRATEGY else ["--strategy", self.strategy]
        if self.deviations != DEFAULT_DEVIATIONS:
            words += ["--deviations", str(self.deviations)]
        words += [] if self.jobs == 1 else ["--jobs", str(self.jobs)]
        words += ["--engine", self.engine] if self.engine else []
        words += ["--all"] if self.everything else []
        words += ["--blame"] if self.blame else []
        return words


def faults_text(budget: Budget) -> str:
    """A budget as ``--faults`` takes it; "" when there is none."""
    counts = attrs.asdict(budget)
    return ",".join(f"{word}:{count}" for word, count in counts.items() if count)
