"""What each kind of channel wants of the server: X, Telegram, patience."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sim.channel.api import (
    INTERRUPTED,
    REJECTED,
    DeleteMessage,
    Done,
    EditMessage,
    FindMessage,
    PostMessage,
    React,
    Refused,
    Say,
)
from sim.core.event import CallAnswered, CallApplied, CallIssued, Event, Noted, Saved
from sim.core.invariant import Handler
from sim.protocols.hook.oracles.channel import AtRest
from sim.protocols.hook.oracles.oracle import FINALS, SECOND_US, HookInvariant
from sim.protocols.hook.oracles.waiting import is_waiting
from sim.protocols.hook.server.stored import PauseRow
from sim.protocols.hook.view import HookView
from sim.protocols.hook.view_records import RequestView

AT_ONCE_US = 1_000_000
"""What was on its way when the channel asked for patience is not held against anybody."""


class OneAnswerIsPublished(HookInvariant):
    """Counts what stands in the channel, also where the answer to the post was lost."""

    name = "one-answer-is-published"
    sentence = (
        "The result of a request stands in its channel once: one public post on X, one final "
        "message on Telegram, however often it was tried."
    )
    catalogue = ("HK-54", "HK-69", "HK-76")
    obeyed_by = "server"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._posts: dict[str, int] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(CallApplied, PostMessage): self._applied, (Noted, "applied"): self._lost}

    def _applied(self, event: CallApplied) -> str | None:
        if type(event.reply) is not Done:
            return None
        return self._posted(event.callee, event.request)

    def _lost(self, event: Noted) -> str | None:
        if type(event.data["request"]) is not PostMessage or type(event.data["reply"]) is not Done:
            return None
        return self._posted(event.host, event.data["request"])

    def _posted(self, channel: str, post: PostMessage) -> str | None:
        lane = self.view.lanes.get(channel, "")
        if post.role != "request" or lane not in ("telegram", "x"):
            return None
        if lane == "telegram" and post.state not in FINALS:
            return None
        self.exercised += 1
        times = self._posts[post.about] = self._posts.get(post.about, 0) + 1
        if times == 1 or (lane == "telegram" and self._was_deleted(post.about)):
            return None
        return f"{post.about} is published on {channel} for the {times}. time"

    def _was_deleted(self, about: str) -> bool:
        messages = self.view.history.by_about.get(about, ())
        request = self.view.requests.get(about)
        gone = request is not None and request.care.gone
        return gone or any(m.deleted and m.state in FINALS for m in messages)


class XIsWrittenOnce(HookInvariant):
    name = "x-is-written-once"
    sentence = "On X nothing is edited, nothing has buttons, and a post is the end of its task."
    catalogue = ("HK-54", "HK-175")
    obeyed_by = "server"

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        kinds = (PostMessage, EditMessage, React)
        return {(CallIssued, kind): self._issued for kind in kinds}

    def _issued(self, event: CallIssued) -> str | None:
        if self.view.lanes.get(event.callee) != "x":
            return None
        self.exercised += 1
        request = event.request
        if type(request) is not PostMessage:
            return f"{event.caller} wants to change {request.message} on X"
        if request.buttons:
            return f"{event.caller} posts buttons on X"
        if request.role == "request" and request.state not in (*FINALS, REJECTED):
            return f"{event.caller} posts {request.state} of {request.about} on X"
        return None


class TelegramAnswersAnew(HookInvariant):
    """After a post of unknown outcome an edit is the safe way; so it is for continuations."""

    name = "telegram-answers-anew"
    sentence = "On Telegram an answer is a message of its own, no edit of the progress message."
    catalogue = ("HK-69",)
    obeyed_by = "server"

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(CallIssued, EditMessage): self._edit}

    def _edit(self, event: CallIssued) -> str | None:
        edit = event.request
        if edit.state not in FINALS or self.view.lanes.get(event.callee) != "telegram":
            return None
        root = self.subject_of(event)
        message = self.view.history.messages.get((event.callee, edit.message))
        if root is None or message is None or root.rounds or root.care.unsure:
            return None
        self.exercised += 1
        taken_back = any(v.state in (REJECTED, INTERRUPTED) for v in message.versions)
        if taken_back or message.versions[0].state in FINALS:
            return None
        if self._crashed(event.caller, message.versions[0].at):
            return None
        return f"{root.request} is answered in its progress message {edit.message}"

    def _crashed(self, server: str, at: int) -> bool:
        return self.view.hosts[server].since > at


class ProgressMessagesGo(AtRest):
    """What could not be deleted for the channel's own reasons may stay."""

    name = "progress-messages-go"
    sentence = "A progress message on Telegram is deleted once the answer stands."
    catalogue = ("HK-69",)

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._kept: dict[str, None] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(CallIssued, DeleteMessage): self._tried}

    def _tried(self, event: CallIssued) -> str | None:
        self._kept[event.request.message] = None
        return None

    def judge(self, root: RequestView, message: Any) -> str | None:
        row = root.stored
        if row is None or row.lane != "telegram" or root.rounds or not row.answered:
            return None
        if root.care.unsure or root.care.gone:
            return None
        if is_waiting(self.view, root.care, root.ended_us):
            return None
        messages = self.view.history.by_about.get(root.request, ())
        self.exercised += 1
        for one in messages:
            waits = not one.deleted and one.state not in FINALS and one.id != row.message
            if waits and one.id not in self._kept:
                return f"the progress message {one.id} of {root.request} was never deleted"
        return None


