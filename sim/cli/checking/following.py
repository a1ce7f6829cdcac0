"""A log that still grows, checked as its lines come."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sim.check.entry import BadLine
    from sim.check.verdict import Located, Report
    from sim.check.wanted import Wanted

LOOK_S = 0.1


def follow_until_interrupted(
    name: str, wanted: Wanted, tell: Callable[[str, Located | BadLine], None]
) -> Report:
    """Read on until Ctrl-C (or the end of a stream). → what is to be said then.

    Raises UsageError for a file that cannot be read.
    """
    from sim.check.checking import log_for
    from sim.check.reading import peek
    from sim.check.source import STDIN, follow, open_log, stream

    start = b""
    if name != STDIN:
        with open_log(name) as file:
            start = peek(name, file)
    log = log_for(name, wanted, tell, start)
    try:
        for line in stream() if name == STDIN else follow(name, _wait):
            if line is None:
                log.settle()
            else:
                log.read(*line)
    except KeyboardInterrupt:
        pass
    return log.finish()


def _wait() -> None:
    time.sleep(LOOK_S)
