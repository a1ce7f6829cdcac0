"""The relay twin: commands to their nodes and back, tab by tab."""

from __future__ import annotations

from sim.core.event import FrameSent
from sim.protocols.relay.predicates import epoch_ms
from sim.protocols.relay.relay.plan import Limits
from tests.protocols.relay.relay_play import OPEN, RUN, TEXT, UNSUB, RelayPlay


def test_a_command_goes_to_its_node_as_it_came_and_its_result_comes_back_as_it_came() -> None:
    play = RelayPlay()
    play.command("A", "k1", idempotencyKey="i", further=[1])
    sent = play.frames("N")[-1]
    assert sent["senderRole"] == "controller"
    assert sent["payload"]["further"] == [1]
    assert sent["payload"]["replayNonce"] == "nonce-1"
    assert play.got("A") == ["routed k1"]
    assert play.last("A") == {"type": "routed", "targetNodeId": "node_n", "tabSessionId": "T1"}
    play.result("k1", data={"text": "x"}, warnings=["w"])
    assert play.got("A") == ["result k1"]
    assert play.frames("A")[-1] == {
        **play.frames("A")[-1],
        "senderRole": "node",
        "payload": {
            "ok": True,
            "durationMs": 5,
            "action": "primitive.dom.extract_text",
            "data": {"text": "x"},
            "warnings": ["w"],
        },
    }
    assert play.got("B") == []


def test_one_tab_is_first_in_first_out_over_all_controllers_and_tabs_are_parallel() -> None:
    play = RelayPlay()
    play.command("A", "k1")
    play.command("B", "k2")
    play.command("A", "k3")
    play.command("B", "other", "T2")
    assert play.got("N") == ["command k1", "command other"]
    assert play.got("A") == ["routed k1", "queued k3"]
    assert play.last("A")["queueDepth"] == 2
    play.result("k1")
    assert play.got("N") == ["command k2"]
    assert play.got("A") == ["result k1"]
    assert play.got("B") == ["queued k2", "routed other", "routed k2"]
    play.failure("k2")
    assert play.got("N") == ["command k3"]
    assert play.got("B") == ["command_failed k2"]


def test_the_relay_writes_the_owner_of_a_new_tab_over_whatever_stands_there() -> None:
    play = RelayPlay()
    play.command("A", "o", None, OPEN, inner={"url": "u", "__controllerClientId": "ctl_b"})
    assert play.last("N")["payload"] == {"url": "u", "__controllerClientId": "ctl_a"}
    passed = [one.frame for one in play.world.events if isinstance(one, FrameSent)][-2]
    assert (passed.type, passed.sender) == ("command", "controller")
    assert passed.ts == epoch_ms(passed.wire["timestamp"])
    play.command("A", "r", None, RUN, inner={"site": "s", "command": "c"})
    assert play.last("N")["payload"] == {"site": "s", "command": "c"}


def test_a_busy_tab_refuses_who_will_not_wait_and_says_which_tab() -> None:
    play = RelayPlay()
    play.command("A", "k1")
    play.got("A")
    play.command("A", "k2", waits=False)
    assert play.got("A") == ["tab_busy k2"]
    told = play.last("A")
    assert (told["category"], told["retryable"]) == ("lock_conflict", True)
    about = {"nodeId": "node_n", "tabSessionId": "T1", "action": TEXT}
    assert about.items() <= told.items()
    play.result("k1")
    play.command("A", "k2", waits=False)
    assert play.got("A") == ["result k1", "routed k2"]


def test_a_tab_within_the_payload_counts_for_the_queue() -> None:
    play = RelayPlay()
    play.command("A", "k1", None, RUN, inner={"site": "s", "command": "c", "tabSessionId": "T1"})
    play.command("A", "k2")
    assert play.got("N") == ["command k1"]
    assert play.got("A") == ["routed k1", "queued k2"]


def test_queues_have_limits_per_tab_and_per_session() -> None:
    play = RelayPlay(limits=Limits(auth_check_ms=1, tab_queue=2, controller_queue=3))
    for tab in ("T1", "T2"):
        for number in range(3):
            play.command("A", f"{tab}.{number}", tab)
    play.command("A", "x", "T1")
    play.command("B", "y", "T1")
    play.command("B", "z", "T2")
    heard = play.got("A")
    assert heard[-2:] == ["controller_queue_limit_exceeded T2.2", "tab_queue_limit_exceeded x"]
    assert play.got("B") == ["tab_queue_limit_exceeded y", "queued z"]
    play.cancel("A", "c", "T1.1")
    play.command("A", "x", "T1")
    assert play.got("A") == ["command_cancelled T1.1", "cancel_ack c", "queued x"]


def test_one_budget_covers_waiting_and_running() -> None:
    play = RelayPlay()
    play.command("A", "k1", wait=0)
    play.command("A", "k2", timeoutMs=2000, wait=0)
    play.run(1900)
    play.result("k1", wait=0)
    play.run(50)
    assert play.got("N") == ["command k1", "command k2"]
    play.got("A")
    play.run(100)
    assert play.got("A") == ["command_timed_out k2"]
    at, told = play.timed("A")[-1]
    sent = next(at for at, wire in play.timed("A") if wire["requestId"] == "k2")
    assert at - sent == 2_000_000
    assert "tabSessionId" not in told["payload"]
    assert play.got("N") == ["cancel k2"]


