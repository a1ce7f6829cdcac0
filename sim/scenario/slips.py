"""Words that are nearly acts: ``presses C2`` is a slip, ``presses the button`` is prose.

Free text is welcome on an arrow of a person, so that only what would be an act with one
letter changed, or without its ending, is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from sim.core.errors import ScenarioError
from sim.scenario.acts import (
    CHANNEL_USAGES,
    DESKTOP_USAGES,
    read_channel_act,
    read_desktop_act,
    resolve_free_text,
)
from sim.scenario.source import Span, close_to
from sim.scenario.syntax import Act, Arrow, FreeText, Local, Participant, Statement
from sim.scenario.tree import Rest, statements_in

WORD: Final = re.compile(r"[A-Za-z]+(?![\w.])")
EXACT: Final = re.compile(r'[A-Z][0-9]+(?!\S)|"|\(')
"""What no prose has behind its first word: a name, a text in quotes, items."""
NAMED: Final = re.compile(r"(?P<name>[a-z]\w*(?:\.\w+)*)\s*(?P<items>\(.*\))?")

Read = Callable[[Span], object]


def refuse_slip(at: Span, usages: Mapping[str, str], read: Read, *, is_chat: bool) -> None:
    """Raise ScenarioError where this free text would be an act but for its first word.

    ``usages``: how each verb is written; ``read`` reads an act. ``is_chat``: a single word
    can be what somebody writes there.
    """
    found = WORD.match(at.text)
    word = found.group() if found else ""
    rest = at.text[len(word) :].strip()
    for verb in usages:
        is_form = word in _forms(verb)
        if not is_form and not (len(verb) > 3 and _is_one_off(word.lower(), verb)):
            continue
        meant = f"{verb} {rest}".strip()
        if _is_exact(rest, is_form, is_chat) and _is_act(read, Span(meant, *_place(at))):
            prose = f'message "{at.text[:40]}"' if is_chat else "Note over A: text"
            raise at.fail(f"{word!r} is no act; is {meant[:60]!r} meant?", (usages[verb], prose))


def refuse_misnamed(at: Span, facts: Iterable[str]) -> None:
    """Raise ScenarioError where a lifeline tells itself a fact whose name is misspelt."""
    found = NAMED.fullmatch(at.text)
    if found is not None and ("." in found["name"] or found["items"]):
        close = close_to(found["name"], facts)
        if close:
            raise at.fail(f"{found['name'][:60]!r} is no fact that is told here", close)


def refuse_slips(body: Iterable[Statement], people: Mapping[str, Participant], path: str) -> None:
    """The same for the diagrams in which prose means something: what comes next decides."""
    statements = list(statements_in(body))
    for place, one in enumerate(statements):
        if isinstance(one, Arrow) and isinstance(one.content, FreeText):
            _check(one, Rest(statements, place + 1, ()), people, path)


def _check(arrow: Arrow, following: Rest, people: Mapping[str, Participant], path: str) -> None:
    source, target = people[arrow.source], people[arrow.target]
    acts = source.kind == "person" or source.is_channel
    if not acts or target.kind == "person":
        return
    act = resolve_free_text(arrow, following).content
    if not isinstance(act, Act) or act.verb != "message":
        return
    at = Span(act.text or "", path, act.line, act.column)
    if target.kind == "desktop":
        refuse_slip(at, DESKTOP_USAGES, read_desktop_act, is_chat=False)
    else:
        refuse_slip(at, CHANNEL_USAGES, read_channel_act, is_chat=True)


def _forms(verb: str) -> tuple[str, ...]:
    """What a narrator makes of a verb."""
    stem = verb.removesuffix("e").removesuffix("y")
    endings = ("ies", "ied") if verb.endswith("y") else ("ed", "ing")
    return (f"{verb}s", f"{verb}es", f"{verb}ed", f"{verb}ing", *(stem + one for one in endings))


def _is_exact(rest: str, is_form: bool, is_chat: bool) -> bool:
    if not rest:
        return not is_chat
    return EXACT.match(rest) is not None or (is_form and len(rest.split()) == 1)


def _is_act(read: Read, at: Span) -> bool:
    try:
        return isinstance(read(at), Act | Local)
    except ScenarioError:
        return False


def _is_one_off(word: str, verb: str) -> bool:
    """Whether one letter is missing, too many or another, or two have changed places; a
    capital letter counts for nothing."""
    a, b = sorted((word, verb), key=len)
    if word == verb or len(b) - len(a) > 1:
        return word == verb
    at = next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), len(a))
    if len(a) < len(b):
        return a[at:] == b[at + 1 :]
    swapped = a[:at] + a[at : at + 2][::-1] + a[at + 2 :]
    return a[at + 1 :] == b[at + 1 :] or swapped == b


def _place(at: Span) -> tuple[str, int, int]:
    return at.path, at.line, at.column
