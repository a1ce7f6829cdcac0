"""Whether an idle desktop's books balance: lanes, sessions, turns, ledger and timers agree.

The same idea as ``server_books``: as soon as no handler is on its way, what
belongs together must stand together, and whatever waits has a plan. Each
imbalance is one sentence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sim.protocols.hook.desktop import Desktop
from sim.protocols.hook.desktop.records import Round, Session, Task, Turn
from sim.protocols.hook.machine_desktop import CLAIMED, DIALLING, OFFLINE, QUEUED, RUNNING
from sim.world.host import Host
from sim.world.world import World

Plans = set[tuple[str, str]]
SEEN = (RUNNING, CLAIMED)
"""The states of a turn that is seen outside."""


def idle_desktops(world: World) -> list[Host]:
    """The desktops' hosts on which no handler is waiting for anything."""
    return [
        host
        for host in world.hosts.values()
        if host.up
        and not host.waiting
        and not host.asleep_until
        and not world.ready
        and isinstance(host.actor, Desktop)
    ]


def imbalances(host: Host) -> list[str]:
    """What does not agree, as sentences; empty in an idle desktop that is right."""
    desk = host.actor
    assert isinstance(desk, Desktop)
    plans = set(host.timers)
    found = [*_lanes(desk, plans), *_buffers(desk), *_ledger(desk)]
    if desk.is_busy:
        found += [*_tasks(desk), *_sessions(desk, plans), *_rounds(desk), *_plans(desk, plans)]
    return [f"{host.name}: {sentence}" for sentence in found]


def _differs(what: str, left: Iterable[object], right: Iterable[object]) -> Iterator[str]:
    one, other = sorted(map(str, left)), sorted(map(str, right))
    if one != other:
        yield f"{what}: {one} but {other}"


def _lanes(desk: Desktop, plans: Plans) -> Iterator[str]:
    """A socket has a heartbeat, a lane without one a plan to dial, and no other has either."""
    for name, lane in desk.lanes.items():
        has_socket = lane.conn is not None
        if has_socket == (lane.state in (OFFLINE, DIALLING)):
            yield f"{name} is {lane.state} with the socket {lane.conn}"
        if has_socket != (("heartbeat", name) in plans):
            yield f"{name} is {lane.state} and its heartbeat is not"
        if lane.state != DIALLING and (("dial", name) in plans) != (
            lane.state == OFFLINE and not lane.is_off
        ):
            yield f"{name} is {lane.state} and its plan to dial does not fit that"
        if lane.is_off and has_socket:
            yield f"{name} is switched off and connected"
        if lane.features and not has_socket:
            yield f"{name} remembers the welcome of a lost connection"
        if lane.is_ready and (lane.attempt or lane.standby or lane.renewed):
            yield f"{name} is welcomed and still counts what went wrong before"


def _buffers(desk: Desktop) -> Iterator[str]:
    """Nothing waits in memory that could be sent."""
    for name, lane in desk.lanes.items():
        if lane.is_ready and lane.buffer:
            yield f"{name} is ready and keeps {[key for key, _ in lane.buffer]}"
        if lane.unaccepted is not None and not lane.unaccepted:
            yield f"{name} keeps an empty list of what was not taken over"


def _ledger(desk: Desktop) -> Iterator[str]:
    """The index of the ledger says what is on the disk."""
    rows = dict(desk.port.store.items(f"ledger/{desk.account}/"))
    kept = desk.work.ledger if desk.is_busy else {}
    yield from _differs("ledger", kept.items(), ((key, row.sent) for key, row in rows.items()))
    size = desk.work.ledger_bytes if desk.is_busy else 0
    if size != sum(row.size for row in rows.values()):
        yield f"the ledger takes {size} bytes, not {sum(row.size for row in rows.values())}"
    if desk.is_busy:
        for name in ("locating", "handing"):
            if getattr(desk.work, name):
                yield f"nobody is {name} any more: {getattr(desk.work, name)}"


def _tasks(desk: Desktop) -> Iterator[str]:
    """A live task runs in its session, or waits in its queue, and was answered."""
    for id, task in desk.work.tasks.items():
        session = task.session
        if task.state == QUEUED:
            place = session.queue is not None and task in session.queue
        else:
            place = session.running is task and desk.work.turns.get(task.number) is task
        if task.state not in (QUEUED, RUNNING) or not place or id != task.request_id:
            yield f"task {id} is {task.state} and not where it belongs"
        if id not in desk.work.acks:
            yield f"task {id} was taken and its answer forgotten"
        if task.state == RUNNING and desk.work.acts.get(id):
            yield f"task {id} runs and its agent's acts wait"


def _sessions(desk: Desktop, plans: Plans) -> Iterator[str]:
    """A session's turn is alive, and those behind it will get theirs."""
    work = desk.work
    for id, session in work.sessions.items():
        turn: Turn | None = session.running
        if turn is not None and work.turns.get(turn.number) is not turn:
            yield f"session {id} runs the turn {turn.number}, which is over"
        queue = session.queue or ()
        for task in queue:
            if work.tasks.get(task.request_id) is not task:
                yield f"session {id} lets {task.request_id} wait, which is over"
        if queue and not _will_go_on(session) and ("poll", id) not in plans:
            yield f"session {id} lets {[t.request_id for t in queue]} wait for nothing"


def _will_go_on(session: Session) -> bool:
    turn = session.running
    return isinstance(turn, Task) or (isinstance(turn, Round) and turn.by_retry)


def _rounds(desk: Desktop) -> Iterator[str]:
    """A claimed round runs and has its connection; a registration is found by its session."""
    work = desk.work
    claimed = [t.request_id for t in work.turns.values() if t.state == CLAIMED]
    yield from _differs("claimed rounds", work.rounds, claimed)
    for id, turn in work.rounds.items():
        if turn.lane.conn is None:
            yield f"round {id} has outlived its connection"
    for id, registration in work.registrations.items():
        if id != registration.session.id or not registration.rounds:
            yield f"the registration of session {id} is that of {registration.session.id}"
    for number, any_turn in work.turns.items():
        if number != any_turn.number or not any_turn.can("close"):
            yield f"turn {number} is {any_turn.state}"


def _plans(desk: Desktop, plans: Plans) -> Iterator[str]:
    """Timers are set for what is alive, and for nothing else."""
    work = desk.work
    numbers = {str(number) for number in work.turns}
    waiting = {key for lane in desk.lanes.values() for key in lane.unaccepted or ()}
    alive = {
        "tick": numbers,
        "progress": numbers,
        "local": numbers,
        "card": set(work.cards),
        "ask": set(work.asked),
        "replay": waiting,
        "poll": {id for id, session in work.sessions.items() if session.queue},
    }
    for kind, key in sorted(plans):
        if kind in alive and key not in alive[kind] and kind != "poll":
            yield f"the timer {kind} {key} is set for something that is over"
    for number, turn in work.turns.items():
        if turn.is_ticking and turn.state in SEEN and ("tick", str(number)) not in plans:
            yield f"turn {number} should tick and has no timer"
    due = [key for key, turn in work.turns.items() if turn.is_due]
    yield from _differs("snapshots that wait", work.throttled, due)
    yield from _differs("their timers", due, [key for kind, key in plans if kind == "progress"])
    for id, card in work.cards.items():
        if work.turns.get(card.turn.number) is not card.turn:
            yield f"card {id} has outlived its turn"
    for id, asked in work.asked.items():
        if asked.lane.conn is None:
            yield f"the request {id} has outlived its connection"
