"""The relay twin: commands to their nodes and back, tab by tab."""

from __future__ import annotations

from tests.protocols.relay.relay_play import OPEN, RUN, RelayPlay


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
    play.command("A", "r", None, RUN, inner={"site": "s", "command": "c"})
    assert play.last("N")["payload"] == {"site": "s", "command": "c"}
