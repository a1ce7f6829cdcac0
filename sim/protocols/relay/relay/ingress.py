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
from sim.protocols.relay.relay.listening import Streams, Subscriptions
from sim.protocols.relay.relay.locks import Lease, Locks
from sim.protocols.relay.relay.plan import Limits
from sim.protocols.relay.relay.replay import Nonces, is_in_window
from sim.protocols.relay.relay.sessions import Session, Sessions
from sim.protocols.relay.relay.texts import TEXTS
from sim.protocols.relay.relay.work import Job, Work
from sim.protocols.relay.rules import RelayRules
from sim.protocols.relay.timeouts import budget_ms
from sim.wire.exact import plain_object

CLOSE_OWNED: Final = "primitive.tab.close_owned"
UNSUBSCRIBE: Final = "listener.unsubscribe"
LISTENER_UPDATE: Final = "listener_update"
UNLIMITED: Final = ("hello", "auth", "ping", "pong")


@attrs.frozen
class Errand:
    """A command of the relay's own, at the node session ``session``.

    ``identity`` is whose tabs it closes, "" where it closes none.
    """

    session: str
    node_id: str
    identity: str = ""


@attrs.frozen
class Moment:
    """Now: ``us`` since the start of the run, for spans of time; ``ms`` on the relay's clock."""

    us: int
    ms: int


def _work_of(books: Books) -> Work:
    return Work(books.limits.tab_queue, books.limits.controller_queue, books.rules)


@attrs.frozen
class Books:
    """Everything that a relay looks things up in.

    ``errands`` are its own commands that are not answered yet, by requestId.
    """

    rules: RelayRules = attrs.field(factory=RelayRules)
    limits: Limits = attrs.field(factory=Limits)
    sessions: Sessions = attrs.field(factory=Sessions)
    nonces: Nonces = attrs.field(
        default=attrs.Factory(lambda books: Nonces(_memory_ms(books)), takes_self=True)
    )
    locks: Locks = attrs.field(factory=Locks)
    work: Work = attrs.field(default=attrs.Factory(_work_of, takes_self=True))
    subscriptions: Subscriptions = attrs.field(
        default=attrs.Factory(lambda books: Subscriptions(books.rules), takes_self=True)
    )
    streams: Streams = attrs.field(factory=Streams)
    errands: dict[str, Errand] = attrs.field(factory=dict)

    def is_taken(self, request_id: str) -> bool:
        """Whether an answer under this requestId could be for something else."""
        return (
            self.work.job(request_id) is not None
            or self.subscriptions.get(request_id) is not None
            or self.streams.get(request_id) is not None
            or request_id in self.errands
        )


def _memory_ms(books: Books) -> int:
    twice = books.rules.nonce_for_two_windows
    return books.limits.nonce_memory_ms if twice else books.limits.replay_window_ms


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


def frame_fault(books: Books, session: Session, opened: Opened, now: Moment) -> Turned | None:
    """Why a frame of any family is not looked at further; commands see :func:`command_verdict`.

    In order: hello and auth come first, the sender says its true role, the family is one
    that this role sends, the rate is kept, the time is right, the payload is whole.
    """
    fault = _stranger(books.rules, session, opened) or _hasty(books, session, opened, now)
    if fault is None and opened.type != "command":
        untimely = books.rules.stamp_on_every_frame and _untimely(books, session, opened, now)
        fault = untimely or _shapeless(opened)
    return fault


def _stranger(rules: RelayRules, session: Session, opened: Opened) -> Turned | None:
    family = opened.type
    if family == "hello":  # its senderRole is held against the role that it names itself
        return None
    if not session.role:
        return turned("not_initialized")
    if family != "auth" and not session.is_ready:
        return turned("unauthenticated")
    if opened.sender != session.role and rules.honest_sender:
        return turned("sender_role_mismatch")
    return None if session.role in MESSAGES[family].SENDERS else turned("forbidden_role")


