"""The sequence diagram of a run."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping

from sim.view.scene import Scene
from tui.drawing import lanes
from tui.drawing.lines import Line, Span
from tui.matching import Matching
from tui.session import Session
from tui.widgets.step_view import FAR, StepView

CROWDED = 9
"""Columns that a lane needs at least."""


class DiagramView(StepView):
    """Lanes and steps. ``every``: local steps have rows too; ``lit`` dims all others."""

    HEAD = 1

    def __init__(
        self, title: str = "sequence", *, id: str | None = None, classes: str = ""
    ) -> None:
        super().__init__(title, id=id, classes=classes)
        self.every = False
        self.timed = False
        self.hidden: list[str] = []
        self.only: tuple[str, ...] = ()
        self.lit: Collection[int] | None = None
        self.matching: Matching | None = None
        self._signs: dict[int, Mapping[str, str]] = {}
        self._lanes: tuple[object, lanes.Lanes] | None = None

    def show(self, session: Session, step: int, *, fresh: bool = False) -> None:
        if fresh or session is not self.session:
            self._signs.clear()
        super().show(session, step, fresh=fresh)

    @property
    def layout_(self) -> lanes.Lanes:
        """Where the lanes stand now; made once per window, for it is asked for each row."""
        assert self.session is not None
        key = (self.session, tuple(self.window), self.size.width, self.timed, tuple(self.hidden),
               self.only)  # fmt: skip
        if self._lanes is None or self._lanes[0] != key:
            self._lanes = (key, self._lay_out())
        return self._lanes[1]

    def _lay_out(self) -> lanes.Lanes:
        assert self.session is not None
        hosts = self.session.lanes()
        if self.only:
            hosts = tuple(host for host in hosts if host[0] in self.only) or hosts
        if self.size.width and not self.only:
            hosts = self._busy(hosts, crowded=len(hosts) * CROWDED > self.size.width)
        return lanes.lay_out(
            hosts, self.size.width, timed=self.timed and self.size.width > 60, hidden=self.hidden
        )

    def _busy(
        self, hosts: tuple[tuple[str, str], ...], *, crowded: bool
    ) -> tuple[tuple[str, str], ...]:
        """All lanes and those that the header forgot; where there are more than there is
        room, those that take part in what is visible."""
        assert self.session is not None
        rows = [self.session.diagram.row(n) for n in self.window]
        seen = {name: None for row in rows for name in (row.source, row.target)}
        known = dict(hosts)
        hosts = (*hosts, *((name, "") for name in seen if name not in known))
        if not crowded and len(hosts) * CROWDED <= self.size.width:
            return hosts
        return tuple(host for host in hosts if host[0] in seen) or hosts[:1]

    def shows(self, step: int) -> bool:
        """Whether a step has a row: it is no merged one, and some lane of it is not hidden."""
        assert self.session is not None
        diagram = self.session.diagram
        if not diagram.is_shown(self.session.event(step), every=self.every):
            return False
        if not self.hidden:
            return True
        row = diagram.row(step)
        return row.source not in self.hidden or row.target not in self.hidden

    def forwards(self, n: int) -> Iterator[int]:
        assert self.session is not None
        for step in range(max(n, 0), min(self.session.count, n + FAR)):
            if self.shows(step):
                yield step

    def backwards(self, n: int) -> Iterator[int]:
        assert self.session is not None
        for step in range(min(n, self.session.last), max(-1, n - FAR), -1):
            if self.session.count and self.shows(step):
                yield step

    def head_line(self, y: int) -> Line:
        titles = {} if self.session is None else self.session.titles()
        return lanes.head_of(self.layout_, titles)

    def step_line(self, n: int, *, cursor: bool, late: bool) -> Line:
        assert self.session is not None
        dark = late or (self.lit is not None and n not in self.lit and not cursor)
        if self.matching and not cursor and not self.matching.lets(n):
            dark = True
        diagram = self.session.diagram
        row = diagram.through(diagram.row(n), self.hidden)
        found = lanes.line_of(row, self.layout_, self._signs_at(n), cursor=cursor, late=dark)
        found = self._counted(found, n)
        broken = [v for v in self.session.violations if v.step == n]
        if broken:
            sign = Span(" ! ", "bad")
            return Line((Span(found.text[:1]), sign, *lanes.from_column(found, 4)), n)
        return found

    def _counted(self, found: Line, n: int) -> Line:
        """At the right edge, how many local steps are merged behind this one."""
        merged = 0 if self.every else self._merged(n)
        told = f"+{merged}"
        blanks = self.size.width - found.width - len(told)
        if not merged or blanks < 1:
            return found
        return Line((*found.spans, Span(" " * blanks), Span(told, "dim")), found.row)

    def _merged(self, n: int) -> int:
        """Steps between this row and the next one."""
        place = bisect_right(self.window, n)
        return self.window[place] - n - 1 if place < len(self.window) else 0

    def _signs_at(self, n: int) -> Mapping[str, str]:
        """Lifelines after a step; remembered, because rows are drawn again and again."""
        assert self.session is not None
        known = self._signs.get(n)
        if known is None:
            scene: Scene | None = self.session.scene(n)
            if len(self._signs) > 2000:
                self._signs.clear()
            known = self._signs[n] = lanes.signs_of(self.layout_all, scene)
        return known

    @property
    def layout_all(self) -> lanes.Lanes:
        """All lanes, hidden ones too."""
        assert self.session is not None
        return lanes.lay_out(self.session.lanes(), max(self.size.width, 20))
