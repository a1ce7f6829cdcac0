"""Directives that take effect at their place: ``@cut``, ``@expect``, ``@channel`` …"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, get_args

from sim.channel.services import SERVICES
from sim.scenario import directive_nodes as nodes
from sim.scenario.arguments import Arguments
from sim.scenario.directive_nodes import ChannelFault, Count, Cut, Directive
from sim.scenario.source import near
from sim.scenario.values import DURATION, NAME, read_duration, read_integer, read_json, read_string
from sim.world import http_fault

REQUEST_STATES = ("WORKING", "OK", "FAILED", "CANCELLED", "INTERRUPTED", "REJECTED", "QUEUED")
CARD_STATES = ("OPEN", "CLOSED")
HOWS: tuple[Literal["fin", "rst", "silent"], ...] = ("fin", "rst", "silent")
ChannelOp = Literal["post", "edit", "card", "react", "delete", "answer", "poll", "*"]
Outcome = Literal["ok", "429", "5xx", "not_found", "refused", "unknown", "latency", "down"]
Comparison = Literal["<=", ">=", "<", ">", "="]

ACTION_USAGES = {
    "after": "@after 3s",
    "at": "@at 10s",
    "settle": "@settle",
    "cut": "@cut D [slack] [old] [fin|rst|silent]",
    "heal": "@heal D [slack]",
    "reconnect": "@reconnect D [slack]",
    "lose": "@lose next",
    "duplicate": "@duplicate next [after 1s]",
    "delay": "@delay next 3s",
    "hold": "@hold D->S",
    "release": "@release D->S",
    "crash": "@crash S",
    "restart": "@restart S",
    "skew": "@skew D +70s",
    "sleep": "@sleep D 8h",
    "channel": "@channel edit 429 5s [always]",
    "http": "@http L->OC REQUEST 500 [2x]",
    "expect": '@expect R1 WORKING|OK ["text"]',
    "final": '@final R1 OK ["text"]',
    "count": "@count posts|edits [R1] [<=]3, @count frame [D2] TYPE 0",
    "never": '@never "text"',
    "open": "@open D [slack]",
    "closed": "@closed D [slack]",
    "act": '@act U {"is":"say","person":"U","text":"hi"}',
    "fault": "@fault cut D.slack#1 rst",
}


def read_action(args: Arguments) -> Directive:
    """The node of a directive whose word is in ``ACTION_USAGES``."""
    node = _READERS[args.word.text](args, args.word.line, args.word.column - 1)
    args.done()
    return node


def _after(args: Arguments, line: int, column: int) -> Directive:
    return nodes.After(line, column, args.duration())


def _at(args: Arguments, line: int, column: int) -> Directive:
    return nodes.At(line, column, args.duration())


def _settle(args: Arguments, line: int, column: int) -> Directive:
    return nodes.Settle(line, column)


def _cut(args: Arguments, line: int, column: int) -> Directive:
    host, channel = args.client(), args.maybe_channel()
    old = args.skip("old")
    if not args.rest:
        return Cut(line, column, host, channel, old)
    wanted = args.choice("way to cut", (*HOWS, "old", *SERVICES))
    for how in HOWS:
        if wanted == how:
            return Cut(line, column, host, channel, old, how)
    raise args.end.fail(f"the order is {args.usage}")


def _of_connection(
    make: Callable[[int, int, str, str | None], Directive],
) -> Callable[[Arguments, int, int], Directive]:
    def read(args: Arguments, line: int, column: int) -> Directive:
        host = args.client()
        return make(line, column, host, args.maybe_channel())

    return read


def _of_host(
    make: Callable[[int, int, str], Directive],
) -> Callable[[Arguments, int, int], Directive]:
    def read(args: Arguments, line: int, column: int) -> Directive:
        return make(line, column, args.host())

    return read


def _lose(args: Arguments, line: int, column: int) -> Directive:
    args.choice("target", ("next",))
    return nodes.LoseNext(line, column)


def _duplicate(args: Arguments, line: int, column: int) -> Directive:
    args.choice("target", ("next",))
    after = None
    if args.rest:
        args.choice("word", ("after",))
        after = args.duration()
    return nodes.DuplicateNext(line, column, after)


def _delay(args: Arguments, line: int, column: int) -> Directive:
    args.choice("target", ("next",))
    return nodes.DelayNext(line, column, args.duration())


def _hold(args: Arguments, line: int, column: int) -> Directive:
    return nodes.Hold(line, column, *_frame_lane(args))


def _release(args: Arguments, line: int, column: int) -> Directive:
    return nodes.Release(line, column, *_frame_lane(args))


def _frame_lane(args: Arguments) -> tuple[str, str]:
    """Two lifelines between which frames travel."""
    source, target = args.lane()
    for end in (source, target):
        one = args.find(end)
        if one.kind == "person" or one.is_channel:
            raise end.fail(f"{one.id} is a {one.kind}: only frames between protocol peers are held")
    if source.text == target.text:
        raise target.fail("the two ends are the same lifeline")
    return source.text, target.text


def _skew(args: Arguments, line: int, column: int) -> Directive:
    host = args.host()
    at = args.take("an offset", ("+70s", "-70s"))
    if at.text[:1] not in ("+", "-"):
        raise at.fail(f"{at.text[:40]!r} has no sign", ("+70s", "-70s"))
    sign = -1 if at.text.startswith("-") else 1
    return nodes.Skew(line, column, host, sign * read_duration(at.cut(1)))


def _sleep(args: Arguments, line: int, column: int) -> Directive:
    return nodes.Sleep(line, column, args.host(), args.duration())


def _channel(args: Arguments, line: int, column: int) -> Directive:
    wanted_op = args.choice("call of a channel", get_args(ChannelOp))
    op: ChannelOp = next(one for one in _OPS if one == wanted_op)
    wanted = args.choice("outcome", get_args(Outcome))
    outcome: Outcome = next(one for one in _OUTCOMES if one == wanted)
    duration = None
    if outcome in ("latency", "down") or (outcome == "429" and args.peek() not in ("", "always")):
        duration = args.duration()
    always = args.skip("always")
    if args.rest:
        raise args.rest[0].fail(f"{args.peek()[:40]!r} cannot follow", ("always",))
    return ChannelFault(line, column, op, outcome, duration, always)


def _http(args: Arguments, line: int, column: int) -> Directive:
    """``L->OC "GET /question" 500 2x``."""
    source, target = args.lane()
    for end in (source, target):
        one = args.find(end)
        if one.kind == "person" or one.is_channel:
            raise end.fail(f"{one.id} is a {one.kind}: it neither sends nor answers HTTP here")
    if source.text == target.text:
        raise target.fail("the two ends are the same lifeline")
    request = _http_request(args)
    outcome = _http_outcome(args)
    times = 1
    if args.rest:
        often = args.take("how often", ("2x",))
        times = read_integer(often.cut(0, -1), http_fault.MOST_TIMES)
        if not often.text.endswith("x") or times < 1:
            raise often.fail("how often is a number and an x", ("2x",))
    return nodes.HttpFault(line, column, source.text, target.text, request, outcome, times)


def _http_request(args: Arguments) -> str:
    """A request that the protocol names, any other in quotes, or ``*``."""
    frames = args.scope.vocabulary.frames
    known = frames.frame_types() if frames is not None else ()
    named = args.phrase(known)
    if named is None and args.peek() in known:
        named = args.peek()
        args.skip(named)
    if named is not None:
        return named
    at = args.take("a request", ('"GET /question"', http_fault.ANY))
    if at.text == http_fault.ANY:
        return at.text
    if not at.text.startswith('"'):
        told = f"{at.text} {args.peek()}" if args.peek().startswith("/") else at.text
        raise at.fail(f"{told[:40]!r} is no request", near(told, (*known, '"GET /path"', "*")))
    return read_string(at)


def _http_outcome(args: Arguments) -> str:
    known = (*http_fault.WORDS, "500", "404", "5s")
    at = args.take("an outcome", known)
    if DURATION.fullmatch(at.text):
        return f"{read_duration(at)}us"
    if at.text.endswith("us") or not http_fault.is_outcome(at.text):
        message = f"{at.text[:40]!r} does not become of a request; 400 to 599 are its statuses"
        raise at.fail(message, known)
    return at.text


def _states(args: Arguments) -> tuple[str, tuple[str, ...], str | None]:
    """``R1 WORKING|OK "text"``."""
    name = args.name()
    at = args.take("a state", (*REQUEST_STATES, *CARD_STATES))
    states: list[str] = []
    place = 0
    for state in at.text.split("|"):
        known = _states_beside(states)
        if state not in known or state in states:
            raise at.fail(f"{state[:40]!r} is no state here", known, at=place)
        states.append(state)
        place += len(state) + 1
    return name, tuple(states), args.maybe_string()


def _states_beside(states: list[str]) -> tuple[str, ...]:
    """States that may stand beside these: of a request or of a card, never of both."""
    if not states:
        return (*REQUEST_STATES, *CARD_STATES)
    return CARD_STATES if states[0] in CARD_STATES else REQUEST_STATES


def _expect(args: Arguments, line: int, column: int) -> Directive:
    return nodes.Expect(line, column, *_states(args))


def _final(args: Arguments, line: int, column: int) -> Directive:
    return nodes.Final(line, column, *_states(args))


def _count(args: Arguments, line: int, column: int) -> Directive:
    what = args.choice("countable", ("posts", "edits", "frame"))
    name = host = frame = None
    if NAME.fullmatch(args.peek()) and args.peek() not in args.scope.people and what != "frame":
        name = args.name()
    elif args.peek() in args.scope.people and len(args.rest) > 1:
        at = args.rest[0]
        one = args.participant()
        if what != "frame" and not one.is_channel:
            raise at.fail(f"posts and edits belong to a channel, not to {one.id}")
        host = one.id
    if what == "frame":
        frame = read_frame_type(args)
    op, number = _comparison(args)
    if what == "frame":
        return Count(line, column, "frame", op, number, host=host, frame=frame)
    return Count(line, column, "posts" if what == "posts" else "edits", op, number, name, host)


def read_frame_type(args: Arguments) -> str:
    """A frame of the protocol that this diagram speaks."""
    frames = args.scope.vocabulary.frames
    if frames is not None:
        return args.phrase(frames.frame_types()) or args.choice("frame", frames.frame_types())
    return args.take("a frame", ("turn.end",)).text


def _comparison(args: Arguments) -> tuple[Comparison, int]:
    """``3``, ``<=3`` …"""
    at = args.take("a number", ("1", "<=3", ">=1"))
    for op in _COMPARISONS:
        if at.text.startswith(op):
            return op, read_integer(at.cut(len(op)))
    return "=", read_integer(at)


def _never(args: Arguments, line: int, column: int) -> Directive:
    at = args.rest[0] if args.rest else args.end
    text = args.string()
    if not text:
        raise at.fail("every message shows the empty text", ('"text"',))
    return nodes.Never(line, column, text)


def _act(args: Arguments, line: int, column: int) -> Directive:
    host = args.participant().id
    at = args.tail("an act", ('{"is":"say","text":"hi"}',))
    act = read_json(at)
    if not isinstance(act, dict) or not isinstance(act.get("is"), str):
        raise at.fail('an act is an object with "is"', ('{"is":"say","text":"hi"}',))
    return nodes.Act(line, column, host, act)


def _fault(args: Arguments, line: int, column: int) -> Directive:
    return nodes.Fault(line, column, args.tail("a fault", ("cut D.slack#1 rst", "crash S")).text)


_OPS: tuple[ChannelOp, ...] = get_args(ChannelOp)
_OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
_COMPARISONS: tuple[Comparison, ...] = get_args(Comparison)
_READERS: Mapping[str, Callable[[Arguments, int, int], Directive]] = {
    "after": _after,
    "at": _at,
    "settle": _settle,
    "cut": _cut,
    "heal": _of_connection(nodes.Heal),
    "reconnect": _of_connection(nodes.Reconnect),
    "lose": _lose,
    "duplicate": _duplicate,
    "delay": _delay,
    "hold": _hold,
    "release": _release,
    "crash": _of_host(nodes.Crash),
    "restart": _of_host(nodes.Restart),
    "skew": _skew,
    "sleep": _sleep,
    "channel": _channel,
    "http": _http,
    "expect": _expect,
    "final": _final,
    "count": _count,
    "never": _never,
    "open": _of_connection(nodes.Open),
    "closed": _of_connection(nodes.Closed),
    "act": _act,
    "fault": _fault,
}
