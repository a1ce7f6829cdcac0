"""One builder per message family, and one per declared type of event.

Each takes the payload's fields as keyword arguments, in Python's or the wire's
spelling, and three that stand around it: ``request_id`` (a fresh one unless the
frame answers another), ``timestamp_ms`` in Unix milliseconds, and ``sender_role``
(the usual one of the family). What is left out comes from the host that is
running, or outside of a run from the real clock. ``make_event`` takes any other
fields too, for progress has no fixed ones; it sends for a node.
Values are not checked. ``ABSENT`` for an argument leaves the field out.
"""

from __future__ import annotations

from typing import Any, Final

from sim.protocols.relay import frames
from sim.wire.build import builder

_AROUND: Final[Any] = {
    "request_id": "id",
    "requestId": "id",
    "timestamp_ms": "ts",
    "sender_role": "sender",
    "senderRole": "sender",
}

make_hello: Final = builder(frames.Hello, envelope=_AROUND)
make_hello_ack: Final = builder(frames.HelloAck, envelope=_AROUND)
make_auth: Final = builder(frames.Auth, envelope=_AROUND)
make_auth_ack: Final = builder(frames.AuthAck, envelope=_AROUND)
make_refresh: Final = builder(frames.Refresh, envelope=_AROUND)
make_refresh_ack: Final = builder(frames.RefreshAck, envelope=_AROUND)
make_command: Final = builder(frames.Command, envelope=_AROUND)
make_result: Final = builder(frames.Result, envelope=_AROUND)
make_error: Final = builder(frames.Error, envelope=_AROUND)
make_event: Final = builder(frames.Event, envelope=_AROUND, further=True)
make_ping: Final = builder(frames.Ping, envelope=_AROUND)
make_pong: Final = builder(frames.Pong, envelope=_AROUND)
make_tab_lock: Final = builder(frames.TabLock, envelope=_AROUND)
make_tab_unlock: Final = builder(frames.TabUnlock, envelope=_AROUND)
make_command_cancel: Final = builder(frames.CommandCancel, envelope=_AROUND)

make_routed: Final = builder(frames.EVENTS["routed"], first={"type": "routed"}, envelope=_AROUND)
make_queued: Final = builder(frames.EVENTS["queued"], first={"type": "queued"}, envelope=_AROUND)
make_lock_acquired: Final = builder(
    frames.EVENTS["lock_acquired"], first={"type": "lock_acquired"}, envelope=_AROUND
)
make_lock_renewed: Final = builder(
    frames.EVENTS["lock_renewed"], first={"type": "lock_renewed"}, envelope=_AROUND
)
make_lock_conflict: Final = builder(
    frames.EVENTS["lock_conflict"], first={"type": "lock_conflict"}, envelope=_AROUND
)
make_lock_released: Final = builder(
    frames.EVENTS["lock_released"], first={"type": "lock_released"}, envelope=_AROUND
)
make_lock_expired: Final = builder(
    frames.EVENTS["lock_expired"], first={"type": "lock_expired"}, envelope=_AROUND
)
make_cancel_ack: Final = builder(
    frames.EVENTS["cancel_ack"], first={"type": "cancel_ack"}, envelope=_AROUND
)
make_duplicate_ignored: Final = builder(
    frames.EVENTS["duplicate_ignored"], first={"type": "duplicate_ignored"}, envelope=_AROUND
)
make_listener_update: Final = builder(
    frames.EVENTS["listener_update"], first={"type": "listener_update"}, envelope=_AROUND
)
make_listener_ended: Final = builder(
    frames.EVENTS["listener_ended"], first={"type": "listener_ended"}, envelope=_AROUND
)
make_stream_ended: Final = builder(
    frames.EVENTS["stream_ended"], first={"type": "stream_ended"}, envelope=_AROUND
)
make_cancellation_rejected: Final = builder(
    frames.EVENTS["cancellation_rejected"],
    first={"type": "cancellation_rejected"},
    envelope=_AROUND,
)
