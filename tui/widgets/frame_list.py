"""The list of frames: every frame that was sent, and what happened to connections."""

from __future__ import annotations

from collections.abc import Iterator

from sim.view.columns import place_of
from tui.drawing import frames
from tui.drawing.lines import Line, Span, fit, line
from tui.matching import Matching
from tui.widgets.step_view import FAR, StepView

_CALL = place_of("CallIssued")
_PLACES = frozenset(place_of(kind) for kind in frames.KINDS)


class FrameList(StepView):
    """One line per frame; with a filter only those that it lets through."""

    HEAD = 1

    def __init__(self, title: str = "frames", *, id: str | None = None) -> None:
        super().__init__(title, id=id)
        self.matching: Matching | None = None

    def _is_shown(self, n: int) -> bool:
        assert self.session is not None
        columns = self.session.columns
        if n < len(columns):
            is_request = columns.kind[n] == _CALL and columns.type_of(n) == frames.HTTP
            if columns.kind[n] not in _PLACES and not is_request:
                return False
        elif not frames.is_frame(self.session.event(n)):
            return False
        return not self.matching or self.matching.lets(n)

    def forwards(self, n: int) -> Iterator[int]:
        assert self.session is not None
        matching = self.matching
        if matching and matching.done:
            found = matching.after(n - 1)
            while found is not None:
                if self._is_shown(found):
                    yield found
                found = matching.after(found)
            return
        for step in range(max(n, 0), min(self.session.count, n + FAR)):
            if self._is_shown(step):
                yield step

    def backwards(self, n: int) -> Iterator[int]:
        assert self.session is not None
        matching = self.matching
        if matching and matching.done:
            found = matching.before(n + 1)
            while found is not None:
                if self._is_shown(found):
                    yield found
                found = matching.before(found)
            return
        for step in range(min(n, self.session.last), max(-1, n - FAR), -1):
            if self.session.count and self._is_shown(step):
                yield step

    def head_line(self, y: int) -> Line:
        return Line((Span(fit(frames.HEAD, self.size.width), "head"),))

    def step_line(self, n: int, *, cursor: bool, late: bool) -> Line:
        assert self.session is not None
        event = self.session.event(n)
        return frames.line_of(self.session, event, self.size.width, cursor=cursor, late=late)

    def tail_line(self, y: int) -> Line | None:
        """Below the last frame: what belongs to the same request, and the signs."""
        assert self.session is not None
        if y == 1 and self.window:
            event = self.session.event(self.cursor)
            request = frames.request_of(getattr(event, "frame", None))
            if request:
                same = frames.same_request(self.session, request, self.cursor)
                named = self.session.named(request)
                told = f" same request {named}: {' '.join(map(str, same))}"
                return line((told, "dim"))
        if y == 2:
            return line((frames.signs(self.session), "dim"))
        return None
