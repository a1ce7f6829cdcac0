"""Tales of the relay protocol: frames made by hand, and their bad twin.

A tale is a function ``(tale, bad)``; it is told twice, once well and once with the one
thing in it that the row forbids. Nothing runs: no world, no twin. R is the relay, A, A2
and B are controllers (A and A2 of one identity), N and M nodes; each has the connection
that it has dialled last. A frame that a peer says arrives at once, unless told otherwise;
what the relay says is by default because of what has arrived last.
"""

from __future__ import annotations

from typing import Any, Final

from sim.core.event import (
    ConnectionClosed,
    ConnectionOpened,
    ConnectionRefused,
    FrameDelivered,
    FrameSent,
    Noted,
    Saved,
)
from sim.core.op import OpaqueFrame
from sim.protocols.handmade import Handmade
from sim.protocols.relay.codes import ERROR_CODES
from sim.protocols.relay.constants import CONTROLLER, NODE, OWNER_FIELD, RELAY
from sim.protocols.relay.frames import MESSAGES, shape_of
from sim.protocols.relay.oracles.oracle import RelayInvariant
from sim.protocols.relay.predicates import iso_timestamp
from sim.protocols.relay.relay.plan import Limits, RelayPlan
from sim.protocols.relay.relay.sessions import Grant
from sim.protocols.relay.view import RelayView
from sim.wire.message import Message
from sim.world.host import START_MS

IDENTITIES: Final = {"A": "ctl_a", "A2": "ctl_a", "B": "ctl_b", "N": "node_n", "M": "node_m"}
NODES: Final = ("N", "M")
TEXT: Final = "primitive.dom.extract_text"
OPEN: Final = "primitive.tab.open"
LIST: Final = "command.list"
SUBSCRIBE: Final = "listener.subscribe"
UNSUBSCRIBE: Final = "listener.unsubscribe"
CLOSE_OWNED: Final = "primitive.tab.close_owned"
WAIT: Final = "wait_with_timeout"


def role_of(who: str) -> str:
    """The role of a host of a tale."""
    if who == "R":
        return RELAY
    return NODE if who in NODES else CONTROLLER


def plan() -> RelayPlan:
    """What the relay of all tales knows."""
    grants = {f"token-{who}": Grant(role_of(who), id) for who, id in IDENTITIES.items()}
    refresh = {f"refresh-{who}": grants[f"token-{who}"] for who in IDENTITIES}
    return RelayPlan(grants, refresh, limits=Limits(tab_queue=1, controller_queue=2))


