"""Assertions of a diagram: what shows, what was counted, what is connected."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

from sim.scenario import directive_nodes as nodes
from sim.scenario.playing.stage import Shown, Stage

if TYPE_CHECKING:
    from sim.scenario.playing.director import Director

COMPARE = {
    "=": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def check_shown(director: Director, stage: Stage, node: nodes.Expect | nodes.Final) -> None:
    """What a reader of the channel sees of a request's message or of a card."""
    word = "@final" if isinstance(node, nodes.Final) else "@expect"
    quoted = f' "{node.text}"' if node.text is not None else ""
    expected = f"{word} {node.name} {'|'.join(node.states)}{quoted}"
    real = stage.names.get(node.name)
    if real is None:
        happened = f"no arrow has bound {node.name} so far: name it, as in requestId={node.name}"
        director.fail(node.line, expected, happened)
        return
    shown = stage.shown(real)
    if shown is None:
        director.fail(node.line, expected, "nothing about it shows in any channel")
    elif shown.state not in node.states or (node.text is not None and node.text not in shown.text):
        director.fail(node.line, expected, describe(shown))


def describe(shown: Shown) -> str:
    """What a reader sees, in one line."""
    text = shown.text.replace("\n", " ⏎ ")
    return f'{shown.state} "{text if len(text) <= 120 else text[:119] + "…"}"'


def check_count(director: Director, stage: Stage, node: nodes.Count) -> None:
    """How many posts, edits or frames there were so far."""
    subject = " ".join(filter(None, (node.host, node.frame, node.name)))
    expected = f"@count {node.what} {subject} {node.op}{node.number}".replace("  ", " ")
    if node.what == "posts":
        count = stage.posts(node.host)
    elif node.what == "edits":
        real = stage.names.get(node.name) if node.name else None
        if node.name and real is None:
            director.fail(node.line, expected, f"no arrow has bound {node.name} so far")
            return
        count = stage.edits(node.host, real)
    else:
        count = sum(
            event.frame.type == node.frame and node.host in (None, event.sender, event.receiver)
            for event in director.frames
        )
    if not COMPARE[node.op](count, node.number):
        director.fail(node.line, expected, f"there were {count}")


def check_never(director: Director, stage: Stage, node: nodes.Never) -> None:
    """No channel message ever showed this text."""
    for n, text in stage.texts():
        if node.text in text:
            happened = f"step {n} showed it"
            director.fail(node.line, f'@never "{node.text}"', happened)
            return


def check_open(director: Director, stage: Stage, node: nodes.Open | nodes.Closed) -> None:
    """The state of a host's connections, as the host itself sees it."""
    wanted = isinstance(node, nodes.Open)
    word = "@open" if wanted else "@closed"
    lanes = (node.channel,) if node.channel else stage.lane_names(node.host)
    states = {lane: _is_open(director, node.host, lane) for lane in lanes}
    if wanted and not all(states.values()):
        closed = ", ".join(lane for lane, is_open in states.items() if not is_open)
        director.fail(node.line, f"{word} {node.host}", f"{closed} is closed")
    elif not wanted and any(states.values()):
        opened = ", ".join(lane for lane, is_open in states.items() if is_open)
        director.fail(node.line, f"{word} {node.host}", f"{opened} is open")


def _is_open(director: Director, host: str, lane: str) -> bool:
    for link in director.world.links.values():
        if link.lane == lane and host in (link.client.host, link.server.host):
            end = link.end_of(host)
            if end.is_open:
                return True
    return False
