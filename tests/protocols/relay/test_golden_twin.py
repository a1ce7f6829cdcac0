"""The twin relay against recordings of the real program: what it says, and when.

Where both differ, the index of the recordings marks a deviation, and the decision that
settles it stands at the row. With the rule off that the real program lacks, most of these
differences are gone: the twin then has the same fault.
"""

from __future__ import annotations

import difflib
import json
from pathlib import Path
from typing import Any

import attrs
import pytest

from sim.protocols.relay.rules import RelayRules
from tests.protocols.relay.frames_for_tests import golden_files
from tests.protocols.relay.golden_play import Recording, Retold, masked, recording
from tests.protocols.relay.relay_play import short

Wire = dict[str, Any]

TOLERANCE_MS = 60
"""How far apart the twin, whose links take no time, and the real program may answer."""


def differences(file: Path, **how: Any) -> list[str]:
    """What a peer hears that it did not (+), or the other way round (-), or otherwise (~)."""
    of = recording(file)
    retold = Retold(of, **how).play()
    return [line for who in of.peers() for line in _of_peer(of, retold, who)]


def _of_peer(of: Recording, retold: Retold, who: str) -> list[str]:
    theirs = [masked(wire) for _, wire in of.received(who)]
    ours = [masked(wire) for wire in retold.peer(who).heard]
    texts = [[json.dumps(one, sort_keys=True) for one in side] for side in (theirs, ours)]
    found: list[str] = []
    matcher = difflib.SequenceMatcher(a=texts[0], b=texts[1], autojunk=False)
    for what, a, b, c, d in matcher.get_opcodes():
        if what == "equal":
            times = zip(of.received(who)[a:b], retold.peer(who).times_ms[c:d], strict=True)
            late = [at for (then, _), at in times if abs(at - then) > TOLERANCE_MS]
            found += [f"{who} at {at}" for at in late]
        else:
            found += _changed(who, theirs[a:b], ours[c:d])
    return found


def _changed(who: str, theirs: list[Wire], ours: list[Wire]) -> list[str]:
    names = [short(one) for one in ours]
    found = []
    for one in theirs:
        if short(one) in names:
            other = ours[names.index(short(one))]["payload"]
            before = one["payload"]
            keys = [key for key in (before | other) if before.get(key) != other.get(key)]
            found.append(f"~ {who} {short(one)}: {', '.join(keys)}")
        else:
            found.append(f"- {who} {short(one)}")
    known = [short(one) for one in theirs]
    return found + [f"+ {who} {name}" for name in names if name not in known]


