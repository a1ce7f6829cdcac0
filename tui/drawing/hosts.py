"""Hosts from inside: connections, stored rows, handlers that wait, timers.

What is durable comes from the trace; lines of code and timers are only known
where the run can be gone through again (see :mod:`tui.feeds.moment`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any

import attrs
import msgspec

from sim.view.scene import Scene
from tui.drawing.lines import Line, fit, harmless, line, pad, wrap
from tui.feeds.moment import Moment
from tui.session import Session

TELLING = (
    "state", "status", "result", "message", "connection", "generation", "pressed", "sent",
    "receipt", "text", "workspace", "alias", "key", "account", "device",
)  # fmt: skip
"""Fields of stored rows that are shown, in this order."""

NAME = 11
MOST = 9
"""So many lines has a row at most."""


@attrs.frozen
class View:
    """What is looked at: a step, compared with an earlier one (``since``, -1: with none).

    ``part``: "both", "durable" or "volatile". ``changed``: only what is new since then.
    """

    session: Session
    step: int
    since: int
    width: int
    part: str = "both"
    changed: bool = False
    moment: Moment | None = None


def hosts_of(session: Session) -> list[tuple[str, str]]:
    """Hosts that have a pane of their own: all but people."""
    return [(name, kind) for name, kind in session.lanes() if kind != "person"]


def title_of(view: View, host: str, kind: str) -> str:
    """Name, life, and whether it is up."""
    scene = view.session.scene(view.step)
    up, epoch = scene.hosts.get(host, (True, 0)) if scene else (True, 0)
    name = host if kind == host.lower() else f"{host} {kind}"
    return f"{name}   epoch {epoch}   {'up' if up else 'down'}"


def draw(view: View, host: str) -> list[Line]:
    """All lines of a host's pane."""
    lines: list[Line] = []
    if view.part != "durable":
        lines += _volatile(view, host)
    if view.part != "volatile":
        lines += _durable(view, host)
    return lines or [line(("nothing changed", "dim") if view.changed else ("empty", "dim"))]


# -- volatile ------------------------------------------------------------------------------


def _volatile(view: View, host: str) -> Iterator[Line]:
    scene = view.session.scene(view.step)
    if scene is None:
        yield line(("folding to this step …", "dim"))
        return
    yield from _links(view, scene, host)
    yield from _waits(view, scene, host)
    yield from _standing(view, host)
    if view.moment is not None and view.moment.step == view.step:
        yield from _inside(view, view.moment, host)


def _links(view: View, scene: Scene, host: str) -> Iterator[Line]:
    before = view.session.scene(view.since) if view.since >= 0 else None
    known = {} if before is None else dict(before.links)
    scene = view.session.seeker.at(view.step)
    head = "links"
    for name, link in scene.links.items():
        if host not in (link.client, link.server):
            continue
        is_open = link.client_open if host == link.client else link.server_open
        timeline = view.session.chronicle.connections.get(name)
        state = timeline.at(view.step, "") if timeline is not None and host == link.server else ""
        mark = "+" if before is not None and name not in known else " "
        if view.changed and mark == " ":
            continue
        told = f"{name}  {state or ('open' if is_open else 'closed')}"
        role = "" if is_open else "bad"
        yield line((f"{mark} {pad(head, NAME)}", "dim"), (fit(told, view.width - NAME - 2), role))
        head = ""


def _waits(view: View, scene: Scene, host: str) -> Iterator[Line]:
    head = "waits for"
    for n in scene.waits(host):
        call = scene.calls[n]
        since = (scene.now - call.at) / 1e6
        told = f"{call.target}.{call.what}  asked at step {n}, {since:.3f} s ago"
        yield from _told(view, " ", head, told, "warn", n)
        head = ""


def _standing(view: View, host: str) -> Iterator[Line]:
    """What the host has in mind, as far as frames tell: queues, locks, tabs."""
    now = list(view.session.chronicle.standing(host, view.step))
    then = {}
    if view.since >= 0:
        rows = view.session.chronicle.standing(host, view.since)
        then = {(row.head, row.key): row.since for row in rows}
    shown = ""
    for row in now:
        key = (row.head, row.key)
        mark, role = " ", ""
        if view.since >= 0 and key not in then:
            mark, role = "+", "good"
        elif view.since >= 0 and then[key] != row.since:
            mark, role = "~", "warn"
        if view.changed and mark == " ":
            continue
        head = row.head if row.head != shown else ""
        yield from _told(view, mark, head, harmless(view.session.told(row.text)), role, row.since)
        shown = row.head
    left = [(row.head, row.key) for row in now]
    for head, thing in [one for one in then if one not in left]:
        told = fit(f"{harmless(view.session.told(thing))}  gone", view.width - NAME - 2)
        yield line((f"- {pad(head, NAME)}", "dim"), (told, "bad"))


