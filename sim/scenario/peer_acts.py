"""What people and programs do at a controller or a node of the relay protocol.

The words on an arrow from a person to such a lifeline, or from it to itself. At both:
``quit``, ``start``, ``connect``, ``disconnect``, ``redial``, ``mute``, ``unmute``,
``say "text"``. At a node: ``login SITE``, ``decline SITE``, ``logout SITE``,
``close T1``, ``slow 2s [ACTION]``, ``fail CODE [ACTION]``, ``hang [ACTION]``, ``insist``,
``relent``. Anything else is free text; a text that *begins* with one of these words must
be such an act.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from sim.core.errors import ScenarioError
from sim.scenario.acts import FIRST_WORD
from sim.scenario.slips import refuse_slip
from sim.scenario.source import Span
from sim.scenario.syntax import Act, FreeText
from sim.scenario.values import NAME, read_duration, read_name, read_string

PEER_KINDS = ("controller", "node")
BOTH_USAGES = {
    "quit": "quit",
    "start": "start",
    "connect": "connect",
    "disconnect": "disconnect",
    "redial": "redial",
    "mute": "mute",
    "unmute": "unmute",
    "say": 'say "text"',
}
NODE_USAGES = {
    "login": "login SITE",
    "decline": "decline SITE",
    "logout": "logout SITE",
    "close": "close T1",
    "slow": "slow 2s [ACTION]",
    "fail": "fail CODE [ACTION]",
    "hang": "hang [ACTION]",
    "insist": "insist",
    "relent": "relent",
}

Reader = Callable[[Span, str, list[Span]], Act]


def read_peer_act(at: Span, kind: str) -> Act | FreeText:
    """What is done at a lifeline of this kind; ScenarioError for a known word misused."""
    usages = {**BOTH_USAGES, **NODE_USAGES} if kind == "node" else BOTH_USAGES
    first = FIRST_WORD.match(at.text)
    verb = first.group() if first else ""
    if verb not in usages:
        refuse_slip(at, usages, partial(read_peer_act, kind=kind), is_chat=False)
        return FreeText(at.line, at.column, at.text)
    rest = at.cut(len(verb)).strip()
    try:
        return _READERS.get(verb, _nothing)(at, verb, rest.words())
    except ScenarioError as wrong:
        allowed = (usages[verb], "free text that begins with another word")
        raise rest.fail(f"after {verb!r}: {wrong.text}", allowed) from None


def _nothing(at: Span, verb: str, rest: list[Span]) -> Act:
    if rest:
        raise rest[0].fail("nothing may follow")
    return Act(at.line, at.column, verb)


def _word(at: Span, verb: str, rest: list[Span]) -> Act:
    if len(rest) != 1:
        raise at.fail("one word is expected")
    return Act(at.line, at.column, verb, word=rest[0].text)


def _tab(at: Span, verb: str, rest: list[Span]) -> Act:
    if len(rest) != 1:
        raise at.fail("one tab is expected")
    if NAME.fullmatch(rest[0].text):
        return Act(at.line, at.column, verb, name=read_name(rest[0]))
    return Act(at.line, at.column, verb, word=rest[0].text)


def _slow(at: Span, verb: str, rest: list[Span]) -> Act:
    if not 1 <= len(rest) <= 2:
        raise at.fail("a time is expected, and perhaps an action")
    read_duration(rest[0])
    return Act(at.line, at.column, verb, words=tuple(one.text for one in rest))


def _maybe_action(at: Span, verb: str, rest: list[Span]) -> Act:
    least = 1 if verb == "fail" else 0
    if not least <= len(rest) <= least + 1:
        raise at.fail("a code and perhaps an action" if least else "at most an action")
    return Act(at.line, at.column, verb, words=tuple(one.text for one in rest))


def _say(at: Span, verb: str, rest: list[Span]) -> Act:
    return Act(at.line, at.column, verb, text=read_string(at.cut(len(verb)).strip()))


_READERS: Mapping[str, Reader] = {
    "say": _say,
    "login": _word,
    "decline": _word,
    "logout": _word,
    "close": _tab,
    "slow": _slow,
    "fail": _maybe_action,
    "hang": _maybe_action,
}
