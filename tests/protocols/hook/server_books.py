"""Whether an idle server's books balance: its memory, its indexes and its store agree.

What a frame, a write or a crash should have changed in several places must
stand in all of them as soon as no handler is on its way. Each imbalance is one
sentence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from sim.protocols.hook.machine import CLOSED, INTERRUPTED, OPEN, UNENDED
from sim.protocols.hook.server import Server
from sim.protocols.hook.server.stored import CardRow, RequestRow, RoundRow
from sim.protocols.hook.server.tasks import CloseOut, Conversation, Round, Task, place_of
from sim.world.host import Host
from sim.world.world import World

ROWS = ("request/", "round/", "card/", "lane/")
ACCOUNTS = {
    "slack_bindings": ("_bound", "_of_device", "_attempts"),
    "provider_bindings": ("_bound", "_of_device", "_of_person", "_of_principal", "_attempts"),
    "slack_prefs": ("_rows",),
    "provider_prefs": ("_rows",),
    "behaviors": ("_rows", "_groups"),
}
"""What the books of accounts and settings hold, by book."""


def idle_server(world: World, name: str) -> Server | None:
    """The server's actor, if no handler of it is waiting for anything."""
    host = world.hosts[name]
    actor = host.actor
    if not host.up or host.waiting or world.ready:
        return None
    return actor if isinstance(actor, Server) else None


def imbalances(server: Server) -> list[str]:
    """What does not agree, as sentences; empty in an idle server that is right."""
    tasks = [route for route in server.memory.routes.values() if type(route) is Task]
    rounds = [route for route in server.memory.routes.values() if type(route) is Round]
    return [
        *_store(server, tasks, rounds),
        *_open(server, tasks),
        *_rounds(server, rounds),
        *_cards(server, tasks),
        *_lines(server, tasks),
        *_sockets(server),
        *_forgetting(server, tasks, rounds),
        *_plans(server),
        *_accounts(server),
    ]


def _differs(what: str, left: Iterable[Any], right: Iterable[Any]) -> Iterator[str]:
    one, other = sorted(map(str, left)), sorted(map(str, right))
    if one != other:
        yield f"{what}: {one} but {other}"


def _store(server: Server, tasks: list[Task], rounds: list[Round]) -> Iterator[str]:
    """A crash now would lose nothing, and nothing is kept of what is forgotten."""
    memory, store = server.memory, server.port.store
    live = [*tasks, *rounds, *memory.cards.values(), *memory.conversations.values()]
    for thing in live:
        now = _lasting(thing.row())
        kept = _lasting(_without_message(store.get(thing.row_key), now))
        if kept != now and not (kept is None and type(thing) is Conversation):
            yield f"{thing.row_key} is stored as {kept} but is {now}"
    known = {thing.row_key for thing in live}
    for prefix in ROWS:
        for key, _ in store.items(prefix):
            if key not in known:
                yield f"{key} is stored and nobody knows it"
    for at, desk in memory.desks.items():
        waiting = [row.key for _, row in store.items("archive/") if (row.lane, row.device) == at]
        yield from _differs(f"archives for {at}", desk.archives or (), waiting)
    for place, lane in memory.conversations.items():
        if place != place_of(lane.lane, lane.chat, lane.thread, lane.principal):
            yield f"conversation {lane.key} is kept at {place}"


def _without_message(kept: Any, now: Any) -> Any:
    """A stored row whose message the channel no longer has: after a crash it is missed anew."""
    if isinstance(kept, RequestRow | CardRow) and not now.message:
        return msgspec.structs.replace(kept, message="")
    return kept


def _lasting(row: Any) -> Any:
    """A row without what a server need not remember.

    Where a round came from is over with its connection. Placeholders are posted
    without being stored first, so a doubt about one is found anew after a crash.
    Whether an answer stands there alone matters only to the claim that posts one.
    """
    changes: dict[str, Any] = {}
    if isinstance(row, RoundRow):
        changes["connection"] = ""
    if isinstance(row, RequestRow):
        changes["answered"] = False
    if isinstance(row, RequestRow | CardRow) and not row.message:
        changes |= {"posts": 0, "doubt": ""}
    return msgspec.structs.replace(row, **changes) if changes else row


