"""The fault menu: everything that could be done to the run now, and why the rest could not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sim.channel.services import SERVICES
from sim.world.helm import UNTIL, Step
from tui.feeds.moment import Moment, Turn
from tui.feeds.schedules import Endings, Order, Rest
from tui.screens.menus import Entry
from tui.session import Deed, Session

CHANNEL_FAULTS: tuple[tuple[str, dict[str, object]], ...] = (
    ("rate-limit the next call 5 s", {"op": "*", "outcome": "rate_limited", "for_us": 5_000_000}),
    ("refuse the next edit", {"op": "edit", "outcome": "edit_refused"}),
    ("slow down 5 s", {"op": "*", "outcome": "latency", "for_us": 5_000_000}),
    ("lose the next answer", {"op": "*", "outcome": "unknown"}),
    ("down 60 s", {"op": "*", "outcome": "down", "for_us": 60_000_000}),
)


def entries_for(session: Session, moment: Moment, only: str = "", *, drawn: int = 1) -> list[Entry]:
    """All entries; ``only`` those of one host and of its links.

    ``drawn`` is the seed of a run that goes on at random.
    """
    step = moment.step
    found = [
        Entry(
            wish.group,
            f"{wish.subject}  {wish.verb}",
            wish.fault,
            _fault(step, wish.fault),
            wish.why,
        )
        for wish in moment.wishes
    ]
    found += _acts(session, moment)
    found += [_turn(step, turn) for turn in moment.turns]
    if not only:
        found += [Entry("then", label, told, what) for label, told, what in _then(step, drawn)]
    if only:
        found = [one for one in found if _about(one.label, only)]
    order = ["frame", "link", "host", "channel", "person", "next", "then"]
    return sorted(found, key=lambda one: order.index(one.group))


def _turn(step: int, turn: Turn) -> Entry:
    later = tuple(Step(key, UNTIL + turn.key) for key in turn.before)
    told = f"before {len(later)} that are due earlier" if len(later) > 1 else "before its turn"
    return Entry("next", turn.name, told, Order(step, f"{turn.name} first", later), turn.why)


def _then(step: int, drawn: int) -> Iterator[tuple[str, str, Any]]:
    rest = Rest(step, drawn)
    yield "continue at random", f"seed {drawn}", rest
    yield "explore all endings", "a search from this step on", Endings(step)


def _about(label: str, host: str) -> bool:
    words = label.replace(">", " ").replace(".", " ").replace("#", " ").split()
    return host in words


def _fault(step: int, fault: str) -> Deed:
    return Deed(step, fault, fault=fault)


def _acts(session: Session, moment: Moment) -> Iterator[Entry]:
    for host, kind in session.lanes():
        for label, act in _acts_of(session, kind):
            told = dict(act)
            if kind == "person":
                told["person"] = host
            why = "" if moment.up.get(host, True) else "it is down"
            deed = Deed(moment.step, f"{host} {label}", host=host, act=told)
            group = "channel" if kind in SERVICES else "person"
            yield Entry(group, f"{host}  {label}", "", deed, why)


def _acts_of(session: Session, kind: str) -> Sequence[tuple[str, Mapping[str, object]]]:
    if kind in SERVICES:
        return [(label, {"is": "channel-fault", **act}) for label, act in CHANNEL_FAULTS]
    return session.record.offers.get(kind, ())
