"""Acts that controllers and nodes take alike: what becomes of the socket, and raw frames."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final

from sim.core.op import Close, Note, Send, StopTimer
from sim.protocols.relay.acts import (
    Act,
    Connect,
    Disconnect,
    Redial,
    RefreshToken,
    SayFrame,
    SayText,
    SwitchPings,
    UseToken,
)
from sim.protocols.relay.constants import RELAY_PROTOCOL_VERSION
from sim.protocols.relay.frames import Refresh
from sim.protocols.relay.peer.entrance import as_written
from sim.protocols.relay.predicates import iso_timestamp

if TYPE_CHECKING:
    from sim.protocols.relay.peer.actor import Peer


async def _connect(peer: Peer, act: Connect) -> None:
    peer.is_away = False
    await peer.dial()


async def _leave(peer: Peer, act: Disconnect) -> None:
    peer.is_away = True
    await _drop(peer, act.code, act.reason)


async def _redial(peer: Peer, act: Redial) -> None:
    peer.is_away = False
    await _drop(peer, None)
    await peer.dial()


async def _drop(peer: Peer, code: int | None, reason: str = "") -> None:
    """Give up socket, dial and plans; without a ``code`` the socket stays half open."""
    conn = peer.conn
    peer.over("leave")
    if conn is not None and code is not None:
        await peer.perform(Close(conn, code, reason))
    if peer.conn is None:
        await peer.perform(StopTimer("ping", ""))
    await peer.perform(StopTimer("dial", ""))
    await peer.ended()


async def _switch_pings(peer: Peer, act: SwitchPings) -> None:
    peer.pings = act.on
    peer.heard_us = peer.port.now_us()  # nobody could answer what was not sent


async def _use_token(peer: Peer, act: UseToken) -> None:
    await peer.keep_token(act.token)
    if act.now and peer.conn is not None:
        await peer.show_token()


async def _refresh(peer: Peer, act: RefreshToken) -> None:
    token = act.token or peer.plan.refresh_token
    if peer.conn is None or not token:
        await peer.perform(Note("not-sent", {"act": "refresh"}))
        return
    await peer.ask_relay(Refresh(refresh_token=token), None, act.request)


async def _say(peer: Peer, act: SayFrame | SayText) -> None:
    if peer.conn is None:
        await peer.perform(Note("not-sent", {"act": "say"}))
        return
    raw: Any = act.text if isinstance(act, SayText) else _filled(peer, act)
    await peer.perform(Send(peer.conn, as_written(raw)))


def _filled(peer: Peer, act: SayFrame) -> dict[str, Any]:
    if not act.fill:
        return act.frame
    frame = {
        "protocolVersion": RELAY_PROTOCOL_VERSION,
        "timestamp": iso_timestamp(peer.port.now_ms()),
        "senderRole": peer.ROLE,
        "payload": {},
        **act.frame,
    }
    if "requestId" not in frame:
        frame["requestId"] = peer.port.new_frame_id()
    return frame


DIRECTED: Final[dict[type[Act], Callable[[Peer, Any], Awaitable[None]]]] = {
    Connect: _connect,
    Disconnect: _leave,
    Redial: _redial,
    SwitchPings: _switch_pings,
    UseToken: _use_token,
    RefreshToken: _refresh,
    SayFrame: _say,
    SayText: _say,
}