def _inside(view: View, moment: Moment, host: str) -> Iterator[Line]:
    width, head = view.width, "stands at"
    for waiting in moment.waiting:
        if waiting.host == host:
            place = f"{PurePath(waiting.path).name}:{waiting.line}"
            told = view.session.told(f"{waiting.handler} in {waiting.function}  {place}")
            yield line((f"  {pad(head, NAME)}", "dim"), (fit(told, width - NAME - 2), "warn"))
            head = ""
    head = "timers"
    for name, timer, due in sorted(moment.timers, key=lambda one: one[2]):
        if name == host:
            timer = fit(harmless(view.session.told(timer)), max(width - NAME - 18, 8))
            told = f"{timer} at T+{due / 1e6:.3f}"
            yield line((f"  {pad(head, NAME)}", "dim"), fit(told, width - NAME - 2))
            head = ""


# -- durable ---------------------------------------------------------------------------------


def _durable(view: View, host: str) -> Iterator[Line]:
    then = {}
    if view.since >= 0:
        rows = view.session.chronicle.rows_of(host, view.since)
        then = {key: (value, n) for key, value, n in rows}
    now = list(view.session.chronicle.rows_of(host, view.step))
    head = "stored"
    for key, value, n in now:
        mark, role = " ", ""
        if view.since >= 0 and key not in then:
            mark, role = "+", "good"
        elif view.since >= 0 and then[key][1] != n:
            mark, role = "~", "warn"
        if view.changed and mark == " ":
            continue
        yield from _told(view, mark, head, _row(view.session, key, value), role, n)
        head = ""
    for key in then:
        if all(key != one for one, _, _ in now):
            told = f"{harmless(key)}  gone"
            yield line((f"- {pad(head, NAME)}", "dim"), (fit(told, view.width - NAME - 2), "bad"))
            head = ""


def _told(view: View, mark: str, head: str, text: str, role: str, n: int) -> Iterator[Line]:
    """One row, over several lines where it is long: what is cut is what somebody looks for."""
    for part in wrap(text, view.width - NAME - 2, MOST):
        yield line((f"{mark} {pad(head, NAME)}", "dim"), (part, role), row=n)
        mark, head = " ", ""


def _row(session: Session, key: str, value: Any) -> str:
    """A stored row in one line: its key and its telling fields."""
    # A file is called by its name, wherever it lies; other keys are kind/id.
    kind, _, name = (key.rpartition("/")[2], "", "") if key.startswith("/") else key.partition("/")
    head = f"{kind} {session.named(name) if name else ''}".strip()
    fields = fields_of(value)
    if not isinstance(fields, Mapping):
        return f"{head}  {fields}".strip()
    told = [
        session.named(str(fields[field]))
        for field in TELLING
        if fields.get(field) not in (None, "", False, 0) and not isinstance(fields[field], dict)
    ]
    receipt = fields.get("receipt")
    if isinstance(receipt, Mapping):
        told.append(f"receipt {receipt.get('state')}")
    told = told or _all_fields(session, fields)
    return harmless(f"{head}  {'  '.join(told)}")


def _all_fields(session: Session, fields: Mapping[str, Any]) -> list[str]:
    """Of a row without telling fields: what is true of it, then all that is one word."""
    true = [name for name, value in fields.items() if value is True]
    plain = [
        f"{name} {session.named(str(value))}"
        for name, value in fields.items()
        if isinstance(value, str | int) and value not in (True, False, "")
    ]
    listed = [
        f"{name} {', '.join(str(one['label']) for one in value)}"
        for name, value in fields.items()
        if isinstance(value, list) and value and all(_has_label(one) for one in value)
    ]
    return true + plain + listed


def _has_label(value: object) -> bool:
    return isinstance(value, Mapping) and "label" in value


def fields_of(value: Any) -> Any:
    """A row as plain values, typed or not."""
    try:
        return msgspec.to_builtins(value)
    except TypeError:
        return str(value)


def links(view: View) -> list[Line]:
    """All connections and calls in flight, whoever believes in them, and what could come next."""
    scene = view.session.scene(view.step)
    if scene is None:
        return [line(("folding to this step …", "dim"))]
    lines = []
    inside = {link.name: link for link in view.moment.links} if view.moment else {}
    for name, link in scene.links.items():
        both = link.client_open and link.server_open
        state = inside[name].state if name in inside else "open" if both else "half closed"
        flying = [f for f in scene.frames.values() if f.link == name]
        there = sum(f.source == link.client for f in flying)
        told = f"{pad(name, 14)} {pad(state, 11)} {link.client} = {link.server}"
        queue = f"  in flight > {there}  < {len(flying) - there}"
        role = "" if state == "open" else "bad"
        lines.append(line((fit(told, view.width - len(queue)), role), (queue, "dim")))
    for n, call in scene.calls.items():
        told = f"{pad(call.source + '>' + call.target, 14)} {pad('call', 11)} {call.what}"
        lines.append(line((fit(told, view.width), "warn"), row=n))
    if view.moment is not None and view.moment.step == view.step:
        lines.append(line())
        for place, name in enumerate(view.moment.enabled[:40]):
            lines.append(line((pad("enabled" if place == 0 else "", NAME), "dim"), fit(name, 60)))
    return lines
