"""From the events of a trace to a judge: the same frames, at the times at which they came."""

from __future__ import annotations

from collections.abc import Callable

from sim.check.entry import CLOSED, DELIVERED, DOUBLED, FAULT, FRAME, LOST, OPENED, Entry
from sim.check.judge import FrameJudge
from sim.check.window import Disorder


class TraceFeed:
    """Shows a judge the frames of a trace, with the times at which they arrived.

    ``struck`` hears of each fault by its name, for which no judge asks.
    """

    def __init__(
        self,
        judge: FrameJudge,
        struck: Callable[[int, str], None] | None = None,
    ) -> None:
        self._judge = judge
        self._struck = struck
        self._numbers: dict[int, int] = {}
        self._newest: dict[tuple[str, bool, int], int] = {}
        self.disorder = Disorder()
        self.lines: list[int] = []
        self.last_lines: dict[str, int] = {}
        self.passed_over = 0

    def push(self, entry: Entry) -> None:
        """The next event."""
        self._show(entry)
        lines, found = self.lines, len(self._judge.findings)
        while len(lines) < found:
            lines.append(entry.line)

    def _show(self, entry: Entry) -> None:
        judge, event, at = self._judge, entry.facts, int(entry.at or 0)
        if self._struck is not None and entry.what in (FAULT, DOUBLED):
            self._struck(at, event.fault)
        if entry.what is OPENED:
            judge.opened(at, entry.conn, event.client, event.server, event.lane)
        elif entry.what is FAULT:
            return
        elif entry.conn not in judge.links and not self._is_late_news(entry):
            self.passed_over += entry.what is FRAME
        elif entry.what is FRAME:
            self.last_lines[entry.conn] = entry.line
            number = judge.sent(at, entry.conn, bool(entry.up), entry.text)
            self._numbers[event.n] = number
            self._newest[entry.conn, bool(entry.up), event.nth] = number
        elif entry.what is CLOSED:
            judge.closed(at, entry.conn, event.by, event.code, event.reason)
        elif entry.what is DELIVERED:
            judge.delivered(at, entry.conn, self._numbers.get(event.sent, -1))
        elif entry.what is LOST:
            judge.lost(at, entry.conn, self._numbers.get(event.sent, -1), event.why)
        elif entry.what is DOUBLED:
            key = (entry.conn, bool(entry.up), event.nth)
            judge.duplicated(at, entry.conn, self._newest.get(key, -1))

    def _is_late_news(self, entry: Entry) -> bool:
        """Whether it tells what became of a frame, though one end has closed already."""
        return self._struck is not None and entry.what in (LOST, DELIVERED)

    def finish(self) -> None:
        """The trace is over. Nothing was held back."""
