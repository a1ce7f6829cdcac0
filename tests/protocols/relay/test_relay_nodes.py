"""The relay twin: nodes that are lost, that come back, and who is which node."""

from __future__ import annotations

from sim.world import fault
from tests.protocols.relay.relay_play import OPEN, RelayPlay


def test_a_lost_node_ends_its_running_and_its_waiting_work_at_once_in_order() -> None:
    play = RelayPlay()
    play.command("A", "k1")
    play.command("B", "k2")
    play.command("A", "k3", "T2")
    play.command("A", "k4")
    play.got("A")
    play.cut("N")
    assert play.got("A") == [f"node_disconnected k{n}" for n in (1, 3, 4)]
    assert play.got("B") == ["queued k2", "node_disconnected k2"]
    told = play.last("A")
    assert (told["category"], told["retryable"]) == ("execution", True)
    play.join("N")
    play.command("B", "k5")
    assert play.got("N") == ["command k5"]
    play.command("A", "k1", "T2")
    assert play.got("A") == ["routed k1"]


def test_a_hello_displaces_nobody() -> None:
    play = RelayPlay()
    play.dial("M")
    play.say("M", "hello", "h", role="node", nodeId="node_n")
    play.say("M", "auth", "a", accessToken="token-X")
    play.command("A", "k")
    assert play.got("N") == ["command k"]
    assert play.got("M") == ["hello_ack h", "invalid_access_token a"]


def test_the_auth_of_a_node_displaces_its_older_session_and_ends_what_ran_there() -> None:
    play = RelayPlay()
    play.command("A", "k1")
    play.command("B", "k2")
    play.got("A")
    play.join("N")
    assert play.got("A") == ["node_disconnected k1"]
    assert play.got("B") == ["queued k2", "node_disconnected k2"]
    assert play.closed == [("N", 0, 4001)]
    play.result("k1", nth=0)
    play.command("A", "k3")
    assert play.got("A") == ["routed k3"]
    assert play.got("N") == ["command k3"]
    assert play.got("N", 0) == ["command k1"]


def test_a_half_open_socket_of_a_node_keeps_no_work_hanging_when_it_dies_later() -> None:
    play = RelayPlay()
    play.cut("N", how="silent")
    play.command("A", "k1")
    play.join("N")
    assert play.got("A") == ["routed k1", "node_disconnected k1"]
    play.run(15_000)
    fault.heal(play.world, play.puppet("N").conns[0].link)
    play.run(100)
    assert play.closed == [("N", 0, 4001)]
    play.command("A", "k2")
    assert play.got("N") == ["command k2"]


def test_a_silent_node_is_lost_like_any_peer() -> None:
    play = RelayPlay()
    play.run(10_000)
    play.command("A", "k", timeoutMs=60_000)
    play.run(13_950)
    assert play.got("A") == ["routed k"]
    play.run(40)
    assert play.got("A") == ["node_disconnected k"]
    assert play.closed[-1] == ("N", 0, 1001)


def test_a_second_auth_of_a_node_changes_nothing() -> None:
    play = RelayPlay()
    play.command("A", "k")
    play.say("N", "auth", "again", accessToken="token-N")
    assert play.got("N") == ["command k", "auth_ack again"]
    play.result("k")
    assert play.got("A") == ["routed k", "result k"]


def test_tabs_of_a_gone_controller_are_closed_at_every_node_that_is_there() -> None:
    play = RelayPlay(ready="ABNM")
    play.command("A", "o", None, OPEN, inner={"url": "u"})
    play.result("o", action=OPEN)
    play.cut("A")
    assert play.got("N") == ["command o", "primitive.tab.close_owned ctl_a"]
    assert play.got("M") == ["primitive.tab.close_owned ctl_a"]
    frame = play.frames("N")[-1]
    assert frame["payload"] == {
        "targetNodeId": "node_n",
        "action": "primitive.tab.close_owned",
        "payload": {"controllerClientId": "ctl_a"},
        "timeoutMs": 10_000,
        "waitPolicy": "fail_fast",
    }
    play.result(frame["requestId"], action=frame["payload"]["action"])
    assert play.got("B") == []


