"""The parser against conversations of the real program: 706 frames, 29 of them bad.

A frame that the real program sent and this one refuses is one that its index marks
as deviating; the decision that settles it stands at the row.
"""

from __future__ import annotations

from typing import Any

import pytest

from sim.protocols.relay import (
    ABSENT,
    MESSAGES,
    parse_relay_message,
    serialize_relay_message,
    to_wire,
)
from sim.wire.equality import same_json
from tests.protocols.relay.frames_for_tests import golden_files, golden_frames, refused

Refusal = tuple[str, str, str, str | None]

REFUSED: dict[str, list[Refusal]] = {
    "02-handshake-bad-role": [
        ("controllerA", "hello-controllerA-5", "invalid_hello", "hello.role"),
        ("controllerA", "hello-controllerA-6", "invalid_hello", "hello.role"),
        ("controllerA", "hello-controllerA-7", "invalid_hello", "hello.role"),
    ],
    "06-command-rejections": [
        ("controllerA", "no-nonce", "missing_replay_nonce", "command.replayNonce"),
        ("controllerA", "bad-ts", "invalid_timestamp", "envelope.timestamp"),
        ("controllerA", "no-target", "missing_target_node", "command.targetNodeId"),
    ],
    "10-fail-fast-vs-wait": [
        ("controllerB", "odd-policy", "invalid_wait_policy", "command.waitPolicy")  # DR-12
    ],
    "17-lock-conflict-renew-release": [  # lease data everywhere: DR-06, DR-07
        ("controllerB", "l2", "invalid_envelope", "event.lockLeaseMs"),
        ("controllerB", "l3", "invalid_envelope", "event.lockLeaseMs"),
        ("controllerB", "u1", "invalid_envelope", "event.lockOwnerControllerId"),
        ("controllerB", "l6", "invalid_envelope", "event.lockLeaseMs"),
        ("controllerA", "u2", "invalid_envelope", "event.lockOwnerControllerId"),
        ("controllerB", "u3", "invalid_envelope", "event.lockOwnerControllerId"),
    ],
    "21-command-cancel": [
        ("controllerA", "c-none", "missing_target_request", "command_cancel.targetRequestId")
    ],
    "22-refresh": [("controllerA", "r3", "missing_refresh_token", "refresh.refreshToken")],
    "23-unknown-type-invalid-json": [  # errors instead of silence: DR-22
        ("controllerA", "unknown", "invalid_json", None),
        ("controllerA", "x1", "unknown_message_type", "envelope.messageType"),
        ("controllerA", "x2", "invalid_envelope", "hello_ack.accepted"),
        ("controllerA", "x3", "invalid_envelope", "refresh_ack.accessToken"),
        ("controllerA", "unknown", "invalid_envelope", "envelope.requestId"),
        ("controllerA", "x4", "unsupported_version", "envelope.protocolVersion"),
        ("controllerA", "unknown", "invalid_envelope", "envelope.requestId"),
        ("controllerA", "unknown", "invalid_envelope", "envelope"),
        ("controllerA", "unknown", "invalid_envelope", "envelope"),
    ],
    "33-null-frame-crash": [("stranger", "unknown", "invalid_envelope", "envelope")],
    "38-timeout-edge-values": [  # text is no number: DR-12
        ("controllerA", "text", "invalid_timeout", "command.timeoutMs"),
        ("controllerA", "str", "invalid_timeout", "command.timeoutMs"),
        ("nodeA", "text", "invalid_timeout", "command.timeoutMs"),
        ("nodeA", "str", "invalid_timeout", "command.timeoutMs"),
    ],
}


def test_the_recordings_are_all_there_and_use_every_family() -> None:
    every = [frame for file in golden_files() for _, _, frame in golden_frames(file)]
    assert len(golden_files()) == 27
    assert len(every) == 706
    used = {frame.get("messageType") for frame in every if isinstance(frame, dict)}
    assert used - {"teleport"} == set(MESSAGES)
    assert {one.stem for one in golden_files()} >= set(REFUSED)


@pytest.mark.parametrize("file", golden_files(), ids=lambda file: file.stem)
def test_recorded_frames_are_refused_exactly_where_the_real_program_deviates(file: Any) -> None:
    found: list[Refusal] = []
    for who, _, frame in golden_frames(file):
        if not parse_relay_message(frame).ok:
            fault = refused(frame)
            found.append((who, fault.request_id, fault.code, fault.path))
    assert found == REFUSED.get(file.stem, [])


@pytest.mark.parametrize("file", golden_files(), ids=lambda file: file.stem)
def test_accepted_recordings_come_out_as_they_went_in(file: Any) -> None:
    for _, _, frame in golden_frames(file):
        message = parse_relay_message(frame).message
        if message is None:
            continue
        assert to_wire(message) is frame
        again = parse_relay_message(serialize_relay_message(message)).message
        assert again is not None
        assert same_json(again.wire, frame)
        assert (again.type, again.id) == (frame["messageType"], frame["requestId"])
        assert again.sender == frame["senderRole"]
        written = again.body.to_wire()
        assert all(written[name] is not ABSENT for name in written)
        assert written.items() <= frame["payload"].items()


def test_bodies_of_recorded_events_are_of_their_own_type() -> None:
    seen: dict[str, str] = {}
    for file in golden_files():
        for _, _, frame in golden_frames(file):
            message = parse_relay_message(frame).message
            if message is not None and message.type == "event":
                seen[frame["payload"]["type"]] = type(message.body).__name__
    assert seen["routed"] == "Routed"
    assert seen["lock_acquired"] == "LockAcquired"
    assert seen["listener_update"] == "ListenerUpdate"
    assert seen["progress"] == "Event"
