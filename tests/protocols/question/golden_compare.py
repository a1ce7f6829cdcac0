"""What counts when the twins are held against a recording, taken from either side.

Counted are the calls of the question API, the messages and toasts in their order, and how
it all ended. Not counted: wordings (but what a text says, where that is known), times,
getMe, getUpdates, the hook's list of sessions, edits, and writes of the store: there the
decisions differ from the program on purpose.
"""

from __future__ import annotations

import json
import re
from typing import Any

import attrs

from sim.core.event import CallIssued
from sim.core.http import HttpRequest
from sim.protocols.question.constants import HOOK, STORE_FILE
from sim.protocols.question.listener import texts
from sim.protocols.question.texts import STORE_BROKEN
from tests.protocols.question.golden_play import GoldenPlay
from tests.protocols.question.golden_recording import LISTENERS, Line, Recording, method_of

ENTRY = ("type", "sid", "callID", "directory", "options", "chatId", "messageId")
WAIT = ("awaitingText", "customPromptMessageId", "expectedUserId")

Call = tuple[Any, ...]

UNKNOWN = "?"
"""What a recorded text says is not known; then the twin may say anything."""
THEIRS = {
    r"<text: chosen (.*)>": "chosen {}",
    r"<text: submitted (.*)>": "submitted {}",
    r"<text: .*failed, cause.*>|回传失败，请稍后重试": "failed",
    r"<text: expired or answered>": "expired",
    r"<text: invalid data>": "invalid",
    r"<text: reply to the prompt>": "asked to type",
    r"<text: advice, use the reply form>": "advice",
}
OURS = {
    r"✅ 已选择：(.*)": "chosen {}",
    r"✅ 已提交：([^\n]*)(?:\n❓ .*)?": "submitted {}",
    r"回传失败，请稍后重试(?:\n.*)?": "failed",
    texts.EXPIRED: "expired",
    texts.INVALID: "invalid",
    f"{texts.ASK_REPLY}|{texts.ASK_TEXT}": "asked to type",
    texts.ADVICE: "advice",
    texts.CLOSED: "closed",
    texts.DEAD_PROMPT: "dead prompt",
    STORE_BROKEN: "store broken",
}


def said(text: str, by: dict[str, str]) -> str:
    """What a text says, :data:`UNKNOWN` where that is in no table."""
    found = ((re.fullmatch(pattern, text), says) for pattern, says in by.items())
    return next((says.format(*m.groups()) for m, says in found if m), UNKNOWN)


@attrs.define
class Behaviour:
    """``calls`` of the question API; ``shown`` messages and toasts; ``store``, ``tools``,
    ``listed`` and ``messages`` (kind, whether it has buttons) at the end."""

    calls: list[Call]
    shown: list[Call]
    store: dict[str, Any]
    tools: dict[str, str]
    listed: list[str]
    messages: list[tuple[str, bool]]

    def differences(self, other: Behaviour) -> list[str]:
        """Where another behaviour is not this one."""
        found = []
        for field in attrs.fields(Behaviour):
            mine, theirs = getattr(self, field.name), getattr(other, field.name)
            if field.name == "shown":
                theirs = [*map(_unsaid, mine, theirs), *theirs[len(mine) :]]
            if mine != theirs:
                found.append(f"{field.name}:\n  expected {mine}\n  happened {theirs}")
        return found


def _unsaid(mine: Call, theirs: Call) -> Call:
    """The other call, without what it says where nobody knows what to expect."""
    return (*theirs[:-1], UNKNOWN) if mine[-1] == UNKNOWN else theirs


def _call(method: str, path: str, query: Any, body: Any) -> Call:
    directory = dict(query).get("directory")
    return (method, path, directory, json.dumps(body, ensure_ascii=False))


def _sent(body: Line, by: dict[str, str]) -> Call:
    markup = body.get("reply_markup") or {}
    rows = markup.get("inline_keyboard")
    chat = str(body["chat_id"])
    if rows:
        keys = tuple(key["callback_data"] for row in rows for key in row)
        return ("question", chat, body.get("parse_mode", ""), keys)
    if markup.get("force_reply") is True:
        return ("prompt", chat)
    return ("message", chat, said(body["text"], by))


def _shown(method: str, body: Any, by: dict[str, str]) -> list[Call]:
    if method == "sendMessage":
        return [_sent(body, by)]
    if method == "answerCallbackQuery":
        return [("toast", body["callback_query_id"], said(body.get("text", ""), by))]
    return []


def _entry(entry: Line, known: dict[int, int], sid: str | None) -> Any:
    """What must be the same of an entry; message numbers are this world's."""
    if entry.get("type") != "question":
        return entry.get("type")
    kept = {name: entry.get(name) for name in ENTRY}
    kept |= {"chatId": str(kept["chatId"] or ""), "sid": sid or kept["sid"]}
    kept["awaitingText"] = entry.get("awaitingText") is True
    if kept["awaitingText"]:
        kept |= {name: entry.get(name) for name in WAIT[1:]}
    for name in ("messageId", "customPromptMessageId"):
        if kept.get(name) is not None:
            kept[name] = known.get(kept[name], kept[name])
    return kept


def recorded(of: Recording, play: GoldenPlay) -> Behaviour:
    """What the real program did. ``play`` tells which message is which."""
    calls = of.calls("opencode", *LISTENERS)
    known = {theirs: play.message_here(theirs) for theirs in play.kinds_there}
    sids = {u: line["input"]["sessionID"] for line, u in of.befores}  # DQ-05: not the first one
    final, kinds = of.final, play.kinds_there
    return Behaviour(
        [_call(*(c["request"][k] for k in ("method", "path", "query", "body"))) for c in calls],
        [
            one
            for line in of.calls("telegram")
            for one in _shown(method_of(line), line["request"]["body"], THEIRS)
        ],
        {u: _entry(e, known, sids.get(u)) for u, e in final["store"].items()},
        dict(final["tools"]),
        list(final["still_listed"]),
        [(kinds.get(m["message_id"], "plain"), m["keyboard"]) for m in final["messages"]],
    )


def played(play: GoldenPlay) -> Behaviour:
    """What the twins did."""
    issued = [e for e in play.events(CallIssued) if isinstance(e.request, HttpRequest)]
    asked = [e.request for e in issued if e.callee == "opencode" and e.caller in LISTENERS]
    told = [e.request for e in issued if e.callee == "telegram" and e.caller in (HOOK, *LISTENERS)]
    states = {n["requestID"]: n["tool_state"] for n in play.notes("tool") if n["requestID"]}
    board = play.world.hosts["telegram"].actor.state.board  # type: ignore[union-attr]
    posts = [post for post in reversed(list(board.newest_first())) if not post.person]
    kinds = play.kinds_here()
    return Behaviour(
        [_call(r.method, r.path, r.query, r.body) for r in asked],
        [one for r in told for one in _shown(r.path.rpartition("/")[2], r.body, OURS)],
        {u: _entry(e, {}, None) for u, e in json.loads(play.file(STORE_FILE) or "{}").items()},
        states,
        [request for request, state in states.items() if state == "running"],
        [(kinds[post.number], bool(post.keyboard)) for post in posts],
    )
