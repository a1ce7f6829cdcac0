"""The channels as people see them: a Slack thread, a Telegram chat, posts on X.

Each bot's message carries what a reader does not see: its state as a word, who
may change it (connection and generation), who wrote it last, its history, and
the edits that are under way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import attrs

from sim.channel.api import NEXT_ROW
from sim.channel.history import Version
from sim.channel.moments import Edit, MessageAt
from sim.channel.weight import LIMIT, weight
from sim.core import event as events
from sim.view.scene import Flight, kind_of
from tui.drawing.lines import Line, Span, fit, harmless, line, pad, wrap
from tui.session import Session

STATES = {
    "WORKING": ("in progress", "warn"),
    "QUEUED": ("queued", "warn"),
    "OK": ("ok", "good"),
    "FAILED": ("error", "bad"),
    "CANCELLED": ("cancelled", "dim"),
    "INTERRUPTED": ("interrupted", "bad"),
    "REJECTED": ("rejected", "bad"),
}
"""The word and the role of each chip."""

WORD = max(len(word) for word, _ in STATES.values())
HISTORY = 4
TOASTS = 3
_ON = re.compile(r" on (\S+#(\d+))$")


@attrs.frozen
class Look:
    """How a pane is looked at: its width, the chosen message, and whether it is unfolded.

    ``several``: more than one person has written there.
    """

    session: Session
    step: int
    width: int
    chosen: str = ""
    unfolded: bool = False
    several: bool = False


@attrs.frozen
class Said:
    """A message with what its pane needs to draw it."""

    at: MessageAt
    title: str
    lines: tuple[Line, ...] = ()


def channels_of(session: Session) -> list[tuple[str, str]]:
    """(host, kind) of the run's channels."""
    kinds = ("slack", "telegram", "x")
    return [(name, kind) for name, kind in session.lanes() if kind in kinds]


def messages_of(session: Session, channel: str, step: int) -> list[MessageAt]:
    """What stands in a channel after a step: chat by chat, replies behind their thread."""
    found = [m for m in session.chronicle.messages(step) if m.message.channel == channel]
    order: dict[tuple[str, str], int] = {}
    for place, one in enumerate(found):
        root = one.message.thread or one.message.id
        order.setdefault((one.message.chat, root), place)
    return sorted(
        found,
        key=lambda m: (
            m.message.chat,
            order[m.message.chat, m.message.thread or m.message.id],
            m.message.versions[0].n,
        ),
    )


def draw(look: Look, channel: str, kind: str) -> list[Line]:
    """All lines of a channel's pane."""
    painter = {"telegram": _telegram, "x": _post}.get(kind, _slack)
    lines: list[Line] = []
    chat = None
    found = messages_of(look.session, channel, look.step)
    people = {one.message.author for one in found if not one.message.by_bot}
    look = attrs.evolve(look, several=len(people) > 1)
    for one in found:
        if one.message.chat != chat:
            chat = one.message.chat
            lines.append(line((f"{chat}", "head"), row=("message", channel, one.message.id)))
        row = ("message", channel, one.message.id)
        for drawn in painter(look, one):
            lines.append(attrs.evolve(drawn, row=row))
        lines.append(line(row=row))
    lines += _pending(look, channel)
    return lines


# -- the three looks ---------------------------------------------------------------------


def _slack(look: Look, one: MessageAt) -> Iterator[Line]:
    indent = "  " if one.message.thread and one.message.thread != one.message.id else ""
    yield _title(look, one, indent)
    for part in _text(look, one, look.width - len(indent)):
        yield line(indent, part)
    if one.message.by_bot and not one.deleted:
        yield from _buttons(look, one, indent, "[ ", " ]")
        yield from _below(look, one, indent)


def _telegram(look: Look, one: MessageAt) -> Iterator[Line]:
    quoted = one.message.reply_to
    if quoted:
        yield line(("> " + _quoted(look, quoted), "dim"))
    if not one.message.by_bot:
        yield from _at_the_right(look, one)
        return
    yield _title(look, one, "")
    for part in _text(look, one, look.width):
        yield line(part)
    if not one.deleted:
        yield from _buttons(look, one, "", "( ", " )")
        if one.message.forces_reply:
            yield line(("[opens a reply to itself]", "warn"))
        yield from _toasts(look, one)
        yield from _below(look, one, "")


