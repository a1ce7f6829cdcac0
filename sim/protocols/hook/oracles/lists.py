"""Lists that servers ask desktops for, and what they may say (§5 stage 6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim.channel.api import PostMessage
from sim.core.event import CallIssued, Event, FrameDelivered, FrameSent
from sim.core.invariant import Handler
from sim.protocols.hook.machine import UNENDED
from sim.protocols.hook.oracles.groups import OfGroupTalk
from sim.protocols.hook.oracles.oracle import HookInvariant
from sim.protocols.hook.predicates import is_alias
from sim.protocols.hook.view import HookView

X = "x"


def folders_in(body: Any) -> tuple[str, ...]:
    """The aliases that a hello or an answer names, if it is one of these."""
    listed = body.workspaces
    aliases = tuple(listed) if isinstance(listed, tuple | list) else ()
    sessions = getattr(body, "sessions", ())
    if isinstance(sessions, tuple | list):
        aliases += tuple(line.workspace for line in sessions)
    return aliases


class PathsStayAtHome(HookInvariant):
    name = "paths-stay-at-home"
    sentence = "No folder that a desktop names is a path of its disk."
    from_frames = True
    catalogue = ("HK-09", "HK-107")
    obeyed_by = "desktop"

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(FrameSent, "hello"): self._sent, (FrameSent, "query.response"): self._sent}

    def _sent(self, event: FrameSent) -> str | None:
        if self.view.said is None:
            return None
        self.exercised += 1
        for alias in folders_in(self.view.said):
            if not is_alias(alias):
                return f"{event.sender} names the folder {alias!r} in {event.frame.type}"
        return None


class QueriesAreNew(HookInvariant):
    name = "queries-are-new"
    sentence = "A server never uses a queryId twice."
    from_frames = True
    catalogue = ("HK-104",)
    obeyed_by = "server"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._asked: set[str] = set()

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(FrameSent, "query.request"): self._sent}

    def _sent(self, event: FrameSent) -> str | None:
        self.exercised += 1
        query = getattr(self.view.said, "query_id", "")
        if query in self._asked:
            return f"{event.sender} asks under the id {query!r} again"
        self._asked.add(query)
        return None


class AnswersEchoTheirQuestion(HookInvariant):
    name = "answers-echo-their-question"
    sentence = "A query.response has the id and the kind of a question that its desktop was asked."
    from_frames = True
    catalogue = ("HK-103",)
    obeyed_by = "desktop"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._asked: dict[tuple[str, str], str] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {
            (FrameDelivered, "query.request"): self._told,
            (FrameSent, "query.response"): self._sent,
        }

    def _told(self, event: FrameDelivered) -> str | None:
        body = self.view.arrived
        if body is not None:
            self._asked[event.receiver, body.query_id] = body.kind
        return None

    def _sent(self, event: FrameSent) -> str | None:
        body = self.view.said
        if body is None:
            return None
        self.exercised += 1
        kind = self._asked.get((event.sender, body.query_id))
        if kind == body.kind:
            return None
        asked = "that nobody asked" if kind is None else f"that asked for {kind}"
        return f"{event.sender} answers {body.query_id} with {body.kind}, a question {asked}"


class ListsAreLive(HookInvariant):
    name = "lists-are-live"
    sentence = "A list of folders is the one that holds when it is asked for."
    catalogue = ("HK-105",)
    obeyed_by = "desktop"

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(FrameSent, "query.response"): self._sent}

    def _sent(self, event: FrameSent) -> str | None:
        body = self.view.said
        if body is None or body.kind != "workspaces" or not body.ok:
            return None
        self.exercised += 1
        wanted = self.view.desktops.of(event.sender).aliases
        if tuple(body.workspaces) == tuple(wanted):
            return None
        return f"{event.sender} lists {body.workspaces}, but has {wanted}"


class AuthorsAreTelegrams(OfGroupTalk):
    name = "authors-are-telegrams"
    sentence = "Only a message from Telegram carries an author's id and username."
    from_frames = True
    catalogue = ("HK-136",)

    def judge(self, body: Any, event: FrameSent) -> str | None:
        author = body.author
        if body.provider == "telegram" or not (author.id or author.username):
            return None
        return f"{event.sender} relays {body.provider}'s {author.name} with an id of Telegram's"


class NoQuestionForAFolder(HookInvariant):
    name = "no-question-for-a-folder"
    sentence = "On X nothing is asked of a desktop, and nothing posted, to find a task's folder."
    catalogue = ("HK-54",)
    obeyed_by = "server"

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {
            (FrameSent, "query.request"): self._asked,
            (CallIssued, PostMessage): self._posted,
            (FrameSent, "task.dispatch"): self._dispatched,
        }

    def _dispatched(self, event: FrameSent) -> str | None:
        link = self.view.links.get(event.link)
        self.exercised += link is not None and link.lane == X
        return None

    def _asked(self, event: FrameSent) -> str | None:
        link = self.view.links.get(event.link)
        if link is None or link.lane != X:
            return None
        return f"{event.sender} asks {link.client} for {getattr(self.view.said, 'kind', '')} on X"

    def _posted(self, event: CallIssued) -> str | None:
        request = self.view.requests.get(event.request.about)
        if request is None or request.lane != X or request.dispatches:
            return None
        row = request.stored
        if row is None or row.state not in UNENDED:
            return None
        return f"{request.request} is posted about on X before it is dispatched"
