"""Relays that are wrong in one way each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from sim.core.op import Close, Connection, Frame, Op, Send, StartTimer
from sim.protocols.mutant import Mutant, drops, sends, twice
from sim.protocols.relay.constants import RELAY
from sim.protocols.relay.frames import shape_of
from sim.protocols.relay.mutant_frames import action_of, changed, code_of, kind_of, own, says
from sim.wire.message import Message


def _with(wanted: Any, **payload: Any) -> Any:
    """A relay that sends such frames with other fields."""

    def ops(actor: Any, op: Any) -> Iterator[Op[Any]]:
        yield changed(op, **payload) if wanted(op) else op

    return ops


def _other_id(actor: Any, op: Any) -> Iterator[Op[Any]]:
    if sends(op, "pong"):
        frame = op.frame
        wire = {**frame.wire, "requestId": f"not-{frame.id}"}
        yield Send(
            op.conn, Message("pong", wire["requestId"], frame.ts, None, wire, shape_of(wire))
        )
    else:
        yield op


def _says_it_is_a_node(actor: Any, op: Any) -> Iterator[Op[Any]]:
    if says(op, "routed"):
        frame = op.frame
        wire = {**frame.wire, "senderRole": "node"}
        yield Send(op.conn, Message("event", frame.id, frame.ts, None, wire, shape_of(wire)))
    else:
        yield op


def _mixes_up(actor: Any, op: Any) -> Iterator[Op[Any]]:
    """Results go to whoever was sent something last."""
    if sends(op, "result"):
        other = actor.notes.get("last", op.conn)
        actor.notes["last"] = op.conn
        yield Send(other, op.frame)
    else:
        yield op


def _to_all_nodes(actor: Any, op: Any) -> Iterator[Op[Any]]:
    """Commands go to every node that has ever been sent one."""
    if sends(op, "command") and not own(op):
        nodes = actor.notes.setdefault("nodes", {})
        nodes[op.conn.name] = op.conn
        for conn in list(nodes.values()):
            yield Send(conn, op.frame)
    else:
        yield op


def _tidies(actor: Any, op: Any) -> Iterator[Op[Any]]:
    """Fields that it does not know are not handed on."""
    if sends(op, "command") and not own(op):
        payload = {n: v for n, v in op.frame.wire["payload"].items() if n != "later"}
        wire = {**op.frame.wire, "payload": payload}
        frame = op.frame
        yield Send(op.conn, Message("command", frame.id, frame.ts, None, wire, shape_of(wire)))
    else:
        yield op


def _impatient(actor: Any, op: Any) -> Iterator[Op[Any]]:
    """Budgets are half of what was asked for."""
    if type(op) is StartTimer and op.kind == "budget":
        job = actor.board.books.work.job(op.key)
        if job is not None and not actor.notes.get(op.key):
            actor.notes[op.key] = True
            job.deadline_us -= op.after_us // 2
        yield StartTimer(op.kind, op.key, op.after_us // 2, op.background)
    else:
        yield op


def _late_leases(actor: Any, op: Any) -> Iterator[Op[Any]]:
    if type(op) is StartTimer and op.kind == "lease":
        yield StartTimer(op.kind, op.key, op.after_us + 2_000_000, op.background)
    else:
        yield op


def _polls(actor: Any, op: Any) -> Iterator[Op[Any]]:
    """Silence is looked for every four seconds."""
    if type(op) is StartTimer and op.kind == "session":
        yield StartTimer(op.kind, op.key, -(-op.after_us // 4_000_000) * 4_000_000, op.background)
    else:
        yield op


def _hangs_up(actor: Any, op: Any) -> Iterator[Op[Any]]:
    """Whoever asks for what it may not is thrown out."""
    yield op
    if code_of(op) == "forbidden_action":
        yield Close(op.conn, 1008, "forbidden")


def _pings(actor: Any, op: Any) -> Iterator[Op[Any]]:
    """It pings whoever is admitted, as a relay may."""
    yield op
    if sends(op, "auth_ack"):
        wire = {
            **op.frame.wire, "messageType": "ping", "payload": {},
            "requestId": f"ping-{op.frame.id}", "senderRole": RELAY,
        }  # fmt: skip
        ping = Message("ping", wire["requestId"], op.frame.ts, None, wire, shape_of(wire), RELAY)
        yield Send(op.conn, ping)


PINGING = Mutant("pinging-relay", RELAY, "", "It pings its peers.", ops=_pings)
"""No mutant but a surrounding: a relay that asks its peers whether they are alive."""


def _haunts(actor: Any, op: Any) -> Iterator[Op[Any]]:
    """After the end of a listener its last update comes once more."""
    if says(op, "listener_update"):
        actor.notes[op.conn.name] = op.frame
    yield op
    if sends(op, "result") and op.frame.wire["payload"].get("action") == "listener.unsubscribe":
        ghost = actor.notes.get(op.conn.name)
        if ghost is not None:
            yield Send(op.conn, ghost)


GHOSTS = Mutant("ghosts", RELAY, "", "Updates come after the end of their listener.", ops=_haunts)
"""No mutant but a surrounding: a relay from which nobody is safe after an unsubscribe."""


def _deaf_to(*families: str) -> Any:
    """A relay that does not look at such frames."""

    def frames(actor: Any, conn: Connection, frame: Frame) -> Iterable[Frame]:
        if frame.type not in families:
            yield frame

    return frames


def _lock(kind: str) -> Any:
    return lambda op: says(op, kind)


MUTANTS: tuple[Mutant, ...] = (
    Mutant("relay-no-hello-ack", RELAY, "hellos-are-acked", "It answers no hello.", 5,
           ops=drops("hello_ack")),
    Mutant("relay-other-heartbeat", RELAY, "hellos-are-acked", "It names a heartbeat of 10 s.", 5,
           ops=_with(lambda op: sends(op, "hello_ack"), heartbeatIntervalMs=10_000)),
    Mutant("relay-no-pong", RELAY, "relay-answers-pings", "It answers no ping.", 5,
           ops=drops("pong")),
    Mutant("relay-other-id", RELAY, "answers-keep-the-request-id", "Pongs have ids of their own.",
           5, ops=_other_id),
    Mutant("relay-as-a-node", RELAY, "relays-send-their-families", "It sends routed as a node.",
           5, ops=_says_it_is_a_node),
    Mutant("relay-other-category", RELAY, "errors-have-their-category",
           "Contention is called validation.",
           ops=_with(lambda op: code_of(op) == "tab_busy", category="validation")),
    Mutant("relay-shapeless", RELAY, "relay-frames-pass-the-parser", "queueDepth is a text.",
           ops=_with(lambda op: says(op, "queued"), queueDepth="1")),
    Mutant("relay-mixes-up", RELAY, "origin-gets-the-answer", "Results go to somebody else.",
           ops=_mixes_up),
    Mutant("relay-to-all-nodes", RELAY, "one-node-per-command",
           "A command goes to every node that is there.", ops=_to_all_nodes),
    Mutant("relay-answers-twice", RELAY, "one-terminal-per-command", "Each result is sent twice.",
           5, ops=twice("result")),
    Mutant("relay-keeps-results", RELAY, "one-terminal-per-command", "No result is handed on.", 10,
           ops=drops("result")),
    Mutant("relay-sends-twice", RELAY, "duplicates-run-once", "Each command is sent twice.", 10,
           ops=twice(lambda op: sends(op, "command") and not own(op))),
    Mutant("relay-tidies", RELAY, "commands-go-as-they-came", "Unknown fields are dropped.", 150,
           ops=_tidies),
    Mutant("relay-impatient", RELAY, "budgets-are-kept", "Budgets are cut in half.", 20,
           ops=_impatient),
    Mutant("relay-wrong-depth", RELAY, "queues-hold-who-waits", "queueDepth is always 7.",
           ops=_with(lambda op: says(op, "queued"), queueDepth=7)),
    Mutant("relay-late-leases", RELAY, "leases-end-by-themselves",
           "Leases end two seconds late.", ops=_late_leases),
    Mutant("relay-polls", RELAY, "silence-ends-sessions",
           "Silence is looked for every four seconds.", ops=_polls),
    Mutant("relay-hangs-up", RELAY, "silence-ends-sessions",
           "A refusal closes the socket.", ops=_hangs_up),
    Mutant("relay-keeps-older-sockets", RELAY, "displaced-sockets-are-closed",
           "The older socket of a node stays open.",
           ops=drops(lambda op: type(op) is Close and op.reason == "displaced")),
    Mutant("relay-no-cleanup", RELAY, "cleanup-follows-the-last-session",
           "Nodes are never told that somebody is gone.", 20,
           ops=drops(lambda op: action_of(op) == "primitive.tab.close_owned")),
    Mutant("relay-cleans-for-nobody", RELAY, "cleanup-spares-the-living",
           "close_owned names nobody.", 20,
           ops=_with(lambda op: action_of(op) == "primitive.tab.close_owned", payload={})),
    Mutant("relay-errands-with-nonce", RELAY, "errands-have-their-own-id",
           "Its own commands have a nonce.", 20,
           ops=_with(own, replayNonce="own")),
    Mutant("relay-silent-conflicts", RELAY, "conflicts-are-told", "lock_conflict is not sent.",
           ops=drops(_lock("lock_conflict"))),
    Mutant("relay-silent-grants", RELAY, "locks-are-answered", "lock_acquired is not sent.", 20,
           ops=drops(_lock("lock_acquired"))),
    Mutant("relay-other-owner", RELAY, "lock-events-carry-the-lease",
           "Holders have a session's name.", 20,
           ops=_with(_lock("lock_acquired"), lockOwnerControllerId="session-1")),
    Mutant("relay-short-leases", RELAY, "lock-events-carry-the-lease",
           "lockExpiresAt is the time of the grant.", 20,
           ops=_with(_lock("lock_renewed"), lockExpiresAt=1)),
    Mutant("relay-deaf-to-locks", RELAY, "locks-are-answered", "Locks are passed over.", 20,
           frames=_deaf_to("tab_lock", "tab_unlock")),
    Mutant("relay-deaf-to-cancels", RELAY, "cancels-are-answered", "Cancels are passed over.", 20,
           frames=_deaf_to("command_cancel")),
    Mutant("relay-deaf-to-commands", RELAY, "one-terminal-per-command",
           "Commands are passed over.", 10, frames=_deaf_to("command")),
    Mutant("relay-deaf-to-events", RELAY, "updates-are-taken-or-refused",
           "What nodes tell is passed over.", frames=_deaf_to("event")),
    Mutant("relay-forwards-nothing", RELAY, "running-work-is-told-to-stop",
           "Cancels are called forwarded, and are not.",
           ops=drops("command_cancel")),
    Mutant("relay-calls-all-cancelled", RELAY, "cancels-are-answered",
           "Every cancel is called cancelled.",
           ops=_with(_lock("cancel_ack"), status="cancelled")),
    Mutant("relay-other-updates", RELAY, "updates-are-taken-or-refused",
           "Updates lose their data.", ops=_with(_lock("listener_update"), data=None)),
    Mutant("relay-ends-streams-twice", RELAY, "streams-end-once", "stream_ended is sent twice.",
           150, ops=twice(_lock("stream_ended"))),
    Mutant("relay-silent-streams", RELAY, "streams-end-once", "stream_ended is not sent.", 150,
           ops=drops(_lock("stream_ended"))),
    Mutant("relay-no-node-disconnected", RELAY, "node-loss-ends-its-work",
           "Lost work is not told of.",
           ops=drops(lambda op: code_of(op) == "node_disconnected")),
    Mutant("relay-leaves-listeners", RELAY, "left-listeners-are-turned-off",
           "Nodes are not told that nobody listens.", 150,
           ops=drops(lambda op: own(op) and action_of(op) == "listener.unsubscribe")),
    Mutant("relay-old-tokens", RELAY, "refreshes-renew", "A refresh gives a token that is known.",
           60, ops=_with(lambda op: sends(op, "refresh_ack"), accessToken="token-A")),
    Mutant("relay-other-identity", RELAY, "tokens-open-doors", "auth_ack names everybody ctl_b.",
           5, ops=_with(lambda op: kind_of(op) == "auth_ack" and "controllerId" in
                        op.frame.wire["payload"], controllerId="ctl_b")),
    Mutant("relay-silent-refusals", RELAY, "commands-are-whole",
           "What lacks a nonce or a target is dropped without a word.", 60,
           ops=drops(lambda op: str(code_of(op)).startswith("missing_"))),
    Mutant("relay-mute-to-poison", RELAY, "bad-envelopes-are-refused",
           "What is no envelope is dropped without a word.",
           ops=drops(lambda op: code_of(op) in ("invalid_json", "invalid_envelope"))),
    Mutant("relay-mute-to-gossip", RELAY, "unknown-families-are-refused",
           "Unknown families are dropped without a word.", 150,
           ops=drops(lambda op: code_of(op) == "unknown_message_type")),
    Mutant("relay-lets-nodes-command", RELAY, "roles-do-their-own",
           "Commands of nodes are dropped without a word.",
           ops=drops(lambda op: code_of(op) == "forbidden_role")),
)  # fmt: skip