def test_a_frozen_controller_is_cleaned_up_after_at_the_limit() -> None:
    play = RelayPlay()
    play.command("A", "o", None, OPEN, inner={"url": "u"})
    play.command("A", "w1")
    play.command("A", "w2")
    play.lock("A", "l", 60_000, tab="T2")
    began = play.world.now
    play.run(20_000)
    play.say("B", "ping", "p")
    play.say("N", "ping", "p")
    play.run(4_000)
    heard = [wire["payload"].get("action") for _, wire in play.timed("N")]
    assert heard[-1] == "primitive.tab.close_owned"
    assert abs(play.timed("N")[-1][0] - (began - 10_000 + 1_000 + 24_000_000 + 1_000)) <= 1_000
    play.lock("B", "l2", tab="T2")
    play.result("w1")
    assert play.got("B")[-1] == "lock_acquired l2"
    assert "command w2" not in play.got("N")


def test_an_identity_that_lives_on_in_another_session_keeps_its_tabs() -> None:
    play = RelayPlay()
    play.command("A", "o1", None, OPEN, inner={"url": "u"})
    play.join("A")
    play.command("A", "o2", None, OPEN, inner={"url": "u"})
    play.cut("A", 0)
    assert play.got("N") == ["command o1", "command o2"]
    play.cut("A", 1)
    assert play.got("N") == ["primitive.tab.close_owned ctl_a"]


def test_a_node_that_was_away_is_told_when_it_is_back() -> None:
    play = RelayPlay()
    play.command("A", "o", None, OPEN, inner={"url": "u"})
    play.cut("N")
    play.cut("A")
    play.join("N")
    assert play.frames("N")[-1]["payload"]["payload"] == {"controllerClientId": "ctl_a"}
    play.result(play.frames("N")[-1]["requestId"])
    play.cut("N")
    play.join("N")
    assert len(play.frames("N")) == 2


def test_a_node_that_is_back_spares_who_is_back_too_until_that_one_ends() -> None:
    play = RelayPlay()
    play.command("A", "o", None, OPEN, inner={"url": "u"})
    play.cut("N")
    play.cut("A")
    play.join("A")
    play.join("N")
    assert len(play.frames("N")) == 2
    play.cut("A")
    assert play.got("N") == ["primitive.tab.close_owned ctl_a"]


def test_a_cleanup_that_was_lost_with_its_node_is_asked_for_again() -> None:
    play = RelayPlay()
    play.command("A", "o", None, OPEN, inner={"url": "u"})
    play.cut("N", how="silent")
    play.cut("A")
    play.join("N")
    assert play.got("N", 0) == ["command o"]
    assert play.frames("N")[-1]["payload"]["action"] == "primitive.tab.close_owned"


def test_controllers_close_no_owned_tabs() -> None:
    play = RelayPlay()
    payload = {"controllerClientId": "ctl_b"}
    play.command("A", "x", None, "primitive.tab.close_owned", inner=payload)
    assert play.got("A") == ["forbidden_action x"]
    assert play.got("N") == []


def test_what_a_gone_controller_had_waiting_is_never_sent_and_what_runs_keeps_its_tab() -> None:
    play = RelayPlay()
    play.command("A", "k1")
    play.command("A", "k2")
    play.command("B", "k3")
    play.cut("A")
    assert play.got("B") == ["queued k3"]
    play.command("B", "k4", waits=False)
    play.result("k1")
    assert play.got("B") == ["tab_busy k4", "routed k3"]
    assert [told for told in play.got("N") if "command" in told] == ["command k1", "command k3"]


def test_an_orphan_is_stopped_at_its_budget_and_its_answer_is_for_nobody() -> None:
    play = RelayPlay()
    play.command("A", "k1", timeoutMs=1000)
    play.cut("A")
    play.join("A")
    play.command("B", "k2")
    play.got("N")
    play.run(1000)
    assert play.got("N") == ["cancel k1"]
    play.result("k1")
    assert play.got("N") == ["command k2"]
    assert play.got("A") == []
