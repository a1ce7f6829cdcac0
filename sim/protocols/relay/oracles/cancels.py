"""command_cancel: who may, what comes of it, what is said (DR-17)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim.core.event import Event, FrameDelivered, FrameSent
from sim.core.invariant import Handler
from sim.protocols.relay.constants import RELAY
from sim.protocols.relay.oracles.oracle import OfRelay, Owing, shown
from sim.protocols.relay.view import RelayView
from sim.protocols.relay.view_records import RUNNING, WAITING, AskView, CancelView, SessionView

CANCELLED = "command_cancelled"
MISMATCH = "command_owner_mismatch"


class OfCancels(Owing):
    """Looks at what comes of cancels."""

    families = ("error", "event")

    def __init__(self, view: RelayView) -> None:
        super().__init__(view)
        self.open: dict[tuple[str, str], CancelView] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {**super().sorted_handlers(), (FrameDelivered, "command_cancel"): self._arrived}

    def _arrived(self, event: FrameDelivered) -> str | None:
        session = self.view.session
        if session is None or event.receiver != session.relay:
            return None
        place = session.link, str(self.view.said.get("requestId"))
        cancel = self.book_of(session).cancels.get(place)
        if cancel is not None and cancel.n == event.n:
            self.open[place] = cancel
            self.asked(cancel)
        return None

    def asked(self, cancel: CancelView) -> None:
        """A cancel has come."""

    def judge(self, session: SessionView, ask: AskView | None, event: FrameSent) -> str | None:
        place = session.link, str(self.view.said.get("requestId"))
        payload = self.view.payload
        if event.frame.type == "event":
            if payload.get("type") != "cancel_ack":
                return None
            said = str(payload.get("status"))
        elif session.said.get(place[1]) == "command_cancel":
            said = str(payload.get("code"))
        else:
            return None
        cancel = self.open.pop(place, None)
        self.pay(session, place)
        return None if cancel is None else self.answered(cancel, said, event)

    def answered(self, cancel: CancelView, said: str, event: FrameSent) -> str | None:
        """What is wrong with this answer."""
        raise NotImplementedError


def _owner(cancel: CancelView) -> str | None:
    """The identity whose the target is; None where it has ended or never was."""
    if cancel.ask is not None and cancel.state:
        return cancel.ask.session.identity
    return None if cancel.stream is None else cancel.stream.ask.session.identity


class CancelsAreAnswered(OfCancels):
    name = "cancels-are-answered"
    sentence = (
        "Every cancel is answered: cancelled for what waited and for streams, forwarded for what "
        "runs, command_not_found for what is over."
    )
    catalogue = ("OT-63", "OT-40")

    def asked(self, cancel: CancelView) -> None:
        session = cancel.session
        text = f"{session.relay} never answers the cancel of {cancel.target!r} by {session.peer}"
        self.owe(session, (session.link, cancel.request_id), text)

    def answered(self, cancel: CancelView, said: str, event: FrameSent) -> str | None:
        self.exercised += 1
        owner = _owner(cancel)
        if owner is None:
            due = "command_not_found"
        elif owner != cancel.session.identity:
            return None  # see cancels-are-the-owners
        else:
            due = "forwarded" if cancel.state == RUNNING else "cancelled"
        if said == due or said not in ("forwarded", "cancelled", "command_not_found"):
            return None
        if cancel.ask is not None and cancel.ask.orphaned_us >= 0:
            return None
        return (
            f"{event.sender} answers the cancel of {cancel.target!r} by "
            f"{cancel.session.peer} with {said}, where {due} is due"
        )


class CancelsAreTheOwners(OfCancels):
    name = "cancels-are-the-owners"
    sentence = "Only the identity that owns a command or a stream can cancel it."
    catalogue = ("OT-63",)

    def answered(self, cancel: CancelView, said: str, event: FrameSent) -> str | None:
        owner = _owner(cancel)
        if owner is None:
            return None
        self.exercised += 1
        foreign = owner != cancel.session.identity
        if foreign and said in ("forwarded", "cancelled"):
            return f"{event.sender} lets {cancel.session.peer} cancel {cancel.target!r} of {owner}"
        if said == MISMATCH and not foreign:
            return f"{event.sender} does not let {owner} cancel its own {cancel.target!r}"
        return None


class CancelledAreThoseWhoWaited(OfRelay):
    name = "cancelled-are-those-who-waited"
    sentence = (
        "command_cancelled ends a command that waited and that its owner has cancelled; what runs "
        "ends by its node's word alone."
    )
    catalogue = ("OT-11", "OT-60", "OT-63")
    families = ("error",)

    def judge(self, session: SessionView, ask: AskView | None, event: FrameSent) -> str | None:
        by_relay = self.view.said.get("senderRole") == RELAY
        if ask is None or not by_relay or self.view.payload.get("code") != CANCELLED:
            return None
        self.exercised += 1
        if ask.sent_us >= 0:
            return f"{event.sender} ends {shown(ask)} as cancelled, which runs"
        cancels = self.book_of(session).cancels.values()
        if any(one.ask is ask and one.state == WAITING for one in cancels):
            return None
        return f"{event.sender} ends {shown(ask)} as cancelled, though nobody has asked for it"


class CancelledWorkIsTold(OfRelay):
    name = "running-work-is-told-to-stop"
    sentence = "A cancel of what runs reaches its node under the requestId of the cancel."
    catalogue = ("OT-04", "OT-63")
    families = ("event", "command_cancel")

    def __init__(self, view: RelayView) -> None:
        super().__init__(view)
        self._stopped: dict[str, int] = {}

    def judge(self, session: SessionView, ask: AskView | None, event: FrameSent) -> str | None:
        request_id = str(self.view.said.get("requestId"))
        if event.frame.type == "command_cancel":
            self._stopped[request_id] = event.n
            if len(self._stopped) > 512:
                del self._stopped[next(iter(self._stopped))]
            return None
        payload = self.view.payload
        if payload.get("type") != "cancel_ack" or payload.get("status") != "forwarded":
            return None
        self.exercised += 1
        if request_id in self._stopped:
            return None
        target = payload.get("targetRequestId")
        return f"{event.sender} calls the cancel of {target!r} forwarded; its node was never told"
