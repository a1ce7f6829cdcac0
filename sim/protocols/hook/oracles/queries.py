"""Lists that a server asks desktops for, and the commands that need them (§5 stage 6)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from sim.channel.api import PostMessage
from sim.core.event import CallIssued, Erased, Event, FrameDelivered, FrameSent, Saved
from sim.core.invariant import Handler
from sim.protocols.hook.oracles.oracle import SECOND_US, HookInvariant
from sim.protocols.hook.server.accounts.commands import BIND, DESKTOP_OFFLINE_TEXT, KINDS
from sim.protocols.hook.server.accounts.rows import CommandRow, PickerRow
from sim.protocols.hook.view import HookView

PATIENCE_US = 60 * SECOND_US
GRACE_US = 2_500_000
COMMAND = "command/"


@attrs.define(eq=False)
class QueryView:
    """A question of the server's. ``answer`` is the one that came in time, where it was asked."""

    kind: str
    link: str
    device: str
    n: int
    answer: Any = None


class PickersShowTheAnswer(HookInvariant):
    name = "pickers-show-the-answer"
    sentence = (
        "A picker offers what was answered to its query, on the connection that it was asked on, "
        "while it was asked."
    )
    catalogue = ("HK-103",)
    obeyed_by = "server"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._queries: dict[str, QueryView] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {
            (FrameSent, "query.request"): self._asked,
            (FrameDelivered, "query.response"): self._answered,
            (Saved, PickerRow): self._offered,
        }

    def _asked(self, event: FrameSent) -> str | None:
        link, body = self.view.links.get(event.link), self.view.said
        if link is None or body is None:
            return None
        self.exercised += 1
        self._queries[body.query_id] = QueryView(body.kind, event.link, link.device, event.n)
        return None

    def _answered(self, event: FrameDelivered) -> str | None:
        body = self.view.arrived
        query = None if body is None else self._queries.get(body.query_id)
        if query is not None and query.link == event.link and query.kind == body.kind:
            query.answer = query.answer or body
        return None

    def _offered(self, event: Saved) -> str | None:
        row = event.value
        if row.outcome or row.message or row.word != BIND:
            return None
        wanted = tuple(choice[0] for choice in row.choices)
        for query in reversed(self._queries.values()):
            answer = query.answer
            if query.kind != KINDS[BIND] or answer is None or not answer.ok:
                continue
            if tuple(answer.workspaces)[: len(wanted)] == wanted:
                return None
        return f"the picker of {row.event} offers {wanted}, which no desktop has answered"


class CommandsAreAnswered(HookInvariant):
    name = "commands-are-answered"
    sentence = "A command gets its picker or a notice, even if the desktop stays silent."
    catalogue = ("HK-104",)
    obeyed_by = "server"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._open: dict[str, CommandRow] = {}

    def handlers(self) -> Mapping[type[Event], Handler]:
        return {Erased: self._erased}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(Saved, CommandRow): self._taken, (CallIssued, PostMessage): self._posted}

    def _taken(self, event: Saved) -> str | None:
        self._open[event.key] = event.value
        self.exercised += 1
        return None

    def _erased(self, event: Erased) -> str | None:
        self._open.pop(event.key, None)
        return None

    def _posted(self, event: CallIssued) -> str | None:
        post = event.request
        if post.role != "notice" or post.text != DESKTOP_OFFLINE_TEXT:
            return None
        place = (event.callee, post.chat, post.thread)
        mine = [r.at_us for r in self._open.values() if (r.channel, r.chat, r.thread) == place]
        given = min(mine, default=-PATIENCE_US)
        if event.at - given >= GRACE_US:
            return None
        return (
            f"{event.caller} calls a desktop offline {(event.at - given) / SECOND_US:.1f} s after "
            "it was asked; it may be reconnecting"
        )

    def at_end(self) -> Iterator[str]:
        up = all(self.view.hosts[s].up for s in self.view.writers)
        since = max((self.view.hosts[s].since for s in self.view.writers), default=0)
        for key, row in self._open.items():
            if up and self.view.now - max(row.at_us, since) > 2 * PATIENCE_US:
                yield f"{key.removeprefix(COMMAND)} was never answered"