def _ids(tasks: list[Task]) -> list[str]:
    return [task.request for task in tasks]


def _open(server: Server, tasks: list[Task]) -> Iterator[str]:
    """Open tasks are found by their desk and by their conversation, ended ones by neither."""
    memory, limits = server.memory, server.plan.limits
    stoppable: list[Task] = []
    for key, desk in memory.desks.items():
        mine = [task for task in tasks if task.desk is desk]
        opened = [task for task in mine if task.state in UNENDED]
        torn = [
            task
            for task in mine
            if task.state == INTERRUPTED and task.ended_us - task.created_us < limits.mapping_us
        ]
        stoppable += opened + torn
        yield from _differs(f"unended of {key}", desk.unended or (), _ids(opened))
        yield from _differs(f"interrupted of {key}", desk.interrupted or (), _ids(torn))
    for place, lane in memory.conversations.items():
        here = [task for task in stoppable if task.conversation is lane]
        yield from _differs(f"open tasks at {place}", lane.tasks or (), _ids(here))
    for task in tasks:
        if bool(task.ended_us) == (task.state in UNENDED):
            yield f"{task.request} is {task.state} and ended at {task.ended_us}"
        if task.cancel and task.state not in (*UNENDED, INTERRUPTED):
            yield f"{task.request} is {task.state} and shall still be cancelled"


def _rounds(server: Server, rounds: list[Round]) -> Iterator[str]:
    """An open round belongs to a living connection and owns its message; others do neither."""
    memory = server.memory
    sockets = list(memory.sockets.values())
    for socket in sockets:
        mine = [over.request for over in rounds if over.socket is socket and over.state == OPEN]
        yield from _differs(f"rounds of {socket.conn.name}", socket.rounds or (), mine)
    for place, lane in memory.conversations.items():
        mine = [r.request for r in rounds if r.root.conversation is lane and r.state == OPEN]
        yield from _differs(f"open rounds at {place}", lane.rounds or (), mine)
    for over in rounds:
        if over.state == OPEN and over.socket not in sockets:
            yield f"round {over.request} is open without its connection"
        if over.state == OPEN and over.line.claim is not over:
            yield f"round {over.request} is open and does not own its message"
        if bool(over.ended_us) == (over.state == OPEN):
            yield f"round {over.request} is {over.state} and ended at {over.ended_us}"
    serials = [over.serial for over in rounds]
    if len(set(serials)) < len(serials):
        yield f"two rounds have one serial: {serials}"


def _cards(server: Server, tasks: list[Task]) -> Iterator[str]:
    """Every card is found by its id, by its task and, once posted, by its message."""
    memory = server.memory
    cards = memory.cards.values()
    mine = [card.interaction for task in tasks for card in task.cards or ()]
    yield from _differs("cards", memory.cards, mine)
    posted = [(card.line.channel, card.line.message) for card in cards if card.line.message]
    found = [place for place, card in memory.cards_by_message.items() if card in cards]
    yield from _differs("cards by message", set(found), posted)
    waiting = len(cards) - len(posted)
    pickers = sum(1 for _ in server.port.store.items("picker/"))
    if not waiting <= memory.unposted_cards <= waiting + pickers:
        yield f"{memory.unposted_cards} cards wait for their id, not {waiting}"
    for card in cards:
        if card.state == OPEN and card.task.state not in UNENDED:
            yield f"card {card.interaction} is open and its task is {card.task.state}"


def _lines(server: Server, tasks: list[Task]) -> Iterator[str]:
    """Nobody writes, nothing waits to be written, and whoever has the last word has said it."""
    for thing in [*tasks, *server.memory.cards.values()]:
        line = thing.line
        if line.draining or line.wanted is not None or line.late:
            yield f"the message of {line.about} waits for a writer who is not there"
        if line.leftovers:
            yield f"{line.leftovers} should have been deleted"
    for card in server.memory.cards.values():
        if card.state == CLOSED and not card.written:
            yield f"card {card.interaction} is closed and nobody writes that"
    for task in tasks:
        claim: Any = task.line.claim
        if type(claim) is CloseOut and not claim.written and server.plan.rules.close_out:
            yield f"the close-out of {claim.round.request} is written by nobody"
        elif type(claim) is not CloseOut and claim.final is not None and not claim.written:
            yield f"{claim.request} has an end that nobody writes"
        if task.state in UNENDED and (task.final is not None or task.written):
            yield f"{task.request} is {task.state} and has an end"
        receipt = task.receipt
        if receipt is not None and (receipt.telling or receipt.untold):
            yield f"the desktop waits for {list(receipt.untold)} of {task.request}"


