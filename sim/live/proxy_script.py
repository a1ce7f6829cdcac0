"""A scenario beside a proxy: its arrows are waited for, its faults strike real connections.

The diagram is read as a list of beats: an arrow between a desktop and the server, what is
done to its frame (``-x``, ``@lose next`` …), and what happens behind it. Nobody acts; the
real programs do. What makes no sense on a wire is left out, and told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import attrs

from sim.live.proxy_book import Seen
from sim.live.proxy_faults import Strike
from sim.live.proxy_link import Director, Link, Verdict
from sim.live.proxy_manner import Manner, decoded, manner_of
from sim.live.proxy_misses import Departures
from sim.live.proxy_steps import OnFrame, Steps, read_fault
from sim.scenario import directive_nodes as say
from sim.scenario.playing.match import Names, fits
from sim.scenario.syntax import (
    Alt,
    Arrow,
    Break,
    Critical,
    FrameText,
    Loop,
    Opt,
    Par,
    Scenario,
    Statement,
)

MOST_BEATS = 10_000


@attrs.frozen
class Deed:
    """A strike on the connections of a lifeline, or on the one of that name, ``wait_s``
    behind its beat."""

    host: str
    lane: str
    old: bool
    strike: Strike
    wait_s: float


@attrs.define(eq=False)
class Beat:
    """One arrow; ``arrow`` None is the beginning."""

    arrow: Arrow | None = None
    strikes: list[Strike] = attrs.Factory(list)
    then: list[Deed] = attrs.Factory(list)


Row = list["Beat | list[Row]"]


@attrs.define(eq=False)
class Cursor:
    """How far a row has come. ``subs`` are those of the branches that are open."""

    row: Row
    at: int = 0
    subs: list[Cursor] | None = None

    def offer(self, is_it: Callable[[Arrow], bool]) -> Beat | None:
        """The beat that waits for this frame, if one does; it is behind us then."""
        while self.at < len(self.row):
            here = self.row[self.at]
            if isinstance(here, Beat):
                if here.arrow is None or not is_it(here.arrow):
                    return None
                self.at += 1
                return here
            if self.subs is None:
                self.subs = [Cursor(branch) for branch in here]
            found = next(filter(None, (sub.offer(is_it) for sub in self.subs)), None)
            if not all(sub.is_over for sub in self.subs):
                return found
            self.at, self.subs = self.at + 1, None
            if found is not None:
                return found
        return None

    @property
    def is_over(self) -> bool:
        """Whether everything came."""
        return self.at == len(self.row)

    def awaited(self) -> Iterator[Arrow]:
        """The arrows that would be taken next."""
        if self.is_over:
            return
        here = self.row[self.at]
        if isinstance(here, Beat):
            if here.arrow is not None:
                yield here.arrow
            return
        for sub in self.subs or [Cursor(branch) for branch in here]:
            yield from sub.awaited()

    def coming(self) -> Iterator[Arrow]:
        """All arrows that have not been taken, nearest first."""
        for n, here in enumerate(self.row[self.at :]):
            if isinstance(here, Beat):
                if here.arrow is not None:
                    yield here.arrow
                continue
            subs = self.subs if n == 0 else None
            for sub in subs or [Cursor(branch) for branch in here]:
                yield from sub.coming()


class Reading:
    """The beats of a scenario; ``left_out`` are lines that are not played: number, text, why."""

    def __init__(self, scenario: Scenario, manner: Manner) -> None:
        self._manner = manner
        self.beginning = Beat()
        self.left_out: list[tuple[int, str]] = []
        self.beats = 0
        self.frames: list[OnFrame] = []
        self._scenario = scenario
        self._lines = scenario.numbered_text.split("\n")
        self._last = self.beginning
        self._next: list[Strike] = []
        self._wait_s = 0.0
        self.row = self._read(scenario.body)

    def _read(self, body: Sequence[Statement]) -> Row:
        row: Row = []
        for one in body:
            self._statement(one, row)
        return row

    def _statement(self, one: Statement, row: Row) -> None:
        match one:
            case Arrow():
                self._arrow(one, row)
            case Par():
                self._par(one, row)
            case Loop():
                for _ in range(one.times or 1):
                    if self.beats < MOST_BEATS:
                        row.extend(self._read(one.body))
            case Critical():
                row.extend(self._read(one.body))
            case Break():
                row.extend(self._read(one.body))
            case Alt() | Opt():
                self._leave_out(one.line, "alt and opt: who passes on cannot choose")
            case _:
                self._directive(one)

    def _par(self, par: Par, row: Row) -> None:
        before, branches = self._last, []
        for branch in par.branches:
            self._last = before
            branches.append(self._read(branch.body))
        row.append(branches)
        self._last = Beat()  # a directive behind it has no single beat before it

    def _arrow(self, arrow: Arrow, row: Row) -> None:
        kinds = [self._scenario.participant(host).kind for host in (arrow.source, arrow.target)]
        is_between = any(
            self._is_client(one) and other == self._manner.kind
            for one, other in (kinds, reversed(kinds))
        )
        if not is_between or not isinstance(arrow.content, FrameText):
            return  # it happens elsewhere
        strikes, self._next = self._next, []
        if arrow.lost:
            strikes.append(Strike("lose"))
        self._last = Beat(arrow, strikes)
        self._wait_s = 0.0
        self.beats += 1
        row.append(self._last)

    def _directive(self, one: Statement) -> None:
        match one:
            case say.LoseNext():
                self._next.append(Strike("lose"))
            case say.DuplicateNext(after_us=after):
                self._next.append(Strike("duplicate", wait_s=(after or 0) / 1e6))
            case say.DelayNext(duration_us=late):
                self._next.append(Strike("delay", wait_s=late / 1e6))
            case say.Cut(host=host, channel=lane, old=old, how=how):
                self._deed(one, host, lane, Strike("cut", how=how), old=old)
            case say.Heal(host=host, channel=lane):
                self._deed(one, host, lane, Strike("heal"))
            case say.Hold() | say.Release():
                self._hold(one)
            case say.Fault(name=name):
                self._fault(one, name)
            case say.After(duration_us=wait):
                self._wait_s += wait / 1e6
            case _:
                self._leave_out(one.line, "not for who stands between")

    def _hold(self, one: say.Hold | say.Release) -> None:
        by_client = self._is_client(self._kind(one.source))
        verb = "hold" if isinstance(one, say.Hold) else "release"
        strike = Strike("hold" if verb == "hold" else "release", way=by_client)
        self._deed(one, one.source if by_client else one.target, None, strike)

    def _fault(self, one: Statement, name: str) -> None:
        fault = read_fault(name)
        if isinstance(fault, OnFrame):
            self.frames.append(fault)
        elif fault is None:
            self._leave_out(one.line, "not for who stands between")
        elif self._is_behind_arrow(one):
            self._last.then.append(Deed(fault.link, "", False, fault.strike, self._wait_s))

    def _is_behind_arrow(self, one: Statement) -> bool:
        is_behind = self._last.arrow is not None or self._last is self.beginning
        if not is_behind:
            why = "nothing stands directly before it: put it behind an arrow"
            self._leave_out(one.line, why)
        return is_behind

    def _deed(
        self, one: Statement, host: str, lane: str | None, strike: Strike, *, old: bool = False
    ) -> None:
        if not self._is_client(self._kind(host)):
            kinds = " and ".join(f"{kind}s" for kind in self._manner.firsts)
            self._leave_out(one.line, f"only connections of {kinds} pass here")
        elif self._is_behind_arrow(one):
            self._last.then.append(Deed(host, lane or "", old, strike, self._wait_s))

    def _kind(self, host: str) -> str:
        return self._scenario.participant(host).kind

    def _is_client(self, kind: str) -> bool:
        return kind in self._manner.firsts

    def _leave_out(self, line: int, why: str) -> None:
        said = self._lines[line - 1].strip(" \t%")
        self.left_out.append((line, f"{said}: {why}"))


class Script(Director):
    """Follows a scenario. The n-th desktop (controller, node) of the diagram is the n-th that
    came.

    ``later`` does something after so many seconds, whatever becomes of a connection;
    ``tell`` hears at once where the traffic departs from the diagram.
    """

    def __init__(
        self,
        scenario: Scenario,
        later: Callable[[float, Callable[[], None]], None],
        tell: Callable[[str], None] = lambda text: None,
        manner: Manner | None = None,
    ) -> None:
        self._later = later
        self._departures = Departures(tell)
        manner = manner or manner_of(scenario.protocol)
        self._wording = manner.wording
        reading = Reading(scenario, manner)
        self.left_out = reading.left_out
        self.beats = reading.beats
        self.came = 0
        self._beginning = reading.beginning
        self._cursor = Cursor(reading.row)
        self._names = Names()
        self._links: list[Link] = []
        self._steps = Steps(self._open_link)
        for fault in reading.frames:
            self._steps.strike_frame(fault)
        for step in scenario.settings.steps:
            if not self._steps.add(step):
                self.left_out.append((0, f"{step.do} ({step.at}): not for who stands between"))
        self._clients: dict[str, str] = {}
        for kind, first in manner.firsts.items():
            drawn = [one.id for one in scenario.participants if one.kind == kind]
            names = {host: first if n == 1 else f"{first}{n}" for n, host in enumerate(drawn, 1)}
            self._clients |= names

    def opened(self, link: Link) -> None:
        """What stands before the first arrow strikes the first connections."""
        self._links = [one for one in self._links if not one.is_over.is_set()]
        self._links.append(link)
        self._steps.opened(link)
        if not self.came:
            for deed in self._beginning.then:
                if self._means(deed, link):
                    if deed.wait_s:
                        self._later(deed.wait_s, partial(link.strike, deed.strike))
                    else:
                        link.strike(deed.strike)

    def judge(self, link: Link, seen: Seen, message: str | bytes) -> Verdict:
        """A frame has come in: is it the one that is waited for?"""
        verdict = self._steps.judge(link, seen, message)
        if self._cursor.is_over or not isinstance(message, str):
            return verdict
        wire = decoded(message)

        def compare(arrow: Arrow) -> dict[str, Any] | str | None:
            return self._compare(arrow, link, seen, wire)

        beat = self._cursor.offer(lambda arrow: self._is_it(compare(arrow)))
        if beat is None:
            self._departures.look(seen, self._cursor.awaited(), self._cursor.coming(), compare)
        else:
            self.came += 1
            verdict.on_frame += beat.strikes
            verdict.after += [partial(self._carry_out, deed) for deed in beat.then]
        return verdict

    def _open_link(self, name: str) -> Link | None:
        there = (one for one in self._links if not one.is_over.is_set())
        return next((one for one in there if one.named.link == name), None)

    def awaited(self) -> list[str]:
        """What has not come, nearest first: ``line 7: turn.end (ok)``."""
        return [f"line {arrow.line}: {arrow.text}" for arrow in self._cursor.awaited()]

    def _compare(
        self, arrow: Arrow, link: Link, seen: Seen, wire: Any
    ) -> dict[str, Any] | str | None:
        """The names that this frame would bind for an arrow; why it differs; None: it is
        another type of frame, or goes another way."""
        content = arrow.content
        by_client = arrow.source in self._clients
        host = arrow.source if by_client else arrow.target
        if not isinstance(content, FrameText) or content.type not in (seen.type, *seen.names):
            return None
        if by_client is not seen.by_client or self._clients.get(host) != link.named.client:
            return None
        place = partial(self._wording.place, content.type)
        return fits(content.items, wire, self._names, place)

    def _is_it(self, found: dict[str, Any] | str | None) -> bool:
        if not isinstance(found, dict):
            return False
        self._names.bind(found)
        return True

    def _carry_out(self, deed: Deed) -> None:
        """On every connection that is meant, those of other lanes too."""
        if deed.wait_s:
            self._later(deed.wait_s, partial(self._carry_out, attrs.evolve(deed, wait_s=0.0)))
            return
        meant = [one for one in self._links if self._means(deed, one)]
        for one in self._aged(meant, deed.old):
            one.strike(deed.strike)

    def _means(self, deed: Deed, link: Link) -> bool:
        named = link.named
        is_there = not link.is_over.is_set()
        is_of_host = self._clients.get(deed.host) == named.client
        is_meant = is_of_host and deed.lane in ("", named.lane)
        return is_there and (is_meant or deed.host == named.link)

    @staticmethod
    def _aged(links: list[Link], old: bool) -> list[Link]:
        """The newest of each track, or the ones that were replaced."""
        newest = {link.named.track: link for link in links}
        return [link for link in links if (newest[link.named.track] is link) is not old]
