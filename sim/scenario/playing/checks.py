"""Assertions of a diagram: what shows, what was counted, what is connected."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence

import attrs

from sim.core.event import FrameSent
from sim.scenario import directive_nodes as nodes
from sim.scenario.playing.ear import Said
from sim.scenario.playing.stage import Shown, Stage
from sim.scenario.playing.wording import is_called
from sim.world.world import World

Fail = Callable[[int, str, str], None]
COMPARE = {
    "=": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@attrs.frozen
class Late:
    """An assertion about a name that no arrow had bound yet, with all that showed then."""

    fail: Fail
    node: nodes.Expect | nodes.Count
    seen: dict[str, Shown]


def check_shown(fail: Fail, stage: Stage, node: nodes.Expect | nodes.Final) -> None:
    """What a reader of the channel sees now of a request's message or of a card."""
    real = stage.names.get(node.name)
    if real is None:
        fail(node.line, _say_shown(node), f"no arrow that matched has bound {node.name}")
    else:
        _judge_shown(fail, node, stage.shown(stage.subject(real, node.states)))


def _judge_shown(fail: Fail, node: nodes.Expect | nodes.Final, shown: Shown | None) -> None:
    expected = _say_shown(node)
    if shown is None:
        fail(node.line, expected, f"nothing about {node.name} shows in any channel")
    elif shown.state not in node.states or (node.text is not None and node.text not in shown.text):
        fail(node.line, expected, describe(shown))


def _say_shown(node: nodes.Expect | nodes.Final) -> str:
    word = "@final" if isinstance(node, nodes.Final) else "@expect"
    quoted = f' "{node.text}"' if node.text is not None else ""
    return f"{word} {node.name} {'|'.join(node.states)}{quoted}"


def check_late(stage: Stage, late: Late) -> None:
    """By now the name is bound, or never will be: judge by what showed back then."""
    node = late.node
    real = stage.names.get(node.name or "")
    if isinstance(node, nodes.Expect):
        if real is None:
            check_shown(late.fail, stage, node)
        else:
            _judge_shown(late.fail, node, late.seen.get(stage.subject(real, node.states)))
    elif real is None:
        happened = f"no arrow that matched has bound {node.name}"
        late.fail(node.line, _say_count(node), happened)
    else:
        shown = late.seen.get(str(real))
        _judge_count(late.fail, node, 0 if shown is None else shown.edits)


def describe(shown: Shown) -> str:
    """What a reader sees, in one line."""
    text = shown.text.replace("\n", " ⏎ ")
    return f'{shown.state} "{text if len(text) <= 120 else text[:119] + "…"}"'


def check_count(
    fail: Fail, frames: Sequence[FrameSent | Said], stage: Stage, node: nodes.Count
) -> None:
    """How many posts, edits or frames there were so far."""
    if node.what == "posts":
        real = stage.names.get(node.name) if node.name else None
        count = stage.posts(node.host, real)
    elif node.what == "edits":
        real = stage.names.get(node.name) if node.name else None
        count = stage.edits(node.host, real)
    else:
        count = sum(
            is_called(event.frame, node.frame or "", stage.wording)
            and node.host in (None, event.sender, event.receiver)
            for event in frames
        )
    _judge_count(fail, node, count)


def _judge_count(fail: Fail, node: nodes.Count, count: int) -> None:
    if not COMPARE[node.op](count, node.number):
        fail(node.line, _say_count(node), f"there {'was' if count == 1 else 'were'} {count}")


def _say_count(node: nodes.Count) -> str:
    words = ("@count", node.what, node.host, node.frame, node.name)
    return f"{' '.join(filter(None, words))} {node.op if node.op != '=' else ''}{node.number}"


def check_never(fail: Fail, stage: Stage, node: nodes.Never) -> None:
    """No channel message ever showed this text."""
    for n, text in stage.texts():
        if node.text in text:
            fail(node.line, f'@never "{node.text}"', f"step {n} showed it")
            return


def check_open(fail: Fail, world: World, stage: Stage, node: nodes.Open | nodes.Closed) -> None:
    """The state of a host's connections. A half-open one is open: nobody knows better."""
    wanted = isinstance(node, nodes.Open)
    word = "@open" if wanted else "@closed"
    lanes = (node.channel,) if node.channel else stage.lane_names(node.host)
    states = {lane: _is_open(world, node.host, lane) for lane in lanes}
    if wanted and not all(states.values()):
        closed = ", ".join(lane for lane, is_open in states.items() if not is_open)
        fail(node.line, f"{word} {node.host}", f"{closed} is closed")
    elif not wanted and any(states.values()):
        opened = ", ".join(lane for lane, is_open in states.items() if is_open)
        fail(node.line, f"{word} {node.host}", f"{opened} is open")


def _is_open(world: World, host: str, lane: str) -> bool:
    for link in world.links.values():
        if link.lane == lane and host in (link.client.host, link.server.host):
            end = link.end_of(host)
            if end.is_open and not end.severed:
                return True
    return False
