"""Anything in any order, everybody interrupted at every op: ends, effects and tabs stay right."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from sim.core.entropy import Stream
from sim.core.event import FrameSent
from sim.protocols.relay.acts import (
    CancelCommand,
    Connect,
    DeclineSignIn,
    Disconnect,
    HangNext,
    LockTab,
    Redial,
    SendCommand,
    SignIn,
    SignOut,
)
from sim.protocols.relay.machine_peer import HANDED_OVER, HANGING, RUNNING
from sim.world import fault
from tests.protocols.relay.twins_play import TwinsPlay

MAIL, BOARD = "https://mail.example/login", "https://board.example/dashboard"
TABS = (("t1", MAIL, ""), ("t2", BOARD, ""), ("t3", "https://example.com/", ""))
FOR_EVER = 1_000_000_000
WAIT = "wait_with_timeout"
INTERCEPT = {
    "listener": "network.http_intercept",
    "options": {"tabSessionId": "t2", "site": "board.example"},
}


class Storm(TwinsPlay):
    """Random acts of everybody, random steps of the world between them."""

    def __init__(self, seed: int) -> None:
        super().__init__(
            seed=seed, preempt=True, thinks_ms=700, tabs=TABS, ledger_memory_ms=FOR_EVER
        )
        self.chance = Stream(seed, "storm")
        self.count = 0

    def rage(self, steps: int) -> None:
        for _ in range(steps):
            turn = self.chance.between(0, 100)
            if turn < 4:
                self.world.act(*self.deed())
            elif turn == 5 and not self.chance.between(0, 2):
                self.cut()
            elif turn == 6 and not self.chance.between(0, 9):
                name = "NA"[self.chance.between(0, 1)]
                fault.crash(self.world, name)
                self.world.boot(name)
            choices = self.world.enabled()
            first = self.chance.between(0, 2)
            pick = 0 if first else self.chance.between(0, min(3, len(choices) - 1))
            self.world.apply(choices[pick])
            self.one_at_a_time()

    def cut(self) -> None:
        links = [one for one in self.world.links.values() if one.client.is_open]
        if links:
            fault.cut(self.world, links[self.chance.between(0, len(links) - 1)])

    def deed(self) -> tuple[str, Any]:
        self.count += 1
        who, kind = "AB"[self.chance.between(0, 1)], self.chance.between(0, 15)
        id = f"{who}-c{self.count}"
        if kind < 5:
            return who, self.counted(id) if kind < 3 else self.waited(id)
        if kind == 5:
            inbox = {"site": "mail.example", "command": "getInbox"}
            return who, SendCommand("command.run", inbox, tab="t1", request=id, wait_policy=WAIT)
        if kind == 6:
            return who, SendCommand("primitive.tab.open", {"url": BOARD}, request=id)
        if kind == 7:
            return who, SendCommand("listener.subscribe", INTERCEPT, tab="t2", request=id)
        if kind == 8:
            return who, CancelCommand(f"{who}-c{self.chance.between(1, self.count)}")
        if kind == 9:
            return who, LockTab("t3", lease_ms=500)
        if kind == 10:
            site = "mail.example"
            people = (SignIn(site), DeclineSignIn(site), SignOut(site))
            return "N", people[self.chance.between(0, 2)]
        if kind in (11, 12):
            name = "NNNAB"[self.chance.between(0, 4)]
            return name, Redial() if kind == 11 else Connect()
        if kind == 13 and not self.chance.between(0, 2):
            return who, Disconnect()
        return "N", HangNext("command.run")

    def counted(self, id: str) -> SendCommand:
        payload = {"site": "example.com", "command": "countUp"}
        key = f"k{self.chance.between(0, 3)}"
        return SendCommand(
            "command.run", payload, request=id, idempotency_key=key, retries=1, timeout_ms=1_000
        )

    def waited(self, id: str) -> SendCommand:
        payload = {"site": "example.com", "command": "wait", "input": {"ms": 3_000}}
        key = f"w{self.chance.between(0, 3)}" if self.chance.between(0, 1) else ""
        return SendCommand(
            "command.run",
            payload,
            tab="t3",
            request=id,
            idempotency_key=key,
            retries=self.chance.between(0, 2),
            timeout_ms=9_000,
            wait_policy=WAIT,
        )

    def settle(self) -> None:
        self.world.preempt = False
        self.driver.drain()
        self.wait(120_000)

    # -- what must hold

    def one_at_a_time(self) -> None:
        """At no moment do two commands work in one tab of the node."""
        jobs = self.actor("N").jobs.values()
        at_work = [job.tab for job in jobs if job.state in (RUNNING, HANGING, HANDED_OVER)]
        assert all(n == 1 for tab, n in Counter(at_work).items() if tab)

    def terminals(self) -> tuple[Counter[Any], Counter[Any]]:
        """Commands to the node and its ends, by socket and requestId."""
        asked: Counter[Any] = Counter()
        ended: Counter[Any] = Counter()
        for event in self.world.events:
            if type(event) is not FrameSent:
                continue
            key = (event.link, event.frame.wire.get("requestId"))
            if event.receiver == "N" and event.frame.type == "command":
                asked[key] += 1
            elif event.sender == "N" and event.frame.type in ("result", "error"):
                ended[key] += 1
        return asked, ended


@pytest.mark.parametrize("seed", range(6))
def test_every_command_has_one_end_and_nothing_stays_behind(seed: int) -> None:
    storm = Storm(seed)
    storm.rage(2_500)
    storm.settle()
    asked, ended = storm.terminals()
    assert not ended - asked
    node = storm.actor("N")
    waiting = {job.request_id for job in node.jobs.values()}
    here = node.conn.name if node.conn is not None else ""
    assert {id for link, id in asked - ended if link == here} <= waiting
    assert all(queue[0].name in node.jobs for queue in node.queues.values())
    for who in "AB":
        outcomes = Counter(request for request, _ in storm.ends(who))
        assert set(outcomes.values()) <= {1}
        controller = storm.actor(who)
        assert controller.calls == controller.later == {}
        assert not (controller.is_ready and controller.held)
    subscribed = node.browser.subscriptions
    assert not subscribed or node.is_ready


@pytest.mark.parametrize("seed", range(20, 24))
def test_what_has_a_key_has_one_effect_whoever_is_cut_or_crashes(seed: int) -> None:
    storm = Storm(seed)
    storm.rage(2_500)
    storm.settle()
    keys = {
        wire["requestId"]: wire["payload"]["idempotencyKey"]
        for who in "AB"
        for wire in storm.said(who, "command")
        if str(wire["payload"].get("idempotencyKey")).startswith("k")
    }
    assert keys
    numbers: dict[str, set[int]] = {}
    for wire in storm.said("N", "result"):
        if wire["requestId"] in keys:
            number = wire["payload"]["data"]["sideEffectNo"]
            numbers.setdefault(keys[wire["requestId"]], set()).add(number)
    assert all(len(seen) == 1 for seen in numbers.values())
    assert storm.actor("N").browser.counters.get("default", 0) <= 4
