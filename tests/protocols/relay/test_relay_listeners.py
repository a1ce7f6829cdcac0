"""The relay twin: listeners, their updates, and the streams of tests."""

from __future__ import annotations

from typing import Any

from tests.protocols.relay.relay_play import SUB, UNSUB, RelayPlay, short

TEST = "command.test"
MANIFEST = {"stream": {"listeners": [{"listener": "chat"}, {"listener": "typing"}]}}


def test_updates_flow_from_the_result_of_the_subscribe_to_that_of_the_unsubscribe() -> None:
    play = RelayPlay()
    play.command("A", "s", "T1", SUB, inner={"listener": "chat"})
    play.update("s", n=1)
    play.result("s", action=SUB)
    play.update("s", n=2)
    play.unsubscribe("A", "u", "s")
    play.update("s", n=3)
    play.result("u", action=UNSUB)
    play.update("s", n=4)
    play.unsubscribe("A", "u2", "s")
    assert play.got("A") == [
        "routed s",
        "result s",
        "listener_update s",
        "routed u",
        "listener_update s",
        "result u",
        "listener_not_found u2",
    ]
    assert play.got("N") == [
        "command s",
        "listener_not_found s",
        "command u",
        "listener_not_found s",
    ]
    assert play.got("B") == []


def test_an_update_is_the_relays_word_with_the_nodes_data() -> None:
    play = RelayPlay()
    play.subscribe("A", "s")
    at = "2026-01-01T00:00:00.000Z"
    play.say("N", "event", "s", type="listener_update", data={"x": 1}, updateType="t",
             emittedAt=at, further=1)  # fmt: skip
    frame = play.frames("A")[-1]
    assert frame["senderRole"] == "relay"
    assert frame["payload"] == {
        "type": "listener_update",
        "data": {"x": 1},
        "updateType": "t",
        "emittedAt": at,
    }
    play.say("N", "event", "s", type="listener_update", updateType="")
    assert play.got("N")[-1] == "invalid_listener_update s"


def test_a_failed_or_overdue_subscribe_delivers_nothing() -> None:
    play = RelayPlay()
    play.command("A", "s1", "T1", SUB, inner={"listener": "chat"})
    play.failure("s1")
    play.update("s1")
    play.command("A", "s2", "T1", SUB, inner={"listener": "chat"})
    play.result("s2", action=SUB, ok=False)
    play.update("s2")
    play.command("A", "s3", "T1", SUB, inner={"listener": "chat"}, timeoutMs=1000)
    play.run(1000)
    play.result("s3", action=SUB)
    play.update("s3")
    assert "listener_update" not in " ".join(play.got("A"))
    assert play.got("N")[-3:] == [
        "cancel s3",
        "listener.unsubscribe s3",
        "listener_not_found s3",
    ]


def test_an_unsubscribe_that_waited_for_its_tab_counts() -> None:
    play = RelayPlay()
    play.subscribe("A", "s")
    play.command("A", "k")
    play.unsubscribe("A", "u", "s", "T1")
    play.update("s", n=1)
    play.result("k")
    play.result("u", action=UNSUB)
    play.got("A")
    play.update("s", n=2)
    assert play.got("A") == []
    assert play.got("N")[-1] == "listener_not_found s"


def test_only_an_error_of_the_node_keeps_a_subscription() -> None:
    play = RelayPlay()
    play.subscribe("A", "s")
    play.unsubscribe("A", "u1", "s")
    play.failure("u1")
    play.update("s")
    assert play.got("A")[-2:] == ["command_failed u1", "listener_update s"]
    play.command("A", "u2", None, UNSUB, inner={"targetRequestId": "s"}, timeoutMs=1000)
    play.run(1000)
    play.update("s")
    assert play.got("A") == ["routed u2", "command_timed_out u2"]