DIFFERENT: dict[str, list[str]] = {
    "02-handshake-bad-role": [  # a second hello changes nothing: DR-03
        "- controllerA hello_ack hello-controllerA-13",
        "- controllerA unauthenticated ping-after-rehello",
        "+ controllerA invalid_hello hello-controllerA-13",
        "+ controllerA pong ping-after-rehello",
    ],
    "06-command-rejections": [  # a node is told of the timeout: DR-13
        "+ nodeA cancel close-owned-by-controller",
    ],
    "10-fail-fast-vs-wait": [  # an unknown policy is none: DR-12
        "- controllerB queued odd-policy",
        "~ controllerB queued wait-short: queueDepth",
        "~ controllerB queued wait-long: queueDepth",
        "+ controllerB invalid_wait_policy odd-policy",
        "- controllerB queue_wait_timed_out odd-policy",
    ],
    "12-timestamp-skew": [  # every family is held against the clock: DR-22
        "- controllerA pong old-ping",
        "- controllerA lock_acquired old-lock",
        "+ controllerA timestamp_out_of_window old-ping",
        "+ controllerA timestamp_out_of_window old-lock",
    ],
    "13-nonce-forgotten-future-stamp": [  # DR-23
        "- nodeA command f3",
        "- controllerA routed f3",
        "- controllerA result f3",
        "+ controllerA replay_rejected f3",
    ],
    "17-lock-conflict-renew-release": [  # a lock gates, lease data everywhere: DR-06, DR-07
        "- nodeA command b-run",
        "~ controllerA lock_released u2: lockOwnerControllerId, lockLeaseMs, lockExpiresAt",
        "- controllerA lock_acquired l8",
        "+ controllerA node_offline l8",
        "~ controllerB lock_conflict l2: lockLeaseMs",
        "~ controllerB lock_conflict l3: lockLeaseMs",
        "- controllerB lock_released u1",
        "+ controllerB lock_not_held u1",
        "~ controllerB lock_conflict l6: lockLeaseMs",
        "- controllerB routed b-run",
        "- controllerB result b-run",
        "+ controllerB tab_locked b-run",
        "+ controllerB lock_conflict b-run",
        "- controllerB lock_released u3",
        "+ controllerB lock_not_held u3",
    ],
    "21-command-cancel": [  # owners cancel, and hear the node's word: DR-17, DR-19
        "+ nodeA command q2",
        "- controllerA command_cancelled q2",
        "+ controllerA cancellation_rejected c-run",
        "+ controllerA routed q2",
        "- controllerB cancel_ack c-foreign",
        "+ controllerB command_owner_mismatch c-foreign",
    ],
    "22-refresh": [  # what HTTP rotated and revoked is out of scope: DR-27
        "- controllerA invalid_refresh_token r5",
        "+ controllerA refresh_ack r5",
        "- controllerA invalid_refresh_token r7",
        "+ controllerA refresh_ack r7",
    ],
    "23-unknown-type-invalid-json": [  # errors instead of silence: DR-22
        "- controllerA pong None",
        "- controllerA pong x4",
        "- controllerA pong x5",
        "- controllerA invalid_logs_subscribe x7",
        "+ controllerA unknown_message_type x1",
        "+ controllerA forbidden_role x2",
        "+ controllerA forbidden_role x3",
        "+ controllerA invalid_envelope unknown",
        "+ controllerA unsupported_version x4",
        "+ controllerA sender_role_mismatch x5",
        "+ controllerA forbidden_role x6",
        "+ controllerA forbidden_role x7",
        "+ controllerA invalid_envelope unknown",
        "+ controllerA invalid_envelope unknown",
    ],
    "25-same-request-id-two-controllers": [  # DR-08
        "- nodeA command same",
        "+ nodeA command tab1-again",
        "- controllerA tab_busy tab1-again",
        "+ controllerA result same",
        "+ controllerA routed tab1-again",
        "- controllerB routed same",
        "- controllerB result same",
        "+ controllerB request_id_in_use same",
    ],
    "26-node-reconnect-overlap": [  # the auth displaces, and ends what ran: DR-10, DR-14
        "+ nodeA command between",
        "+ nodeA close ",
        "- controllerA node_offline between",
        "+ controllerA routed between",
        "+ controllerA node_disconnected old",
        "+ controllerA node_disconnected between",
        "- controllerA command_timed_out old",
    ],
    "31-queued-unsubscribe": [  # DR-18
        "+ nodeA listener_not_found sub-1",
        "- controllerA listener_update sub-1",
    ],
    "33-null-frame-crash": [  # DR-22
        "- nodeA close ",
        "- controllerA close ",
        "- stranger close ",
        "+ stranger invalid_envelope unknown",
    ],
    "34-removed-client": [  # the client registry is out of scope: DR-27
        "~ controllerA2 invalid_access_token auth-controllerA2-191: clientId",
    ],
    "37-idempotency-node-ledger": [  # the node owes an answer, so its tab is busy: DR-13
        "- nodeA command other",
        "+ nodeA cancel try-2",
        "- controllerA routed other",
        "- controllerA result other",
        "+ controllerA tab_busy other",
    ],
    "38-timeout-edge-values": [  # a text is no number, a node is told: DR-12, DR-13
        "- nodeA command text",
        "- nodeA command str",
        "+ nodeA cancel zero",
        "+ nodeA cancel neg",
        "+ nodeA cancel frac",
        "- controllerA routed text",
        "- controllerA routed str",
        "+ controllerA invalid_timeout text",
        "+ controllerA invalid_timeout str",
        "- controllerA command_timed_out text",
        "- controllerA command_timed_out str",
    ],
    "39-node-without-nodeid-and-nested-tab": [  # DR-10, DR-11, DR-19
        "+ nodeA command c1",
        "+ nodeA close ",
        "- controllerA node_offline c1",
        "+ controllerA routed c1",
        "+ controllerA node_disconnected c1",
        "- controllerA routed c3",
        "+ controllerA tab_busy c3",
        "+ controllerA progress c2",
        "- controllerA result c3",
        "- nodeA2 command c3",
    ],
    "41-logs-stream": [  # out of scope: DR-27
        "- nodeA invalid_extension_log xl-2",
        "- controllerB logs_subscribed logs-1",
        "- controllerB log KzfWe7UDYUbiOa8OkDSmY",
        "- controllerB log vbQDNi-BYQ8Ww_iXu_dPK",
        "+ controllerB forbidden_role logs-1",
    ],
    "42-silent-tcp-drop-of-controller": [  # the node was silent too: DR-10
        "- nodeA primitive.tab.close_owned *",
        "+ nodeA close ",
        "+ controllerA close ",
    ],
}


@pytest.mark.parametrize("file", golden_files(), ids=lambda file: file.stem)
def test_the_twin_says_what_the_real_relay_said_or_what_the_seed_wants_instead(file: Path) -> None:
    assert differences(file) == DIFFERENT.get(file.stem, [])


LACKING = {
    "02": ("hello_keeps_session",),
    "06": ("cancel_at_timeout",),
    "12": ("stamp_on_every_frame",),
    "13": ("nonce_for_two_windows",),
    "31": ("queued_unsubscribe_counts",),
    "37": ("cancel_at_timeout", "tab_waits_for_late_answer"),
}
"""What the real program lacks, so that it says what was recorded."""


def file_of(number: str) -> Path:
    return next(file for file in golden_files() if file.name.startswith(number))


@pytest.mark.parametrize("number", LACKING)
def test_without_the_rule_that_the_real_relay_lacks_the_twin_has_its_fault(number: str) -> None:
    off = dict.fromkeys(LACKING[number], False)
    assert differences(file_of(number), rules=attrs.evolve(RelayRules(), **off)) == []


def test_a_command_behind_an_auth_that_takes_its_time_is_early() -> None:
    """The real program was quick when it was recorded; its client did not wait all the same."""
    peer = Retold(recording(file_of("04")), check_ms=1).play().peer("controllerA")
    heard = [short(wire) for wire in peer.heard]
    assert heard[-2:] == ["unauthenticated cmd-2", "auth_ack auth-pipe"]


def test_the_cleanup_after_a_frozen_peer_starts_at_the_limit_where_its_node_lives() -> None:
    rules = attrs.evolve(RelayRules(), nodes_are_watched=False)
    node = Retold(recording(file_of("42")), rules=rules).play().peer("nodeA")
    heard = [short(wire) for wire in node.heard]
    assert heard[-1].startswith("primitive.tab.close_owned")
    assert node.times_ms[-1] == 261.2 + 1000  # the auth was the last that was heard of it
