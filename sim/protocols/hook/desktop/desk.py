"""The ground that all modules of the desktop stand on: its state, and writing frames."""

from __future__ import annotations

from collections.abc import Mapping

from sim.core.actor import Actor, Port
from sim.core.op import Send
from sim.protocols.hook import Message
from sim.protocols.hook.desktop.records import Lane, Session, Work
from sim.protocols.hook.desktop.settings import DesktopConfig
from sim.wire.declare import Body

CHAT = "chat"


class Desk(Actor):
    """State of one life of a desktop.

    ``account`` is who is signed in; everything durable belongs to an account.
    ``logins`` counts the changes of account: work that began under an earlier
    one must not be finished. ``features`` is what each lane declares in hello.
    """

    __slots__ = (
        "_work",
        "account",
        "config",
        "default_workspace",
        "features",
        "is_closing",
        "lanes",
        "last_session",
        "lifecycle",
        "logins",
        "rules",
        "settings",
        "turn_count",
        "workspaces",
    )

    def __init__(self, port: Port, config: DesktopConfig) -> None:
        super().__init__(port)
        self.config = config
        self.rules = config.rules
        self.settings = config.settings
        self.account: str = port.store.get("account") or config.account
        saved: tuple[str, ...] | None = port.store.get("workspaces")
        self.workspaces = self.with_chat(config.workspaces if saved is None else saved)
        self.default_workspace: str | None = (
            config.default_workspace if saved is None else port.store.get("default workspace")
        )
        self.features: Mapping[str, tuple[str, ...]] = port.store.get("features") or config.features
        kept: bool | None = port.store.get("lifecycle")
        self.lifecycle = config.lifecycle_announcement if kept is None else kept
        self.is_closing = False
        self.logins = 0
        self.turn_count = 0
        self.lanes = {name: Lane(name) for name in config.lanes}
        for name in port.store.get("off") or ():
            if name in self.lanes:
                self.lanes[name].is_off = True
        self.last_session: Session | None = None
        self._work: Work | None = None
        self.recall()

    @property
    def work(self) -> Work:
        """What goes on; made on first use, since most desktops are idle."""
        if self._work is None:
            self._work = Work()
        return self._work

    @property
    def is_busy(self) -> bool:
        """Whether there is any :attr:`work`, past or present."""
        return self._work is not None

    def recall(self) -> None:
        """Start with nothing but what the ledger of the present account holds."""
        self._work = None
        self.last_session = None
        for key, row in self.port.store.items(f"ledger/{self.account}/"):
            self.work.ledger[key] = row.sent
            self.work.ledger_bytes += row.size

    def next_turn(self) -> int:
        """A number for a new turn; never used again in this life."""
        self.turn_count += 1
        return self.turn_count

    async def send(self, lane: Lane, body: Body) -> bool:
        """Write a frame on whatever socket the lane has now, welcomed or not.

        A reply computed for a frame of an older socket goes out on the newer
        one: that is how acks outlive a reconnect (RC-32).
        """
        if lane.conn is None:
            return False
        frame = Message(body.TYPE, self.port.new_frame_id(), self.port.now_ms(), body)
        return await self.perform(Send(lane.conn, frame))

    async def send_message(self, lane: Lane, frame: Message) -> bool:
        """Write a frame that was made elsewhere."""
        return lane.is_ready and await self.perform(Send(lane.conn, frame))

    async def send_turn(self, lane: Lane, body: Body) -> bool:
        """Write a frame about a turn; these wait for the welcome."""
        return lane.is_ready and await self.send(lane, body)

    def with_chat(self, aliases: tuple[str, ...]) -> tuple[str, ...]:
        """The folder list with the built-in ``chat`` at its head, each alias once (HK-48)."""
        if self.rules.chat_first:
            return tuple(dict.fromkeys((CHAT, *aliases)))
        return tuple(dict.fromkeys((*(a for a in aliases if a != CHAT), CHAT)))
