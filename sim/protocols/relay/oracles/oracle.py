"""What the oracles of the relay protocol have in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from sim.core.event import ConnectionClosed, Event, FrameSent
from sim.core.invariant import Handler, Invariant
from sim.protocols.relay.constants import CONTROLLER, NODE, RELAY
from sim.protocols.relay.view import RelayView
from sim.protocols.relay.view_book import RelayBook
from sim.protocols.relay.view_records import AskView, SessionView

SECOND_US = 1_000_000


@attrs.frozen
class Debt:
    """What a relay owes to a session, until when, and what to say where it is not done."""

    session: SessionView
    due_us: int
    text: str


class RelayInvariant(Invariant):
    """Sees events after the view has folded them."""

    ALIKE = True

    def __init__(self, view: RelayView) -> None:
        self.view = view

    def book_of(self, session: SessionView) -> RelayBook:
        """What the relay of a session has dealt with."""
        return self.view.book(session.relay)

    def can_still_say(self, session: SessionView) -> bool:
        """Whether the relay is up and believes in a session, so that it owes it something."""
        return session.is_open and session.relay in self.view.up


class OfRelay(RelayInvariant):
    """Looks at the frames that relays send, by family, or by type of event."""

    obeyed_by = RELAY
    families: tuple[str, ...] = ()

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(FrameSent, family): self._sent for family in self.families}

    def _sent(self, event: FrameSent) -> str | None:
        session = self.view.session
        if session is None or event.sender != session.relay:
            return None
        return self.judge(session, self.view.ask, event)

    def may_be_another(self, ask: AskView) -> bool:
        """Whether the frame that has a command's requestId may be about one that no log shows."""
        return self.view.frames_only and self.view.payload.get("replayNonce") != ask.key

    def judge(self, session: SessionView, ask: AskView | None, event: FrameSent) -> str | None:
        """What is wrong with this frame to this session."""
        raise NotImplementedError


class Owing(OfRelay):
    """Keeps what relays owe to sessions, and speaks up when it is late: at the end of the run,
    or when the session ends without it."""

    def __init__(self, view: RelayView) -> None:
        super().__init__(view)
        self._owed: dict[str, dict[Any, Debt]] = {}

    def owe(self, session: SessionView, key: Any, text: str, due_us: int = -1) -> None:
        """The relay owes a session something by ``due_us``, a second from now if not told."""
        due = self.view.now + SECOND_US if due_us < 0 else due_us
        self._owed.setdefault(session.link, {})[key] = Debt(session, due, text)

    def pay(self, session: SessionView, key: Any) -> bool:
        """That is done; whether it was owed."""
        debts = self._owed.get(session.link)
        return debts is not None and debts.pop(key, None) is not None

    def handlers(self) -> Mapping[type[Event], Handler]:
        return {ConnectionClosed: self._over}

    def _over(self, event: ConnectionClosed) -> str | None:
        session = self.view.session
        if session is None or event.host != session.relay:
            return None
        for debt in self._owed.pop(session.link, {}).values():
            if self._is_late(debt):
                return debt.text
        return None

    def _is_late(self, debt: Debt) -> bool:
        return self.view.now > debt.due_us + self.view.grace_us(debt.session.relay)

    def at_end(self) -> Iterator[str]:
        for debts in self._owed.values():
            for debt in debts.values():
                if self.can_still_say(debt.session) and self._is_late(debt):
                    yield debt.text


class OfPeers(RelayInvariant):
    """Looks at the frames that peers of one role send."""

    families: tuple[str, ...] = ()

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(FrameSent, family): self._sent for family in self.families}

    def _sent(self, event: FrameSent) -> str | None:
        session = self.view.session
        if session is None or event.sender == session.relay or session.side != self.obeyed_by:
            return None
        return None if self.view.is_directed(event) else self.judge(session, event)

    def judge(self, session: SessionView, event: FrameSent) -> str | None:
        """What is wrong with this frame of this peer."""
        raise NotImplementedError


class OfNodes(OfPeers):
    """Those of nodes."""

    obeyed_by = NODE


class OfControllers(OfPeers):
    """Those of controllers."""

    obeyed_by = CONTROLLER


def shown(ask: AskView) -> str:
    """A command as a violation names it."""
    return f"{ask.action} {ask.request_id} of {ask.session.peer}"


def seconds(us: int) -> str:
    """A span as a violation tells it."""
    return f"{us / SECOND_US:.3f} s"
