"""Compare: two runs of one schedule, line beside line; what differs is marked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal

from sim.channel.history import Version
from sim.view.diff import Pair, align, first_difference, identity
from tui.branches import found
from tui.drawing.lines import Line, line, wrap
from tui.keys import bindings
from tui.screens.view import State, View, Wanted
from tui.session import Session
from tui.widgets.compare_side import CompareSide
from tui.widgets.panels import Panel
from tui.widgets.step_view import StepTo


class CompareView(View):
    """Both sides move together and nothing else moves."""

    CONTEXT = "compare"
    ABOUT = (
        "Two runs of the same schedule, usually with a rule off (A) and on (B). Equal steps "
        "stand beside each other; ≠ is where a stretch of differences begins. ] and [ go "
        "between them, = hides what is equal, \\ swaps the sides, r chooses another rule."
    )
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("compare")]
    DEFAULT_CSS = """
    CompareView #sides { height: 2fr; }
    CompareView #ends { height: 10; }
    """

    pairs: Sequence[Pair] = ()
    left: Session | None = None
    right: Session | None = None
    only_different = False
    first: int | None = None

    def compose(self) -> ComposeResult:
        with Horizontal(id="sides"):
            yield CompareSide(0, id="side-a")
            yield CompareSide(1, id="side-b")
        with Horizontal(id="ends"):
            yield Panel("final state A", _final, id="end-a")
            yield Panel("final state B", _final, id="end-b")

    def put(self, left: Session, right: Session) -> None:
        """Two runs to compare."""
        self.left, self.right = left, right
        self.first = first_difference(left.trace, right.trace)
        shown = left.diagram.is_shown
        self.pairs = align(left.trace, right.trace, identity, shown)
        for session in (left, right):
            session.finish()

    def differences(self) -> tuple[int, ...]:
        """The steps of the left run at which a stretch of differences begins."""
        found = []
        last = 0
        for pair in self.pairs:
            last = pair.left if pair.left >= 0 else last
            if pair.stretch:
                found.append(last)
        return tuple(found)

    def place_of(self, step: int) -> int:
        """The pair at a step of the left run."""
        place = 0
        for k, pair in enumerate(self.pairs):
            if 0 <= pair.left <= step:
                place = k
        return place

    def show(self, state: State) -> None:
        super().show(state)
        if self.left is None or self.right is None:
            return
        place = self.place_of(state.step)
        for side, session in zip(self.query(CompareSide), (self.left, self.right), strict=True):
            side.only_different = self.only_different
            side.show_pairs(session, self.pairs, place)
            side.titled(f"{'AB'[side.side]}  {_rules(session)}", found(session))
        for name, session in (("a", self.left), ("b", self.right)):
            panel = self.query_one(f"#end-{name}", Panel)
            panel.show(session, session.last)

    def told(self) -> str:
        if self.left is None:
            return ""
        return "no difference" if self.first is None else f"first difference at step {self.first}"

    def hint(self) -> str:
        if self.left is None:
            return "r chooses a rule to switch off"
        return "both sides move together    ] next difference   = hide equal steps   \\ swap"

    @on(StepTo)
    def pair_to_step(self, message: StepTo) -> None:
        """The sides count pairs; the workbench counts steps of the left run."""
        message.stop()
        if not self.pairs:
            return
        place = min(max(message.step, 0), len(self.pairs) - 1)
        for side in self.query(CompareSide):
            side.show(side.session, place)  # type: ignore[arg-type]
        steps = [pair.left for pair in self.pairs[: place + 1] if pair.left >= 0]
        if steps:
            self.post_message(Wanted("step_quietly", steps[-1]))

    # -- keys ------------------------------------------------------------------------------

    def action_equal(self) -> None:
        """Hide, or show, what is equal."""
        self.only_different = not self.only_different
        for side in self.query(CompareSide):
            side.window = []
        if self.state is not None:
            self.show(self.state)

    def action_swap(self) -> None:
        """The other way round."""
        if self.left is not None and self.right is not None:
            self.put(self.right, self.left)
            self.post_message(Wanted("compared", self.left))

    def action_rules(self) -> None:
        self.post_message(Wanted("rules"))


def _rules(session: Session) -> str:
    return "without " + ", ".join(session.without) if session.without else "all rules"


def _seen(versions: Sequence[Version]) -> list[str]:
    """The states that a reader saw, one after the other."""
    states: list[str] = []
    for version in versions:
        if version.state and (not states or states[-1] != version.state):
            states.append(version.state)
    return states


def _final(session: Session, step: int, width: int) -> Sequence[Line]:
    """What the channels show at the end, who owns it, what broke."""
    lines: list[Line] = []
    for one in session.chronicle.messages(session.last):
        if not one.message.by_bot or one.deleted:
            continue
        about = session.named(one.message.about)
        gen = f"  owner gen {one.owner.generation}" if one.owner is not None else ""
        lines.append(
            line(
                (f"{one.message.id} {about}".ljust(12), "dim"),
                (f"{one.now.state or '-'} ", "strong"),
                one.now.text,
                (gen, "dim"),
            )
        )
        seen = _seen(one.versions)
        if len(seen) > 1:
            told = "seen: " + " > ".join(seen)
            lines += [line(" " * 12, (row, "dim")) for row in wrap(told, width - 12, 3)]
    for violation in session.violations:
        lines.append(line((f"! {violation.invariant} at step {violation.step}", "bad")))
        lines += [
            line(("  " + row, "bad"))
            for row in wrap(session.record.sentence_of(violation.invariant), width - 2, 2)
        ]
    if not session.violations:
        lines.append(line(("no invariant is broken", "good")))
    return lines
