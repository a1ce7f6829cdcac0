"""Where traffic departs from the diagram that a proxy follows, told while it can be seen."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any, Final

from sim.live.proxy_book import Seen
from sim.scenario.syntax import Arrow

AHEAD: Final = 50
"""How many of the next arrows are asked whether a frame belongs to them."""
MOST_TOLD: Final = 1_000
HEARTBEAT: Final = ("ping", "pong")

Compare = Callable[[Arrow], dict[str, Any] | str | None]
"""The names that an arrow would bind; why the frame differs; None: it is another frame."""


class Departures:
    """Tells of each awaited arrow what came instead, once for each way to differ."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._told: dict[str, None] = {}

    def look(
        self, seen: Seen, awaited: Iterable[Arrow], coming: Iterable[Arrow], compare: Compare
    ) -> None:
        """A frame came that no awaited arrow takes. ``coming`` are they and all behind them."""
        if seen.type in HEARTBEAT:
            return
        waiting = list(awaited)
        for arrow in waiting:
            found = compare(arrow)
            if isinstance(found, str):
                self._say(arrow, seen, f"it came, but {found}")
        if not waiting or any(compare(arrow) is not None for arrow in waiting):
            return
        lines = {arrow.line for arrow in waiting}
        for arrow in islice(coming, AHEAD):
            if arrow.line not in lines and isinstance(compare(arrow), dict):
                self._say(waiting[0], seen, f"line {arrow.line} came first: {arrow.text}")
                return

    def _say(self, arrow: Arrow, seen: Seen, what: str) -> None:
        key = f"{arrow.line} {what}"
        if key in self._told or len(self._told) >= MOST_TOLD:
            return
        self._told[key] = None
        at = f"at {seen.at_us / 1e6:.3f} s"
        self._tell(f"line {arrow.line} still waits for {arrow.text}: {at} {what}")
