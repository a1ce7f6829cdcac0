"""In which session a desktop runs its tasks, and how often (§1, §4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim.core.event import Acted, Event, FrameDelivered, FrameSent, Noted
from sim.core.invariant import Handler
from sim.protocols.hook.acts import ChangeWorkspaces, Login
from sim.protocols.hook.oracles.oracle import HookInvariant
from sim.protocols.hook.oracles.tasks import OfTurns
from sim.protocols.hook.view import HookView


class NoSecondRun(HookInvariant):
    name = "no-second-run"
    sentence = "A task runs once in a life of its desktop, and never again when it has ended."
    catalogue = ("HK-37",)
    obeyed_by = "desktop"

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(Noted, "agent"): self._started}

    def _started(self, event: Noted) -> str | None:
        data = event.data
        if data.get("did") != "start" or not data.get("request"):
            return None
        desktop = self.view.desktops.of(event.host)
        turn = desktop.turns.get(data["request"])
        if turn is None:
            return None
        self.exercised += 1
        if turn.starts > 1:
            return f"{event.host} runs {turn.request} a second time"
        if turn.row is not None and not desktop.logins:
            return f"{event.host} runs {turn.request} again, though it ended {turn.row.status}"
        return None


class OneSessionPerKey(OfTurns):
    """Sessions end with /new, with their folder, and with the account."""

    name = "one-session-per-key"
    sentence = "All tasks of one externalKey run in one session."
    from_frames = True
    catalogue = ("HK-01",)
    frames = ("task.ack",)

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        # by desktop, and by connection where no more than frames is known: its process, its
        # folders and its account may then be others on the next one
        self._sessions: dict[str, dict[str, str]] = {}
        # likewise: the step at which a key was archived last
        self._archives: dict[str, dict[str, int]] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {
            **super().sorted_handlers(),
            (FrameDelivered, "session.archive"): self._archived,
            (FrameSent, "hello"): self._greets,
            (Acted, Login): self._changed,
            (Acted, ChangeWorkspaces): self._changed,
        }

    def _archived(self, event: FrameDelivered) -> str | None:
        if self.view.arrived is not None:
            place, key = self._place(event.link, event.receiver), self.view.arrived.external_key
            self._sessions.get(place, {}).pop(key, None)
            self._archives.setdefault(place, {})[key] = event.n
        return None

    def _place(self, link: str, desktop: str) -> str:
        return link if self.view.frames_only else desktop

    def _greets(self, event: FrameSent) -> str | None:
        """Folders may have changed: with a folder its sessions go."""
        if self.view.frames_only:
            self._sessions.pop(event.link, None)
        return None

    def _changed(self, event: Acted) -> str | None:
        self._sessions.pop(event.host, None)
        return None

    def judge(self, event: FrameSent) -> str | None:
        turn = self.view.turn
        session = self.view.said.session_id
        if turn is None or session is None or turn.ack_n != event.n:
            return None
        place = self._place(event.link, event.sender)
        if turn.takes_over:
            self._sessions.get(place, {}).pop(turn.key, None)
            return None
        if turn.row is not None:
            return None  # a result of an earlier life is handed in
        if self._archives.get(place, {}).get(turn.key, -1) > event.cause:
            return None  # its session was archived while it was being let in
        self.exercised += 1
        before = self._sessions.setdefault(place, {}).setdefault(turn.key, session)
        if before == session:
            return None
        return (
            f"{event.sender} runs {turn.request} in session {session}, but {turn.key} has "
            f"session {before}"
        )
