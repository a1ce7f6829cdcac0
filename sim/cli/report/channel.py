"""The channels at the end of a run, as somebody sees them who only reads there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.cells import cell_len
from rich.text import Text

from sim.channel.history import History, ShownMessage
from sim.cli.drawing.screen import fit
from sim.cli.drawing.telling import Names
from sim.cli.terminal import clean
from sim.core.event import Event

CHIPS = {
    "WORKING": "black on yellow",
    "QUEUED": "black on cyan",
    "OK": "black on green",
    "FAILED": "white on red",
    "CANCELLED": "white on bright_black",
    "INTERRUPTED": "black on magenta",
    "REJECTED": "white on red",
}
LINES = 8
"""Lines of a message that are shown."""


def read_channels(events: Sequence[Event]) -> History:
    """Fold a run into what stands in its channels."""
    history = History()
    for event in events:
        history.on(event)
    return history


def tell_channels(history: History, names: Names, width: int) -> Iterator[Text]:
    """All messages, chat by chat and thread by thread, in order of appearance."""
    messages = sorted(history.messages.values(), key=lambda m: (m.channel, m.chat))
    for (channel, chat), group in groupby(messages, key=lambda m: (m.channel, m.chat)):
        yield Text(f"{clean(channel)} {clean(chat)}", "bold")
        for message, depth in _by_thread(list(group)):
            yield from _message(message, names, width, "  " + "    " * depth)


def _by_thread(messages: list[ShownMessage]) -> Iterator[tuple[ShownMessage, int]]:
    """Replies stand behind the message that they answer, indented."""
    roots = {message.id: None for message in messages}
    replies: dict[str, list[ShownMessage]] = {}
    for message in messages:
        if message.thread in roots and message.thread != message.id:
            replies.setdefault(str(message.thread), []).append(message)
    inner = {reply.id: None for group in replies.values() for reply in group}
    for message in messages:
        if message.id in inner:
            continue
        yield message, 0
        for reply in replies.get(message.id, ()):
            yield reply, 1


def _message(message: ShownMessage, names: Names, width: int, indent: str) -> Iterator[Text]:
    author = f"{clean(message.author)}  "
    first = Text(indent, no_wrap=True).append(author, "green" if message.by_bot else "magenta")
    if message.deleted:
        yield first.append("(deleted)", "dim")
        return
    if message.state:
        first.append(f" {message.state} ", CHIPS.get(message.state, "reverse")).append(" ")
    lines = message.text.split("\n")
    hang = indent + " " * cell_len(author)
    yield _with_facts(first.append(fit(clean(lines[0]), width - first.cell_len)), message, names)
    for line in lines[1:LINES]:
        yield Text(hang + fit(clean(line), width - len(hang)), no_wrap=True)
    if len(lines) > LINES:
        yield Text(f"{hang}… {len(lines) - LINES} more lines", "dim")
    if message.buttons:
        labels = "  ".join(f"[ {clean(button.label)} ]" for button in message.buttons)
        yield Text(hang).append(fit(labels, width - len(hang)), "bold")
    for name in message.files:
        yield Text(hang + fit(f"📎 {clean(name)}", width - len(hang)), no_wrap=True)
    for shown in message.toasts:
        told = f"toast for {clean(shown.toast.person)}: {clean(shown.toast.text)}"
        yield Text(hang + fit(told, width - len(hang)), "italic", no_wrap=True)


def _with_facts(line: Text, message: ShownMessage, names: Names) -> Text:
    """What a reader does not see but wants to know: the request, the number of edits."""
    facts = []
    if message.about:
        facts.append(f"{'card' if message.role == 'card' else 'about'} {names(message.about)}")
    if message.forces_reply:
        facts.append("opens a reply")
    if message.reply_to and message.role != "part":
        facts.append(f"replies to {clean(message.reply_to)}")
    if message.edits:
        facts.append(f"{message.edits} edit{'s' if message.edits > 1 else ''}")
    if message.in_flight:
        facts.append(f"{message.in_flight} under way")
    return line.append(f"   ({', '.join(facts)})", "dim") if facts else line
