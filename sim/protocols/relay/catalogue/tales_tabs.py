"""Tales of losses, cleanups, locks, cancels, listeners and streams."""

from __future__ import annotations

from typing import Any

from sim.protocols.catalogue import Tales
from sim.protocols.relay.catalogue.tale import CLOSE_OWNED, OPEN, UNSUBSCRIBE, Tale

TALES = Tales(Tale)
TEST = "command.test"
STREAM = {"stream": {"listeners": [{"listener": "chat"}]}}


def _cleans(tale: Tale, node: str = "N", owner: str = "ctl_a", id: str = "r") -> None:
    """The relay sends close_owned."""
    facts: dict[str, Any] = {"targetNodeId": "node_n", "action": CLOSE_OWNED}
    tale.relay(node, "command", id, payload={"controllerClientId": owner}, **facts)


# -- losses and cleanups ---------------------------------------------------------------------


@TALES.of("node-loss-ends-its-work", "OT-49")
def lost_work_is_never_ended(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.runs("A", "k")
    tale.ends("N")
    if not bad:
        tale.fails("A", "k", "node_disconnected")


@TALES.of("node-loss-ends-its-work", "OT-49")
def what_waited_is_told_first(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.runs("A", "k1")
    tale.waits("A", "k2")
    tale.ends("N")
    for id in ("k2", "k1") if bad else ("k1", "k2"):
        tale.fails("A", id, "node_disconnected")


@TALES.of("displaced-sockets-are-closed", "OT-41", "OT-49")
def older_socket_of_a_node_stays(tale: Tale, bad: bool) -> None:
    tale.join("N")
    older = tale.links["N"]
    tale.dial("N")
    tale.says("N", "hello", "h", role="node")
    tale.relay("N", "hello_ack", "h", accepted=True, heartbeatIntervalMs=8000)
    tale.says("N", "auth", "a-N", accessToken="token-N")
    if not bad:
        tale.ends("N", by="R", link=older)
    tale.admit("N")


@TALES.of("cleanup-follows-the-last-session", "OT-54", "OT-57")
def tabs_of_a_gone_controller_stay(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.ends("A")
    if not bad:
        _cleans(tale)


@TALES.of("cleanup-follows-the-last-session", "OT-54")
def absent_node_is_never_told(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.runs("A", "k", "", OPEN, {"url": "https://example.com/"})
    tale.ended("A", "k", {"tabSessionId": "T", "url": "https://example.com/"}, action=OPEN)
    tale.ends("N")
    tale.ends("A")
    tale.join("N")
    if not bad:
        _cleans(tale)


@TALES.of("cleanup-spares-the-living", "OT-58")
def cleanup_while_another_session_lives(tale: Tale, bad: bool) -> None:
    tale.join("A", "A2", "N")
    tale.ends("A")
    if not bad:
        tale.ends("A2")
    _cleans(tale)


@TALES.of("errands-have-their-own-id", "OT-04", "OT-10")
def errand_under_the_id_of_a_command(tale: Tale, bad: bool) -> None:
    tale.join("A", "B", "N")
    tale.runs("B", "k")
    tale.ends("A")
    _cleans(tale, id="k" if bad else "r")


# -- locks ---------------------------------------------------------------------------------


@TALES.of("one-holder-per-tab", "OT-59", "OT-50")
def two_hold_one_tab(tale: Tale, bad: bool) -> None:
    tale.join("A", "B", "N")
    tale.holds("A")
    tale.locks("B", "l2")
    if bad:
        tale.lock("B", "lock_acquired", "l2", "B")
    else:
        tale.fails("B", "l2", "tab_locked")


@TALES.of("one-holder-per-tab", "OT-60")
def refused_when_the_lease_is_over(tale: Tale, bad: bool) -> None:
    tale.join("A", "B", "N")
    tale.holds("A")
    tale.wait(0.4 if bad else 0.39)
    tale.locks("B", "l2")
    tale.fails("B", "l2", "tab_locked")


@TALES.of("locks-are-answered", "OT-50", "OT-59")
def lock_without_an_answer(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.locks("A", "l")
    if not bad:
        tale.lock("A", "lock_acquired", "l")


@TALES.of("unlocked-by-the-holder", "OT-62")
def lock_is_stolen(tale: Tale, bad: bool) -> None:
    tale.join("A", "B", "N")
    ends = tale.holds("A")
    tale.says("B", "tab_unlock", "u", targetNodeId="node_n", tabSessionId="T")
    if bad:
        tale.lock("B", "lock_released", "u", lockExpiresAt=ends)
    else:
        tale.fails("B", "u", "lock_not_held")


@TALES.of("lock-events-carry-the-lease", "OT-61")
def holder_under_another_name(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.locks("A", "l")
    tale.lock("A", "lock_acquired", "l", "B" if bad else "A")


@TALES.of("lock-events-carry-the-lease", "OT-61")
def conflict_with_the_time_of_the_asker(tale: Tale, bad: bool) -> None:
    tale.join("A", "B", "N")
    ends = tale.holds("A")
    tale.wait(0.1)
    tale.locks("B", "l2")
    tale.fails("B", "l2", "tab_locked")
    tale.lock("B", "lock_conflict", "l2", lockExpiresAt=ends + (100 if bad else 0))


@TALES.of("conflicts-are-told", "OT-50", "OT-61")
def nobody_says_who_holds_the_tab(tale: Tale, bad: bool) -> None:
    tale.join("A", "B", "N")
    ends = tale.holds("A")
    tale.locks("B", "l2")
    tale.fails("B", "l2", "tab_locked")
    if not bad:
        tale.lock("B", "lock_conflict", "l2", lockExpiresAt=ends)


@TALES.of("leases-end-by-themselves", "OT-60")
def end_of_a_lease_is_not_told(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    ends = tale.holds("A")
    tale.wait(0.4)
    if not bad:
        tale.lock("A", "lock_expired", "l", lockExpiresAt=ends)


# -- cancels -------------------------------------------------------------------------------


@TALES.of("cancels-are-answered", "OT-63", "OT-40")
def cancel_without_an_answer(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.says("A", "command_cancel", "c", targetRequestId="gone")
    if not bad:
        tale.fails("A", "c", "command_not_found")


@TALES.of("cancels-are-the-owners", "OT-63")
def foreign_cancel_has_an_effect(tale: Tale, bad: bool) -> None:
    tale.join("A", "B", "N")
    tale.runs("A", "k")
    tale.says("B", "command_cancel", "c", targetRequestId="k")
    if bad:
        tale.relay("N", "command_cancel", "c", targetRequestId="k")
        tale.relay("B", "event", "c", type="cancel_ack", targetRequestId="k", status="forwarded")
    else:
        tale.fails("B", "c", "command_owner_mismatch")


@TALES.of("cancelled-are-those-who-waited", "OT-11", "OT-60", "OT-63")
def work_is_cut_off_by_the_relay(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.runs("A", "k1")
    tale.waits("A", "k2")
    tale.says("A", "command_cancel", "c", targetRequestId="k2")
    tale.fails("A", "k1" if bad else "k2", "command_cancelled")


@TALES.of("running-work-is-told-to-stop", "OT-04", "OT-63")
def forwarded_to_nobody(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.runs("A", "k")
    tale.says("A", "command_cancel", "c", targetRequestId="k")
    if not bad:
        tale.relay("N", "command_cancel", "c", targetRequestId="k")
    tale.relay("A", "event", "c", type="cancel_ack", targetRequestId="k", status="forwarded")


# -- listeners -----------------------------------------------------------------------------


@TALES.of("updates-go-to-their-subscriber", "OT-17", "OT-18")
def traffic_leaks_to_another(tale: Tale, bad: bool) -> None:
    tale.join("A", "B", "N")
    tale.listens("A")
    tale.updates(to="B" if bad else "A")


@TALES.of("updates-follow-the-result", "OT-14", "OT-19")
def update_before_the_result(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    if bad:
        tale.runs("A", "s", "", "listener.subscribe", {"listener": "chat"})
    else:
        tale.listens("A")
    tale.updates(to="A")


@TALES.of("silence-after-the-end", "OT-20")
def ghost_update(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.listens("A")
    tale.runs("A", "u", "", UNSUBSCRIBE, {"targetRequestId": "s"})
    if bad:
        tale.ended("A", "u", {"targetRequestId": "s", "unsubscribed": True}, action=UNSUBSCRIBE)
    tale.updates(to="A")


@TALES.of("silence-after-the-end", "OT-40")
def cancelled_stream_delivers(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.runs("A", "t", "", TEST, {"site": "x", "command": "y"})
    tale.ended("A", "t", STREAM, action=TEST)
    tale.listens("A")
    if bad:
        tale.says("A", "command_cancel", "c", targetRequestId="t")
    tale.updates(to="A")


@TALES.of("updates-are-taken-or-refused", "OT-12", "OT-17")
def update_is_swallowed(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.listens("A")
    tale.updates(to="" if bad else "A")


@TALES.of("updates-are-taken-or-refused", "OT-20")
def node_never_learns_that_nobody_listens(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.updates("gone")
    if not bad:
        tale.fails("N", "gone", "listener_not_found")


@TALES.of("left-listeners-are-turned-off", "OT-20", "OT-40")
def page_is_intercepted_for_nobody(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.listens("A")
    tale.ends("A")
    if not bad:
        facts: dict[str, Any] = {"targetNodeId": "node_n", "action": UNSUBSCRIBE}
        tale.relay("N", "command", "r", payload={"targetRequestId": "s"}, **facts)


@TALES.of("lost-listeners-are-told", "OT-49")
def dead_stream_is_not_told(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.listens("A")
    tale.ends("N")
    if not bad:
        tale.relay("A", "event", "s", type="listener_ended", reason="node_disconnected")


@TALES.of("streams-end-once", "OT-11", "OT-40")
def stream_ends_twice(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.runs("A", "t", "", TEST, {"site": "x", "command": "y"})
    tale.ended("A", "t", STREAM, action=TEST)
    tale.says("A", "command_cancel", "c", targetRequestId="t")
    for _ in range(2 if bad else 1):
        tale.relay("A", "event", "t", type="stream_ended", reason="cancelled")
