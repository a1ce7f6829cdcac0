"""What happens to a relay when a rule is off: one short story per fault, told by its frames."""

from __future__ import annotations

from typing import Any

from sim.protocols.relay.predicates import iso_timestamp
from tests.protocols.relay.relay_play import OPEN, SUB, UNSUB, RelayPlay

Told = list[str]

TEST = "command.test"
LIST: dict[str, Any] = {"targetNodeId": "node_n", "action": "command.list", "payload": {}}


def poison(play: RelayPlay) -> Told:
    play.send("A", "null")
    play.say("B", "ping", "p")
    return play.got("B")


def other_role(play: RelayPlay) -> Told:
    play.send("A", play.frame("A", "ping", "p", {}) | {"senderRole": "node"})
    return play.got("A")


def old_lock(play: RelayPlay) -> Told:
    payload = {"targetNodeId": "node_n", "tabSessionId": "T1"}
    frame = play.frame("A", "tab_lock", "l", payload)
    play.send("A", frame | {"timestamp": iso_timestamp(play.now_ms() - 3_600_000)})
    return play.got("A")


def jumping_clock(play: RelayPlay) -> Told:
    for number, off in enumerate((55_000, 0)):
        frame = play.frame("A", "ping", f"p{number}", {})
        play.send("A", frame | {"timestamp": iso_timestamp(play.now_ms() + off)})
    return play.got("A")


def second_hello(play: RelayPlay) -> Told:
    play.command("A", "k")
    play.say("A", "hello", "h", role="controller")
    play.result("k")
    play.say("A", "ping", "p")
    return play.got("A")


def pipelined(play: RelayPlay) -> Told:
    play.dial("C")
    play.say("C", "hello", "h", role="controller", wait=0)
    play.say("C", "auth", "a", accessToken="token-C", wait=0)
    play.command("C", "k")
    return play.got("C")


def stolen_refresh(play: RelayPlay) -> Told:
    play.say("B", "refresh", "r", refreshToken="refresh-A")
    return play.got("B")


def replay_on_new_session(play: RelayPlay) -> Told:
    play.say("A", "command", "k1", replayNonce="n", **LIST)
    play.join("A")
    play.say("A", "command", "k2", replayNonce="n", **LIST)
    return play.got("A")


def replay_of_the_future(play: RelayPlay) -> Told:
    frame = play.frame("A", "command", "k", {**LIST, "replayNonce": "n"})
    frame["timestamp"] = iso_timestamp(play.now_ms() + 55_000)
    play.send("A", frame)
    for _ in range(4):
        play.run(20_000)
        play.say("A", "ping", "p")
        play.say("N", "ping", "p")
    play.send("A", frame | {"requestId": "again"})
    return play.got("A")[-1:]


def frozen(play: RelayPlay) -> Told:
    play.command("A", "k1")
    play.command("A", "k2")
    for _ in range(3):
        play.run(9_000)
        play.say("N", "ping", "p")
    play.result("k1")
    return [told for told in play.got("N") if "pong" not in told and "ctl_b" not in told]


def frozen_subscriber(play: RelayPlay) -> Told:
    play.subscribe("A", "s")
    for _ in range(4):
        play.run(9_000)
        play.update("s")
    return [who for who, _, _ in play.closed if who == "A"]


def frozen_node(play: RelayPlay) -> Told:
    play.command("A", "k", timeoutMs=60_000)
    for _ in range(4):
        play.run(9_000)
        play.say("A", "ping", "p")
    return [told for told in play.got("A") if "pong" not in told]


def stranger_says_hello(play: RelayPlay) -> Told:
    play.dial("M")
    play.say("M", "hello", "h", role="node", nodeId="node_n")
    play.command("A", "k")
    return play.got("A")


def displaced(play: RelayPlay) -> Told:
    play.command("A", "k1", timeoutMs=2000)
    play.join("N")
    play.command("A", "k2", "T2")
    play.run(2000)
    return play.got("A")


def lost_node(play: RelayPlay) -> Told:
    play.command("A", "k1", timeoutMs=2000)
    play.command("A", "k2", timeoutMs=3000)
    play.cut("N")
    play.join("N")
    play.command("A", "k3", timeoutMs=4000)
    play.run(3500)
    return play.got("A")[2:]


def forged(play: RelayPlay) -> Told:
    play.join("M")
    play.command("A", "k")
    play.result("k", "M", data={"forged": True})
    return play.got("A")


def same_id(play: RelayPlay) -> Told:
    play.command("A", "same", "T1")
    play.command("B", "same", "T2")
    play.result("same")
    return [f"A {told}" for told in play.got("A")] + [f"B {told}" for told in play.got("B")]


def resent(play: RelayPlay) -> Told:
    play.command("A", "k")
    play.command("A", "k")
    return play.got("N")


def three_in_a_row(play: RelayPlay) -> Told:
    for number in range(1, 4):
        play.command("A", f"k{number}")
    play.result("k1")
    return play.got("N")


def two_tabs(play: RelayPlay) -> Told:
    play.command("A", "k1", "T1")
    play.command("A", "k2", "T2")
    return play.got("N")


def inner_tab(play: RelayPlay) -> Told:
    play.command("A", "k1", None, "command.run", inner={"tabSessionId": "T1"})
    play.command("A", "k2", "T1")
    return play.got("N")


def crowded(play: RelayPlay) -> Told:
    for number in range(1, 4):
        play.command("A", f"k{number}")
    return play.got("A")[2:]


