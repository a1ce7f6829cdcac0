"""The channels of a run at all of its steps: each message with the steps of its changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sim.channel.history import ShownMessage
from sim.channel.moments import Edit
from sim.cli.reporting.retold import Retold
from sim.view.columns import Words

MOST_ASKED = 2_000_000
"""Messages looked at, all steps together, to tell who owned which; beyond, nobody is told of."""

Key = tuple[str, str]
Owners = dict[Key, list[list[Any]]]


def messages_of(run: Retold, words: Words) -> list[dict[str, Any]]:
    """All messages that ever stood in a channel, in order of appearance."""
    owners = _owners_of(run)
    return [_told(run, key, one, owners, words) for key, one in run.history.messages.items()]


def _told(
    run: Retold, key: Key, message: ShownMessage, owners: Owners, words: Words
) -> dict[str, Any]:
    times = run.times
    marks = times.reactions.get(key)
    told = {
        "channel": message.channel,
        "id": message.id,
        "chat": message.chat,
        "thread": message.thread or "",
        "author": message.author,
        "bot": message.by_bot,
        "about": run.names(message.about) if message.about else "",
        "role": message.role if message.by_bot else "",
        "quotes": message.reply_to,
        "looks": [
            [v.n, words.place(v.text), v.state, [b.label for b in v.buttons], list(v.files),
             words.place(run.names.within(v.by))]
            for v in message.versions
        ],
        "deleted": times.deleted.get(key, -1),
        "marks": list(zip(marks.steps, marks.values, strict=True)) if marks else [],
        "edits": [_edit(run, one, words) for one in times.edits.get(key, ())],
        "owners": owners.get(key, []),
    }  # fmt: skip
    return {name: value for name, value in told.items() if value not in ("", [])}


def _edit(run: Retold, edit: Edit, words: Words) -> list[Any]:
    """An edit, from its issue until it landed: what is under way in between."""
    by = run.names.within(edit.request.by)
    text = words.place(edit.request.text)
    return [edit.n, edit.landed, edit.request.state, text, words.place(by)]


def _owners_of(run: Retold) -> Owners:
    """By message: [step, holder, connection, state] of each change of its owner."""
    messages = run.history.messages
    wanted: dict[int, dict[Key, int]] = {}
    for key, message in messages.items():
        # A message may appear after it got its owner: look when it stands there.
        first = message.versions[0].n
        for since in _changes(run, key):
            wanted.setdefault(max(since, first), {})[key] = since
    found: Owners = {}
    if len(wanted) * len(messages) > MOST_ASKED:
        return found
    for step in sorted(wanted):
        for one in run.chronicle.messages(step):
            key = (one.message.channel, one.message.id)
            if key in wanted[step] and one.owner is not None:
                owner = one.owner
                told = [wanted[step][key], run.names(owner.holder), owner.link, owner.state]
                found.setdefault(key, []).append(told)
    return found


def _changes(run: Retold, key: Key) -> Iterator[int]:
    """The steps that gave a message another owner, the first one first."""
    steps: list[int] = []
    since = run.chronicle.owner_since(*key, run.last)
    while since is not None:
        steps.append(since)
        since = run.chronicle.owner_since(*key, since - 1) if since > 0 else None
    return reversed(steps)
