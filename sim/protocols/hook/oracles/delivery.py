"""``turn.delivery``: what a server says of a result, and what it does (§5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sim.channel.api import EditMessage, FindMessage, PostMessage
from sim.core.event import CallIssued, Event, FrameDelivered, FrameSent
from sim.core.invariant import Handler
from sim.protocols.hook.constants import HOOK_FEATURE_TURN_DELIVERY
from sim.protocols.hook.machine import ENDED, RETRYING
from sim.protocols.hook.oracles.oracle import CHIPS, FINALS, SECOND_US, HookInvariant
from sim.protocols.hook.oracles.waiting import TROUBLE_US
from sim.protocols.hook.server.texts import DELIVERY_TEXTS
from sim.protocols.hook.view import HookView
from sim.protocols.hook.view_records import RequestView

PATIENCE_US = 15 * SECOND_US
TERMINAL = ("delivered", "failed")


class OfReceipts(HookInvariant):
    """Looks at each turn.delivery that a server sends."""

    obeyed_by = "server"

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(FrameSent, "turn.delivery"): self._sent}

    def _sent(self, event: FrameSent) -> str | None:
        body = self.view.said
        if body is None:
            return None
        self.exercised += 1
        return self.judge(body, self.view.requests.get(body.request_id), event)

    def judge(self, body: Any, request: RequestView | None, event: FrameSent) -> str | None:
        """What is wrong with this report."""
        raise NotImplementedError


class AcceptedMeansStored(OfReceipts):
    name = "accepted-means-stored"
    sentence = "A result is reported on only when it, and the promise, are in the durable store."
    catalogue = ("HK-73", "HK-74")

    def judge(self, body: Any, request: RequestView | None, event: FrameSent) -> str | None:
        row = None if request is None else request.stored
        if row is None or (row.state == ENDED and row.receipt is not None):
            return None
        return f"{event.sender} says {body.state} of {body.request_id}, stored as {row.state}"


class ReceiptsGoForward(OfReceipts):
    name = "receipts-go-forward"
    sentence = (
        "The reports on a result never go back: attempt does not fall, accepted follows nothing, "
        "and delivered or failed stays."
    )
    from_frames = True
    catalogue = ("HK-76", "HK-80", "HK-83")

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._last: dict[str, tuple[str, int]] = {}

    def judge(self, body: Any, request: RequestView | None, event: FrameSent) -> str | None:
        state, attempt = self._last.get(body.request_id, ("", 0))
        self._last[body.request_id] = (body.state, body.attempt)
        if state in TERMINAL and body.state != state:
            return f"{body.request_id} was {state}, and becomes {body.state}"
        if body.attempt < attempt:
            return f"{body.request_id} goes back from attempt {attempt} to {body.attempt}"
        return None


class DeliveredMeansPublished(OfReceipts):
    name = "delivered-means-published"
    sentence = "delivered is said only of a result that the channel has shown."
    catalogue = ("HK-79",)

    def judge(self, body: Any, request: RequestView | None, event: FrameSent) -> str | None:
        if body.state != "delivered" or request is None or request.ended not in CHIPS:
            return None
        chip = CHIPS[request.ended]
        for message in self.view.history.by_about.get(request.request, ()):
            if any(version.state == chip for version in message.versions):
                return None
        return f"{request.request} is called delivered, but no message shows its end"


class ReceiptsAreSafe(OfReceipts):
    name = "receipts-are-safe"
    sentence = "A report's error is a known code in the server's own words, nothing of a channel's."
    catalogue = ("HK-81",)

    def judge(self, body: Any, request: RequestView | None, event: FrameSent) -> str | None:
        error = body.error
        if error is None or DELIVERY_TEXTS.get(error.code) == error.message:
            return None
        return f"{event.sender} passes on what the channel said: {error.code!r} {error.message!r}"


class NoReceiptsForRounds(OfReceipts):
    name = "no-receipts-for-rounds"
    sentence = "Continuations have no receipts."
    from_frames = True
    catalogue = ("HK-84",)

    def judge(self, body: Any, request: RequestView | None, event: FrameSent) -> str | None:
        if body.request_id not in self.view.rounds:
            return None
        return f"{event.sender} reports {body.state} on round {body.request_id}"


class NothingAfterFailed(OfReceipts):
    """Whoever is told ``failed`` may publish the result elsewhere."""

    name = "nothing-after-failed"
    sentence = "A result that was reported failed is not published any more."
    catalogue = ("HK-78",)

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._failed: dict[str, int] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {
            **super().sorted_handlers(),
            (CallIssued, EditMessage): self._edit,
            (CallIssued, PostMessage): self._post,
        }

    def judge(self, body: Any, request: RequestView | None, event: FrameSent) -> str | None:
        if body.state == "failed":
            self._failed.setdefault(body.request_id, event.n)
        return None

    def _edit(self, event: CallIssued) -> str | None:
        return self._write(self.subject_of(event), event) if self._failed else None

    def _post(self, event: CallIssued) -> str | None:
        request = self.view.requests.get(event.request.about) if self._failed else None
        return self._write(request, event)

    def _write(self, request: RequestView | None, event: CallIssued) -> str | None:
        if request is None or request.request not in self._failed or request.rounds:
            return None
        if event.request.state not in FINALS:
            return None
        return f"{request.request} was reported failed, and is published at step {event.n}"


class RetryingIsTried(HookInvariant):
    name = "retrying-is-tried"
    sentence = "After retrying the server tries again by itself, at about retryAt."
    catalogue = ("HK-74", "HK-77")
    obeyed_by = "server"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._looked: dict[str, int] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(CallIssued, FindMessage): self._looks}

    def _looks(self, event: CallIssued) -> str | None:
        self._looked[event.request.key.partition("/")[0]] = event.at
        return None

    def at_end(self) -> Iterator[str]:
        view = self.view
        for request in view.requests.values():
            row = request.stored
            receipt = None if row is None else row.receipt
            if receipt is None or receipt.state != RETRYING:
                continue
            self.exercised += 1
            server = next(iter(view.writers), "")
            host = view.hosts.get(server)
            if host is None or not host.up or request.care.pending:
                continue
            looked = self._looked.get(request.request, 0)
            since = max(host.since, request.care.troubled_us, request.ended_us, looked)
            if view.now - since > TROUBLE_US:
                yield f"{request.request} is said to be tried again, and never is"


class ReplaysPublishNothing(HookInvariant):
    name = "replays-publish-nothing"
    sentence = (
        "An end that comes again, of a result that is settled, writes nothing to its channel."
    )
    catalogue = ("HK-76",)
    obeyed_by = "server"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._again: dict[int, str] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {
            (FrameDelivered, "turn.end"): self._ended,
            (CallIssued, EditMessage): self._write,
            (CallIssued, PostMessage): self._write,
        }

    def _ended(self, event: FrameDelivered) -> str | None:
        body = self.view.arrived
        request = None if body is None else self.view.requests.get(body.request_id)
        row = None if request is None else request.stored
        if row is not None and row.state == ENDED and row.written:
            self.exercised += 1
            self._again[event.n] = row.request
        return None

    def _write(self, event: CallIssued) -> str | None:
        request = self._again.get(event.cause)
        if request is None or event.request.state not in FINALS:
            return None
        return f"the end of {request} comes again, and is published again"


class EndsAreReceipted(HookInvariant):
    """Whoever hands in a result with the feature on is told of it, each time."""

    name = "ends-are-receipted"
    sentence = "Every end of a task, first or repeated, is answered by a report where it is agreed."
    from_frames = True
    catalogue = ("HK-76", "HK-82")
    obeyed_by = "server"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        # by request: the connection and time of the newest end, and whether it was answered
        self._ends: dict[str, tuple[str, int]] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {
            (FrameDelivered, "turn.end"): self._ended,
            (FrameSent, "turn.delivery"): self._told,
        }

    def _ended(self, event: FrameDelivered) -> str | None:
        link = self.view.link
        body = self.view.arrived
        if link is None or body is None or HOOK_FEATURE_TURN_DELIVERY not in link.features:
            return None
        request = self.view.requests.get(body.request_id)
        if request is None or not request.is_of(link) or not link.has(HOOK_FEATURE_TURN_DELIVERY):
            return None
        self.exercised += 1
        self._ends[body.request_id] = (event.link, event.at)
        return None

    def _told(self, event: FrameSent) -> str | None:
        if self.view.said is not None:
            self._ends.pop(self.view.said.request_id, None)
        return None

    def at_end(self) -> Iterator[str]:
        view = self.view
        for name, (where, at) in self._ends.items():
            link = view.links.get(where)
            row = view.requests[name].stored
            if link is None or not link.server_open or not link.client_open:
                continue
            if row is None and not view.frames_only:
                continue
            account_changed = view.desktops.of(link.client).logins
            if view.now - at < PATIENCE_US or account_changed or link.greeted is not link.hello:
                continue
            if not link.has(HOOK_FEATURE_TURN_DELIVERY):
                continue  # withdrawn by a later welcome: nobody waits for one any more
            if name not in link.quarantined and (row is None or row.state == ENDED):
                yield f"the end of {name} on {where} was never answered by a report"
