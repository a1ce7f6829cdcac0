"""Anything in any order, the relay interrupted at every op: no two ends, no two at one tab."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from sim.core.event import ConnectionClosed, FrameDelivered, FrameSent
from sim.world import fault
from tests.protocols.relay.relay_play import OPEN, RUN, SUB, TEXT, UNSUB, RelayPlay, message

Wire = dict[str, Any]


class Storm(RelayPlay):
    """Random deeds of everybody, random steps of the world between them."""

    def __init__(self, seed: int, *off: str) -> None:
        super().__init__(seed=seed, ready="ABNM", off=off)
        self.chance = random.Random(seed)
        self.count = 0
        self.asked = ["none"]
        self.world.preempt = True

    def rage(self, deeds: int) -> None:
        while deeds:
            if self.chance.random() < 0.08:
                deeds -= 1
                self.deed()
            else:
                self.move()
        self.world.preempt = False
        self.driver.drain()

    def move(self) -> None:
        """One step of the world; timers that are far off rarely."""
        choices = self.world.enabled()
        near = [
            one for one in choices if one.item is None or one.item.due < self.world.now + 50_000
        ]
        pick = near if self.chance.random() < 0.998 else choices
        if pick:
            self.world.apply(self.chance.choice(pick))

    def deed(self) -> None:
        who = self.chance.choice("AABBNNNNM")
        if self.chance.random() < 0.04:
            self.upheaval(who)
        elif who in "AB":
            self.controller(who)
        else:
            self.node(who)

    def upheaval(self, who: str) -> None:
        """A new connection; often the old one breaks before or after it."""
        conns = self.puppet(who).conns
        if self.chance.random() < 0.6 and conns[-1].is_open:
            fault.cut(self.world, conns[-1].link, self.chance.choice(["fin", "rst"]))
        self.world.act(who, "join")

    def controller(self, who: str) -> None:
        self.count += 1
        id, tab = f"{who}{self.count}", self.chance.choice(["T1", "T2"])
        old = self.chance.choice(self.asked[-5:])
        self.asked.append(id)
        place = {"targetNodeId": self.chance.choice(["node_n", "node_n", "node_m"])}
        inner: Wire = {"targetRequestId": old, "listener": "chat", "url": "u"}
        action = self.chance.choice([TEXT, TEXT, RUN, SUB, SUB, SUB, UNSUB, UNSUB, OPEN])
        command = {"action": action, "payload": inner, "timeoutMs": 5000, **place}
        command |= {"waitPolicy": self.chance.choice(["fail_fast", "wait_with_timeout"])}
        command |= {"tabSessionId": tab} if action != OPEN else {}
        kind, payload = self.chance.choice(
            [("command", command)] * 12
            + [("tab_lock", {**place, "tabSessionId": tab, "lockLeaseMs": 200})]
            + [("tab_unlock", {**place, "tabSessionId": tab})]
            + [("command_cancel", {"targetRequestId": old})] * 3
            + [("hello", {"role": "controller"}), ("auth", {"accessToken": f"token-{who}"})]
        )
        if kind == "command" and self.chance.random() < 0.1:
            id = old
        self.put(who, kind, id, {**payload, "replayNonce": f"n{self.count}"})

    def node(self, who: str) -> None:
        """Mostly an answer to something it was sent."""
        had = [wire for wire in self.frames(who) if wire["messageType"] == "command"]
        if not had or self.chance.random() < 0.05:
            kind, payload = self.chance.choice(
                [("hello", {"role": "node"}), ("auth", {"accessToken": f"token-{who}"})]
            )
            self.put(who, kind, "x", payload)
            return
        to = self.chance.choice(had[-4:])
        answer: Wire = {"ok": True, "durationMs": 1, "action": to["payload"]["action"]}
        failed = {"category": "execution", "code": "command_failed", "message": ""}
        update = {"type": "listener_update", "data": 1}
        kind, payload = self.chance.choice(
            [("result", answer)] * 6 + [("error", failed)] + [("event", update)] * 3
            + [("event", {"type": "progress"})]
        )  # fmt: skip
        self.put(who, kind, to["requestId"], payload)

    def put(self, who: str, kind: str, id: str, payload: Wire) -> None:
        nth = -1 if self.chance.random() < 0.9 else 0
        self.world.act(who, (nth, message(self.frame(who, kind, id, payload))))


def wrong(play: RelayPlay) -> list[str]:
    """What a trace has that no trace may have."""
    return [*_two_ends(play), *_two_in_one_tab(play)]


def _two_ends(play: RelayPlay) -> list[str]:
    """More terminal frames than commands of that requestId on one connection."""
    asked: Counter[tuple[str, str]] = Counter()
    ended: Counter[tuple[str, str]] = Counter()
    again: Counter[tuple[str, str]] = Counter()
    closed: dict[str, None] = {}
    for event in play.world.events:
        if isinstance(event, ConnectionClosed):
            closed[event.link] = None
        if isinstance(event, FrameDelivered) and event.receiver == "R":
            sent: Any = play.world.events[event.sent]
            asked[event.link, sent.frame.wire["requestId"]] += 1
        if isinstance(event, FrameSent) and event.sender == "R":
            wire = event.frame.wire
            place = event.link, wire["requestId"]
            kind = wire["messageType"]
            ended[place] += kind in ("result", "error")
            again[place] += kind not in ("result", "error", "event", "command", "command_cancel")
            again[place] += wire["payload"].get("type") in (
                "duplicate_ignored", "cancel_ack", "lock_acquired", "lock_renewed", "lock_released",
            )  # fmt: skip
    found = [f"{place}: {n} ends" for place, n in ended.items() if n > asked[place]]
    for place, n in asked.items():
        answered = ended[place] + again[place]
        peer = place[0].split(".")[0]
        if peer in "AB" and answered != n and place[0] not in closed:
            found.append(f"{place}: asked {n} times, {answered} answers")
    return found


def _two_in_one_tab(play: RelayPlay) -> list[str]:
    """A command that goes to a tab before the answer for the last one has come."""
    found = []
    at_work: dict[tuple[str, str], str] = {}
    for event in play.world.events:
        if isinstance(event, FrameSent) and event.sender == "R":
            payload = event.frame.wire["payload"]
            tab, id = payload.get("tabSessionId"), event.frame.wire["requestId"]
            if event.frame.type == "command" and tab:
                if (event.link, tab) in at_work:
                    found.append(f"{id} beside {at_work[event.link, tab]} in {event.link} {tab}")
                at_work[event.link, tab] = id
        elif isinstance(event, FrameDelivered) and event.receiver == "R":
            sent: Any = play.world.events[event.sent]
            if event.type in ("result", "error"):
                id = sent.frame.wire["requestId"]
                for place in [p for p, one in at_work.items() if p[0] == event.link and one == id]:
                    del at_work[place]
    return found


@pytest.mark.parametrize("seed", range(16))
def test_no_storm_breaks_the_order_or_leaves_anything_behind(seed: int) -> None:
    storm = Storm(seed)
    storm.rage(150)
    for _ in range(10):
        storm.run(1000)
    assert wrong(storm) == []
    storm.run(300_000)
    books = storm.relay.board.books
    assert books.sessions.all() == []
    left = [books.work.at_node(conn.name) for who in "NM" for conn in storm.puppet(who).conns]
    assert not any(left)
    assert books.errands == {}
    assert books.locks.expire(10**15) == []
    assert not storm.relay.board.conns
    assert storm.world.hosts["R"].timers == {}


def test_the_storms_reach_what_they_are_about() -> None:
    heard: Counter[str] = Counter()
    for seed in range(6):
        storm = Storm(seed)
        storm.rage(150)
        storm.run(6000)
        for _, _, wire in storm.heard:
            payload = wire["payload"]
            heard[payload.get("code") or payload.get("type") or wire["messageType"]] += 1
    rare = {"result", "queued", "routed", "tab_locked", "tab_busy", "node_disconnected"}
    rare |= {"command_timed_out", "queue_wait_timed_out", "lock_acquired", "lock_expired"}
    rare |= {"listener_update", "listener_not_found", "cancel_ack", "command_not_found"}
    rare |= {"request_id_in_use", "command_owner_mismatch"}
    assert rare - set(heard) == set()


@pytest.mark.parametrize(
    ("rule", "fault"),
    [
        ("tab_waits_for_late_answer", " beside "),
        ("late_answer_dropped", " ends"),
        ("one_terminal_at_cancel", " ends"),
        ("every_cancel_answered", " answers"),
    ],
)
def test_a_storm_shows_what_a_rule_that_is_off_was_good_for(rule: str, fault: str) -> None:
    for seed in range(12):
        storm = Storm(seed, rule)
        storm.rage(150)
        storm.run(10_000)
        if any(fault in one for one in wrong(storm)):
            return
    pytest.fail(f"no storm shows that {rule} is off")