def _sockets(server: Server) -> Iterator[str]:
    """A desk and its socket know each other, and only open sockets are kept."""
    memory = server.memory
    for name, socket in memory.sockets.items():
        if not socket.conn.is_open:
            yield f"{name} is closed and kept"
    for key, desk in memory.desks.items():
        for socket in (desk.socket, desk.rival):
            if socket is not None and (
                socket.desk is not desk or memory.sockets.get(socket.conn.name) is not socket
            ):
                yield f"{key} has the socket {socket.conn.name} of somebody else"


def _forgetting(server: Server, tasks: list[Task], rounds: list[Round]) -> Iterator[str]:
    """What ended will be forgotten in its turn."""
    due = {name: at for at, kind, name in server.memory.ended if kind != "event"}
    things: list[Task | Round] = [*tasks, *rounds]
    for thing in things:
        if thing.ended_us and due.get(thing.request, 0) < thing.ended_us:
            yield f"{thing.request} ended at {thing.ended_us} and will not be forgotten"
    times = [at for at, _, _ in server.memory.ended]
    if times != sorted(times):
        yield f"what ended is not in the order of its end: {times}"
    for task in tasks:
        if task.event not in server.memory.seen:
            yield f"the event {task.event} of {task.request} would make a second task"


def settled_rows(server: Server) -> dict[str, Any]:
    """What is over and written, as stored: nothing may change it any more, not even a crash."""
    tasks = [route for route in server.memory.routes.values() if type(route) is Task]
    over = [task for task in tasks if task.state not in (*UNENDED, INTERRUPTED) and task.written]
    cards = [card for task in over for card in task.cards or () if card.written]
    return {thing.row_key: _lasting(thing.row()) for thing in [*over, *cards]}


def _plans(server: Server) -> Iterator[str]:
    """Whatever waits for time to pass has a timer, and no timer is set for what is over."""
    memory, port = server.memory, server.port
    assert isinstance(port, Host)
    plans = set(port.timers)
    for name in memory.sockets:
        if ("idle", name) not in plans:
            yield f"nobody will notice when {name} falls silent"
    rivals = [desk.rival.conn.name for desk in memory.desks.values() if desk.rival is not None]
    probed = [name for kind, name in plans if kind == "probe"]
    yield from _differs("sockets that wait for a probe", probed, rivals)
    absent = {name for kind, name in plans if kind == "absent"}
    for desk in memory.desks.values():
        if desk.socket is None and desk.unended and desk.key not in absent:
            yield f"{desk.key} is away for ever and keeps {list(desk.unended)}"
    if ("expiry", "") not in plans:
        yield "nothing will be forgotten any more"
    for kind, name in plans:
        task = memory.routes.get(name)
        if kind == "again" and task is None and name not in memory.cards:
            yield f"the end of {name}, which is forgotten, will be said again"


def _accounts(server: Server) -> Iterator[str]:
    """A server that was started just now would know the same accounts and settings."""
    reborn = Server(server.port, server.plan)
    reborn.books.read()
    for name, facts in ACCOUNTS.items():
        one, other = getattr(server.books, name), getattr(reborn.books, name)
        for fact in facts:
            known, read = _plain(getattr(one, fact)), _plain(getattr(other, fact))
            yield from _differs(f"{name}{fact}", known.items(), read.items())


def _plain(facts: dict[Any, Any]) -> dict[str, Any]:
    """What is known, without empty places, in no order."""
    return {
        str(key): sorted(map(str, value.items() if isinstance(value, dict) else value))
        if isinstance(value, dict | tuple)
        else value
        for key, value in facts.items()
        if value != {} and value != ()
    }