def _hasty(books: Books, session: Session, opened: Opened, now: Moment) -> Turned | None:
    """The rate limit, which handshake, heartbeat and updates of listeners are free of."""
    kind = opened.wire["payload"].get("type")
    if opened.type in UNLIMITED or (opened.type == "event" and kind == LISTENER_UPDATE):
        return None
    fast = not session.may_send(now.us, books.limits.frames_per_minute)
    return turned("rate_limited") if fast else None


def _untimely(books: Books, session: Session, opened: Opened, now: Moment) -> Turned | None:
    if opened.ts is None:
        return turned("invalid_timestamp")
    if not is_in_window(opened.ts, now.ms, books.limits.replay_window_ms):
        return turned("timestamp_out_of_window")
    if opened.ts < session.newest_ms and not books.rules.each_stamp_by_itself:
        return turned("timestamp_out_of_window")
    session.newest_ms = max(session.newest_ms, opened.ts)
    return None


def _shapeless(opened: Opened) -> Turned | None:
    refused = payload_fault(opened)
    return None if refused is None else Turned(refused.code, str(refused.error))


def command_verdict(books: Books, session: Session, opened: Opened, now: Moment) -> Verdict:
    """What becomes of a command whose frame has passed :func:`frame_fault`.

    A command that is admitted is not in the books yet: ``books.work.accept`` does that.
    """
    payload = opened.wire["payload"]
    fault = (
        _unauthorised(books.rules, session, payload)
        or _untimely(books, session, opened, now)
        or _replayed(books, session, payload, now)
        or _shapeless(opened)
        or _unreachable(books, session, payload)
    )
    if fault is not None:
        return fault
    job = books.work.job(opened.request_id)
    if job is not None and _is_again(books.rules, job, session):
        return Duplicate(job)
    if books.is_taken(opened.request_id):
        return turned("request_id_in_use")
    return _placed(books, session, opened, now)


def _is_again(rules: RelayRules, job: Job, session: Session) -> bool:
    if not rules.request_id_is_taken:
        return True
    return job.session == session.name and job.is_owed


def _unauthorised(rules: RelayRules, session: Session, payload: dict[str, Any]) -> Turned | None:
    action, nonce = payload.get("action"), payload.get("replayNonce")
    allowed = isinstance(action, str) and not (
        action == CLOSE_OWNED and rules.close_owned_is_the_relays
    )
    if not allowed or session.grant is None or not session.grant.allows(str(action)):
        return turned("forbidden_action")
    return None if isinstance(nonce, str) and nonce else turned("missing_replay_nonce")


def _replayed(
    books: Books, session: Session, payload: dict[str, Any], now: Moment
) -> Turned | None:
    whose = session.identity if books.rules.nonce_per_identity else session.name
    fresh = books.nonces.burn(whose, payload["replayNonce"], now.us // 1000)
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


def _placed(books: Books, session: Session, opened: Opened, now: Moment) -> Turned | Admitted:
    """The node is there, no stranger's lock is in the way, the tab has room."""
    payload = opened.wire["payload"]
    node, tab = books.sessions.node(payload["targetNodeId"]), _queue_of(books.rules, payload)
    if node is None:
        return turned("node_offline")
    gated = tab is not None and payload["action"] != UNSUBSCRIBE
    if gated and books.rules.lock_gates_commands:
        lease = books.locks.stranger(node.identity, str(tab), session.identity, now.us)
        if lease is not None:
            return turned("tab_locked", lease)
    action, budget = payload["action"], _budget_us(books.limits, payload)
    job = Job(opened.request_id, session.name, session.identity, node.name, tab, now.us + budget)
    job.action, job.node_id, job.budget_us = action, node.identity, budget
    code = books.work.refusal(job, payload.get("waitPolicy") == WAIT_WITH_TIMEOUT)
    return Admitted(job, node) if code is None else turned(code)


def _queue_of(rules: RelayRules, payload: dict[str, Any]) -> str | None:
    return tab_of(payload) if rules.inner_tab_counts else payload.get("tabSessionId")


def _budget_us(limits: Limits, payload: dict[str, Any]) -> int:
    bounds = limits.default_timeout_ms, limits.least_timeout_ms, limits.most_timeout_ms
    return budget_ms(payload.get("timeoutMs"), *bounds) * 1000
