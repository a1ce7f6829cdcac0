"""Which of the listed questions an entry is about (§6, DQ-03, DQ-04)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import attrs

from sim.protocols.question.rules import QuestionRules


@attrs.frozen
class Listed:
    """An open question as ``GET /question`` gives it (§3.1).

    ``call`` is None where the item names no call. ``title`` and ``labels`` are the text and
    the options of its first question, which is the one with buttons (§8.2).
    """

    id: str
    session: str
    call: str | None
    title: str
    labels: tuple[str, ...]


def listed_in(body: Any, rules: QuestionRules) -> list[Listed] | None:
    """The questions of a list's body; None: it is no list.

    Items without ``id`` or ``sessionID`` cannot be answered and are passed over (§8.3).
    """
    if type(body) is not list:
        return None
    items = (_listed(item, rules) for item in body)
    return [item for item in items if item is not None]


def _listed(item: Any, rules: QuestionRules) -> Listed | None:
    if type(item) is not dict:
        return None
    id, session = item.get("id"), item.get("sessionID")
    if type(id) is not str or type(session) is not str or not id:
        return None
    tool = item.get("tool") if rules.items_may_lack_tool else item["tool"]
    call = tool.get("callID") if type(tool) is dict else None
    first = _first_question(item)
    named = call if type(call) is str and call else None
    return Listed(id, session, named, _text(first, "question"), _labels(first))


def _first_question(item: dict[str, Any]) -> dict[str, Any]:
    questions = item.get("questions")
    first = questions[0] if type(questions) is list and questions else None
    return first if type(first) is dict else {}


def _text(of: dict[str, Any], key: str) -> str:
    found = of.get(key)
    return found if type(found) is str else ""


def _labels(question: dict[str, Any]) -> tuple[str, ...]:
    options = question.get("options")
    known = [option for option in options if type(option) is dict] if type(options) is list else []
    return tuple(option["label"] for option in known if type(option.get("label")) is str)


def of_id(request_id: str, items: Sequence[Listed]) -> Listed | None:
    """The question of a known requestID, None when it is open no more (DQ-03)."""
    return next((item for item in items if item.id == request_id), None)


def match(
    call: str,
    session: str,
    labels: Collection[str],
    items: Sequence[Listed],
    rules: QuestionRules,
) -> Listed | None:
    """The question of this call and session, None where none is certain.

    ``labels``: the options that it must have, that of a press, all of an entry that has
    expired (nobody looks whether it is the one), none for a custom answer. The callID
    decides wherever both sides know it. Where it cannot, the only question of the session
    is meant, if it has these options (DQ-04).
    """
    if call and rules.callid_before_session:
        same = [item for item in items if item.call == call]
        certain = [item for item in same if item.session == session] or same
        if certain:
            return certain[0] if len(certain) == 1 else None
    mine = [item for item in items if item.session == session or not rules.own_session_only]
    if not mine or (len(mine) > 1 and rules.never_guess):
        return None
    only = mine[0]
    if not rules.session_fallback_narrow:
        return only
    if call and only.call is not None and only.call != call:
        return None
    return only if all(label in only.labels for label in labels) else None
