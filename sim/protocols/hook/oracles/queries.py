"""Lists that a server asks desktops for, and the commands that need them (§5 stage 6)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from sim.channel.api import PostMessage
from sim.core.event import CallIssued, Erased, Event, FrameDelivered, FrameSent, Saved
from sim.core.invariant import Handler
from sim.protocols.hook.oracles.oracle import SECOND_US, HookInvariant
from sim.protocols.hook.server.accounts.commands import DESKTOP_OFFLINE_TEXT
from sim.protocols.hook.server.accounts.rows import CommandRow, PickerRow
from sim.protocols.hook.view import HookView

PATIENCE_US = 60 * SECOND_US
GRACE_US = 2_500_000
LATE_US = 11 * SECOND_US
COMMAND = "command/"


@attrs.define(eq=False)
class QueryView:
    """A question of the server's: where and when it was asked."""

    link: str
    at: int


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
        # by the step at which an answer came: to which query, on which connection, when
        self._answers: dict[int, tuple[str, str, int]] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {
            (FrameSent, "query.request"): self._asked,
            (FrameDelivered, "query.response"): self._answered,
            (Saved, PickerRow): self._offered,
        }

    def _asked(self, event: FrameSent) -> str | None:
        body = self.view.said
        if body is not None:
            self._queries[body.query_id] = QueryView(event.link, event.at)
        return None

    def _answered(self, event: FrameDelivered) -> str | None:
        if self.view.arrived is not None:
            self._answers[event.n] = (self.view.arrived.query_id, event.link, event.at)
        return None

    def _offered(self, event: Saved) -> str | None:
        """A picker is made when the answer wakes the command that waits for it.

        What counts is when the answer came: storing the picker may take its time.
        """
        name, link, came = self._answers.get(event.cause, ("", "", 0))
        if event.value.outcome or not name:
            return None
        self.exercised += 1
        query = self._queries.get(name)
        if query is None:
            return f"the picker of {event.value.event} shows an answer that nobody asked for"
        if query.link != link:
            return f"the picker of {event.value.event} shows an answer to {name} from elsewhere"
        if came - query.at > LATE_US:
            return f"the picker of {event.value.event} shows a late answer, to {name}"
        return None


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
