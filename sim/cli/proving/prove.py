"""``hooktwin rules --check``: a watcher counts only if it has been seen to complain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from sim.cli.proving.lessons import LESSONS, lesson
from sim.cli.proving.watchers import Watched, oracles, watched
from sim.protocols.mutant import Mutant
from sim.protocols.proven import broken_by, proven

if TYPE_CHECKING:
    from sim.scenario.playing.result import Result

PROVEN = "proven"
FAILED = "failed"
OPEN = "not proven yet"
UNWATCHED = "not watched"


@attrs.frozen
class Proof:
    """One attempt to make a watcher complain.

    ``watcher`` is an invariant's name, or a row with ``parser`` or ``trial`` before
    it; ``run`` gives what is wrong, "" when the watcher did complain (and is
    silent where nothing is wrong).
    """

    name: str
    watcher: str
    run: Callable[[], str] = attrs.field(repr=False)


@attrs.frozen
class RowVerdict:
    """What came of a row: its state, and what is wrong or missing."""

    id: str
    state: str
    proofs: tuple[str, ...]
    notes: tuple[str, ...] = ()


@attrs.define
class Proving:
    """The proofs of some rows, and what came of them so far.

    ``done`` maps a proof's name to what is wrong ("": proven).
    """

    rows: Mapping[str, Watched]
    proofs: tuple[Proof, ...]
    done: dict[str, str] = attrs.field(factory=dict)
    interrupted: bool = False
    out_of_time: bool = False

    def run(self, is_over: Callable[[], bool], tell: Callable[[Proof], Any]) -> None:
        """Try them one after the other; an interruption keeps what was done."""
        try:
            for proof in self.proofs:
                if is_over():
                    self.out_of_time = True
                    return
                tell(proof)
                self.done[proof.name] = _tried(proof)
        except KeyboardInterrupt:
            self.interrupted = True

    def verdicts(self) -> Iterator[RowVerdict]:
        """One for each row."""
        for one in self.rows.values():
            yield self._verdict(one)

    def _verdict(self, one: Watched) -> RowVerdict:
        if not one.is_watched:
            return RowVerdict(one.row.id, UNWATCHED, (), (one.why_no_mutant,))
        mine = [proof for proof in self.proofs if proof.watcher in _watchers(one)]
        proven = tuple(p.name for p in mine if self.done.get(p.name) == "")
        wrong = [fault for p in mine if (fault := self.done.get(p.name))]
        missing = self._silent(one, mine)
        if wrong or missing:
            return RowVerdict(one.row.id, FAILED, proven, (*wrong, *missing))
        return RowVerdict(one.row.id, PROVEN if proven else OPEN, proven)

    def _silent(self, one: Watched, mine: Iterable[Proof]) -> list[str]:
        """Watchers of a row that nothing can make complain."""
        tried = {proof.watcher for proof in mine}
        return [
            f"nothing makes {name} complain: it needs a mutant or a tale"
            for name in one.invariants
            if name not in tried
        ]

    def untried(self) -> int:
        """How many proofs there was no time for."""
        return len(self.proofs) - len(self.done)


def _tried(proof: Proof) -> str:
    """What came of a proof; one that raises has not made anybody complain."""
    try:
        return proof.run()
    except Exception as error:
        return f"{proof.name} raises {type(error).__name__}: {error}"


def _watchers(one: Watched) -> tuple[str, ...]:
    """The keys of a row's proofs."""
    return (*one.invariants, f"parser {one.row.id}", f"trial {one.row.id}")


def plan(rows: Iterable[str] | None = None) -> Proving:
    """Everything that can be tried for these rows (None: all): the quick proofs first."""
    chosen = {id: watched()[id] for id in (watched() if rows is None else rows)}
    quick: dict[str, Proof] = {}
    wanted: dict[str, None] = {}
    for one in chosen.values():
        wanted.update(dict.fromkeys(one.invariants))
        for number, check in enumerate(one.frames):
            name = f"{one.row.id} {check.name} ({number + 1})"
            quick[name] = Proof(name, f"parser {one.row.id}", check.fault)
        for trial in one.trials:
            quick[trial.name] = Proof(trial.name, f"trial {one.row.id}", trial.fault)
    for told in (tale for one in proven() for tale in one.tales):
        if told.invariant in wanted:
            quick[told.name] = Proof(told.name, told.invariant, _tale(told))
    have = {proof.watcher for proof in quick.values()}
    mutants = [m for one in proven() for m in one.mutants if m.caught_by in wanted]
    slow = [Proof(mutant.name, mutant.caught_by, _mutant(mutant)) for mutant in mutants]
    slow.sort(key=lambda proof: proof.watcher in have)
    return Proving(chosen, (*quick.values(), *slow))


def _tale(told: Any) -> Callable[[], str]:
    def run() -> str:
        judge: Any = oracles()[told.invariant]
        fault: str = told.fault(judge)
        return fault

    return run


def _mutant(mutant: Mutant) -> Callable[[], str]:
    def run() -> str:
        if _is_noticed(mutant):
            return ""
        return f"{mutant.caught_by} does not notice the mutant {mutant.name}: {mutant.what}"

    return run


def is_noticed_in_a_story(mutant: Mutant) -> bool:
    """By the run that a rule or a lesson names, where there is one: it is quick."""
    for told in _stories(mutant):
        if any(broken.invariant == mutant.caught_by for broken in told.violations):
            return True
    return False


def _is_noticed(mutant: Mutant) -> bool:
    """By a story, else by storms."""
    if is_noticed_in_a_story(mutant):
        return True
    if mutant.needs in LESSONS:
        return False
    from sim.cli.proving.mutants import seeds_until_noticed

    return seeds_until_noticed(mutant) > 0


def _stories(mutant: Mutant) -> Iterator[Result]:
    """Runs in which a rule that is off goes wrong."""
    from sim.play import load, play

    for name in (mutant.needs, mutant.rule):
        if name in LESSONS:
            yield lesson(name, mutant.rule)
    found = broken_by(mutant.rule)
    if found is not None:
        name, seed = found
        yield play(load(name), seed=seed, without=[mutant.rule], driver="step")
