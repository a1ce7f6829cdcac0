"""Which tasks there are, as far as frames tell: who must still be told to end.

The director needs it to know whether an arrow ``turn.end`` wants an agent to
end, or is a replay that the twin makes by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, ClassVar

import attrs

from sim.channel.api import PersonSaid, Say, is_direct
from sim.core.event import Acted, CallIssued, FrameDelivered, FrameSent
from sim.protocols.hook.acts import Retry
from sim.world.world import World


@attrs.define(eq=False)
class Task:
    """One round: a dispatched request or a continuation (``reopen_of`` set).

    ``ending``: the agent has been told to end it, or it has ended.
    """

    request: str
    desktop: str
    external_key: str
    session: str | None = None
    reopen_of: str | None = None
    acked: bool = False
    ending: bool = False
    status: str | None = None


@attrs.define(eq=False)
class Ledger:
    """Tasks by requestId and per desktop; cards by interactionId, newest last.

    ``spoken``: messages to the bot that have not become a dispatch yet.
    ``armed``: desktops where somebody pressed retry and no round began since.
    ``said``: the last message to the bot per (channel, person), ``links``: the
    last sign-in link that shows per (desktop, lane), both newest last.
    """

    tasks: dict[str, Task] = attrs.field(factory=dict)
    cards: dict[str, dict[str, Any]] = attrs.field(factory=dict)
    spoken: int = 0
    armed: dict[str, None] = attrs.field(factory=dict)
    said: dict[tuple[str, str], PersonSaid] = attrs.field(factory=dict)
    links: dict[tuple[str, str], str] = attrs.field(factory=dict)
    links_sent: dict[int, tuple[str, str, str]] = attrs.field(factory=dict)

    def attach(self, world: World) -> None:
        """Watch the frames of a run."""
        world.watch(FrameSent, self._on_sent)
        world.watch(FrameDelivered, self._on_delivered)
        world.watch(Acted, self._on_act)
        world.watch(CallIssued, self._on_call)

    def open_task(self, desktop: str, request: str | None) -> Task | None:
        """The named task, or the newest of that desktop, if its agent may still act."""
        if request is not None:
            task = self.tasks.get(request)
            return task if task is not None and not task.ending else None
        for task in reversed(self.tasks.values()):
            if task.desktop == desktop and not task.ending:
                return task
        return None

    def newest(self, desktop: str, *, ended: bool | None = None) -> Task | None:
        """The newest task of a desktop, perhaps only among ended (or unended) ones."""
        for task in reversed(self.tasks.values()):
            if task.desktop == desktop and ended in (None, task.status is not None):
                return task
        return None

    def last_said(self, channel: str, person: str) -> PersonSaid | None:
        """The last message to the bot on a channel, in a chat where this person can write."""
        for (where, _), said in reversed(self.said.items()):
            if where == channel and (said.person == person or not is_direct(said.chat)):
                return said
        return None

    def newest_link(self, lane: str, desktops: Collection[str]) -> str | None:
        """The newest sign-in link for a lane that one of these desktops has been sent."""
        for (desktop, its_lane), url in reversed(self.links.items()):
            if its_lane == lane and desktop in desktops:
                return url
        return None

    def _on_act(self, event: Acted) -> None:
        act = event.act
        if isinstance(act, Say) and act.to_bot and not act.text.startswith("/"):
            self.spoken += 1
        elif isinstance(act, Retry):
            self.armed[event.host] = None

    def _on_call(self, event: CallIssued) -> None:
        said = event.request
        if isinstance(said, PersonSaid) and said.to_bot:
            self.said.pop((event.caller, said.person), None)
            self.said[event.caller, said.person] = said

    def _on_delivered(self, event: FrameDelivered) -> None:
        shown = self.links_sent.get(event.sent)
        if shown is not None:
            desktop, lane, url = shown
            self.links.pop((desktop, lane), None)
            self.links[desktop, lane] = url

    def _on_sent(self, event: FrameSent) -> None:
        payload = event.frame.wire.get("payload")
        handler = self._HANDLERS.get(event.frame.type)
        if handler is not None and isinstance(payload, dict):
            handler(self, event, payload)

    def _dispatch(self, event: FrameSent, payload: dict[str, Any]) -> None:
        request = payload.get("requestId")
        if isinstance(request, str) and request not in self.tasks:
            self.tasks[request] = Task(request, event.receiver, str(payload.get("externalKey")))
            self.spoken = max(0, self.spoken - 1)

    def _ack(self, event: FrameSent, payload: dict[str, Any]) -> None:
        task = self.tasks.get(str(payload.get("requestId")))
        if task is not None:
            task.acked = True
            task.session = payload.get("sessionId") or task.session
            task.ending = task.ending or payload.get("result") == "rejected"

    def _end(self, event: FrameSent, payload: dict[str, Any]) -> None:
        task = self.tasks.get(str(payload.get("requestId")))
        if task is not None:
            task.ending = True
            task.status = str(payload.get("status"))

    def _reopen(self, event: FrameSent, payload: dict[str, Any]) -> None:
        request, old = payload.get("requestId"), payload.get("reopenOf")
        self.armed.pop(event.sender, None)
        if isinstance(request, str) and request not in self.tasks:
            task = Task(request, event.sender, str(payload.get("externalKey")))
            task.reopen_of = str(old)
            task.session = payload.get("sessionId")
            self.tasks[request] = task

    def _cancel(self, event: FrameSent, payload: dict[str, Any]) -> None:
        task = self.tasks.get(str(payload.get("requestId")))
        if task is not None:
            task.ending = True

    def _card(self, event: FrameSent, payload: dict[str, Any]) -> None:
        interaction = payload.get("interactionId")
        if isinstance(interaction, str):
            self.cards.setdefault(interaction, payload)

    def _link(self, event: FrameSent, payload: dict[str, Any]) -> None:
        """A sign-in under way; what else these frames tell changes no link."""
        url = payload.get("authorizeUrl") or payload.get("connectUrl")
        if isinstance(url, str):
            lane = str(payload.get("provider", "slack"))
            self.links_sent[event.n] = (event.receiver, lane, url)

    _HANDLERS: ClassVar[dict[str, Callable[[Any, FrameSent, dict[str, Any]], None]]] = {
        "task.dispatch": _dispatch,
        "task.ack": _ack,
        "turn.end": _end,
        "turn.reopen": _reopen,
        "task.cancel": _cancel,
        "interaction.request": _card,
        "bind.update": _link,
        "provider.bind.update": _link,
        "provider.bind.state": _link,
    }