def _at_the_right(look: Look, one: MessageAt) -> Iterator[Line]:
    """What a person has written, with who it was where several write."""
    text = "(deleted)" if one.deleted else one.now.text
    own = wrap(text, max(look.width * 2 // 3, 10), 12)
    when = f"edited {_seconds(one.now)}" if one.edits else _seconds(one.now)
    for number, part in enumerate(own):
        time = f" {when}" if number == len(own) - 1 else ""
        who = f"{_called(look, one.message.author)}  " if look.several and number == 0 else ""
        blank = " " * max(look.width - _cells(who + part + time), 0)
        yield line(blank, (who, "dim"), (part, "person"), (time, "dim"))


def _toasts(look: Look, one: MessageAt) -> Iterator[Line]:
    """What those were shown who have pressed a button, the newest last."""
    shown = [toasted for toasted in one.message.toasts if toasted.n <= look.step]
    for toasted in shown[-TOASTS:]:
        person = _called(look, toasted.toast.person)
        told = f"{person} < {harmless(toasted.toast.text)}"
        time = f"  {toasted.at / 1e6:.2f}s"
        room = max(look.width - len(time) - 7, 6)
        yield line(("toast  ", "dim"), (fit(told, room), "warn"), (time, "dim"))


def _post(look: Look, one: MessageAt) -> Iterator[Line]:
    yield _title(look, one, "", "@")
    for part in _text(look, one, look.width):
        yield line(part)
    if one.message.by_bot and not one.deleted:
        long = weight(one.now.text)
        role = "bad" if long > LIMIT else "dim"
        yield from _below(look, one, "", f"  {long} of {LIMIT}", role)
        yield line(("no edits here: a new state is a new post", "dim"))


def _cells(text: str) -> int:
    return line(text).width


def _title(look: Look, one: MessageAt, indent: str, sign: str = "") -> Line:
    """Author at the left, time at the right."""
    message = one.message
    mark = "▶" if look.chosen == message.id else ""
    told = f"edited {_seconds(one.now)}" if one.edits else _seconds(one.now)
    author = f"{mark}{indent}{sign}{_called(look, message.author)}"
    if one.reaction:
        author += f"  {one.reaction}"
    room = look.width - _cells(author) - _cells(told)
    role = "good" if message.by_bot else "person"
    return line((author, "cursor" if mark else role), " " * max(room, 1), (told, "dim"))


def _called(look: Look, author: str) -> str:
    """What the diagram calls somebody who writes."""
    return harmless(look.session.titles().get(author, author))


def _text(look: Look, one: MessageAt, width: int) -> list[str]:
    if one.deleted:
        return ["(deleted)"]
    most = 40 if look.unfolded and look.chosen == one.message.id else 6
    found = wrap(one.now.text, width, most)
    return found + [f"📎 {name}" for name in map(harmless, one.now.files)]


def _buttons(look: Look, one: MessageAt, indent: str, before: str, behind: str) -> Iterator[Line]:
    """Buttons in rows; each can be clicked."""
    spans: list[Span] = [Span(indent)]
    used = len(indent)
    for button in one.now.buttons:
        label = f"{before}{fit(harmless(button.label), look.width - 6)}{behind}"
        wide = _cells(label)
        is_full = used + wide > look.width or button.style == NEXT_ROW
        if is_full and used > len(indent):
            yield Line(tuple(spans))
            spans, used = [Span(indent)], len(indent)
        act = ("press", (one.message.channel, one.message.id, button.id))
        spans += [Span(label, "button", act), Span(" ")]
        used += wide + 1
    if used > len(indent):
        yield Line(tuple(spans))


def _below(
    look: Look, one: MessageAt, indent: str, more: str = "", role: str = "dim"
) -> Iterator[Line]:
    """State word, ids, owner, writer, history."""
    message = one.message
    word, colour = STATES.get(one.now.state, ("", ""))
    if one.now.buttons:
        word, colour = "waiting", "warn"
    chip = f"[{word}]  " if word else ""
    about = look.session.named(message.about) if message.about else message.role
    yield line(indent, (chip, colour), (f"{message.id}  {about}", "dim"), (more, role))
    if one.owner is not None:
        yield _owner(look, one, indent)
    if one.edits or one.flying:
        yield from _history(look, one, indent)


def _owner(look: Look, one: MessageAt, indent: str) -> Line:
    assert one.owner is not None
    link, generation = _writer(one.now)
    state = f" {one.owner.state.lower()}" if one.owner.state else ""
    owner = f"owner gen {one.owner.generation} ({one.owner.link or 'nobody yet'}){state}"
    late = bool(link) and link != one.owner.link
    wrote = f"  wrote gen {generation}" if link else ""
    parts = [(owner, "dim"), (wrote, "warn" if late else "dim"), ("  !" if late else "", "bad")]
    return line(indent, *parts)


def _writer(version: Version) -> tuple[str, str]:
    """(connection, generation) on whose behalf a look was written, as far as it says."""
    found = _ON.search(version.by)
    return (found[1], found[2]) if found else ("", "")


def _history(look: Look, one: MessageAt, indent: str) -> Iterator[Line]:
    versions = one.versions
    yield line(indent, (f"history {len(versions)}", "dim"), row=None)
    chosen = look.unfolded and look.chosen == one.message.id
    if not chosen and look.chosen != one.message.id:
        versions = versions[-HISTORY + 2 :]
    elif not chosen:
        versions = versions[-HISTORY:]
    for version in versions:
        yield _version(look, version, indent)
    for edit in one.flying:
        yield _edit(look, one, edit, indent)


def _version(look: Look, version: Version, indent: str) -> Line:
    word, role = STATES.get(version.state, ("", ""))
    link, generation = _writer(version)
    by = f"{link.rpartition('.')[2]} gen {generation}" if link else _by(look, version.by)
    room = max(look.width - len(indent) - 27 - WORD, 6)
    return line(
        indent + "  ", (pad(word or _keyboard(version), WORD), role),
        (pad(" " + harmless(version.text), room + 1), role),
        (f" {_seconds(version):>8}", "dim"), (f"  {fit(by, 14)}", "dim"),
    )  # fmt: skip


def _keyboard(version: Version) -> str:
    """What a look without a state says instead: whether something could be pressed."""
    count = len(version.buttons)
    return f"buttons {count}" if count else "-"


def _by(look: Look, by: str) -> str:
    return look.session.told(by)


def _edit(look: Look, one: MessageAt, edit: Edit, indent: str) -> Line:
    word, _ = STATES.get(edit.request.state, ("", ""))
    found = _ON.search(edit.request.by)
    by = f"{found[1].rpartition('.')[2]} gen {found[2]}" if found else _by(look, edit.request.by)
    late = found is not None and one.owner is not None and found[1] != one.owner.link
    room = max(look.width - len(indent) - 29 - WORD, 6)
    return line(
        indent + "  ", (pad(word or "-", WORD), "warn"),
        (pad(" " + harmless(edit.request.text), room + 1), "warn"), ("in flight", "warn"),
        (f"  {fit(by, 14)}", "dim"), (" !" if late else "", "bad"),
    )  # fmt: skip


def _seconds(version: Version) -> str:
    return f"{version.at / 1e6:.2f}s"


def _quoted(look: Look, message: str) -> str:
    for one in look.session.chronicle.messages(look.step):
        if one.message.id == message:
            return fit(harmless(one.now.text), look.width - 2)
    return message


# -- what is under way --------------------------------------------------------------------


def _pending(look: Look, channel: str) -> Iterator[Line]:
    """Posts in flight, and the last refusal, as far as it still matters."""
    scene = look.session.scene(look.step)
    for n, call in () if scene is None else scene.calls.items():
        if call.target == channel:
            yield from _under_way(look, n, call)
    refused = _last_refusal(look, channel)
    if refused:
        yield line((refused, "bad"))


def _under_way(look: Look, n: int, call: Flight) -> Iterator[Line]:
    request: Any = getattr(look.session.event(n), "request", {})
    # What the scene calls it is for people to read: "POST …/sendMessage".
    kind = kind_of(request)
    if kind == "post":
        about = look.session.named(str(request.get("about") or request.get("role", "")))
        yield line((f"post in flight  {about}", "warn"))
    # What only asks changes nothing that a reader sees; it may be a long poll.
    elif kind == "http" and request.get("method") != "GET":
        asked = str(request.get("path")).rpartition("/")[2]
        yield line(("in flight  ", "warn"), (harmless(f"{call.source} > {asked}"), "warn"))


def _last_refusal(look: Look, channel: str) -> str:
    for n in range(look.step, max(look.step - 60, -1), -1):
        event = look.session.event(n)
        if isinstance(event, events.CallApplied) and event.callee == channel:
            code, wait = _refusal(event.reply)
            if not code:
                return ""
            due = f", retry at T+{(event.at + wait) / 1e6:.1f}s" if wait else ""
            return f"refused: {code}{due}"
    return ""


def _refusal(reply: Any) -> tuple[str, int]:
    """What a channel has refused with ("": it has not), and how long to wait (µs)."""
    if not isinstance(reply, dict):
        return "", 0
    if reply.get("is") == "refused":
        return str(reply.get("code")), reply.get("retry_after_us") or 0
    status = reply.get("status")
    if reply.get("is") != "http-response" or not isinstance(status, int) or status < 400:
        return "", 0
    body = reply.get("body")
    told = body.get("description") if isinstance(body, dict) else None
    return fit(harmless(f"{status} {told or ''}".strip()), 60), 0