class Tale(Handmade):
    """Events of a relay, three controllers and two nodes."""

    view: RelayView
    CALM_S = 3
    LAST = "R"

    def __init__(self, invariant: type[RelayInvariant]) -> None:
        super().__init__(RelayView(plan()), invariant, ("R", *IDENTITIES))
        self.made = 0
        self.cause = -1
        self.links: dict[str, str] = {}
        self.ways: dict[tuple[str, str], int] = {}
        self.dialled: dict[str, int] = {}

    # -- connections --------------------------------------------------------------

    def dial(self, who: str) -> None:
        """A new connection, the one in use from now on."""
        self.dialled[who] = self.dialled.get(who, 0) + 1
        lane = role_of(who)
        self.links[who] = f"{who}.{lane}#{self.dialled[who]}"
        self.tell(ConnectionOpened, link=self.links[who], client=who, server="R", lane=lane)

    def join(self, *hosts: str) -> None:
        """Dial, hello, auth."""
        for who in hosts:
            self.dial(who)
            self.says(who, "hello", f"h-{who}", role=role_of(who))
            self.relay(who, "hello_ack", f"h-{who}", accepted=True, heartbeatIntervalMs=8000)
            self.says(who, "auth", f"a-{who}", accessToken=f"token-{who}")
            self.admit(who)

    def admit(self, who: str, **more: Any) -> None:
        """auth_ack."""
        named = "nodeId" if who in NODES else "controllerId"
        facts: dict[str, Any] = {"accepted": True, "role": role_of(who), "scopes": ["*"]}
        facts[named] = IDENTITIES[who]
        self.relay(who, "auth_ack", f"a-{who}", **{**facts, **more})

    def ends(self, who: str, by: str = "", link: str = "") -> None:
        """The relay stops believing in a connection."""
        facts: dict[str, Any] = {"code": 1006, "reason": "", "by": by or who}
        link = link or self.links[who]
        self.cause = self.tell(ConnectionClosed, link=link, host="R", peer=who, **facts)

    def leaves(self, who: str) -> None:
        """A peer stops believing in its connection."""
        facts: dict[str, Any] = {"code": 1006, "reason": "", "by": "network"}
        self.tell(ConnectionClosed, link=self.links[who], host=who, peer="R", **facts)

    def dials_in_vain(self, who: str) -> None:
        """Nobody is there."""
        self.tell(ConnectionRefused, link="x", client=who, server="R", lane=role_of(who))

    # -- frames ---------------------------------------------------------------------

    def says(self, who: str, family: str, id: str = "", **payload: Any) -> int:
        """A frame of a peer arrives at the relay, stamped now."""
        return self.frame(who, self.wire(who, family, id, payload))

    def frame(self, who: str, wire: dict[str, Any], arrives: bool = True, cause: int = -1) -> int:
        """The same with whatever fields."""
        return self._flies(who, who, "R", self._made(wire), arrives, cause)

    def text(self, who: str, text: str) -> int:
        """Any text."""
        return self._flies(who, who, "R", OpaqueFrame(text, "bad"), True, -1)

    def relay(self, to: str, family: str, id: str = "", *, cause: int = -2, **payload: Any) -> int:
        """A frame of the relay's own; it arrives."""
        return self.hands(to, self.wire("R", family, id, payload), cause=cause)

    def hands(self, to: str, wire: dict[str, Any], cause: int = -2, link: str = "") -> int:
        """The relay sends a whole frame, its own or somebody's; it arrives."""
        because = self.cause if cause == -2 else cause
        return self._flies(to, "R", to, self._made(wire), True, because, link)

    def wire(self, who: str, family: str, id: str, payload: dict[str, Any]) -> dict[str, Any]:
        """A decoded frame, stamped now."""
        self.made += 1
        return {
            "protocolVersion": "1.0",
            "messageType": family,
            "requestId": id or f"f-{self.made}",
            "timestamp": iso_timestamp(START_MS + self.now // 1_000),
            "senderRole": role_of(who),
            "payload": payload,
        }

    def _made(self, wire: dict[str, Any]) -> Message:
        shape = shape_of(wire) or MESSAGES["ping"]
        ts = START_MS + self.now // 1_000
        return Message(str(wire.get("messageType")), str(wire.get("requestId")), ts, None, wire,
                          shape)  # fmt: skip

    def _flies(
        self, peer: str, sender: str, receiver: str, frame: Any, arrives: bool, cause: int,
        link: str = "",
    ) -> int:  # fmt: skip
        link = link or self.links[peer]
        nth = self.ways[link, sender] = self.ways.get((link, sender), 0) + 1
        where: dict[str, Any] = {"link": link, "sender": sender, "receiver": receiver}
        sent = self.tell(FrameSent, cause, nth=nth, frame=frame, **where)
        if not arrives:
            return sent
        came = self.tell(FrameDelivered, sent, sent=sent, type=frame.type, **where)
        if receiver == "R":
            self.cause = came
        return came

    # -- commands -----------------------------------------------------------------------

    def asks(
        self, who: str, id: str, tab: str = "T", action: str = TEXT, inner: Any = None, **more: Any
    ) -> dict[str, Any]:
        """A command arrives at the relay; its decoded frame."""
        wire = self.command(who, id, tab, action, inner, **more)
        self.frame(who, wire)
        return wire

    def command(
        self, who: str, id: str, tab: str = "T", action: str = TEXT, inner: Any = None, **more: Any
    ) -> dict[str, Any]:
        """A decoded command; it waits unless told otherwise."""
        payload: dict[str, Any] = {
            "targetNodeId": "node_n", "action": action, "payload": inner or {},
            "replayNonce": f"n-{self.made}", "waitPolicy": WAIT, **more,
        }  # fmt: skip
        if tab:
            payload["tabSessionId"] = tab
        return self.wire(who, "command", id, payload)

    def runs(
        self, who: str, id: str, tab: str = "T", action: str = TEXT, inner: Any = None, **more: Any
    ) -> dict[str, Any]:
        """A command arrives, and goes to its node at once."""
        wire = self.asks(who, id, tab, action, inner, **more)
        self.goes(wire, owner=IDENTITIES[who])
        self.relay(who, "event", id, type="routed", targetNodeId="node_n")
        return wire

    def goes(self, wire: dict[str, Any], to: str = "N", owner: str = "ctl_a") -> None:
        """A command is handed to its node, with the owner where it opens a tab."""
        payload = wire["payload"]
        if payload["action"] == OPEN:
            inner = {**payload["payload"], OWNER_FIELD: owner}
            wire = {**wire, "payload": {**payload, "payload": inner}}
        self.hands(to, wire)

    def waits(
        self, who: str, id: str, tab: str = "T", place: int = 1, **more: Any
    ) -> dict[str, Any]:
        """A command arrives, and is queued."""
        wire = self.asks(who, id, tab, **more)
        facts: dict[str, Any] = {"targetNodeId": "node_n", "tabSessionId": tab, "queueDepth": place}
        self.relay(who, "event", id, type="queued", **facts)
        return wire

    def result(self, id: str, data: Any = None, who: str = "N", **more: Any) -> dict[str, Any]:
        """A node's good result arrives at the relay; its decoded frame."""
        payload = {"ok": True, "durationMs": 5, "action": TEXT, "data": data or {}, **more}
        wire = self.wire(who, "result", id, payload)
        self.frame(who, wire)
        return wire

    def ended(self, to: str, id: str, data: Any = None, **more: Any) -> None:
        """A result comes from the node and goes to its controller."""
        self.hands(to, self.result(id, data, **more))

    def fails(self, to: str, id: str, code: str, cause: int = -2) -> None:
        """An error of the relay's."""
        known = ERROR_CODES[code]
        facts: dict[str, Any] = {"category": known.category, "code": code, "message": "no"}
        if known.retryable:
            facts["retryable"] = True
        self.relay(to, "error", id, cause=cause, **facts)

    def lock(
        self, to: str, kind: str, id: str, owner: str = "A", lease: int = 400, **more: Any
    ) -> None:
        """A lock event of the relay's; the lease began now unless told otherwise."""
        facts: dict[str, Any] = {
            "targetNodeId": "node_n", "tabSessionId": "T",
            "lockOwnerControllerId": IDENTITIES[owner], "lockLeaseMs": lease,
            "lockExpiresAt": START_MS + self.now // 1_000 + lease, **more,
        }  # fmt: skip
        self.relay(to, "event", id, type=kind, **facts)

    def locks(self, who: str, id: str, lease: int = 400) -> None:
        """A tab_lock arrives."""
        self.says(who, "tab_lock", id, targetNodeId="node_n", tabSessionId="T", lockLeaseMs=lease)

    def holds(self, who: str, id: str = "l", lease: int = 400) -> int:
        """A lock is asked for and granted; when it ends, in the relay's Unix milliseconds."""
        self.locks(who, id, lease)
        self.lock(who, "lock_acquired", id, who, lease)
        return START_MS + self.now // 1_000 + lease

    def listens(self, who: str, id: str = "s") -> None:
        """A subscribe that succeeds."""
        self.runs(who, id, "", SUBSCRIBE, {"listener": "chat"})
        self.ended(who, id, {"listener": "chat", "subscribed": True}, action=SUBSCRIBE)

    def updates(self, id: str = "s", to: str = "") -> None:
        """An update of a node arrives, and is delivered if ``to`` says to whom."""
        self.says("N", "event", id, type="listener_update", data={"n": 1})
        if to:
            self.relay(to, "event", id, type="listener_update", data={"n": 1})

    # -- what hosts store, do and note -----------------------------------------------

    def save(self, host: str, value: Any, key: str = "browser") -> None:
        """A durable row."""
        self.tell(Saved, host=host, key=key, value=value)

    def note(self, host: str, what: str, **data: Any) -> None:
        """A host tells a fact."""
        self.tell(Noted, host=host, what=what, data=data)
