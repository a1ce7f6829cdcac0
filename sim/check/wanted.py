"""What a check is to judge: which protocol, which rules."""

from __future__ import annotations

import attrs

from sim.check.exchange_protocols import EXCHANGED, Exchanged, exchanged
from sim.check.protocols import JUDGED, Judged, judged


@attrs.frozen
class Wanted:
    """What is to be judged.

    ``protocol`` None: whichever the frames speak. ``rules`` are the names of the only rules
    that count, or rows of the catalogue (``HK-06``);
    ``only_wire``: the form of frames and nothing else, ``only_rules``: the rest;
    ``from_middle``: what came before the log's first line is not known.
    """

    protocol: str | None = None
    rules: tuple[str, ...] = ()
    only_wire: bool = False
    only_rules: bool = False
    from_middle: bool = False


def check_rules(wanted: Wanted) -> None:
    """Raises UsageError for a rule that no protocol has which may be spoken."""
    names = [wanted.protocol] if wanted.protocol else [*JUDGED, *EXCHANGED]
    records: list[Judged | Exchanged] = [exchanged(name) or judged(name) for name in names]
    for word in wanted.rules:
        if not any(record.knows(word) for record in records):
            records[0].named([word])
