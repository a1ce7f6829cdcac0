"""The relay twin: command_cancel, each answered, none with two ends."""

from __future__ import annotations

from tests.protocols.relay.relay_play import TEXT, RelayPlay


def test_waiting_work_ends_here_and_running_work_at_its_node() -> None:
    play = RelayPlay()
    play.command("A", "k1")
    play.command("A", "k2")
    play.command("A", "k3")
    play.got("A")
    play.cancel("A", "c2", "k2")
    assert play.got("A") == ["command_cancelled k2", "cancel_ack c2"]
    assert play.last("A") == {"type": "cancel_ack", "targetRequestId": "k2", "status": "cancelled"}
    play.cancel("A", "c1", "k1")
    assert play.got("A") == ["cancel_ack c1"]
    assert play.last("A")["status"] == "forwarded"
    stop = play.frames("N")[-1]
    assert (stop["requestId"], stop["senderRole"]) == ("c1", "relay")
    assert stop["payload"] == {"targetRequestId": "k1", "nodeId": "node_n", "action": TEXT}
    play.failure("k1", code="command_cancelled")
    assert play.got("A") == ["command_cancelled k1", "routed k3"]
    assert play.got("N") == ["command k1", "cancel k1", "command k3"]


def test_a_cancel_of_what_is_over_or_never_was_is_answered_too() -> None:
    play = RelayPlay()
    play.command("A", "k1")
    play.result("k1")
    play.cancel("A", "c1", "k1")
    play.cancel("A", "c2", "never")
    play.say("A", "command_cancel", "c3")
    play.say("N", "command_cancel", "c4", targetRequestId="k1")
    assert play.got("A")[2:] == [
        "command_not_found c1",
        "command_not_found c2",
        "missing_target_request c3",
    ]
    assert play.got("N")[1:] == ["forbidden_role c4"]


def test_only_the_identity_that_owns_a_command_cancels_it_from_any_of_its_sessions() -> None:
    play = RelayPlay()
    play.command("A", "k1")
    play.command("A", "k2")
    play.cancel("B", "c1", "k1")
    play.cancel("B", "c2", "k2")
    assert play.got("B") == ["command_owner_mismatch c1", "command_owner_mismatch c2"]
    play.join("A")
    play.cancel("A", "c3", "k2")
    play.cancel("A", "c4", "k1")
    assert play.got("A", 0)[-1] == "command_cancelled k2"
    assert play.got("A", 1) == ["cancel_ack c3", "cancel_ack c4"]
    play.cut("A", 0)
    play.cancel("A", "c5", "k1")
    assert play.got("A", 1) == ["cancel_ack c5"]


def test_a_cancel_that_crosses_the_result_makes_no_second_end() -> None:
    play = RelayPlay()
    play.command("A", "k")
    play.got("A")
    play.result("k", wait=0)
    play.cancel("A", "c", "k")
    assert sorted(play.got("A")) == ["command_not_found c", "result k"]


def test_a_node_that_goes_on_says_so_to_the_canceller() -> None:
    play = RelayPlay()
    play.command("A", "k")
    play.join("A")
    play.cancel("A", "c", "k")
    play.say("N", "event", "c", type="cancellation_rejected", targetRequestId="k", reason="r")
    play.say("N", "event", "z", type="cancellation_rejected", targetRequestId="k")
    assert play.got("A", 1) == ["cancel_ack c", "cancellation_rejected c"]
    assert play.frames("A")[-1]["senderRole"] == "node"
    play.result("k", nth=-1)
    play.say("N", "event", "c", type="cancellation_rejected", targetRequestId="k")
    assert play.got("A", 1) == []
    assert play.got("A", 0) == ["routed k", "result k"]


def test_a_command_that_was_timed_out_is_over_for_its_canceller() -> None:
    play = RelayPlay()
    play.command("A", "k", timeoutMs=1000)
    play.run(1000)
    play.cancel("A", "c", "k")
    assert play.got("A") == ["routed k", "command_timed_out k", "command_not_found c"]
