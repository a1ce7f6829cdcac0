"""Which question an answer belongs to, as the document and its decisions have it.

Written from the rules alone: what an oracle compares with must not be the code it judges.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from sim.protocols.question.view_calls import TEXT, UpdateView, call_id_of
from sim.protocols.question.view_records import EntryView

EVERY: Final = -2
"""Instead of an option: all that the entry has. A question that is rejected unseen is that
of the entry only where it has these."""


def match_of(entry: EntryView, items: Sequence[Mapping[str, Any]], cached: str, index: int) -> str:
    """The requestID that an answer to this entry goes to, "" for none (§6, DQ-03, DQ-04).

    ``index`` is that of the pressed option, -1 for a text, :data:`EVERY` at expiry.
    """
    ids = [str(item.get("id")) for item in items]
    if cached:
        return cached if cached in ids else ""
    call = entry.text("callID")
    exact = [item for item in items if call and call_id_of(item) == call]
    if exact:  # two agents may have called their calls alike
        exact = [item for item in exact if item.get("sessionID") == entry.text("sid")] or exact
        return str(exact[0].get("id")) if len(exact) == 1 else ""
    own = [item for item in items if item.get("sessionID") == entry.text("sid")]
    if len(own) != 1 or (call and call_id_of(own[0])):
        return ""
    has = _labels(own[0])
    return str(own[0].get("id")) if all(one in has for one in _wanted(entry, index)) else ""


def _wanted(entry: EntryView, index: int) -> list[str | None]:
    options = entry.fields.get("options")
    known = options if isinstance(options, list) else []
    labels = [str(one.get("label")) if isinstance(one, Mapping) else None for one in known]
    if index == EVERY:
        return list(labels)
    if index < 0:
        return []
    return [labels[index] if index < len(labels) else None]


def _labels(item: Mapping[str, Any]) -> list[str]:
    questions = item.get("questions")
    first = questions[0] if isinstance(questions, list) and questions else None
    options = first.get("options") if isinstance(first, Mapping) else None
    found = options if isinstance(options, list) else []
    return [str(one.get("label")) for one in found if isinstance(one, Mapping)]


def meant_by(
    update: UpdateView, entries: Iterable[EntryView], username: str = ""
) -> EntryView | None:
    """The question that a text is for, None for none (§4.1, DQ-01, DQ-02).

    ``username`` is the bot's, as far as it is known.
    """
    said = update.text.strip()
    if update.kind != TEXT or said.startswith("/"):
        return None
    if update.reply_to is None and _is_for_another(said, username):
        return None
    waiting = [
        one
        for one in entries
        if one.waits and one.chat == update.chat and _expects(one, update.user)
    ]
    prompted = [one for one in waiting if update.reply_to and one.prompt == update.reply_to]
    if prompted:
        return prompted[0]
    # What was asked for after the text had been written is not what it answers.
    waiting = [one for one in waiting if one.asked_id < update.id]
    if update.reply_to is not None:
        shown = (one for one in waiting if update.reply_to and one.message == update.reply_to)
        return next(shown, None)
    return max(waiting, key=lambda one: (one.number("awaitingSince"), one.waited_n), default=None)


def _expects(entry: EntryView, user: int) -> bool:
    return bool(entry.fields.get("expectedUserId", user) == user)


def _is_for_another(said: str, username: str) -> bool:
    """Whether it speaks to another bot by name (§7 supplement 1). Names of bots end so."""
    name = said.partition(" ")[0].removeprefix("@").lower()
    return said.startswith("@") and name.endswith("bot") and name != username.lower()
