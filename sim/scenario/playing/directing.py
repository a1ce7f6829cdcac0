"""What each directive does at its place: time, faults, channel answers, checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from sim.scenario import directive_nodes as nodes
from sim.scenario.playing.checks import Late, check_count, check_open, check_shown
from sim.scenario.playing.puppet import Puppet, PuppetAct, is_of_puppet
from sim.scenario.playing.stage import Direction
from sim.scenario.playing.threads import Poll, Settled, Steps, Until
from sim.scenario.syntax import Arrow, FrameText, Statement
from sim.scenario.tree import statements_in
from sim.world import fault, fault_choice, http_fault
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


def carry_out(walk: Walk, node: Any, following: Iterable[Statement]) -> Steps:
    """Let one directive take effect."""
    world = walk.director.world
    match node:
        case nodes.After(duration_us=duration_us):
            yield Until(world.now + duration_us)
        case nodes.At(moment_us=moment_us):
            yield Until(moment_us)
        case nodes.Settle(line=line):
            if not (yield Settled()):
                walk.findings.fail(line, "@settle", "something was still pending after 1 h")
        case nodes.LoseNext() | nodes.DuplicateNext() | nodes.DelayNext():
            walk.must_direct()
            _doom(walk, node, following)
        case nodes.Final() | nodes.Never():
            walk.findings.at_the_end(node)
        case nodes.Expect() | nodes.Count() | nodes.Open() | nodes.Closed():
            yield Until(world.now)
            _check(walk, node)
        case nodes.ChannelFault() | nodes.FeatureChange() | nodes.Reconnect() | nodes.Act():
            walk.must_direct()
            yield Until(world.now)
            if isinstance(node, nodes.Act) and _awaits_twin(walk, node):
                yield Poll(lambda: not _awaits_twin(walk, node))
            _tell(walk, node, following)
            yield Until(world.now)
        case _:
            walk.must_direct()
            yield Until(world.now)
            _strike(walk, node)
            yield Until(world.now)


def _doom(walk: Walk, node: Any, following: Iterable[Statement]) -> None:
    """The next frame of the diagram will be lost, doubled or late."""
    arrow = next_frame(following)
    if arrow is None:
        return
    match node:
        case nodes.LoseNext():
            fate: tuple[str, int] = ("lose", 0)
        case nodes.DuplicateNext(after_us=after_us):
            fate = ("duplicate", after_us or 0)
        case _:
            fate = ("delay", node.duration_us)
    walk.shared.fates[arrow.line] = fate


def _check(walk: Walk, node: Any) -> None:
    stage, fail = walk.stage, walk.findings.fail
    match node:
        case nodes.Expect() | nodes.Count(what="edits") if (
            node.name is not None and stage.names.get(node.name) is None
        ):
            walk.shared.late.append(Late(fail, node, stage.all_shown()))
        case nodes.Expect():
            check_shown(fail, stage, node)
        case nodes.Count():
            check_count(fail, walk.director.lookout.frames, stage, node)
        case nodes.Open() | nodes.Closed():
            check_open(fail, walk.director.world, stage, node)


def _tell(walk: Walk, node: Any, following: Iterable[Statement]) -> None:
    """Directives that are acts of somebody."""
    director, stage = walk.director, walk.stage
    match node:
        case nodes.ChannelFault(op=op, outcome=outcome, duration_us=us, always=always):
            for channel in _channels_meant(stage.channels(), following):
                word = CHANNEL_OUTCOMES[outcome]
                _act(director, stage.channel_fault(channel, op, word, us or 0, always))
        case nodes.FeatureChange(host=host, feature=feature, on=on):
            _act(director, stage.feature(host, feature, on))
        case nodes.Reconnect(host=host, channel=channel):
            handshake = not greets_itself(host, following)
            _act(director, stage.puppet_connects(host, channel, handshake))
        case nodes.Act(line=line, host=host, act=act):
            made = stage.read_act(host, act)
            why = unready(director.world, host, made)
            if why:
                walk.findings.fail(line, f"@act {host}", why)
            elif made is not None:
                director.world.act(host, made)


def _awaits_twin(walk: Walk, node: nodes.Act) -> bool:
    """Whether a puppet has to say something to a twin that has not called yet.

    Twins dial when they like, on connections that have the numbers of those of the record.
    """
    world, act = walk.director.world, node.act
    if not is_of_puppet(act) or not isinstance(act, dict) or node.host not in world.hosts:
        return False
    peer = world.hosts.get(str(act.get("peer", "")))
    called_by = str(act.get("link", "")).rpartition(".")[0]
    if not called_by or called_by == node.host or peer is None or isinstance(peer.actor, Puppet):
        return False
    link = world.links.get(str(act["link"]))
    return (
        link is None or not link.server.is_open or not link.client.nth or bool(link.client.flight)
    )


def unready(world: World, host: str, act: Any) -> str:
    """Why nobody can do what puppets do, or not on the connection that is named; else ""."""
    if not isinstance(act, PuppetAct):
        return ""
    actor, link = world.hosts[host].actor, getattr(act, "link", "")
    if actor is None:
        return f"{host} is down" if link else ""  # a record tells acts without a name to the dead
    if not isinstance(actor, Puppet):
        return f"{host} is a twin, and speaks for itself: write @puppet {host}, or an arrow"
    return f"{host} has no connection {link} now" if link and link not in actor.links else ""


def _channels_meant(channels: Sequence[str], following: Iterable[Statement]) -> Sequence[str]:
    """The channel of the next arrow that touches one; all of them if none follows."""
    for one in statements_in(following):
        if isinstance(one, Arrow):
            for end in (one.source, one.target):
                if end in channels:
                    return (end,)
    return channels


def _act(director: Director, direction: Direction) -> None:
    director.world.act(direction.host, direction.act)


def next_frame(statements: Iterable[Statement]) -> Arrow | None:
    """The next arrow that carries a frame, in document order."""
    for one in statements_in(statements):
        if isinstance(one, Arrow) and isinstance(one.content, FrameText):
            return one
    return None


def greets_itself(host: str, statements: Iterable[Statement]) -> bool:
    """Whether the next arrow out of a puppet, on its next connection, is ``hello``."""
    for one in statements_in(statements):
        if isinstance(one, nodes.Reconnect) and one.host == host:
            return False
        if isinstance(one, Arrow) and one.source == host:
            return isinstance(one.content, FrameText) and one.content.type == "hello"
    return False


def _strike(walk: Walk, node: Any) -> None:
    """Directives that are faults of network and machines."""
    world = walk.director.world
    match node:
        case nodes.Cut():
            _cut(walk, node)
        case nodes.Heal(host=host, channel=channel):
            silent = [link for link in links_of(world, host, channel) if link.silent]
            why = f"no connection of {host} is cut silently"
            _each(walk, node, f"@heal {host}", why, silent, lambda x: fault.heal(world, x))
        case nodes.Hold(source=source, target=target):
            ends = [e for e in _ends(world, source, target) if not e.held]
            why, text = f"{source} has no connection with {target}", f"@hold {source}->{target}"
            _each(walk, node, text, why, ends, lambda x: fault.hold(world, x))
        case nodes.Release(source=source, target=target):
            ends = [e for e in _ends(world, source, target) if e.held and not e.link.silent]
            why, text = f"nothing from {source} is held", f"@release {source}->{target}"
            _each(walk, node, text, why, ends, lambda x: fault.release(world, x))
        case nodes.Skew(host=host, by_us=by_us):
            fault.skew(world, host, by_us)
        case nodes.Sleep(host=host, duration_us=duration_us):
            fault.sleep(world, host, duration_us)
        case nodes.Fault(name=name):
            if not fault_choice.strike(world, name) and not _is_of_stand_in(walk, name):
                walk.findings.fail(node.line, f"@fault {name}", "there is nothing of that name now")
        case nodes.HttpFault():
            _befall(walk, node)
        case nodes.Crash(host=host):
            walk.perform(Direction(host, verb="crash"))
        case nodes.Restart(host=host):
            walk.perform(Direction(host, verb="restart"))


def _befall(walk: Walk, node: nodes.HttpFault) -> None:
    """The next requests of a kind are refused, lost, late …"""
    word = http_fault.ANY
    if node.request != http_fault.ANY:
        word = walk.stage.http_word(node.source, node.target, node.request)
    world, ends = walk.director.world, (node.source, node.target)
    http_fault.strike_next(world, *ends, word, node.outcome, node.times)


def _is_of_stand_in(walk: Walk, fault_name: str) -> bool:
    """Whether a fault is meant for a frame of a twin that has taken a puppet's place.

    It says other frames, and at other times: the frame need not be there.
    """
    sender = next((w.partition(">")[0] for w in fault_name.split() if ">" in w), "")
    scenario = walk.director.scenario
    return any(
        isinstance(one, nodes.Act) and one.host == sender and is_of_puppet(one.act)
        for one in statements_in(scenario.body)
    ) and all(one.puppet is None for one in scenario.participants if one.id == sender)


def _each(
    walk: Walk, node: Any, expected: str, why: str, targets: list[Any], do: Callable[[Any], None]
) -> None:
    if not targets:
        walk.findings.fail(node.line, expected, why)
    for target in targets:
        do(target)
        walk.director.world.cause = -1  # several faults of one line do not cause each other


def _cut(walk: Walk, node: nodes.Cut) -> None:
    world = walk.director.world
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
    why = f"{node.host} has no {'replaced ' if node.old else ''}connection"
    _each(walk, node, text, why, wanted, lambda link: fault.cut(world, link, node.how))


def links_of(world: World, host: str, channel: str | None) -> Iterator[Link]:
    """The living links of a host, in order of making; ``channel`` narrows to a lane."""
    for link in world.links.values():
        if host in (link.client.host, link.server.host) and channel in (None, link.lane):
            yield link


def _ends(world: World, source: str, target: str) -> Iterator[End]:
    for link in world.links.values():
        for end in link.ends():
            lives = (end.is_open and not end.severed) or link.is_dialling
            if end.host == source and end.other.host == target and (lives or end.held):
                yield end
