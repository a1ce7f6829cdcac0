"""A recording of the real program: what was done to it, what it did, how it ended.

The format: one JSON object per line, sorted by ``at_ms``. ``from``, ``to`` and either
``event`` (something that happened) or ``request`` and ``response`` (a call). Texts of the
program stand as ``<text: …>``. Nothing here depends on which of the recordings it is.
"""

from __future__ import annotations

import json
from functools import cached_property
from pathlib import Path
from typing import Any

Line = dict[str, Any]

LISTENERS = ("listener", "listener2")
TTL_MS = 30 * 60 * 1000
BEFORE = "tool.execute.before"


class Recording:
    """One file."""

    def __init__(self, path: Path) -> None:
        self.name = path.stem
        texts = path.read_text(encoding="utf-8").splitlines()
        self.lines: list[Line] = [json.loads(text) for text in texts if text]

    def events(self, *names: str) -> list[Line]:
        return [line for line in self.lines if line.get("event") in names]

    def calls(self, to: str, *callers: str) -> list[Line]:
        """Calls over HTTP, by their start."""
        return [
            line
            for line in self.lines
            if line["to"] == to
            and "path" in line.get("request", {})
            and (not callers or line["from"] in callers)
        ]

    def methods(self, *names: str) -> list[Line]:
        """Calls of these methods of the Bot API."""
        return [line for line in self.calls("telegram") if method_of(line) in names]

    @cached_property
    def final(self) -> Line:
        return self.events("final_state")[-1]

    # -- the store

    @cached_property
    def preloaded(self) -> dict[str, Any]:
        """The store's content before anything happens."""
        return {k: v for line in self.events("preload") for k, v in line["state"].items()}

    @cached_property
    def writes(self) -> list[Line]:
        found = [line for line in self.lines if line["to"] == "store" and "request" in line]
        return [line for line in found if line["request"].get("op") == "write"]

    @cached_property
    def added(self) -> dict[str, Line]:
        """By uniqueId: the write with which a hook added an entry."""
        known, found = set(self.preloaded), {}
        for line in self.writes:
            state = line["response"]["state"]
            new = [u for u in state if u not in known]
            known |= set(new)
            found |= {u: line for u in new if line["from"] == "hook"}
        return found

    @cached_property
    def befores(self) -> list[tuple[Line, str]]:
        """Each run of a tool, with the uniqueId of the entry that its hook wrote, or ""."""
        free = dict(self.added)
        found = []
        for line in self.events(BEFORE):
            call = line["input"].get("callID", "")
            of = (u for u, w in free.items() if w["response"]["state"][u].get("callID") == call)
            later = (u for u in free if free[u]["at_ms"] >= line["at_ms"])
            unique_id = "" if line["input"]["tool"] != "question" else next(of, next(later, ""))
            free.pop(unique_id, None)
            found.append((line, unique_id))
        return found

    @cached_property
    def base_ms(self) -> float:
        """The wall clock (Unix ms) at ``at_ms`` 0, as far as the recording tells."""
        stamps = [
            w["response"]["state"][u]["timestamp"] - w["at_ms"] for u, w in self.added.items()
        ]
        if stamps:
            return float(max(stamps))
        sent = [line for line in self.methods("sendMessage") if line["response"].get("status")]
        dates = [
            (d * 1000 - line["done_ms"], d * 1000 + 999 - line["at_ms"])
            for line in sent
            for d in [((line["response"]["body"] or {}).get("result") or {}).get("date")]
            if d
        ]
        if dates:
            low, high = max(a for a, _ in dates), min(b for _, b in dates)
            return (low + high) / 2
        newest = max(self.preloaded.values(), key=lambda e: e["timestamp"], default=None)
        if newest is None:
            return 0.0
        return float(newest["timestamp"]) + self._age_at_start(newest)

    def _age_at_start(self, entry: Any) -> float:
        """How old an entry was, by when the listener forgot it though nobody had answered.

        Cleaning goes with the polls: the entry was too young at the poll before.
        """
        unique_id = next(u for u, e in self.preloaded.items() if e is entry)
        known = True
        for write in (w for w in self.writes if w["from"] in LISTENERS):
            was, known = known, unique_id in write["response"]["state"]
            replied = any(
                call["done_ms"] <= write["at_ms"] + 20
                for call in self.calls("opencode", *LISTENERS)
                if call["request"]["path"].endswith("/reply")
            )
            if was and not known and not replied:
                polls = [c["at_ms"] for c in self.methods("getUpdates")]
                before = [at for at in polls if at < write["at_ms"] - 100]
                spare = (write["at_ms"] - before[-1]) / 2 if before else 60_000
                return TTL_MS - write["at_ms"] + spare
        return 0.0

    # -- questions

    @cached_property
    def questions(self) -> dict[str, Any]:
        """By requestID: the item of the lists that had it."""
        lists = [line["response"].get("body") for line in self.calls("opencode", *LISTENERS)]
        return {i["id"]: i for body in lists if isinstance(body, list) for i in body if "id" in i}

    @cached_property
    def people(self) -> int:
        """How many users there have to be (7001 is the first)."""
        numbers = [line["user"] for line in self.events("callback_query", "text")]
        return max([number - 7000 for number in numbers if number > 7000] + [2])

    @cached_property
    def heard(self) -> set[int]:
        """The messages of people of which the bot was told."""
        updates = [
            update
            for line in self.methods("getUpdates")
            for update in ((line["response"].get("body") or {}).get("result") or [])
        ]
        return {one["message"]["message_id"] for one in updates if "message" in one}

    @cached_property
    def hears_texts(self) -> bool:
        """Whether any text that was written got to the bot; with privacy on none does."""
        said = {line["message_id"] for line in self.events("text")}
        return not said or bool(said & self.heard)


def method_of(call: Line) -> str:
    """``sendMessage`` of ``/bot<token>/sendMessage``."""
    return str(call["request"]["path"].rpartition("/")[2])


def word_of(call: Line) -> str:
    """The kind of a call of OpenCode's API, without ids."""
    request = call["request"]
    parts = request["path"].split("/")
    how = parts[3] if len(parts) > 3 else parts[1]
    return f"{request['method']} {how}"


def applied(recording: Recording, call: Line) -> bool:
    """Whether a call whose answer was lost had an effect, by what was seen in its time."""
    path = call["request"]["path"]
    while_open = [
        line
        for line in recording.lines
        if call["at_ms"] <= line["at_ms"] <= call["done_ms"] + 20 and "event" in line
    ]
    if path.startswith("/question/"):
        id = path.split("/")[2]
        ends = [line for line in while_open if line.get("by") == "http"]
        return any(line["requestID"] == id for line in ends)
    if path.endswith("/sendMessage"):
        return any(line["event"] == "message" for line in while_open)
    if path.endswith("/answerCallbackQuery"):
        return any(line["event"] == "toast" for line in while_open)
    return False


def outcome_of(recording: Recording, call: Line) -> str:
    """What a fault has to do so that the twin's call ends like this one; "" for nothing."""
    status = call["response"].get("status")
    if status is None:
        error = str(call["response"].get("error", "")).lower()
        if "refused" in error:
            return "refused"
        late = "time" in error
        if applied(recording, call):
            return "unanswered" if late else "broken"
        return "lost" if late else "reset"
    if status >= 400:
        return str(status)
    body = call["response"].get("body")
    if isinstance(body, dict) and body.get("ok") is False:
        return "400"
    return ""
