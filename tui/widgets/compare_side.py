"""One side of a comparison: the diagram of one run, line by line beside the other's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sim.view.diff import Pair
from tui.drawing import lanes
from tui.drawing.lines import Line, Span
from tui.session import Session
from tui.widgets.step_view import StepView


class CompareSide(StepView):
    """Its rows are pairs; ``side`` is 0 for the left run."""

    HEAD = 1

    def __init__(self, side: int, *, id: str) -> None:
        super().__init__("A" if side == 0 else "B", id=id)
        self.side = side
        self.pairs: Sequence[Pair] = ()
        self.only_different = False

    def step_of(self, pair: Pair) -> int:
        """The step of this side's run; -1 where it has none."""
        return pair.left if self.side == 0 else pair.right

    def show_pairs(self, session: Session, pairs: Sequence[Pair], place: int) -> None:
        """Other pairs, or another place among them."""
        fresh = pairs is not self.pairs
        self.pairs = pairs
        self.show(session, place, fresh=fresh)

    def _shows(self, place: int) -> bool:
        return not self.only_different or not self.pairs[place].same

    def forwards(self, n: int) -> Iterator[int]:
        return (k for k in range(max(n, 0), len(self.pairs)) if self._shows(k))

    def backwards(self, n: int) -> Iterator[int]:
        return (k for k in range(min(n, len(self.pairs) - 1), -1, -1) if self._shows(k))

    @property
    def layout_(self) -> lanes.Lanes:
        """Where the lanes stand now; people are left out where it is narrow."""
        assert self.session is not None
        hosts = self.session.lanes()
        if self.size.width < 70:
            hosts = tuple(host for host in hosts if host[1] != "person") or hosts
        return lanes.lay_out(hosts, self.size.width)

    def head_line(self, y: int) -> Line:
        titles = {} if self.session is None else self.session.titles()
        return lanes.head_of(self.layout_, titles)

    def step_line(self, n: int, *, cursor: bool, late: bool) -> Line:
        assert self.session is not None
        pair = self.pairs[n]
        step = self.step_of(pair)
        mark = "≠" if pair.stretch else "·" if not pair.same else " "
        if step < 0:
            blank = lanes.nothing(self.layout_, cursor=cursor)
            return Line((Span(f"{blank.text[:1]}{mark}", "warn"), Span(blank.text[2:], "dim")), n)
        row = self.session.diagram.row(step)
        signs = lanes.signs_of(self.layout_, self.session.scene(step))
        found = lanes.line_of(row, self.layout_, signs, cursor=cursor, late=late)
        broken = "!" if any(v.step == step for v in self.session.violations) else mark
        role = "bad" if broken == "!" else "warn"
        rest = lanes.from_column(found, 2)
        return Line((Span(found.text[:1]), Span(broken, role), *rest), n)

    def action_edge(self, where: int) -> None:
        from tui.widgets.step_view import StepTo

        self.post_message(StepTo(0 if where == 0 else max(len(self.pairs) - 1, 0)))
