"""What a check says in the end: one verdict for each rule, and what was wrong where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final

import attrs
import msgspec

from sim.check.entry import BadLine
from sim.check.judge import Finding
from sim.check.window import Disorder
from sim.core.invariant import Invariant

KEPT: Final = "kept"
BROKEN: Final = "broken"
NOT_SEEN: Final = "not seen"
NOT_JUDGED: Final = "not judged"


class Located(msgspec.Struct, frozen=True, gc=False):
    """A finding and where it stands. ``sections`` are those of the protocol's document."""

    file: str
    line: int
    finding: Finding
    sentence: str
    sections: tuple[str, ...]

    @property
    def place(self) -> str:
        """As compilers write it."""
        return f"{self.file}:{self.line}"

    def to_json(self) -> dict[str, Any]:
        """For ``--json``."""
        one = self.finding
        return {
            "file": self.file,
            "line": self.line,
            "rule": one.rule,
            "side": one.side,
            "kind": "wire" if one.is_wire else "rule",
            "text": one.text,
            "path": one.path,
            "sentence": self.sentence,
            "catalogue": list(one.catalogue),
            "sections": list(self.sections),
            "connection": one.link,
            "at_s": round(one.at / 1e6, 6),
        }


@attrs.frozen
class RuleVerdict:
    """How a rule fared: ``seen`` counts the occasions, ``broken`` those that broke it."""

    rule: str
    side: str
    sentence: str
    verdict: str
    broken: int
    seen: int
    catalogue: tuple[str, ...]
    sections: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """For ``--json``."""
        return attrs.asdict(self)


@attrs.frozen
class Report:
    """All that is to be said of one log.

    ``is_of_calls``: what it counts are calls over HTTP and their callers, not frames on
    connections.
    """

    name: str
    form: str
    lines: int
    frames: int
    connections: int
    bad: tuple[BadLine, ...]
    found: tuple[Located, ...]
    rules: tuple[RuleVerdict, ...]
    disorder: Disorder
    notes: tuple[str, ...]
    is_of_calls: bool = False

    @property
    def is_clean(self) -> bool:
        """Whether no rule is broken, and no frame malformed."""
        return not self.found

    @property
    def is_readable(self) -> bool:
        """Whether there was something to judge: frames of which one knows who sent them."""
        return bool(self.frames and self.connections)

    def to_json(self) -> dict[str, Any]:
        """For ``--json``."""
        return {
            "file": self.name,
            "form": self.form,
            "ok": self.is_clean and self.is_readable,
            "lines": self.lines,
            "frames": self.frames,
            "connections": self.connections,
            "wire_faults": sum(one.finding.is_wire for one in self.found),
            "broken_rules": sum(one.verdict == BROKEN for one in self.rules),
            "bad_lines": [attrs.asdict(one) for one in self.bad],
            "disorder": attrs.asdict(self.disorder),
            "notes": list(self.notes),
            "findings": [one.to_json() for one in self.found],
            "rules": [one.to_json() for one in self.rules],
        }


def verdicts_of(
    invariants: Iterable[Invariant],
    found: Sequence[Located],
    silent: frozenset[str],
    sections: Any,
) -> tuple[RuleVerdict, ...]:
    """One verdict for each rule, in the order of the rules."""
    broken = Counter(one.finding.rule for one in found)
    return tuple(_verdict(one, broken[one.name], silent, sections) for one in invariants)


def _verdict(one: Invariant, broken: int, silent: frozenset[str], sections: Any) -> RuleVerdict:
    if broken:
        verdict = BROKEN
    elif one.name in silent or (one.undecided and not one.exercised):
        verdict = NOT_JUDGED
    else:
        verdict = KEPT if one.exercised else NOT_SEEN
    return RuleVerdict(
        one.name, one.obeyed_by, one.sentence, verdict, broken, max(one.exercised, broken),
        one.catalogue, sections(one.catalogue),
    )  # fmt: skip


def merged(reports: Sequence[Report]) -> tuple[RuleVerdict, ...]:
    """The verdicts on several logs as one: what was broken anywhere is broken."""
    order = (BROKEN, KEPT, NOT_JUDGED, NOT_SEEN)
    rules: dict[str, RuleVerdict] = {}
    for one in (rule for report in reports for rule in report.rules):
        before = rules.get(one.rule)
        if before is None:
            rules[one.rule] = one
            continue
        rules[one.rule] = attrs.evolve(
            before,
            verdict=min(before.verdict, one.verdict, key=order.index),
            broken=before.broken + one.broken,
            seen=before.seen + one.seen,
        )
    return tuple(rules.values())
