"""What an arrow says, which depends on who stands at its two ends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from sim.scenario.acts import read_channel_act, read_desktop_act
from sim.scenario.grammar import RawArrow
from sim.scenario.items import read_frame
from sim.scenario.peer_acts import PEER_KINDS, read_peer_act
from sim.scenario.question_acts import OWN_KINDS, read_question_act
from sim.scenario.slips import refuse_misnamed, refuse_slip
from sim.scenario.source import Span
from sim.scenario.syntax import (
    Act,
    Arrow,
    ChannelCall,
    Content,
    FrameText,
    FreeText,
    Local,
    Participant,
)
from sim.scenario.values import read_duration
from sim.scenario.vocabulary import FrameVocabulary

CALLS: tuple[Literal["post", "edit", "card", "react"], ...] = ("post", "edit", "card", "react")
LOCAL_USAGES = {"think": "think 2s", "retry": "retry", "quit": "quit"}
LOCALS = (*LOCAL_USAGES.values(), "free text")
FORMS_BETWEEN_PEERS = ("frame.type (items)",)


def read_arrow(
    raw: RawArrow, people: Mapping[str, Participant], frames: FrameVocabulary | None
) -> Arrow:
    """The arrow with its content understood."""
    source, target = people[raw.source.text], people[raw.target.text]
    lost = raw.sign in ("-x", "--x")
    if not raw.text.text:
        raise raw.text.fail("the arrow has no text")
    content = _content(raw, source, target, frames)
    if lost and (_role(source), _role(target)) != ("peer", "peer"):
        raise raw.at.fail(
            "only a frame between protocol peers can be lost; use @channel for a failing call",
            ("->>", "-->>"),
            at=raw.source.column - raw.at.column + len(raw.source.text),
        )
    return Arrow(
        line=raw.at.line,
        column=raw.at.column,
        source=source.id,
        target=target.id,
        lost=lost,
        content=content,
        text=raw.text.text,
    )


def _role(one: Participant) -> str:
    """Person, channel, or a peer of the protocol."""
    if one.kind == "person":
        return "person"
    return "channel" if one.is_channel else "peer"


def _content(
    raw: RawArrow, source: Participant, target: Participant, frames: FrameVocabulary | None
) -> Content:
    text = raw.text
    if source.id == target.id:
        return _local(text, source, frames)
    match _role(source), _role(target):
        case "peer", "peer":
            return _frame(raw, source, target, frames)
        case ("person", "channel") | ("channel", "peer"):
            _not_desktop(raw, target)
            return read_channel_act(text)
        case "person", "peer":
            return _act_at(text, target, frames)
        case "peer", "channel":
            _not_desktop(raw, source)
            return _call(text)
        case ("channel", "person") | ("peer", "person"):
            return FreeText(text.line, text.column, text.text)
        case _:
            roles = f"{source.kind} to {target.kind}"
            hint = "two people or two channels exchange nothing that a protocol carries; use a note"
            raise raw.target.fail(f"{roles}: {hint}", ("Note over A,B: text",))


def _act_at(text: Span, peer: Participant, frames: FrameVocabulary | None) -> Act | FreeText:
    """What a person does at a protocol peer."""
    if peer.kind in OWN_KINDS:
        return read_question_act(text, peer.kind, frames)
    if peer.kind in PEER_KINDS:
        return read_peer_act(text, peer.kind)
    return read_desktop_act(text) if peer.kind == "desktop" else read_channel_act(text)


def _frame(
    raw: RawArrow, source: Participant, target: Participant, frames: FrameVocabulary | None
) -> Content:
    is_puppet = source.puppet is not None
    if source.kind == target.kind and not is_puppet:
        message = f"a {source.kind} and a {target.kind} have no connection"
        raise raw.target.fail(message, FORMS_BETWEEN_PEERS)
    frame = read_frame(raw.text, frames, literal=is_puppet)
    direction = frames.direction(frame.type) if frames is not None else "both"
    ways = direction.split("|")
    if not is_puppet and direction != "both" and f"{source.kind}>{target.kind}" not in ways:
        way = " or ".join(way.replace(">", " to ") for way in ways)
        message = f"{frame.type} goes {way}, not {source.kind} to {target.kind}"
        raise raw.text.fail(message, ("turn the arrow round", f"%% @puppet {source.id}"))
    return frame


def _not_desktop(raw: RawArrow, peer: Participant) -> None:
    if peer.kind == "desktop":
        raise raw.target.fail(
            "a desktop and a channel have no connection; the server stands between them",
            ("arrows to or from the server",),
        )


def _call(text: Span) -> ChannelCall:
    """A call to a channel, or prose for at least one."""
    words = text.words()
    first = words[0].text
    for call in CALLS:
        if first == call and len(words) == 1:
            return ChannelCall(text.line, text.column, call, text.text)
        if first == call:
            message = f"nothing may follow {first!r}; say with @expect what is shown"
            raise words[1].fail(message, (*CALLS, "free text that begins with another word"))
    return ChannelCall(text.line, text.column, None, text.text)


def _local(
    text: Span, host: Participant, frames: FrameVocabulary | None
) -> Act | Local | FreeText | FrameText:
    """Something that happens inside one lifeline."""
    if frames is not None and _is_told_of(host, text, frames):
        return read_frame(text, frames, literal=False)
    words = text.words()
    verb, rest = words[0].text, words[1:]
    if verb == "think":
        if len(rest) != 1:
            raise text.fail("think takes one duration", LOCALS)
        return Local(text.line, text.column, "think", read_duration(rest[0]))
    if host.kind in PEER_KINDS:
        return read_peer_act(text, host.kind)
    if host.kind in OWN_KINDS:
        act = read_question_act(text, host.kind, frames)
        if isinstance(act, FreeText) and frames is not None:
            refuse_misnamed(text, _told_of(host, frames))
        return act
    if host.kind != "desktop":
        return FreeText(text.line, text.column, text.text)
    if verb == "retry" or verb == "quit":
        if rest:
            raise rest[0].fail(f"nothing may follow {verb!r}", LOCALS)
        return Local(text.line, text.column, "retry" if verb == "retry" else "quit")
    if isinstance(read_desktop_act(text), Act):
        message = f"{verb!r} is done by a person: draw it from an actor to {host.id}"
        raise text.fail(message, LOCALS, at=0)
    refuse_slip(text, LOCAL_USAGES, lambda at: _local(at, host, frames), is_chat=False)
    return FreeText(text.line, text.column, text.text)


def _told_of(host: Participant, frames: FrameVocabulary) -> list[str]:
    """The facts that hosts of this kind tell."""
    way = f"{host.kind}>{host.kind}"
    return [name for name in frames.frame_types() if way in frames.direction(name).split("|")]


def _is_told_of(host: Participant, text: Span, frames: FrameVocabulary) -> bool:
    """Whether this is a fact that hosts of this kind tell, with a name of its own."""
    name = text.text.partition("(")[0].strip()
    if name not in frames.frame_types():
        return False
    return f"{host.kind}>{host.kind}" in frames.direction(name).split("|")
