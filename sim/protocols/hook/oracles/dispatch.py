"""What servers dispatch, where to, and what they deliver again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sim.core.event import Event, FrameDelivered, FrameSent
from sim.core.invariant import Handler
from sim.protocols.hook.constants import HOOK_CHAT_WORKSPACE_ALIAS, HOOK_PROVIDERS
from sim.protocols.hook.machine import INTERRUPTED, REDELIVERED
from sim.protocols.hook.oracles.oracle import SECOND_US, HookInvariant
from sim.protocols.hook.server.stored import RequestRow
from sim.protocols.hook.view import HookView
from sim.protocols.hook.view_records import LinkView, RequestView
from sim.wire.absent import ABSENT

PATIENCE_US = 15 * SECOND_US
CROSSING_US = 2 * SECOND_US
DAY_US = 24 * 60 * 60 * SECOND_US


class OfDispatches(HookInvariant):
    """Looks at each task.dispatch when it is written."""

    obeyed_by = "server"

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(FrameSent, "task.dispatch"): self._sent}

    def _sent(self, event: FrameSent) -> str | None:
        link, request = self.view.link, self.view.task
        if link is None or request is None:
            return None
        self.exercised += 1
        return self.judge(link, request, event)

    def judge(self, link: LinkView, request: RequestView, event: FrameSent) -> str | None:
        """What is wrong with this dispatch."""
        raise NotImplementedError


class OnlyListedFolders(OfDispatches):
    name = "only-listed-folders"
    sentence = "A task is dispatched into a folder of the newest hello only, and always into one."
    from_frames = True
    catalogue = ("HK-10", "HK-50", "HK-58")

    def judge(self, link: LinkView, request: RequestView, event: FrameSent) -> str | None:
        alias = self.view.said.workspace
        if self.view.said.session_id is not None:
            return None
        if link.greeted is not None and alias in link.greeted.workspaces:
            return None
        return f"{request.request} is dispatched into {alias!r}, which {link.client} does not offer"


class FolderPrecedence(OfDispatches):
    """The thread's own folder, else the default of a hello, else chat."""

    name = "folder-precedence"
    sentence = (
        "A thread keeps its folder; a new one starts in the default folder of the hello, else in "
        "chat."
    )
    catalogue = ("HK-52", "HK-53")

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._folders: dict[tuple[str, str], str] = {}
        self._ever: dict[str, dict[str | None, None]] = {}
        self._defaults: dict[tuple[str, str], dict[str, None]] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {**super().sorted_handlers(), (FrameSent, "welcome"): self._welcomed}

    def _welcomed(self, event: FrameSent) -> str | None:
        link = self.view.links.get(event.link)
        if link is not None and link.greeted is not None:
            default = link.greeted.default_workspace
            if default is not ABSENT and default is not None:
                self._defaults.setdefault((link.device, link.lane), {})[default] = None
        return None

    def judge(self, link: LinkView, request: RequestView, event: FrameSent) -> str | None:
        alias, place = self.view.said.workspace, (request.key, link.device)
        kept = self._folders.get(place)
        self._folders[place] = alias
        known = self._ever.setdefault(request.key, {})
        was, known[alias] = alias in known, None
        if alias is None or was or self._chosen(request, alias):
            return None
        hellos = [hello for hello in (link.greeted, link.hello) if hello is not None]
        if kept is not None and all(kept in hello.workspaces for hello in hellos):
            return f"{request.key} moves from {kept!r} to {alias!r}"
        if alias == HOOK_CHAT_WORKSPACE_ALIAS:
            return None
        if alias in self._defaults.get((link.device, link.lane), {}):
            return None
        return f"{request.request} starts in {alias!r}, which is no default of {link.client}"

    def _chosen(self, request: RequestView, alias: str) -> bool:
        """Whether somebody has picked it in this chat: a folder, or a session in it."""
        return any(
            row.outcome and row.chat == request.chat and any(alias in c for c in row.choices)
            for row in self.view.accounts.pickers.values()
        )


class TasksWaitForWelcome(HookInvariant):
    name = "tasks-wait-for-welcome"
    sentence = "Nothing about a task is sent on a connection before its welcome."
    from_frames = True
    IN_CALM = 1
    catalogue = ("HK-05",)
    obeyed_by = "server"

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        kinds = ("task.dispatch", "task.cancel", "interaction.decision", "session.archive")
        return {(FrameSent, kind): self._sent for kind in kinds}

    def _sent(self, event: FrameSent) -> str | None:
        link = self.view.link
        self.exercised += 1
        if link is None or link.welcomes:
            return None
        return f"{event.frame.type} is sent on {event.link} before the welcome"


