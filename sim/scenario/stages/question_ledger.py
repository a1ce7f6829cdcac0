"""Which call, question, entry and message belong together, as far as a run has told.

A *link* is one call of the question tool on its way from the agent to the phone. What a
diagram names may be any of its ids: ``callID``, ``requestID``, the entry's ``uniqueId``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import attrs

from sim.protocols.question import words
from sim.scenario.playing.ear import Said

STATES: Final[Mapping[str, str]] = {
    "pending": "QUEUED",
    "running": "WORKING",
    "completed": "OK",
    "error": "FAILED",
}
"""What the tool's states are called by ``@expect``."""


_IDS: Final = {"sessionID": "ses", "callID": "call", "requestID": "que", "id": "que"}


def new_id(field: str, name: str) -> str:
    """The id that a name gets which stands for nothing yet: ``C1`` as a callID is ``call_c1``."""
    return f"{_IDS.get(field.rpartition('.')[2], 'id')}_{name.lower()}"


@attrs.define(eq=False)
class Link:
    """``state`` is one of ``@expect``; ``output`` the tool's answer or error. ``prompts``
    are the messages that demand a reply for it, newest last."""

    session: str
    call: str
    options: tuple[str, ...] = ()
    request: str = ""
    unique_id: str = ""
    state: str = "QUEUED"
    output: str = ""
    message: str = ""
    prompts: list[str] = attrs.field(factory=list)

    @property
    def name(self) -> str:
        """The id that says most."""
        return self.request or self.call or self.unique_id

    def is_named(self, real: str) -> bool:
        """Whether this id is one of its own."""
        return bool(real) and real in (self.request, self.call, self.unique_id)


@attrs.define(eq=False)
class Ledger:
    """``links`` in the order of asking; ``entries`` by uniqueId as they are, or last were."""

    links: list[Link] = attrs.field(factory=list)
    entries: dict[str, Mapping[str, Any]] = attrs.field(factory=dict)
    standing: dict[str, None] = attrs.field(factory=dict)

    def named(self, real: Any) -> Link | None:
        """The link that an id means; a session's newest where it is one."""
        wanted = str(real)
        for link in reversed(self.links):
            if link.is_named(wanted):
                return link
        return next((link for link in reversed(self.links) if link.session == wanted), None)

    def open_one(self) -> Link | None:
        """The newest question that waits at the desk."""
        return next((link for link in reversed(self.links) if link.state == "WORKING"), None)

    def on(self, said: Said) -> None:
        """Take the next saying of the run."""
        name, told = said.frame.type, said.frame.wire
        if name in words.TOOL_STATES:
            self._tool(name, told)
        elif name == "question.asked":
            link = self._of_part(told)
            first: Mapping[str, Any] = next(iter(told.get("questions") or ()), {})
            link.options = link.options or labels_of(first)
        elif name == "question.rejected":
            link = self._of_part(told)
            link.state = "CANCELLED" if told.get("by") == "abort" else "REJECTED"
        elif name in (words.SET, words.UPDATE):
            self._written(told)
        elif name == words.DELETE:
            self.standing.pop(str(told["uniqueId"]), None)

    def _tool(self, state: str, told: Mapping[str, Any]) -> None:
        if told.get("tool", words.CALL) != words.CALL:
            return
        if state == "pending":
            self.links.append(Link(str(told.get("sessionID")), str(told.get("callID"))))
            return
        link = self._of_part(told)
        link.request = link.request or str(told.get("requestID") or "")
        link.state, link.output = STATES[state], str(told.get("output") or "")

    def _of_part(self, told: Mapping[str, Any]) -> Link:
        """By its requestID; else the first of this session and call without one."""
        request = str(told.get("requestID") or "")
        session, call = str(told.get("sessionID")), str(told.get("callID"))
        for link in self.links:
            if request and link.request == request:
                return link
        for link in self.links:
            if (link.session, link.call, link.request) == (session, call, ""):
                return link
        self.links.append(Link(session, call, request=request))
        return self.links[-1]

    def _written(self, told: Mapping[str, Any]) -> None:
        unique_id = str(told["uniqueId"])
        self.entries[unique_id] = told
        self.standing[unique_id] = None
        link = next((one for one in self.links if one.unique_id == unique_id), None)
        if link is None:
            link = self._of_entry(told)
            link.unique_id = unique_id
        link.options = labels_of(told)
        message, prompt = told.get("messageId"), told.get("customPromptMessageId")
        if message is not None:
            link.message = str(message)
        if prompt is not None and str(prompt) not in link.prompts:
            link.prompts.append(str(prompt))

    def _of_entry(self, told: Mapping[str, Any]) -> Link:
        """The first call of this session without an entry; a new link for an entry that
        nobody has asked for in this run."""
        session, call = str(told.get("sid", "")), str(told.get("callID", ""))
        for link in self.links:
            if (link.session, link.call, link.unique_id) == (session, call, ""):
                return link
        self.links.append(Link(session, call, request=str(told.get("requestID") or "")))
        return self.links[-1]


def labels_of(entry: Mapping[str, Any]) -> tuple[str, ...]:
    """The labels of an entry's options, as far as it has them."""
    options = entry.get("options")
    rows = options if isinstance(options, list | tuple) else ()
    return tuple(str(one.get("label")) for one in rows if isinstance(one, Mapping))
