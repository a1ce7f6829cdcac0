"""What people do: the words on arrows out of a person or out of a channel.

In a channel: ``message "text"``, ``reply [R1] "text"``, ``group "text"``,
``press NAME-or-label``, the slash commands, ``authorize [TEAM]``, ``decline``,
``delete R1``. At a desktop: ``retry``, ``type "text"``, ``answer BUTTON``,
``quit``, ``start``, ``login NAME``, ``workspaces a,b``. Anything else is free
text. A text that *begins* with one of these words must be such an act: else a
forgotten quote would silently turn an act into prose.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from attrs import evolve

from sim.core.errors import ScenarioError
from sim.scenario.source import Span
from sim.scenario.syntax import (
    Act,
    Alt,
    Arrow,
    Break,
    Critical,
    FrameText,
    FreeText,
    Loop,
    Name,
    Opt,
    Par,
    Statement,
)
from sim.scenario.values import NAME, read_name, read_string

SLASH_COMMANDS = ("stop", "new", "bind", "model", "effort", "session")
CHANNEL_USAGES = {
    "message": 'message "text"',
    "reply": 'reply [R1] "text"',
    "group": 'group "text"',
    "press": "press NAME-or-label",
    **{command: f"/{command}" for command in SLASH_COMMANDS},
    "authorize": "authorize [TEAM]",
    "decline": "decline",
    "delete": "delete R1",
}
DESKTOP_USAGES = {
    "retry": "retry",
    "type": 'type "text"',
    "answer": "answer BUTTON",
    "quit": "quit",
    "start": "start",
    "login": "login NAME",
    "workspaces": "workspaces a,b",
}
# What free text of a person means when this frame comes next.
CONCLUSIONS = {
    "interaction.decision": "press",
    "task.cancel": "stop",
    "session.archive": "new",
    "turn.reopen": "retry",
}
# Which of their fields say what the person means.
POINTERS = {
    "interaction.decision": ("interactionId",),
    "task.cancel": ("requestId",),
    "session.archive": (),
    "turn.reopen": ("reopenOf",),
}
FIRST_WORD = re.compile(r"/?[a-z]+(?![\w.])")
WORKSPACE = re.compile(r"[^\s,]+(?:\s*,\s*[^\s,]+)*")


def read_channel_act(at: Span) -> Act | FreeText:
    """What a person does in a channel."""
    if at.text.startswith("/"):
        return _slash_command(at)
    return _read_act(at, _CHANNEL_READERS, CHANNEL_USAGES)


def read_desktop_act(at: Span) -> Act | FreeText:
    """What a person does at a desktop."""
    return _read_act(at, _DESKTOP_READERS, DESKTOP_USAGES)


Reader = Callable[[Span, str, Span], Act]


def _read_act(at: Span, readers: Mapping[str, Reader], usages: Mapping[str, str]) -> Act | FreeText:
    first = FIRST_WORD.match(at.text)
    verb = first.group() if first else ""
    if verb not in readers:
        return FreeText(at.line, at.column, at.text)
    rest = at.cut(len(verb)).strip()
    try:
        return readers[verb](at, verb, rest)
    except ScenarioError as wrong:
        allowed = (usages[verb], "free text that begins with another word")
        raise rest.fail(f"after {verb!r}: {wrong.text}", allowed) from None


def _slash_command(at: Span) -> Act:
    words = at.words()
    command = words[0].text[1:]
    if command not in SLASH_COMMANDS:
        allowed = (*(f"/{one}" for one in SLASH_COMMANDS), f'message "{words[0].text[:20]}"')
        raise words[0].fail(f"unknown command {words[0].text[:40]!r}", allowed)
    rest = at.cut(len(words[0].text)).strip().text
    return Act(at.line, at.column, command, word=rest or None)


def _with_text(at: Span, verb: str, rest: Span) -> Act:
    return Act(at.line, at.column, verb, text=read_string(rest))


def _reply(at: Span, verb: str, rest: Span) -> Act:
    words = rest.words()
    if not words or words[0].text.startswith('"'):
        return _with_text(at, verb, rest)
    name = read_name(words[0])
    text = read_string(rest.cut(len(words[0].text)).strip())
    return Act(at.line, at.column, verb, text=text, name=name)


def _press(at: Span, verb: str, rest: Span) -> Act:
    if NAME.fullmatch(rest.text):
        return Act(at.line, at.column, verb, name=read_name(rest))
    if rest.text.startswith('"'):
        return Act(at.line, at.column, verb, word=read_string(rest))
    return Act(at.line, at.column, verb, word=_something(rest, "which button?"))


def _one_word(at: Span, verb: str, rest: Span) -> Act:
    if rest.text.startswith('"'):
        return Act(at.line, at.column, verb, word=read_string(rest))
    return Act(at.line, at.column, verb, word=_something(rest, "a word is missing"))


def _maybe_word(at: Span, verb: str, rest: Span) -> Act:
    if len(rest.words()) > 1:
        raise rest.fail("at most one word may follow")
    return Act(at.line, at.column, verb, word=rest.text or None)


def _nothing(at: Span, verb: str, rest: Span) -> Act:
    if rest.text:
        raise rest.fail("nothing may follow")
    return Act(at.line, at.column, verb)


def _delete(at: Span, verb: str, rest: Span) -> Act:
    return Act(at.line, at.column, verb, name=read_name(rest))


def _workspaces(at: Span, verb: str, rest: Span) -> Act:
    if WORKSPACE.fullmatch(rest.text) is None:
        raise rest.fail("names between commas are expected")
    return Act(at.line, at.column, verb, words=tuple(re.split(r"\s*,\s*", rest.text)))


def _something(rest: Span, complaint: str) -> str:
    if not rest.text:
        raise rest.fail(complaint)
    return rest.text


_CHANNEL_READERS: Mapping[str, Reader] = {
    "message": _with_text,
    "reply": _reply,
    "group": _with_text,
    "press": _press,
    "authorize": _maybe_word,
    "decline": _nothing,
    "delete": _delete,
}
_DESKTOP_READERS: Mapping[str, Reader] = {
    "retry": _nothing,
    "type": _with_text,
    "answer": _one_word,
    "quit": _nothing,
    "start": _nothing,
    "login": _one_word,
    "workspaces": _workspaces,
}


def resolve_free_text(arrow: Arrow, following: Iterable[Statement]) -> Arrow:
    """Turn a person's free text into the act that it must be.

    ``following`` are the statements after the arrow, in document order (blocks
    are looked into, in order). The first frame among them decides, see
    ``CONCLUSIONS``; otherwise it is a message to the bot with that text. Other
    contents come back unchanged. ``Act.remark`` keeps the prose: a runner may
    find the label of the button in it.

    The caller uses it on arrows of people only (person or channel as source).
    """
    prose = arrow.content
    if not isinstance(prose, FreeText):
        return arrow
    act = Act(prose.line, prose.column, "message", text=prose.text, remark=prose.text)
    frame = next(_frames(following), None)
    if frame is not None and frame.type in CONCLUSIONS:
        act = evolve(act, verb=CONCLUSIONS[frame.type], text=None, **_pointed_at(frame))
    return evolve(arrow, content=act)


def _pointed_at(frame: FrameText) -> dict[str, Any]:
    """Which card, button or request the frame behind the prose is about."""
    told = {item.path: item.value for item in frame.items if item.op == "equals"}
    found: dict[str, Any] = {}
    for field in ("interactionId", "reopenOf", "requestId"):
        if isinstance(told.get(field), Name) and field in POINTERS[frame.type]:
            found["name"] = told[field]
    if frame.type == "interaction.decision" and isinstance(told.get("buttonId"), str):
        found["word"] = told["buttonId"]
    return found


def _frames(statements: Iterable[Statement]) -> Iterator[FrameText]:
    """All frame texts in document order."""
    for one in statements:
        match one:
            case Arrow(content=FrameText() as frame):
                yield frame
            case Par(branches=branches) | Alt(branches=branches):
                for branch in branches:
                    yield from _frames(branch.body)
            case Opt(body=body) | Loop(body=body) | Break(body=body):
                yield from _frames(body)
            case Critical(body=body, options=options):
                yield from _frames(body)
                for branch in options:
                    yield from _frames(branch.body)
            case _:
                pass