class TasksGoToTheirDesktop(OfDispatches):
    name = "tasks-go-to-their-desktop"
    sentence = "A task goes to the device and channel that it is stored for, and to no other."
    catalogue = ("HK-15", "HK-38")

    def judge(self, link: LinkView, request: RequestView, event: FrameSent) -> str | None:
        row = request.stored
        if row is None:
            return f"{request.request} is dispatched before it is stored"
        if row.device == link.device and link.serves(row.lane):
            return None
        return f"{request.request} of {row.device} is dispatched to {link.device}"


class RedeliveryIsTheSameTask(OfDispatches):
    name = "redelivery-is-the-same-task"
    sentence = "A task is delivered again under its id, with the same prompt, key and session."
    from_frames = True
    IN_CALM = 1
    catalogue = ("HK-14", "HK-39")

    def judge(self, link: LinkView, request: RequestView, event: FrameSent) -> str | None:
        body = self.view.said
        row = request.stored
        known = row is not None and row.session == body.session_id
        if body.session_id is not None and not known and not self.view.frames_only:
            return f"{request.request} takes over the session {body.session_id}"
        now, first = (body.prompt, body.external_key), request.first
        return None if first == now else f"{request.request} is {now}, but was {first} before"


class NoDispatchAfterTheEnd(OfDispatches):
    name = "no-dispatch-after-the-end"
    sentence = "A request that has ended is not dispatched again."
    from_frames = True
    catalogue = ("HK-37", "HK-39")

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        # where no store is known: what the server has reported on, and where it heard an end
        self._reported: dict[str, str] = {}
        self._heard: dict[str, tuple[str, int]] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {
            **super().sorted_handlers(),
            (FrameSent, "turn.delivery"): self._told,
            (FrameDelivered, "turn.end"): self._ended,
        }

    def _ended(self, event: FrameDelivered) -> str | None:
        if self.view.frames_only and self.view.arrived is not None:
            self._heard[self.view.arrived.request_id] = (event.link, event.at)
        return None

    def _told(self, event: FrameSent) -> str | None:
        if self.view.frames_only and self.view.said is not None:
            self._reported[self.request] = self.view.said.state
        return None

    def judge(self, link: LinkView, request: RequestView, event: FrameSent) -> str | None:
        reported = self._reported.get(request.request)
        if reported is not None:
            return f"{request.request} is dispatched, though it was reported {reported}"
        where, at = self._heard.get(request.request, ("", 0))
        since = max(at, link.welcomed_us)  # after a welcome also what has ended may come again
        if where == event.link and since == at and event.at - at > CROSSING_US:
            return f"{request.request} is dispatched again on {event.link}, where its end has come"
        row = request.stored
        if row is None or row.state in REDELIVERED:
            return None
        return f"{request.request} is dispatched, but it is {row.state}"


class KeysAreThreads(OfDispatches):
    name = "keys-are-threads"
    sentence = "An externalKey begins with its channel's name and stands for one thread."
    from_frames = True
    catalogue = ("HK-08",)

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._threads: dict[str, tuple[str, str | None]] = {}

    def judge(self, link: LinkView, request: RequestView, event: FrameSent) -> str | None:
        key = self.view.said.external_key
        row = request.stored
        if row is None and self.view.frames_only:
            known = link.lane in HOOK_PROVIDERS
            if key.startswith(f"{link.lane}:") or not known:
                return None
            return f"the key {key!r} of {request.request} does not begin with {link.lane}:"
        if row is None:
            return None
        if not key.startswith(f"{row.lane}:"):
            return f"the key {key!r} of {request.request} does not begin with {row.lane}:"
        thread = (row.chat, row.thread)
        if self._threads.setdefault(key, thread) != thread:
            return f"the key {key!r} stands for {self._threads[key]} and for {thread}"
        return None


class UnendedIsRedelivered(HookInvariant):
    name = "unended-is-redelivered"
    sentence = (
        "After a welcome every request of that desktop that has not ended is delivered again."
    )
    catalogue = ("HK-38", "HK-40")
    obeyed_by = "server"

    def at_end(self) -> Iterator[str]:
        for request in self.view.requests.values():
            row = request.stored
            if row is None or row.state not in REDELIVERED or request.ended:
                continue
            link = self._link(row)
            if link is None or self.is_foreign(request, link):
                continue
            self.exercised += 1
            if request.dispatched_on != link.name and not self._hopeless(row, link):
                yield f"{request.request} was not dispatched after the welcome on {link.name}"

    def _link(self, row: RequestRow) -> LinkView | None:
        view = self.view
        for link in view.links.values():
            mine = link.device == row.device and link.serves(row.lane)
            if mine and link.server_open and link.welcomes:
                since = max(link.welcomed_us, row.created_us)
                if view.now - since > PATIENCE_US:
                    return link
        return None

    def _hopeless(self, row: RequestRow, link: LinkView) -> bool:
        """Whether nothing can be asked for any more: no hello, or the task is a day old."""
        born = row.created_us
        if row.state == INTERRUPTED and row.ended_us - born < DAY_US:
            born = row.ended_us
        return link.greeted is None or self.view.now - born > DAY_US