def crowded_tabs(play: RelayPlay) -> Told:
    for tab in ("T1", "T2"):
        for number in range(1, 3):
            play.command("A", f"{tab}.{number}", tab)
    return play.got("A")[3:]


def long_wait(play: RelayPlay) -> Told:
    play.command("A", "k1", timeoutMs=9000)
    play.command("B", "k2", timeoutMs=2000)
    play.run(1500)
    play.result("k1")
    play.run(1500)
    play.result("k2")
    return play.got("B")[2:]


def vain_wait(play: RelayPlay) -> Told:
    play.command("A", "k1", timeoutMs=9000)
    play.command("B", "k2", timeoutMs=1000)
    play.run(1500)
    play.result("k1")
    return play.got("N")


def late(play: RelayPlay) -> Told:
    play.command("A", "k1", timeoutMs=1000)
    play.command("B", "k2", timeoutMs=9000)
    play.run(1100)
    told = play.got("N")
    play.result("k1")
    return [*told, *play.got("A")]


def progress(play: RelayPlay) -> Told:
    play.command("A", "k")
    play.say("N", "event", "k", type="progress")
    return play.got("A")


def foreign_cancel(play: RelayPlay) -> Told:
    play.command("A", "k1")
    play.command("A", "k2")
    play.cancel("B", "c", "k2")
    return play.got("A")


def cancel_of_running(play: RelayPlay) -> Told:
    play.command("A", "k")
    play.cancel("A", "c", "k")
    play.result("k")
    return play.got("A")


def late_cancel(play: RelayPlay) -> Told:
    play.cancel("A", "c", "gone")
    return play.got("A")


def gone_with_queue(play: RelayPlay) -> Told:
    play.command("B", "k1")
    play.command("A", "k2")
    play.cut("A")
    play.result("k1")
    return play.got("N")


def flapping(play: RelayPlay) -> Told:
    play.join("A")
    play.cut("A", 0)
    return play.got("N")


def absent_node(play: RelayPlay) -> Told:
    play.command("A", "o", None, OPEN, inner={"url": "u"})
    play.cut("N")
    play.cut("A")
    play.dial("N")
    play.say("N", "hello", "h", role="node")
    play.say("N", "auth", "a", accessToken="token-N")
    return play.got("N")


def both_back(play: RelayPlay) -> Told:
    play.command("A", "o", None, OPEN, inner={"url": "u"})
    play.cut("N")
    play.cut("A")
    play.join("A")
    play.join("N")
    return [wire["messageType"] for wire in play.frames("N")]


def forged_owner(play: RelayPlay) -> Told:
    play.command("A", "o", None, OPEN, inner={"url": "u", "__controllerClientId": "ctl_b"})
    return [play.last("N")["payload"]["__controllerClientId"]]


def closes_all(play: RelayPlay) -> Told:
    play.command("A", "k", None, "primitive.tab.close_owned", inner={"controllerClientId": "x"})
    return play.got("A")


def two_lockers(play: RelayPlay) -> Told:
    play.lock("A", "l1")
    play.lock("B", "l2")
    return play.got("B")


def locked_out(play: RelayPlay) -> Told:
    play.lock("A", "l")
    play.command("B", "k")
    return play.got("B")


def silent_lease(play: RelayPlay) -> Told:
    play.lock("A", "l1", 400)
    play.run(1000)
    play.lock("B", "l2", 400)
    return play.got("A") + play.got("B")


def lease_over_work(play: RelayPlay) -> Told:
    play.lock("A", "l", 400)
    play.command("A", "k")
    play.run(500)
    play.result("k")
    return play.got("A")[2:]


def foreign_unlock(play: RelayPlay) -> Told:
    play.lock("A", "l1")
    play.unlock("B", "u")
    play.lock("B", "l2")
    return play.got("B")


def gone_with_lock(play: RelayPlay) -> Told:
    play.lock("A", "l1", 30_000)
    play.cut("A")
    play.lock("B", "l2")
    return play.got("B")


def early_update(play: RelayPlay) -> Told:
    play.command("A", "s", None, SUB, inner={"listener": "chat"})
    play.update("s")
    return play.got("A")


def ghost(play: RelayPlay) -> Told:
    play.subscribe("A", "s")
    play.unsubscribe("A", "u", "s")
    play.result("u", action=UNSUB)
    play.update("s")
    return play.got("A")[3:]


def queued_ghost(play: RelayPlay) -> Told:
    play.subscribe("A", "s")
    play.command("A", "k")
    play.unsubscribe("A", "u", "s", "T1")
    play.result("k")
    play.result("u", action=UNSUB)
    play.update("s")
    return play.got("A")[-1:]


def heir(play: RelayPlay) -> Told:
    play.subscribe("A", "s")
    play.join("A")
    play.cut("A", 0)
    play.update("s")
    return play.got("A")


def gone_subscriber(play: RelayPlay) -> Told:
    play.subscribe("A", "s")
    play.join("A")
    play.cut("A", 0)
    return play.got("N")


def lost_listener(play: RelayPlay) -> Told:
    play.subscribe("A", "s")
    play.cut("N")
    return play.got("A")[2:]


def stream_cancel(play: RelayPlay) -> Told:
    manifest = {"stream": {"listeners": [{"listener": "chat"}]}}
    play.command("A", "t", "T1", TEST)
    play.result("t", action=TEST, data=manifest)
    play.subscribe("A", "s", "T1")
    play.got("A")
    play.cancel("A", "c", "t")
    play.update("s")
    return play.got("A")