def test_waiting_in_vain_ends_the_command_unsent() -> None:
    play = RelayPlay()
    play.command("A", "k1")
    play.command("B", "k2", timeoutMs=1000)
    play.command("A", "k3")
    play.got("B")
    play.run(1000)
    assert play.got("B") == ["queue_wait_timed_out k2"]
    play.result("k1")
    assert play.got("N") == ["command k1", "command k3"]


def test_an_overdue_command_keeps_its_tab_and_its_id_until_its_node_answers() -> None:
    play = RelayPlay()
    play.command("A", "k1", timeoutMs=1000)
    play.command("B", "k2", timeoutMs=20_000)
    play.run(1100)
    assert play.got("A") == ["routed k1", "command_timed_out k1"]
    assert play.got("N") == ["command k1", "cancel k1"]
    stop = play.frames("N")[-1]
    assert stop["senderRole"] == "relay"
    assert stop["payload"] == {"targetRequestId": "k1", "nodeId": "node_n", "action": TEXT}
    play.command("A", "k1", "T2")
    play.command("B", "k1", "T2")
    assert play.got("A") == ["request_id_in_use k1"]
    assert play.got("B") == ["queued k2", "request_id_in_use k1"]
    play.result("k1")
    assert play.got("A") == []
    assert play.got("N") == ["command k2"]
    play.command("A", "k1", "T2")
    assert play.got("A") == ["routed k1"]


def test_the_same_command_again_is_ignored_while_it_runs_or_waits() -> None:
    play = RelayPlay()
    play.command("A", "k1")
    play.command("A", "k2")
    play.command("A", "k1")
    play.command("A", "k2")
    heard = ["routed k1", "queued k2", "duplicate_ignored k1", "duplicate_ignored k2"]
    assert play.got("A") == heard
    play.result("k1")
    play.result("k2")
    assert play.got("N") == ["command k1", "command k2"]
    assert play.got("A") == ["result k1", "routed k2", "result k2"]


def test_an_id_that_another_session_uses_is_refused_to_the_newcomer_alone() -> None:
    play = RelayPlay()
    play.command("A", "same", "T1")
    play.command("B", "same", "T2")
    assert play.got("B") == ["request_id_in_use same"]
    play.result("same")
    assert play.got("A") == ["routed same", "result same"]
    assert play.got("N") == ["command same"]


def test_only_the_session_that_got_a_command_answers_it_and_only_once() -> None:
    play = RelayPlay(ready="ABNM")
    play.command("A", "k1")
    play.command("A", "k2")
    play.result("k1", "M", data={"forged": True})
    play.result("k2", data={"too": "early"})
    play.say("B", "result", "k1", ok=True, durationMs=1, action=TEXT)
    assert play.got("A") == ["routed k1", "queued k2"]
    assert play.got("B") == ["forbidden_role k1"]
    assert play.got("M") == []
    play.result("k1", data={"real": True})
    play.failure("k1")
    assert play.got("A") == ["result k1", "routed k2"]
    assert play.got("N") == ["command k1", "command k2"]


def test_progress_goes_to_the_owner_until_the_terminal_frame() -> None:
    play = RelayPlay(ready="ABNM")
    play.command("A", "k1")
    play.say("N", "event", "k1", type="progress", percent=40)
    play.say("M", "event", "k1", type="progress", percent=50)
    play.say("N", "event", "k9", type="progress", percent=60)
    play.say("N", "event", "k1", type="lock_acquired", targetNodeId="n", tabSessionId="t",
             lockOwnerControllerId="o", lockLeaseMs=1, lockExpiresAt=1)  # fmt: skip
    play.result("k1")
    play.say("N", "event", "k1", type="progress", percent=70)
    assert play.got("A") == ["routed k1", "progress k1", "result k1"]
    assert play.frames("A")[-2]["payload"] == {"type": "progress", "percent": 40}
    assert play.frames("A")[-2]["senderRole"] == "node"
    assert play.got("N") == ["command k1", "forbidden_role k1"]


def test_commands_of_no_tab_never_wait() -> None:
    play = RelayPlay()
    for number in range(3):
        play.command("A", f"k{number}", None, "command.list", waits=False)
    assert play.got("N") == ["command k0", "command k1", "command k2"]


def test_an_absent_node_is_offline_whatever_the_policy() -> None:
    play = RelayPlay()
    play.command("A", "k1", node="node_m")
    assert play.got("A") == ["node_offline k1"]
    assert play.last("A")["nodeId"] == "node_m"
    assert play.last("A")["retryable"] is True


def test_ids_of_the_relays_own_commands_belong_to_nobody_else() -> None:
    play = RelayPlay(ready="ABN")
    play.subscribe("A", "s")
    play.cut("A")
    own = play.frames("N")[-2]["requestId"]
    assert own.startswith("R-")
    play.command("B", own)
    assert play.got("B") == [f"request_id_in_use {own}"]
    play.result(own, action=UNSUB)
    play.command("B", own)
    play.result(own)
    assert play.got("B") == [f"routed {own}", f"result {own}"]
