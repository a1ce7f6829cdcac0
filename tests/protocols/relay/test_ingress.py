"""One order of checks: the first failure is told, and only the nonce remembers a refusal."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from sim.protocols.relay import DECLARED, ERROR_CODES, Opened, RelayRefused, open_relay_frame
from sim.protocols.relay.predicates import iso_timestamp
from sim.protocols.relay.relay.ingress import (
    Admitted,
    Books,
    Duplicate,
    Moment,
    Turned,
    Verdict,
    command_verdict,
    frame_fault,
)
from sim.protocols.relay.relay.listening import Subscription
from sim.protocols.relay.relay.locks import Lease
from sim.protocols.relay.relay.plan import Limits
from sim.protocols.relay.relay.sessions import Grant, Session
from sim.protocols.relay.relay.texts import TEXTS
from tests.protocols.relay.frames_for_tests import DATA, good

NOW = 1_760_000_000_000
LOCK = Lease("node_alpha", "T", "ctl_b", "B", "lock", 100, NOW + 100, NOW * 1000 + 100_000)
SCOPES = ("primitive.*", "command.run", "listener.*")


def session(books: Books, name: str, role: str = "controller", id: str = "ctl_a") -> Session:
    made = Session(name, NOW * 1000)
    made.hello(role)
    grant = Grant(role, id, SCOPES, nodes=("node_alpha", "node_beta"))
    assert made.auth(grant, NOW) is None
    books.sessions.add(made)
    if role == "node":
        books.sessions.seat(made)
    return made


@pytest.fixture
def books() -> Books:
    books = Books()
    session(books, "N", "node", "node_alpha")
    return books


def command(id: str = "r", **payload: Any) -> dict[str, Any]:
    frame = good("command") | {"requestId": id, "timestamp": iso_timestamp(NOW)}
    frame["payload"] |= {"replayNonce": f"n-{id}", "tabSessionId": "T", **payload}
    return frame


def opened(frame: object) -> Opened:
    found = open_relay_frame(frame)
    assert isinstance(found, Opened)
    return found


def at(ms: int) -> Moment:
    return Moment(ms * 1000, ms)


def verdict_of(books: Books, session: Session, frame: dict[str, Any], now: int = NOW) -> Verdict:
    seen, moment = opened(frame), at(now)
    fault = frame_fault(books, session, seen, moment)
    return fault or command_verdict(books, session, seen, moment)


def code_of(books: Books, session: Session, frame: dict[str, Any], now: int = NOW) -> str:
    found = verdict_of(books, session, frame, now)
    assert isinstance(found, Turned)
    assert found.text
    return found.code


def test_a_command_is_judged_step_by_step_in_one_order() -> None:
    """Everything is wrong with it; one thing after the other is put right."""
    books = Books()
    frame = command(
        tabSessionId="", action="system.shutdown", replayNonce="", targetNodeId="", timeoutMs="x"
    )
    frame |= {"senderRole": "node", "timestamp": "yesterday"}
    inner, peer = frame["payload"], Session("A", NOW)
    told = []

    def ask(now: int = NOW) -> None:
        told.append(code_of(books, peer, frame, now))

    ask()
    peer.hello("controller")
    ask()
    peer.auth(Grant("controller", "ctl_a", SCOPES, nodes=("node_alpha",)), NOW)
    ask()
    frame["senderRole"] = "controller"
    ask()
    inner["action"] = "listener.unsubscribe"
    ask()
    inner["replayNonce"] = "n"
    ask()
    frame["timestamp"] = iso_timestamp(NOW - 60_001)
    ask()
    frame["timestamp"] = iso_timestamp(NOW - 60_000)
    books.nonces.burn("ctl_a", "n", NOW)
    ask()
    for field, value in (
        ("targetNodeId", "node_beta"),
        ("payload", {"targetRequestId": ""}),
        ("tabSessionId", "T"),
        ("timeoutMs", None),
    ):
        inner["replayNonce"] += "."
        ask()
        inner[field] = value
    inner["replayNonce"] += "."
    ask()
    inner["targetNodeId"] = "node_alpha"
    inner["replayNonce"] += "."
    ask()
    inner["payload"]["targetRequestId"] = "sub"
    inner["replayNonce"] += "."
    ask()
    assert told == [
        "not_initialized",
        "unauthenticated",
        "sender_role_mismatch",
        "forbidden_action",
        "missing_replay_nonce",
        "invalid_timestamp",
        "timestamp_out_of_window",
        "replay_rejected",
        "missing_target_node",
        "missing_tab_session",
        "missing_tab_session",
        "invalid_timeout",
        "acl_missing_node_grant",
        "missing_listener_target",
        "listener_not_found",
    ]


def test_behind_the_shape_come_the_id_the_node_the_lock_and_the_tab(books: Books) -> None:
    mine, other = session(books, "A"), session(books, "B", id="ctl_b")
    books.subscriptions.ask(Subscription("sub", "B", "N", "T", "x"))
    books.locks.take(LOCK, NOW * 1000)
    running = verdict_of(books, other, command("run"))
    assert isinstance(running, Admitted)
    books.work.accept(running.job)
    assert code_of(books, mine, command("sub", targetNodeId="node_beta")) == "request_id_in_use"
    assert code_of(books, mine, command("run", replayNonce="x")) == "request_id_in_use"
    assert code_of(books, mine, command("a", targetNodeId="node_beta")) == "node_offline"
    locked = verdict_of(books, mine, command("b", waitPolicy="wait_with_timeout"))
    assert isinstance(locked, Turned)
    assert (locked.code, locked.lease) == ("tab_locked", LOCK)
    books.locks.expire((NOW + 100) * 1000)
    late = command("c") | {"timestamp": iso_timestamp(NOW + 100)}
    late["payload"]["waitPolicy"] = "fail_fast"
    assert code_of(books, mine, late, NOW + 100) == "tab_busy"


def test_a_refused_command_has_burnt_its_nonce_from_the_time_check_on(books: Books) -> None:
    mine = session(books, "A")
    for broken, burnt in (
        ({"action": "system.shutdown"}, False),
        ({"timestamp": "yesterday"}, False),
        ({"timestamp": iso_timestamp(NOW - 60_001)}, False),
        ({"targetNodeId": ""}, True),
        ({"targetNodeId": "node_gamma"}, True),
        ({"targetNodeId": "node_beta"}, True),
        ({"timeoutMs": "x"}, True),
    ):
        id = str(broken)
        frame = command(id, **{k: v for k, v in broken.items() if k != "timestamp"})
        if "timestamp" in broken:
            frame["timestamp"] = broken["timestamp"]
        first = code_of(books, mine, frame)
        assert first != "replay_rejected"
        again = verdict_of(books, mine, command(id))
        assert (isinstance(again, Turned) and again.code == "replay_rejected") is burnt


def test_one_nonce_is_good_for_two_identities_and_not_for_two_sessions_of_one(
    books: Books,
) -> None:
    one, two = session(books, "A1"), session(books, "A2")
    other = session(books, "B", id="ctl_b")
    assert isinstance(verdict_of(books, one, command("1", replayNonce="n")), Admitted)
    assert code_of(books, two, command("2", replayNonce="n")) == "replay_rejected"
    assert isinstance(verdict_of(books, other, command("3", replayNonce="n")), Admitted)


def test_the_same_command_sent_again_is_ignored_while_its_answer_is_owed(books: Books) -> None:
    mine = session(books, "A")
    first = verdict_of(books, mine, command("r", timeoutMs=5000))
    assert isinstance(first, Admitted)
    books.work.accept(first.job)
    again = verdict_of(books, mine, command("r", replayNonce="2"))
    assert isinstance(again, Duplicate)
    assert again.job is first.job
    assert first.job.deadline_us == (NOW + 5000) * 1000
    books.work.overdue(first.job)
    assert code_of(books, mine, command("r", replayNonce="3")) == "request_id_in_use"
    books.work.answer(first.job)
    assert isinstance(verdict_of(books, mine, command("r", replayNonce="4")), Admitted)


def test_an_admitted_command_has_its_budget_its_tab_and_the_session_of_its_node(
    books: Books,
) -> None:
    mine = session(books, "A")
    found = verdict_of(books, mine, command("r", timeoutMs=0, tabSessionId="T"))
    assert isinstance(found, Admitted)
    assert found.node is books.sessions.node("node_alpha")
    assert (found.job.node, found.job.tab, found.job.deadline_us) == ("N", "T", (NOW + 1000) * 1000)
    assert (found.job.session, found.job.identity) == ("A", "ctl_a")
    assert books.work.job("r") is None


def test_an_unsubscribe_is_held_against_its_listener_and_never_against_a_lock(
    books: Books,
) -> None:
    mine, other = session(books, "A"), session(books, "B", id="ctl_b")
    books.subscriptions.ask(Subscription("sub", "A", "N", "T", "x"))
    books.subscriptions.subscribed("sub")
    books.locks.take(LOCK, NOW * 1000)

    def off(id: str, **rest: Any) -> dict[str, Any]:
        inner = {"targetRequestId": "sub"}
        return command(id, action="listener.unsubscribe", payload=inner, **rest)

    assert code_of(books, other, off("1")) == "listener_owner_mismatch"
    assert code_of(books, mine, off("2", targetNodeId="node_beta")) == "listener_node_mismatch"
    assert isinstance(verdict_of(books, mine, off("3")), Admitted)
    assert code_of(books, mine, command("4")) == "tab_locked"


def test_nobody_but_the_relay_closes_owned_tabs_whatever_its_scopes(books: Books) -> None:
    mine = session(books, "A")
    frame = command(action="primitive.tab.close_owned", payload={"controllerClientId": "ctl_b"})
    assert code_of(books, mine, frame) == "forbidden_action"


ALLOWED = {
    "controller": {"hello", "auth", "refresh", "command", "ping", "pong"}
    | {"tab_lock", "tab_unlock", "command_cancel"},
    "node": {"hello", "auth", "refresh", "result", "error", "event", "ping", "pong"},
}


@pytest.mark.parametrize("role", ALLOWED)
@pytest.mark.parametrize("name", [name for name, cls in DECLARED.items() if cls.family() == name])
def test_each_role_sends_the_families_that_are_its_own(name: str, role: str) -> None:
    books = Books()
    peer = session(books, "P", role, "id")
    frame = good(name) | {"senderRole": role, "timestamp": iso_timestamp(NOW)}
    if name == "hello":
        frame["payload"]["role"] = role
    fault = frame_fault(books, peer, opened(frame), at(NOW))
    assert (fault is None) is (name in ALLOWED[role])
    assert fault is None or fault.code == "forbidden_role"


@pytest.mark.parametrize("role", ["controller", "node"])
@pytest.mark.parametrize("name", ["hello", "auth", "ping", "refresh"])
def test_every_family_must_be_on_time(name: str, role: str) -> None:
    books = Books()
    peer = session(books, "P", role, "id")
    frame = good(name) | {"senderRole": role}
    if name == "hello":
        frame["payload"]["role"] = role
    for stamp, code in (
        (iso_timestamp(NOW + 60_000), None),
        (iso_timestamp(NOW + 60_001), "timestamp_out_of_window"),
        ("yesterday", "invalid_timestamp"),
    ):
        fault = frame_fault(books, peer, opened(frame | {"timestamp": stamp}), at(NOW))
        assert (fault and fault.code) == code


def test_every_sentence_is_one_of_a_code_that_exists() -> None:
    assert set(TEXTS) <= set(ERROR_CODES)


# -- the recordings --------------------------------------------------------------------------

AT_INGRESS = {*TEXTS, "invalid_json", "missing_target_node", "missing_refresh_token"}
AT_INGRESS |= {"missing_target_request", "invalid_hello"}
AT_INGRESS -= {"command_timed_out", "queue_wait_timed_out"}

Told = tuple[str, str, str]

DIFFERENT: dict[str, tuple[list[Told], list[Told]]] = {
    "02-handshake-bad-role": (  # a second hello is refused, the session stays: DR-03
        [("controllerA", "hello-controllerA-13", "invalid_hello")],
        [("controllerA", "ping-after-rehello", "unauthenticated")],
    ),
    "04-order-before-auth": ([], []),
    "06-command-rejections": (  # the registry of grants is out of scope
        [],
        [("controllerB", "no-acl", "acl_missing_node_grant")],
    ),
    "08-tab-queue-limit": ([], []),
    "10-fail-fast-vs-wait": ([("controllerB", "odd-policy", "invalid_wait_policy")], []),  # DR-12
    "12-timestamp-skew": (  # every family is checked: DR-22
        [
            ("controllerA", "old-ping", "timestamp_out_of_window"),
            ("controllerA", "old-lock", "timestamp_out_of_window"),
        ],
        [],
    ),
    "13-nonce-forgotten-future-stamp": ([("controllerA", "f3", "replay_rejected")], []),  # DR-23
    "15-controller-disconnect-with-queue": ([], []),
    "25-same-request-id-two-controllers": (  # DR-08
        [("controllerB", "same", "request_id_in_use")],
        [("controllerA", "tab1-again", "tab_busy")],
    ),
    "38-timeout-edge-values": (  # DR-12
        [("controllerA", "text", "invalid_timeout"), ("controllerA", "str", "invalid_timeout")],
        [],
    ),
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_recorded_conversations_are_refused_where_the_real_relay_refuses(name: str) -> None:
    ours, theirs = _retold(DATA / "golden" / f"{name}.jsonl")
    assert (ours - theirs, theirs - ours) == tuple(Counter(part) for part in DIFFERENT[name])


def _retold(file: Path) -> tuple[Counter[Told], Counter[Told]]:
    """What we and what the real relay refuse at ingress; answers of nodes free their tabs."""
    meta, *lines = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    settings, tokens = meta["frame"]["settings"], meta["frame"]["tokens"]
    books = Books(limits=Limits(tab_queue=settings.get("tab_queue_limit", 20)))
    peers: dict[str, Session] = {}
    ours: Counter[Told] = Counter()
    theirs: Counter[Told] = Counter()
    for line in lines:
        who, frame = line["who"], line["frame"]
        now = meta["frame"]["started_at_epoch_ms"] + int(line["at_ms"])
        if line["dir"] == "open":
            peers[who] = Session(f"{who}#{len(peers)}", now * 1000)
            books.sessions.add(peers[who])
        elif line["dir"] == "recv" and frame["messageType"] == "error":
            told = frame["requestId"], frame["payload"]["code"]
            if frame["senderRole"] == "relay" and told[1] in AT_INGRESS:
                theirs[(who, *told)] += 1
        elif line.get("raw") == "<websocket close>":
            books.work.lose_session(peers[who].name)
        elif line["dir"] == "send" and isinstance(frame, dict):
            answered = _answer(books, peers[who], frame, tokens, now)
            if answered is not None:
                ours[(who, *answered)] += 1
    return ours, theirs


def _answer(
    books: Books, peer: Session, frame: dict[str, Any], tokens: dict[str, Any], now: int
) -> tuple[str, str] | None:
    seen = open_relay_frame(frame)
    if isinstance(seen, RelayRefused):
        return seen.request_id, seen.code
    _expire(books, now)
    fault = frame_fault(books, peer, seen, at(now))
    code = fault.code if fault is not None else None
    payload = seen.wire["payload"]
    if code is None and seen.type == "hello":
        code = peer.hello(payload["role"], payload.get("nodeId", ""))
    elif code is None and seen.type == "auth":
        code = peer.auth(_grant(tokens.get(payload["accessToken"])), now)
        if code is None and peer.role == "node":
            books.sessions.seat(peer)
    elif code is None and seen.type == "command":
        found = command_verdict(books, peer, seen, at(now))
        if isinstance(found, Admitted):
            books.work.accept(found.job)
        code = found.code if isinstance(found, Turned) else None
    elif code is None and seen.type in ("result", "error"):
        job = books.work.job(seen.request_id)
        if job is not None and job.node == peer.name:
            books.work.answer(job)
    return (seen.request_id, code) if code is not None else None


def _expire(books: Books, now: int) -> None:
    for peer in books.sessions.nodes():
        for job in books.work.at_node(peer.name):
            if job.deadline_us <= now * 1000 and job.state != "OVERDUE":
                books.work.overdue(job)


def _grant(token: dict[str, Any] | None) -> Grant | None:
    if token is None or token["kind"] != "access":
        return None
    identity = token.get("controllerId" if token["role"] == "controller" else "nodeId", "")
    return Grant(token["role"], identity, tuple(token["scopes"]))
