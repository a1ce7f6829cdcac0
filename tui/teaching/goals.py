"""Goals of lessons: what must hold in a run, with the cursor at some step."""

from __future__ import annotations

from collections.abc import Callable

from sim.channel.moments import MessageAt
from sim.core import event as events
from sim.scenario.lesson import Goal, GoalKind
from tui.session import Session


def holds(goal: Goal, session: Session, step: int) -> bool:
    """Whether a goal holds with the cursor at this step."""
    return _HOLDS[goal.kind](goal, session, step)


def _reached(goal: Goal, session: Session, step: int) -> bool:
    """The cursor is at, or behind, the nth arrival of a frame of this type, or of this name
    where its type says little (an event of the relay is called after what it tells); or the
    nth request over HTTP, or fact told by a host, of this name."""
    seen = 0
    for n in range(min(step + 1, session.count)):
        event = session.event(n)
        if isinstance(event, events.FrameDelivered):
            seen += goal.what in (event.type, session.diagram.row(n).label)
        elif isinstance(event, events.CallIssued | events.Noted):
            seen += goal.what == session.diagram.row(n).label
    return seen >= goal.number


def _waits(goal: Goal, session: Session, step: int) -> bool:
    """A handler of such a host is in an await gap at the cursor."""
    scene = session.scene(step)
    hosts = [name for name, one in session.lanes() if one == goal.what]
    return scene is not None and any(
        scene.calls[n].what.startswith(goal.call) for host in hosts for n in scene.waits(host)
    )


def _shown(goal: Goal, session: Session, step: int) -> bool:
    """Some message or card of a channel has this state at the cursor."""
    return session.know(step) and any(
        _state(one) == goal.what for one in session.chronicle.messages(step)
    )


def _state(one: MessageAt) -> str:
    """A card is open as long as it has buttons."""
    if one.message.role == "card":
        return "OPEN" if one.now.buttons else "CLOSED"
    return one.now.state


def _cut(goal: Goal, session: Session, step: int) -> bool:
    """The reader cut a connection of this run."""
    return any(deed.fault.startswith("cut") for deed in session.deeds)


def _broken(goal: Goal, session: Session, step: int) -> bool:
    """The cursor is where an invariant breaks, or behind; or at the end of a run that did not
    do what its arrows say."""
    if any(violation.step <= step for violation in session.violations):
        return True
    return step >= session.last and not _as_drawn(session)


def _clean(goal: Goal, session: Session, step: int) -> bool:
    """The cursor is at the end of a run in which nothing broke."""
    return step >= session.last and not session.violations and _as_drawn(session)


def _as_drawn(session: Session) -> bool:
    """Whether the run did what its diagram says; a file's run is not asked."""
    return session.result is None or session.result.ok


def _generation(goal: Goal, session: Session, step: int) -> bool:
    """A connection of this generation is open at the cursor."""
    scene = session.scene(step)
    return scene is not None and any(name.endswith(f"#{goal.number}") for name in scene.links)


_HOLDS: dict[GoalKind, Callable[[Goal, Session, int], bool]] = {
    "reached": _reached,
    "waits": _waits,
    "shown": _shown,
    "cut": _cut,
    "broken": _broken,
    "clean": _clean,
    "generation": _generation,
}
