"""What each desktop host has been told and has said, in which of its lives.

A *life* ends with the process or with the account: after either the desktop
remembers only what it had stored. Everything is the desktop's own side: what was
delivered to it and what it sent, whether or not the server ever heard it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs
import msgspec

from sim.core.event import Acted, FrameDelivered, FrameSent, HostStarted, Noted, Saved
from sim.protocols.hook.acts import Login, Retry, TypeText
from sim.protocols.hook.desktop.records import LedgerRow
from sim.protocols.hook.view_records import features_of

if TYPE_CHECKING:
    from sim.protocols.hook.view import HookView
    from sim.protocols.hook.view_records import LinkView

Fold: TypeAlias = "Callable[[LinkView, Any, int], None]"
"""What a frame changes: its connection, what it says, the number of the event."""


class EndAtDesktop(msgspec.Struct, frozen=True, gc=False):
    """What is remembered of an end: not its attachments, which may be megabytes."""

    status: str
    final_text: str
    error_message: str | None


@attrs.define(eq=False)
class TurnAtDesktop:
    """A task that was dispatched to a desktop, or a round that it claimed.

    ``came_us``: when it was first dispatched; ``wanted``: the session that a dispatch named
    last; ``is_plain``: a dispatch named no options; ``told_ms``: the desktop's own clock at
    its last snapshot. ``of``: the id that a round continues, "" for a task. ``life`` is the one in
    which it was last dispatched (claimed); ``ack`` the first lasting answer of
    that life, ``folders`` are those that it was ever
    dispatched for, ``answered``: there was one, lasting or not; ``starts`` counts runs of
    the agent in it. ``end`` is the first end ever sent, ``ends`` their number.
    ``gap_us``: between the last two snapshots.
    ``moved``: it was dispatched on another connection before; ``ack_link``: where ``ack`` was.
    ``row``: what the desktop's ledger holds of its end.
    """

    request: str
    link: str
    at: int
    life: int
    of: str = ""
    key: str = ""
    came_us: int = -1
    takes_over: bool = False
    wanted: str | None = None
    is_plain: bool = False
    told_ms: float | None = None
    workspace: str | None = None
    ack: Any = None
    ack_n: int = -1
    answered: bool = False
    folders: dict[str | None, None] = attrs.field(factory=dict)
    end: Any = None  # an EndAtDesktop; None: not yet
    end_link: str = ""
    end_n: int = -1
    ends: int = 0
    end_us: int = -1
    end_life: int = -1
    cancelled_us: int = -1
    cancelled_n: int = -1
    starts: int = 0
    reopens: int = 0
    progress_us: int = -1
    gap_us: int = -1
    moved: bool = False
    ack_link: str = ""
    row: LedgerRow | None = None
    row_us: int = -1
    cards: dict[str, CardAtDesktop] = attrs.field(factory=dict)

    @property
    def is_running(self) -> bool:
        """Whether it is a task that was acked and has not ended."""
        return self.end is None and self.ack is not None and not self.of


@attrs.define(eq=False)
class CardAtDesktop:
    """A card that a desktop asked for, on which connection, and whether it is settled."""

    link: str
    buttons: tuple[str, ...]
    settled: str = ""


@attrs.define(eq=False)
class DesktopView:
    """One desktop host.

    ``turns``: tasks and rounds by id; ``logins``: changes of ``account``; ``aliases``: the
    folders that it has now, by its store or its latest hello.
    """

    name: str
    life: int = 0
    logins: int = 0
    account: str = ""
    since_us: int = 0
    turns: dict[str, TurnAtDesktop] = attrs.field(factory=dict)
    aliases: tuple[str, ...] = ()
    retries: int = 0
    pressed: int = -1


class Desktops:
    """The fold of everything that happens at desktops' ends."""

    __slots__ = ("by_host", "folds_said", "folds_told", "view")

    def __init__(self, view: HookView) -> None:
        self.view = view
        self.by_host: dict[str, DesktopView] = {}
        self.folds_said: dict[str, Fold] = {
            "hello": self._hello,
            "task.ack": self._ack,
            "turn.progress": self._progress,
            "turn.end": self._end,
            "turn.reopen": self._reopen,
            "interaction.request": self._asks,
            "interaction.cancel": self._takes_back,
        }
        self.folds_told: dict[str, Fold] = {
            "welcome": self._welcome,
            "task.dispatch": self._dispatch,
            "task.cancel": self._cancel,
            "interaction.decision": self._decision,
        }

    def of(self, host: str) -> DesktopView:
        """The record of a desktop host."""
        found = self.by_host.get(host)
        if found is None:
            self.by_host[host] = found = DesktopView(host)
        return found

    def account_of(self, host: str) -> str:
        """Who is signed in on a desktop, as far as that is known."""
        found = self.by_host.get(host)
        return "" if found is None else found.account

    def said(self, link: LinkView, event: FrameSent, body: Any) -> None:
        """A desktop wrote a frame."""
        fold = self.folds_said.get(event.frame.type)
        if fold is not None and body is not None:
            fold(link, body, event.n)

    def told(self, link: LinkView, event: FrameDelivered, body: Any) -> None:
        """A frame reached a desktop."""
        fold = self.folds_told.get(event.type)
        if fold is not None:
            fold(link, body, event.n)

    # -- lives -------------------------------------------------------------------

    def started(self, event: HostStarted) -> None:
        """The process came up."""
        desktop = self.by_host.get(event.host)
        if desktop is not None:
            self._new_life(desktop, event.at)
            desktop.retries = 0

    def _new_life(self, desktop: DesktopView, at: int) -> None:
        """A login begins one too, though a handler of the old account may yet write."""
        desktop.life += 1
        desktop.since_us = at

    def _is_up(self, host: str) -> bool:
        found = self.view.hosts.get(host)
        return found is None or found.up

    def acted(self, event: Acted) -> None:
        """The person at the desktop does something."""
        kind = type(event.act)
        if kind is Retry or kind is TypeText:
            desktop = self.of(event.host)
            desktop.retries += kind is Retry
            desktop.pressed = event.n
        elif kind is Login and self._is_up(event.host):
            desktop = self.of(event.host)
            desktop.logins += 1
            self._new_life(desktop, event.at)

    # -- told --------------------------------------------------------------------

    def _welcome(self, link: LinkView, body: Any, n: int) -> None:
        link.told_before, link.told_features = link.told_features, tuple(body.features)
        link.told_us = self.view.now

    def _dispatch(self, link: LinkView, body: Any, n: int) -> None:
        desktop = self.of(link.client)
        turn = desktop.turns.get(body.request_id)
        if turn is None:
            turn = TurnAtDesktop(body.request_id, link.name, self.view.now, desktop.life)
            desktop.turns[body.request_id] = turn
            turn.key = body.external_key
        elif turn.life != desktop.life:
            turn.life = desktop.life
            turn.ack = None
            turn.starts = 0
            turn.progress_us = turn.cancelled_us = -1
        turn.moved = turn.moved or turn.link != link.name
        turn.link = link.name
        turn.at = self.view.now
        turn.answered = False
        turn.workspace = body.workspace
        turn.folders[body.workspace] = None
        turn.takes_over = body.session_id is not None
        if body.session_id is not None:
            turn.wanted = body.session_id
        if turn.came_us < 0:
            turn.came_us = self.view.now
        self.view.turn = turn

    def _cancel(self, link: LinkView, body: Any, n: int) -> None:
        desktop = self.of(link.client)
        turn = desktop.turns.get(body.request_id)
        if turn is None or turn.life != desktop.life or turn.cancelled_us >= 0:
            return
        # One that overtakes the ack finds nothing to stop; one that comes before the welcome
        # finds nobody: a lane is ready only then.
        if turn.end is None and (turn.of or turn.ack is not None) and link.told_us >= 0:
            turn.cancelled_us = self.view.now
            turn.cancelled_n = n

    def _decision(self, link: LinkView, body: Any, n: int) -> None:
        turn = self.of(link.client).turns.get(body.request_id)
        card = None if turn is None else turn.cards.get(body.interaction_id)
        is_fit = card is not None and not card.settled and body.button_id in card.buttons
        if card is not None and is_fit and link.told_us >= 0:
            card.settled = "decided"

    # -- said --------------------------------------------------------------------

    def _turn(self, link: LinkView, body: Any) -> TurnAtDesktop | None:
        """The turn that a desktop speaks of. All oracles of turns ask for the same one."""
        turns = link.turns
        if turns is None:
            turns = link.turns = self.of(link.client).turns
        view = self.view
        view.is_calm = False
        turn: TurnAtDesktop | None = turns.get(body.request_id)
        view.turn = turn
        return turn

    def _hello(self, link: LinkView, body: Any, n: int) -> None:
        self.of(link.client).aliases = tuple(body.workspaces)
        link.said_features = features_of(body)

    def _ack(self, link: LinkView, body: Any, n: int) -> None:
        turn = self._turn(link, body)
        if turn is None:
            return
        turn.answered = True
        if body.result == "rejected" and body.reason in ("invalid", "disabled"):
            return
        if turn.ack is None:
            self.view.is_calm = body.result == "accepted" and turn.wanted is None
            turn.ack = body
            turn.ack_n = n
            turn.ack_link = link.name

    def _progress(self, link: LinkView, body: Any, n: int) -> None:
        turn = self._turn(link, body)
        if turn is not None:
            now = self.view.now
            self.view.is_calm = turn.end is None and turn.ack is not None and not turn.of
            turn.gap_us = now - turn.progress_us if turn.progress_us >= 0 else -1
            turn.progress_us = now

    def _end(self, link: LinkView, body: Any, n: int) -> None:
        turn = self._turn(link, body)
        if turn is not None:
            turn.ends += 1
            if turn.end is None:
                self.view.is_calm = turn.is_running and turn.cancelled_us < 0
                turn.end = EndAtDesktop(body.status, body.final_text, body.error_message)
                turn.end_link = link.name
                turn.end_n = n
                turn.end_us = self.view.now
                turn.end_life = self.of(link.client).life

    def _reopen(self, link: LinkView, body: Any, n: int) -> None:
        desktop, turn = self.of(link.client), self._turn(link, body)
        if turn is None:
            turn = TurnAtDesktop(body.request_id, link.name, self.view.now, desktop.life)
            turn.of = body.reopen_of
            turn.key = body.external_key
            desktop.turns[body.request_id] = self.view.turn = turn
        turn.reopens += 1
        desktop.retries -= 1

    def _asks(self, link: LinkView, body: Any, n: int) -> None:
        turn = self._turn(link, body)
        if turn is not None:
            self.view.is_calm = turn.is_running
            buttons = tuple([b.id for b in body.buttons])
            turn.cards[body.interaction_id] = CardAtDesktop(link.name, buttons)

    def _takes_back(self, link: LinkView, body: Any, n: int) -> None:
        turn = self._turn(link, body)
        card = None if turn is None else turn.cards.get(body.interaction_id)
        if card is not None:
            card.settled = card.settled or "taken back"

    # -- stored and noted --------------------------------------------------------

    def saved(self, event: Saved) -> None:
        """The ledger learns how a task ended, or the folders are others now."""
        row = event.value
        if type(row) is tuple:
            if event.key == "workspaces":
                self.of(event.host).aliases = row  # its hello may take a while yet
            return
        turn = self.of(event.host).turns.get(row.request)
        if turn is not None and row.status:
            if turn.row is None:
                turn.row_us = event.at
            turn.row = row

    def noted(self, event: Noted) -> None:
        """The agent starts to work on a task."""
        data = event.data
        if data.get("did") == "start" and data.get("request"):
            turn = self.of(event.host).turns.get(data["request"])
            if turn is not None:
                turn.starts += 1