def test_an_unsubscribe_is_the_subscribing_sessions_own() -> None:
    play = RelayPlay(ready="ABNM")
    play.subscribe("A", "s")
    play.unsubscribe("B", "u1", "s")
    play.join("A")
    play.unsubscribe("A", "u2", "s")
    play.command("A", "u3", None, UNSUB, inner={"targetRequestId": "s"}, node="node_m", nth=0)
    play.command("A", "u4", None, UNSUB)
    play.update("s")
    assert play.got("B") == ["listener_owner_mismatch u1"]
    assert play.got("A", 1) == ["listener_owner_mismatch u2", "missing_listener_target u4"]
    assert play.got("A", 0)[-2:] == ["listener_node_mismatch u3", "listener_update s"]


def test_a_subscription_keeps_its_id_and_a_foreign_node_cannot_speak_for_it() -> None:
    play = RelayPlay(ready="ABNM")
    play.subscribe("A", "s")
    play.command("A", "s")
    play.command("B", "s")
    play.update("s", "M")
    assert play.got("A")[-1] == "request_id_in_use s"
    assert play.got("B") == ["request_id_in_use s"]
    assert play.got("M") == ["listener_node_mismatch s"]


def test_a_gone_subscribers_listeners_are_turned_off_and_inherited_by_nobody() -> None:
    play = RelayPlay()
    play.subscribe("A", "s1")
    play.command("A", "s2", None, SUB, inner={"listener": "chat"})
    play.join("A")
    play.cut("A", 0)
    frame = play.frames("N")[-1]
    assert frame["payload"] == {
        "targetNodeId": "node_n",
        "action": UNSUB,
        "payload": {"targetRequestId": "s1"},
        "timeoutMs": 5000,
    }
    assert "replayNonce" not in frame["payload"]
    play.result("s2", action=SUB)
    assert play.got("N")[-1] == "listener.unsubscribe s2"
    play.update("s1")
    assert play.got("N") == ["listener_not_found s1"]
    play.result(frame["requestId"], action=UNSUB)
    assert play.got("A", 1) == []


def test_a_lost_node_ends_listeners_and_says_so() -> None:
    play = RelayPlay()
    play.subscribe("A", "s")
    play.got("A")
    play.cut("N")
    assert play.got("A") == ["listener_ended s"]
    assert play.last("A") == {"type": "listener_ended", "reason": "node_disconnected"}
    play.join("N")
    play.update("s")
    assert play.got("N") == ["listener_not_found s"]


def test_a_cancelled_waiting_unsubscribe_changes_nothing() -> None:
    play = RelayPlay()
    play.subscribe("A", "s")
    play.command("A", "k")
    play.unsubscribe("A", "u", "s", "T1")
    play.cancel("A", "c", "u")
    play.result("k")
    play.update("s")
    assert play.got("A")[-1] == "listener_update s"
    play.unsubscribe("A", "u2", "s")
    play.result("u2", action=UNSUB)
    play.update("s")
    assert play.got("N")[-1] == "listener_not_found s"


def streaming(**more: Any) -> RelayPlay:
    """A's test t has a stream of two listeners; s1 is bound to it."""
    play = RelayPlay(**more)
    play.command("A", "t", "T1", TEST)
    play.result("t", action=TEST, data=MANIFEST)
    play.subscribe("A", "s1", "T1")
    play.got("A")
    play.got("N")
    return play


def test_the_owner_cancels_a_stream_with_all_that_is_bound_to_it() -> None:
    play = streaming()
    play.subscribe("A", "other", "T2")
    play.command("A", "s2", "T1", SUB, inner={"listener": "typing"})
    play.got("A")
    play.got("N")
    play.cancel("B", "c1", "t")
    play.cancel("A", "c2", "t")
    assert play.got("B") == ["command_owner_mismatch c1"]
    assert play.got("A") == ["stream_ended t", "cancel_ack c2"]
    assert play.frames("A")[-2]["payload"]["reason"] == "cancelled"
    assert play.last("A")["status"] == "cancelled"
    assert play.got("N") == ["listener.unsubscribe s1"]
    play.update("s1")
    play.result("s2", action=SUB)
    play.update("other")
    assert play.got("N") == ["listener_not_found s1", "listener.unsubscribe s2"]
    assert play.got("A") == ["result s2", "listener_update other"]
    play.cancel("A", "c3", "t")
    assert play.got("A") == ["command_not_found c3"]


