"""Tales of frames, of what is refused, and of sessions."""

from __future__ import annotations

from typing import Any

from sim.protocols.catalogue import Tales
from sim.protocols.relay.acts import SayFrame
from sim.protocols.relay.catalogue.tale import CLOSE_OWNED, LIST, Tale
from sim.protocols.relay.predicates import iso_timestamp
from sim.protocols.relay.relay.sessions import Grant
from sim.world.host import START_MS

TALES = Tales(Tale)


@TALES.of("relay-frames-pass-the-parser", "OT-01", "OT-61")
def lock_event_without_a_lease(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.locks("A", "l")
    if bad:
        tale.lock("A", "lock_acquired", "l", lease=0)
    else:
        tale.lock("A", "lock_acquired", "l")


@TALES.of("node-frames-pass-the-parser", "OT-01", "OT-02")
def result_of_another_version(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.runs("A", "k", "", LIST)
    wire = tale.wire("N", "result", "k", {"ok": True, "durationMs": 1, "action": LIST})
    tale.frame("N", wire | ({"protocolVersion": "2.0"} if bad else {}))


@TALES.of("controller-frames-pass-the-parser", "OT-28", "OT-31")
def command_without_a_target(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.asks("A", "k", "", LIST, **({"targetNodeId": ""} if bad else {}))
    if not bad:
        tale.fails("A", "k", "rate_limited")


@TALES.of("relays-send-their-families", "OT-03", "OT-10")
def result_sent_to_a_node(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.runs("A", "k", "", LIST)
    wire = tale.result("k")
    tale.hands("N" if bad else "A", wire)


@TALES.of("nodes-are-honest", "OT-03", "OT-06")
def node_that_calls_itself_a_controller(tale: Tale, bad: bool) -> None:
    tale.join("N")
    wire = tale.wire("N", "ping", "p", {})
    tale.frame("N", wire | ({"senderRole": "controller"} if bad else {}))


@TALES.of("controllers-are-honest", "OT-06")
def controller_that_calls_itself_the_relay(tale: Tale, bad: bool) -> None:
    tale.join("A")
    wire = tale.wire("A", "ping", "p", {})
    tale.frame("A", wire | ({"senderRole": "relay"} if bad else {}))


@TALES.of("errors-have-their-category", "OT-50")
def busy_tab_in_another_category(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    category = "routing" if bad else "lock_conflict"
    tale.says("A", "ping", "k")
    facts: dict[str, Any] = {
        "category": category,
        "code": "tab_busy",
        "message": "no",
        "retryable": True,
    }
    tale.relay("A", "error", "k", **facts)


@TALES.of("answers-keep-the-request-id", "OT-04")
def pong_with_an_id_of_its_own(tale: Tale, bad: bool) -> None:
    tale.join("A")
    tale.says("A", "ping", "p")
    tale.relay("A", "pong", "q" if bad else "p", ok=True)


@TALES.of("nodes-answer-under-the-request-id", "OT-04", "OT-34", "OT-42")
def answer_under_the_id_of_an_older_session(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.runs("A", "k", "", LIST)
    if bad:
        tale.ends("N")
        tale.fails("A", "k", "node_disconnected")
        tale.join("N")
    tale.result("k")


# -- what is refused ---------------------------------------------------------------------


@TALES.of("bad-envelopes-are-refused", "OT-01", "OT-02")
def version_two_is_answered_like_one(tale: Tale, bad: bool) -> None:
    tale.join("A")
    tale.frame("A", tale.wire("A", "ping", "p", {}) | {"protocolVersion": "2.0"})
    if bad:
        tale.relay("A", "pong", "p", ok=True)
    else:
        tale.fails("A", "p", "unsupported_version")


@TALES.of("bad-envelopes-are-refused", "OT-01")
def text_that_is_no_frame_is_passed_over(tale: Tale, bad: bool) -> None:
    tale.join("A")
    tale.text("A", "null")
    if not bad:
        tale.fails("A", "unknown", "invalid_envelope")


@TALES.of("unknown-families-are-refused", "OT-03")
def gossip_is_answered(tale: Tale, bad: bool) -> None:
    tale.join("A")
    tale.frame("A", tale.wire("A", "gossip", "g", {}))
    if bad:
        tale.relay("A", "pong", "g", ok=True)
    else:
        tale.fails("A", "g", "unknown_message_type")


@TALES.of("stamps-are-held-against-the-clock", "OT-05", "OT-52")
def hour_old_ping_gets_its_pong(tale: Tale, bad: bool) -> None:
    tale.join("A")
    old = {"timestamp": iso_timestamp(START_MS - 3_600_000)}
    tale.frame("A", tale.wire("A", "ping", "p", {}) | old)
    if bad:
        tale.relay("A", "pong", "p", ok=True)
    else:
        tale.fails("A", "p", "timestamp_out_of_window")


@TALES.of("stamps-are-held-against-the-clock", "OT-05")
def stamp_of_a_minute_ago_is_refused(tale: Tale, bad: bool) -> None:
    tale.join("A")
    then = {"timestamp": iso_timestamp(START_MS - 60_000)}
    tale.frame("A", tale.wire("A", "ping", "p", {}) | then)
    if bad:
        tale.fails("A", "p", "timestamp_out_of_window")
    else:
        tale.relay("A", "pong", "p", ok=True)


@TALES.of("senders-are-honest", "OT-06")
def other_role_gets_its_pong(tale: Tale, bad: bool) -> None:
    tale.join("A")
    act = tale.act("A", SayFrame({}))
    tale.frame("A", tale.wire("A", "ping", "p", {}) | {"senderRole": "node"}, cause=act)
    if bad:
        tale.relay("A", "pong", "p", ok=True)
    else:
        tale.fails("A", "p", "sender_role_mismatch")


@TALES.of("handshake-comes-first", "OT-07", "OT-08")
def command_before_the_ack(tale: Tale, bad: bool) -> None:
    tale.join("N")
    tale.dial("A")
    tale.says("A", "hello", "h", role="controller")
    tale.relay("A", "hello_ack", "h", accepted=True, heartbeatIntervalMs=8000)
    wire = tale.asks("A", "k", "", LIST)
    if bad:
        tale.goes(wire)
    else:
        tale.fails("A", "k", "unauthenticated")


@TALES.of("roles-do-their-own", "OT-10", "OT-42")
def result_of_a_controller(tale: Tale, bad: bool) -> None:
    tale.join("A", "B", "N")
    tale.runs("A", "k", "", LIST)
    payload = {"ok": True, "durationMs": 1, "action": LIST}
    wire = tale.wire("B", "result", "k", payload)
    tale.frame("B", wire)
    if bad:
        tale.hands("A", wire)
    else:
        tale.fails("B", "k", "forbidden_role")


@TALES.of("actions-are-permitted", "OT-08", "OT-10", "OT-30")
def cleanup_by_a_controller(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    wire = tale.asks("A", "k", "", CLOSE_OWNED, {"controllerClientId": "ctl_b"})
    if bad:
        tale.goes(wire)
    else:
        tale.fails("A", "k", "forbidden_action")


@TALES.of("grants-are-kept", "OT-08")
def refused_though_the_token_reaches_the_node(tale: Tale, bad: bool) -> None:
    tale.view.made_tokens["near"] = Grant("controller", "ctl_b", nodes=("node_n",))
    tale.join("N", "M")
    tale.dial("B")
    tale.says("B", "hello", "h", role="controller")
    tale.relay("B", "hello_ack", "h", accepted=True, heartbeatIntervalMs=8000)
    tale.says("B", "auth", "a-B", accessToken="near")
    tale.admit("B")
    tale.asks("B", "k", "", LIST, targetNodeId="node_n" if bad else "node_m")
    tale.fails("B", "k", "acl_missing_node_grant")


@TALES.of("commands-are-whole", "OT-29", "OT-31")
def extraction_without_a_tab(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    wire = tale.asks("A", "k", "")
    if bad:
        tale.goes(wire)
    else:
        tale.fails("A", "k", "missing_tab_session")


@TALES.of("commands-are-whole", "OT-64")
def refused_for_a_field_of_next_year(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    wire = tale.asks("A", "k", ofNextYear=1)
    if bad:
        tale.fails("A", "k", "missing_target_node")
    else:
        tale.goes(wire)


@TALES.of("second-hellos-change-nothing", "OT-07")
def hello_on_a_session_that_works(tale: Tale, bad: bool) -> None:
    tale.join("A")
    tale.says("A", "hello", "again", role="controller")
    if bad:
        tale.relay("A", "hello_ack", "again", accepted=True, heartbeatIntervalMs=8000)
    else:
        tale.fails("A", "again", "invalid_hello")


# -- sessions ----------------------------------------------------------------------------


@TALES.of("hellos-are-acked", "OT-07")
def hello_without_an_ack(tale: Tale, bad: bool) -> None:
    tale.join("B")
    tale.dial("A")
    tale.says("A", "hello", "h", role="controller")
    if not bad:
        tale.relay("A", "hello_ack", "h", accepted=True, heartbeatIntervalMs=8000)


@TALES.of("tokens-open-doors", "OT-08")
def stranger_is_let_in(tale: Tale, bad: bool) -> None:
    tale.dial("A")
    tale.says("A", "hello", "h", role="controller")
    tale.relay("A", "hello_ack", "h", accepted=True, heartbeatIntervalMs=8000)
    tale.says("A", "auth", "a-A", accessToken="token-bad" if bad else "token-A")
    tale.admit("A")


@TALES.of("tokens-open-doors", "OT-09")
def token_of_a_refresh_is_refused(tale: Tale, bad: bool) -> None:
    tale.join("A")
    tale.says("A", "refresh", "r", refreshToken="refresh-A")
    tale.relay("A", "refresh_ack", "r", accessToken="new")
    tale.says("A", "auth", "a-A", accessToken="new")
    if bad:
        tale.fails("A", "a-A", "invalid_access_token")
    else:
        tale.admit("A")


@TALES.of("refreshes-renew", "OT-09")
def stolen_refresh_token(tale: Tale, bad: bool) -> None:
    tale.join("B")
    tale.says("B", "refresh", "r", refreshToken="refresh-A" if bad else "refresh-B")
    tale.relay("B", "refresh_ack", "r", accessToken="new")


@TALES.of("relay-answers-pings", "OT-13")
def ping_without_a_pong(tale: Tale, bad: bool) -> None:
    tale.join("A")
    tale.says("A", "ping", "p")
    if not bad:
        tale.relay("A", "pong", "p", ok=True)
    tale.wait(15)


@TALES.of("nodes-answer-pings", "OT-13")
def node_that_ignores_a_ping(tale: Tale, bad: bool) -> None:
    tale.join("N")
    tale.relay("N", "ping", "p")
    if not bad:
        tale.says("N", "pong", "p", ok=True)
    tale.wait(15)


@TALES.of("controllers-answer-pings", "OT-13")
def controller_that_ignores_a_ping(tale: Tale, bad: bool) -> None:
    tale.join("A")
    tale.relay("A", "ping", "p")
    if not bad:
        tale.says("A", "pong", "p", ok=True)
    tale.wait(15)


@TALES.of("silence-ends-sessions", "OT-13", "OT-57")
def silent_session_is_found_out_late(tale: Tale, bad: bool) -> None:
    tale.join("A")
    tale.wait(28 if bad else 24)
    tale.ends("A", by="R")


@TALES.of("silence-ends-sessions", "OT-13")
def session_that_pings_is_cut(tale: Tale, bad: bool) -> None:
    tale.join("A")
    tale.wait(20)
    tale.says("A", "ping", "p")
    tale.wait(4 if bad else 24)
    tale.ends("A", by="R")


@TALES.of("controllers-keep-alive", "OT-13", "OT-40")
def controller_forgets_to_ping(tale: Tale, bad: bool) -> None:
    tale.join("A")
    tale.wait(12)
    if not bad:
        tale.frame("A", tale.wire("A", "ping", "p", {}), arrives=False)
    tale.wait(12)
    tale.ends("A", by="R")


@TALES.of("nodes-keep-alive", "OT-13")
def node_forgets_to_ping(tale: Tale, bad: bool) -> None:
    tale.join("N")
    tale.wait(12)
    if not bad:
        tale.frame("N", tale.wire("N", "ping", "p", {}), arrives=False)
    tale.wait(12)
    tale.ends("N", by="R")


@TALES.of("controllers-come-back-slowly", "OT-49")
def controller_dials_every_second(tale: Tale, bad: bool) -> None:
    for pause in (1, 1, 1, 1) if bad else (1, 2, 4, 8):
        tale.dials_in_vain("A")
        tale.wait(pause)


@TALES.of("nodes-come-back-slowly", "OT-49")
def node_dials_every_second(tale: Tale, bad: bool) -> None:
    for pause in (1, 1, 1, 1) if bad else (1, 2, 4, 8):
        tale.dials_in_vain("N")
        tale.wait(pause)
