"""What a frame must pass before the relay acts on it, in one order (DR-03, DR-22, DR-24).

The first failure is the only one that is told. Nothing here has an effect but one: the
nonce of a command is burnt as soon as role, scope, presence and time have passed.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import attrs

from sim.protocols.relay.constants import WAIT_WITH_TIMEOUT
from sim.protocols.relay.frames import MESSAGES
from sim.protocols.relay.frames.commands import tab_of
from sim.protocols.relay.parse import Opened, payload_fault
from sim.protocols.relay.relay.listening import Subscriptions
from sim.protocols.relay.relay.locks import Lease, Locks
from sim.protocols.relay.relay.replay import Nonces, is_in_window
from sim.protocols.relay.relay.sessions import Session, Sessions
from sim.protocols.relay.relay.texts import TEXTS
from sim.protocols.relay.relay.work import Job, Work
from sim.protocols.relay.timeouts import budget_ms
from sim.wire.exact import plain_object

CLOSE_OWNED: Final = "primitive.tab.close_owned"
UNSUBSCRIBE: Final = "listener.unsubscribe"


@attrs.frozen
class Books:
    """Everything that a relay looks things up in."""

    sessions: Sessions = attrs.field(factory=Sessions)
    nonces: Nonces = attrs.field(factory=Nonces)
    locks: Locks = attrs.field(factory=Locks)
    work: Work = attrs.field(factory=Work)
    subscriptions: Subscriptions = attrs.field(factory=Subscriptions)


@attrs.frozen
class Turned:
    """A frame that is turned away; ``lease`` is the lock that it met, if it was one."""

    code: str
    text: str
    lease: Lease | None = None


@attrs.frozen
class Duplicate:
    """The same session has sent this very command before, and it still runs."""

    job: Job


@attrs.frozen
class Admitted:
    """A command that may go its way: to ``node``, at once or by the queue of its tab."""

    job: Job
    node: Session


Verdict: TypeAlias = Turned | Duplicate | Admitted


def turned(code: str, lease: Lease | None = None) -> Turned:
    """The refusal with this code and its usual sentence."""
    return Turned(code, TEXTS[code], lease)


def frame_fault(session: Session, opened: Opened, now_ms: int) -> Turned | None:
    """Why a frame of any family is not looked at further; commands see :func:`command_verdict`.

    In order: hello and auth come first, the sender says its true role, the family is one
    that this role sends, the time is right, the payload is whole.
    """
    fault = _stranger(session, opened)
    if fault is None and opened.type != "command":
        fault = _untimely(opened, now_ms) or _shapeless(opened)
    return fault


def _stranger(session: Session, opened: Opened) -> Turned | None:
    family = opened.type
    if family == "hello":  # its senderRole is held against the role that it names itself
        return None
    if not session.role:
        return turned("not_initialized")
    if family != "auth" and not session.is_ready:
        return turned("unauthenticated")
    if opened.sender != session.role:
        return turned("sender_role_mismatch")
    return None if opened.sender in MESSAGES[family].SENDERS else turned("forbidden_role")


def _untimely(opened: Opened, now_ms: int) -> Turned | None:
    if opened.ts is None:
        return turned("invalid_timestamp")
    return None if is_in_window(opened.ts, now_ms) else turned("timestamp_out_of_window")


def _shapeless(opened: Opened) -> Turned | None:
    refused = payload_fault(opened)
    return None if refused is None else Turned(refused.code, str(refused.error))


def command_verdict(books: Books, session: Session, opened: Opened, now_ms: int) -> Verdict:
    """What becomes of a command whose frame has passed :func:`frame_fault`.

    A command that is admitted is not in the books yet: ``books.work.accept`` does that.
    """
    payload = opened.wire["payload"]
    fault = (
        _unauthorised(session, payload)
        or _untimely(opened, now_ms)
        or _replayed(books, session, payload, now_ms)
        or _shapeless(opened)
        or _unreachable(books, session, payload)
    )
    if fault is not None:
        return fault
    job = books.work.job(opened.request_id)
    if job is not None and job.session == session.name and job.is_owed:
        return Duplicate(job)
    if job is not None or books.subscriptions.get(opened.request_id) is not None:
        return turned("request_id_in_use")
    return _placed(books, session, opened, now_ms)


def _unauthorised(session: Session, payload: dict[str, Any]) -> Turned | None:
    action, nonce = payload.get("action"), payload.get("replayNonce")
    allowed = isinstance(action, str) and action != CLOSE_OWNED
    if not allowed or session.grant is None or not session.grant.allows(str(action)):
        return turned("forbidden_action")
    return None if isinstance(nonce, str) and nonce else turned("missing_replay_nonce")


def _replayed(
    books: Books, session: Session, payload: dict[str, Any], now_ms: int
) -> Turned | None:
    fresh = books.nonces.burn(session.identity, payload["replayNonce"], now_ms)
    return None if fresh else turned("replay_rejected")


def _unreachable(books: Books, session: Session, payload: dict[str, Any]) -> Turned | None:
    """Grants, and what an unsubscribe aims at."""
    assert session.grant is not None
    if not session.grant.reaches(payload["targetNodeId"]):
        return turned("acl_missing_node_grant")
    if payload["action"] != UNSUBSCRIBE:
        return None
    target = plain_object(payload["payload"]).get("targetRequestId")
    if not isinstance(target, str) or not target:
        return turned("missing_listener_target")
    node = books.sessions.node(payload["targetNodeId"])
    code = books.subscriptions.refusal(target, session.name, node.name if node else "")
    return None if code is None else turned(code)


def _placed(books: Books, session: Session, opened: Opened, now_ms: int) -> Turned | Admitted:
    """The node is there, no stranger's lock is in the way, the tab has room."""
    payload = opened.wire["payload"]
    node, tab = books.sessions.node(payload["targetNodeId"]), tab_of(payload)
    if node is None:
        return turned("node_offline")
    if tab is not None and payload["action"] != UNSUBSCRIBE:
        lease = books.locks.stranger(node.identity, tab, session.identity, now_ms)
        if lease is not None:
            return turned("tab_locked", lease)
    deadline = now_ms + budget_ms(payload.get("timeoutMs"))
    job = Job(opened.request_id, session.name, session.identity, node.name, tab, deadline)
    code = books.work.refusal(job, payload.get("waitPolicy") == WAIT_WITH_TIMEOUT)
    return Admitted(job, node) if code is None else turned(code)