def test_a_stream_ends_when_one_of_its_subscribes_fails_or_takes_too_long() -> None:
    for how in ("failed", "timed_out"):
        play = streaming()
        play.command("A", "s2", "T1", SUB, inner={"listener": "typing"}, timeoutMs=1000)
        if how == "failed":
            play.failure("s2")
        else:
            play.run(1000)
        heard = play.got("A")
        assert heard[-1] == "stream_ended t"
        assert play.last("A")["reason"] == how
        assert play.got("A") == []


def test_a_stream_ends_with_its_node_and_its_end_is_no_second_result() -> None:
    play = streaming()
    play.cut("N")
    assert play.got("A") == ["listener_ended s1", "stream_ended t"]
    assert play.last("A")["reason"] == "node_disconnected"


def test_a_stream_belongs_to_its_session_and_keeps_the_id_of_its_test() -> None:
    play = streaming()
    play.command("A", "t")
    assert play.got("A") == ["request_id_in_use t"]
    play.cut("A")
    assert play.got("N") == ["listener.unsubscribe s1", "primitive.tab.close_owned ctl_a"]
    play.join("A")
    play.cancel("A", "c", "t")
    assert play.got("A") == ["command_not_found c"]


def test_a_manifest_that_is_none_begins_no_stream() -> None:
    play = RelayPlay()
    none: list[Any] = [{}, {"stream": {}}, {"stream": {"listeners": [1]}}, None]
    for number, data in enumerate(none):
        play.command("A", f"t{number}", "T1", TEST)
        play.result(f"t{number}", action=TEST, data=data)
        play.cancel("A", "c", f"t{number}")
        assert play.got("A")[-1] == "command_not_found c"


def test_a_stream_ends_once_however_many_of_its_subscribes_fail() -> None:
    play = streaming()
    for id in ("s2", "s3"):
        play.command("A", id, "T1", SUB, inner={"listener": "typing"})
        play.failure(id)
    play.cancel("A", "c", "t")
    assert play.got("A") == [
        "routed s2",
        "command_failed s2",
        "stream_ended t",
        "routed s3",
        "command_failed s3",
        "command_not_found c",
    ]


def test_only_the_good_and_timely_result_of_a_test_begins_a_stream() -> None:
    play = RelayPlay()
    play.command("A", "t1", "T1", "command.run")
    play.result("t1", data=MANIFEST)
    play.command("A", "t2", "T1", TEST)
    play.result("t2", action=TEST, data=MANIFEST, ok=False)
    play.command("A", "t3", "T1", TEST, timeoutMs=1000)
    play.run(1000)
    play.result("t3", action=TEST, data=MANIFEST)
    play.got("A")
    for id in ("t1", "t2", "t3"):
        play.cancel("A", f"c-{id}", id)
    assert play.got("A") == [f"command_not_found c-t{n}" for n in (1, 2, 3)]


def test_without_the_rule_a_lost_stream_is_a_second_result_that_failed() -> None:
    for lose, outcome in ((True, "failed"), (False, "cancelled")):
        play = streaming(off=("stream_ends_by_event",))
        if lose:
            play.cut("N")
        else:
            play.cancel("A", "c", "t")
        results = [wire for wire in play.frames("A") if short(wire) == "result t"]
        assert len(results) == 2
        assert results[-1]["payload"]["commandOutcome"] == outcome


def test_an_inherited_stream_without_an_heir_is_refused() -> None:
    play = RelayPlay(off=("updates_to_their_session",))
    play.subscribe("A", "s")
    play.cut("A")
    play.update("s")
    assert play.got("N")[-1] == "listener_not_found s"