class PatienceIsKept(HookInvariant):
    """A channel (or, on Telegram, a chat) that asked for a pause gets it."""

    name = "patience-is-kept"
    sentence = "After 429 a server calls nothing there before Retry-After is over."
    obeyed_by = "server"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        # by call: where a channel has said so, until its server has heard it
        self._said: dict[int, tuple[str, str]] = {}
        # by (channel, chat): the step that told the server, when, and until when it holds
        self._until: dict[tuple[str, str], tuple[int, int, int]] = {}
        # by (channel, chat): until when a server has stored that it holds
        self._stored: dict[tuple[str, str], int] = {}
        # by (channel, chat): who called too early, unless the handler that was told stood still
        self._doubtful: dict[tuple[str, str], tuple[str, int, str]] = {}

    def handlers(self) -> Mapping[type[Event], Handler]:
        return {CallAnswered: self._answered}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        kinds = (PostMessage, EditMessage, DeleteMessage, FindMessage, Say)
        return {
            **{(CallIssued, kind): self._call for kind in kinds},
            **{(CallApplied, kind): self._applied for kind in kinds},
            (Saved, PauseRow): self._saved,
        }

    def _place(self, channel: str, request: Any) -> tuple[str, str]:
        """Who has to wait: the channel, on Telegram the chat."""
        if self.view.lanes.get(channel) != "telegram":
            return channel, ""
        if type(request) in (PostMessage, FindMessage, Say):
            return channel, request.chat
        message = self.view.history.messages.get((channel, request.message))
        return channel, "" if message is None else message.chat

    def _applied(self, event: CallApplied) -> str | None:
        reply = event.reply
        known = event.callee in self.view.lanes  # else nobody can tell who has to wait
        if known and type(reply) is Refused and reply.code == "rate_limited":
            self._said[event.call] = self._place(event.callee, event.request)
        return None

    def _answered(self, event: CallAnswered) -> str | None:
        if not self._said:
            return None
        place = self._said.pop(event.call, None)
        heard = type(event.reply) is Refused and event.caller in self.view.writers
        if place is not None and heard:
            until = event.at + event.reply.retry_after_us
            self._until[place] = (event.n, event.at, until)
        return None

    def _saved(self, event: Saved) -> str | None:
        row = event.value
        place = (row.channel, row.chat)
        self._stored[place] = row.until_us
        if self._doubtful and row.until_us >= self._until.get(place, (0, 0, 0))[2]:
            self._doubtful.pop(place, None)
        return None

    def _call(self, event: CallIssued) -> str | None:
        if not self._until or event.caller not in self.view.writers:
            return None
        place = self._place(event.callee, event.request)
        told, since, until = self._until.get(place, (0, 0, 0))
        if not until:
            return None
        is_stored = self._stored.get(place, 0) >= until
        if not is_stored and self._died(event.caller, since):
            return None
        self.exercised += 1
        if not since + AT_ONCE_US < event.at < until:
            return None
        left = (until - event.at) / SECOND_US
        text = f"{event.caller} calls {' '.join(place)} {left:.1f} s before it may"
        if is_stored or event.cause == told:
            return text
        self._doubtful.setdefault(place, (event.caller, since, text))
        return None

    def _died(self, server: str, since: int) -> bool:
        """Who dies between hearing and storing it knows nothing of it."""
        return self.view.hosts[server].since > since

    def at_end(self) -> Iterator[str]:
        for caller, since, text in self._doubtful.values():
            if not self._died(caller, since):
                yield text
