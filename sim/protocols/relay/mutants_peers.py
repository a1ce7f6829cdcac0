"""Nodes and controllers that are wrong in one way each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sim.core.op import Op, Send
from sim.protocols.mutant import Mutant, drops, sends, twice
from sim.protocols.relay.constants import CONTROLLER, NODE, RELAY
from sim.protocols.relay.frames import shape_of
from sim.protocols.relay.mutant_frames import action_of, changed, payload_of, says
from sim.wire.message import Message


def _sender(role: str, wanted: Any) -> Any:
    """A peer that names another role in such frames."""

    def ops(actor: Any, op: Any) -> Iterator[Op[Any]]:
        if wanted(op) and isinstance(op.frame, Message):
            frame = op.frame
            wire = {**frame.wire, "senderRole": role}
            made = Message(frame.type, frame.id, frame.ts, None, wire, shape_of(wire), role)
            yield Send(op.conn, made)
        else:
            yield op

    return ops


def _data(actor: Any, op: Any, **data: Any) -> Send:
    """A result, or an update, with other data."""
    return changed(op, data={**payload_of(op).get("data", {}), **data})


def _is_result_of(op: Any, action: str) -> bool:
    return sends(op, "result") and payload_of(op).get("action") == action


def _nameless(actor: Any, op: Any) -> Iterator[Op[Any]]:
    if _is_result_of(op, "command.list"):
        listed = payload_of(op)["data"].get("commands", ())  # what was put into its mouth has none
        commands = [{n: v for n, v in one.items() if n != "displayName"} for one in listed]
        yield _data(actor, op, commands=commands)
    else:
        yield op


def _plain_headers(actor: Any, op: Any) -> Iterator[Op[Any]]:
    data = payload_of(op).get("data")
    if says(op, "listener_update") and isinstance(data, dict) and "captureSource" in data:
        yield _data(actor, op, requestHeaders={"Cookie": "secret"})
    else:
        yield op


def _foreign_traffic(actor: Any, op: Any) -> Iterator[Op[Any]]:
    data = payload_of(op).get("data")
    if says(op, "listener_update") and isinstance(data, dict) and "captureSource" in data:
        yield _data(actor, op, url="https://bank.example/account")
    else:
        yield op


def _rumours(actor: Any, op: Any) -> Iterator[Op[Any]]:
    data = payload_of(op).get("data")
    if says(op, "listener_update") and isinstance(data, dict) and "kind" in data:
        yield _data(actor, op, kind="chat.rumour")
    else:
        yield op


def _capitals(actor: Any, op: Any) -> Iterator[Op[Any]]:
    if _is_result_of(op, "listener.subscribe"):
        options = payload_of(op)["data"].get("options", {})
        yield _data(actor, op, options={**options, "site": str(options.get("site")).upper()})
    else:
        yield op


def _takes_anything(actor: Any, op: Any) -> Iterator[Op[Any]]:
    """Commands that fail are called done."""
    if sends(op, "error") and str(payload_of(op).get("action")).startswith("listener."):
        payload = {"ok": True, "durationMs": 1, "action": payload_of(op)["action"]}
        payload["data"] = {"listener": "network.http_intercept", "subscribed": True}
        wire = {**op.frame.wire, "messageType": "result", "payload": payload}
        yield Send(op.conn, Message("result", op.frame.id, op.frame.ts, None, wire, shape_of(wire)))
    else:
        yield op


def _text_for_a_number(actor: Any, op: Any) -> Iterator[Op[Any]]:
    yield changed(op, durationMs="5") if sends(op, "result") else op


def _markdown(actor: Any, op: Any) -> Iterator[Op[Any]]:
    if action_of(op).startswith("primitive.dom.extract_"):
        yield changed(op, action="primitive.dom.extract_markdown")
    else:
        yield op


def _hasty(actor: Any, op: Any) -> Iterator[Op[Any]]:
    """Every command has a second."""
    yield changed(op, timeoutMs=1000) if sends(op, "command") else op


def _one_nonce(actor: Any, op: Any) -> Iterator[Op[Any]]:
    yield changed(op, replayNonce="n") if sends(op, "command") else op


def _no_nonce(actor: Any, op: Any) -> Iterator[Op[Any]]:
    yield changed(op, replayNonce=None) if sends(op, "command") else op


def _answers_nobody(actor: Any, op: Any) -> Iterator[Op[Any]]:
    if sends(op, "error") and payload_of(op).get("code") == "command_cancelled":
        return
    yield op


MUTANTS: tuple[Mutant, ...] = (
    Mutant("node-as-controller", NODE, "nodes-are-honest", "Its results are a controller's.", 5,
           ops=_sender(CONTROLLER, lambda op: sends(op, "result"))),
    Mutant("controller-as-relay", CONTROLLER, "controllers-are-honest", "Its pings are a relay's.",
           5, ops=_sender(RELAY, lambda op: sends(op, "ping"))),
    Mutant("node-answers-twice", NODE, "nodes-answer-once", "Each result is sent twice.", 5,
           ops=twice("result")),
    Mutant("node-nameless-commands", NODE, "results-fit-their-action",
           "Descriptors have no displayName.", ops=_nameless),
    Mutant("node-shapeless", NODE, "node-frames-pass-the-parser", "durationMs is a text.", 5,
           ops=_text_for_a_number),
    Mutant("node-plain-headers", NODE, "updates-pass-the-filters", "Cookies are told.", 60,
           "listening",           ops=_plain_headers),
    Mutant("node-foreign-traffic", NODE, "updates-pass-the-filters",
           "Traffic of other sites is told.", 60, "listening", ops=_foreign_traffic),
    Mutant("node-rumours", NODE, "shared-objects-are-of-a-kind", "Objects are of no known kind.",
           250, ops=_rumours),
    Mutant("node-capitals", NODE, "intercepts-tell-their-options",
           "The site comes back in capitals.", 90, ops=_capitals),
    Mutant("node-takes-any-tab", NODE, "intercepts-are-of-open-tabs",
           "Every subscribe is called good.", 90, ops=_takes_anything),
    Mutant("node-no-pong", NODE, "nodes-answer-pings", "It answers no ping.", 5, "pinging-relay",
           ops=drops("pong")),
    Mutant("controller-no-pong", CONTROLLER, "controllers-answer-pings", "It answers no ping.", 5,
           "pinging-relay", ops=drops("pong")),
    Mutant("node-mute-cancels", NODE, "cancelled-work-is-answered",
           "Nobody is told that work was cancelled.", ops=_answers_nobody),
    Mutant("controller-always-markdown", CONTROLLER, "formats-name-the-action",
           "Every format is Markdown.", ops=_markdown),
    Mutant("controller-hasty", CONTROLLER, "timeouts-follow-the-policy",
           "Every command has one second.", 20, ops=_hasty),
    Mutant("controller-one-nonce", CONTROLLER, "nonces-are-fresh", "All nonces are the same.", 5,
           ops=_one_nonce),
    Mutant("controller-no-nonce", CONTROLLER, "controller-frames-pass-the-parser",
           "Commands have no nonce.", 5, ops=_no_nonce),
)  # fmt: skip
