"""What each directive does at its place: time, faults, channel answers, checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from sim.scenario import directive_nodes as nodes
from sim.scenario.playing.checks import check_count, check_open, check_shown
from sim.scenario.playing.stage import Direction
from sim.scenario.playing.threads import Settled, Steps, Until
from sim.scenario.syntax import Arrow, FrameText, Statement
from sim.world import fault, fault_choice
from sim.world.link import End, Link
from sim.world.world import World

if TYPE_CHECKING:
    from sim.scenario.playing.director import Director
    from sim.scenario.playing.walk import Walk

CHANNEL_OUTCOMES = {
    "ok": "ok",
    "429": "rate_limited",
    "5xx": "server_error",
    "not_found": "message_not_found",
    "refused": "edit_refused",
    "unknown": "unknown",
    "latency": "latency",
    "down": "down",
}

__all__ = ["carry_out", "check_shown", "links_of"]


def carry_out(walk: Walk, node: Any, following: Sequence[Statement]) -> Steps:
    """Let one directive take effect."""
    director = walk.director
    world = director.world
    match node:
        case nodes.After(duration_us=duration_us):
            yield Until(world.now + duration_us)
        case nodes.At(moment_us=moment_us):
            yield Until(moment_us)
        case nodes.Settle(line=line):
            if not (yield Settled()):
                director.fail(line, "@settle", "something was still pending after 1 h")
        case nodes.LoseNext():
            walk.fate = ("lose", 0)
        case nodes.DuplicateNext(after_us=after_us):
            walk.fate = ("duplicate", after_us or 0)
        case nodes.DelayNext(duration_us=duration_us):
            walk.fate = ("delay", duration_us)
        case nodes.Expect() | nodes.Final() | nodes.Count() | nodes.Open() | nodes.Closed():
            yield from _check(walk, node)
        case nodes.Never():
            walk.director.nevers.append(node)
        case nodes.ChannelFault() | nodes.FeatureChange() | nodes.Reconnect() | nodes.Act():
            yield Until(world.now)
            _tell(walk, node, following)
            yield Until(world.now)
        case _:
            yield Until(world.now)
            _strike(director, node)
            yield Until(world.now)


def _check(walk: Walk, node: Any) -> Steps:
    director, stage = walk.director, walk.stage
    if isinstance(node, nodes.Final):
        director.finals.append(node)
        return
    yield Until(director.world.now)
    match node:
        case nodes.Expect():
            check_shown(director, stage, node)
        case nodes.Count():
            check_count(director, stage, node)
        case nodes.Open() | nodes.Closed():
            check_open(director, stage, node)


def _tell(walk: Walk, node: Any, following: Sequence[Statement]) -> None:
    """Directives that are acts of somebody."""
    director, stage = walk.director, walk.stage
    match node:
        case nodes.ChannelFault(op=op, outcome=outcome, duration_us=us, always=always):
            for channel in stage.channels():
                word = CHANNEL_OUTCOMES[outcome]
                _act(director, stage.channel_fault(channel, op, word, us or 0, always))
        case nodes.FeatureChange(host=host, feature=feature, on=on):
            _act(director, stage.feature(host, feature, on))
        case nodes.Reconnect(host=host, channel=channel):
            handshake = next_frame(host, following) != "hello"
            _act(director, stage.puppet_connects(host, channel, handshake))
        case nodes.Act(host=host, act=act):
            director.world.act(host, stage.read_act(host, act))


def _act(director: Director, direction: Direction) -> None:
    director.world.act(direction.host, direction.act)


def next_frame(host: str, statements: Iterable[Statement]) -> str | None:
    """The type of the next frame that the diagram draws out of a host."""
    for statement in statements:
        if isinstance(statement, Arrow) and statement.source == host:
            content = statement.content
            return content.type if isinstance(content, FrameText) else None
        if isinstance(statement, nodes.Reconnect) and statement.host == host:
            return None
        for branch in getattr(statement, "branches", ()):
            found = next_frame(host, branch.body)
            if found is not None:
                return found
    return None


def _strike(director: Director, node: Any) -> None:
    """Directives that are faults of network and machines."""
    world = director.world
    match node:
        case nodes.Cut():
            _cut(director, node)
        case nodes.Heal(host=host, channel=channel):
            silent = [link for link in links_of(world, host, channel) if link.silent]
            _each(director, node.line, f"@heal {host}", silent, lambda x: fault.heal(world, x))
        case nodes.Hold(source=source, target=target):
            ends = list(_ends(world, source, target))
            _each(director, node.line, "@hold", ends, lambda x: fault.hold(world, x))
        case nodes.Release(source=source, target=target):
            ends = list(_ends(world, source, target))
            _each(director, node.line, "@release", ends, lambda x: fault.release(world, x))
        case nodes.Crash(host=host):
            fault.crash(world, host)
        case nodes.Restart(host=host):
            fault.restart(world, host)
        case nodes.Skew(host=host, by_us=by_us):
            fault.skew(world, host, by_us)
        case nodes.Sleep(host=host, duration_us=duration_us):
            fault.sleep(world, host, duration_us)
        case nodes.Fault(name=name):
            if not fault_choice.strike(world, name):
                director.fail(node.line, f"@fault {name}", "there is nothing of that name now")


def _each(
    director: Director, line: int, expected: str, targets: list[Any], do: Callable[[Any], None]
) -> None:
    if not targets:
        director.fail(line, expected, "there is no such connection")
    for target in targets:
        do(target)


def _cut(director: Director, node: nodes.Cut) -> None:
    world = director.world
    links = list(links_of(world, node.host, node.channel))
    newest: dict[tuple[str, str], Link] = {}
    for link in links:
        key = (link.client.host, link.lane)
        if key not in newest or link.generation > newest[key].generation:
            newest[key] = link
    current = list(newest.values())
    wanted = [link for link in links if (link in current) != node.old]
    wanted = [link for link in wanted if not (link.client.severed and link.server.severed)]
    text = f"@cut {node.host}{' old' if node.old else ''}"
    _each(director, node.line, text, wanted, lambda link: fault.cut(world, link, node.how))


def links_of(world: World, host: str, channel: str | None) -> Iterator[Link]:
    """The living links of a host, in order of making; ``channel`` narrows to a lane."""
    for link in world.links.values():
        if host in (link.client.host, link.server.host) and channel in (None, link.lane):
            yield link


def _ends(world: World, source: str, target: str) -> Iterator[End]:
    for link in world.links.values():
        for end in link.ends():
            if end.host == source and end.other.host == target:
                yield end
