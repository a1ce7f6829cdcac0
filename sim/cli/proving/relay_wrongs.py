"""What peers of a relay must not say, or not so, and say in a storm all the same."""

from __future__ import annotations

from typing import Any, Final

from sim.cli.proving.draw import Draw
from sim.protocols.relay.acts import SayFrame, SayText
from sim.protocols.relay.predicates import iso_timestamp
from sim.world.world import World

CONTROLLERS: Final = ("A", "A2", "B")
NODES: Final = ("N", "M")
WAIT: Final = "wait_with_timeout"
COUNT: Final = {"site": "example.com", "command": "countUp", "input": {"counter": "c"}}


class Wrongs:
    """Frames and texts that break the protocol, drawn from the storm's seed."""

    world: World
    draw: Draw

    def _id(self, prefix: str = "k") -> str:
        """A fresh requestId."""
        raise NotImplementedError

    def _running(self, who: str) -> str:
        """The requestId of something that runs at a node."""
        raise NotImplementedError

    def _act(self, who: str, act: Any) -> None:
        self.world.act(who, act)

    def says_something_wrong(self) -> None:
        """A peer says what it must not, or not so."""
        draw = self.draw
        who = draw.choice([*CONTROLLERS, *NODES])
        if draw.below(8) == 0:
            self._act(who, SayText(draw.choice(["null", "7", "{", "[]", '{"messageType":"ping"}'])))
            return
        odd = draw.choice([self._odd_command, self._odd_frame, self._odd_lock, self._forged])
        frame = odd(who)
        self._act(who, SayFrame(frame))
        if frame.get("timestamp") and frame["messageType"] == "command":
            later = self.world.now + 61_000_000 + draw.below(20_000_000)
            again = {**frame, "requestId": self._id("w")}
            self.world.at(later, f"again {again['requestId']}", lambda: self._say(who, again))

    def _say(self, who: str, frame: dict[str, Any]) -> None:
        self._act(who, SayFrame(frame))

    def _forged(self, who: str) -> dict[str, Any]:
        """An answer of somebody who was not asked, or the role of somebody else."""
        id = self._id("w")
        if self.draw.below(3) == 0:
            role = self.draw.choice(["relay", "controller", "node"])
            return {"messageType": "ping", "requestId": id, "senderRole": role}
        answer = {"ok": True, "durationMs": 1, "action": "command.list", "data": {"forged": id}}
        running = self._running(self.draw.choice(["N", "N", "M"]))
        return {"messageType": "result", "requestId": running, "payload": answer}

    def _odd_command(self, who: str) -> dict[str, Any]:
        draw, id = self.draw, self._id("w")
        payload: dict[str, Any] = {
            "targetNodeId": "node_n", "action": "command.list", "payload": {}, "replayNonce": id,
        }  # fmt: skip
        odd: dict[str, Any] = draw.choice(
            [
                {"replayNonce": "again"},
                {"replayNonce": "again"},
                {"action": "primitive.tab.close_owned",
                 "payload": {"controllerClientId": "ctl_b"}},
                {"targetNodeId": ""},
                {"timeoutMs": "soon"},
                {"waitPolicy": "maybe"},
                {"action": "primitive.dom.extract_text"},
                {"action": "primitive.tab.open", "tabSessionId": "tab_x"},
                {"action": "command.run", "tabSessionId": "tab_x",
                 "payload": {**COUNT, "tabSessionId": "tab_y"}},
                {"action": "command.run", "payload": {**COUNT, "tabSessionId": "tab_x"},
                 "waitPolicy": WAIT},
                {"later": {"field": 1}},
            ]
        )  # fmt: skip
        frame = {"messageType": "command", "requestId": id, "payload": {**payload, **odd}}
        if draw.below(6) == 0:
            ahead = self.world.hosts[who].now_ms() + 55_000
            frame["timestamp"] = iso_timestamp(ahead)
        return frame

    def _odd_frame(self, who: str) -> dict[str, Any]:
        draw, id = self.draw, self._id("w")
        now = self.world.hosts[who].now_ms()
        ping: dict[str, Any] = {"messageType": "ping", "requestId": id}
        odd: dict[str, Any] = draw.choice(
            [
                {**ping, "timestamp": iso_timestamp(now - draw.choice([3_600_000, 70_000]))},
                {**ping, "timestamp": iso_timestamp(now + draw.choice([-30_000, 50_000, 70_000]))},
                {**ping, "timestamp": "yesterday"},
                {**ping, "protocolVersion": draw.choice(["2.0", "1.3"])},
                {**ping, "messageType": "gossip"},
                {**ping, "payload": None},
                {**ping, "extra": 1},
                {"messageType": "hello", "requestId": id,
                 "payload": {"role": "node" if who in NODES else "controller"}},
                {"messageType": "event", "requestId": id, "payload": {"type": "routed",
                 "targetNodeId": "node_n"}},
            ]
        )  # fmt: skip
        return odd

    def _odd_lock(self, who: str) -> dict[str, Any]:
        id = self._id("w")
        payload: dict[str, Any] = {"targetNodeId": "node_n", "tabSessionId": "tab_x"}
        payload |= self.draw.choice([{"lockLeaseMs": 0}, {"lockLeaseMs": "long"}, {}])
        now = self.world.hosts[who].now_ms()
        old = {"timestamp": iso_timestamp(now - 3_600_000)} if self.draw.below(2) else {}
        return {"messageType": "tab_lock", "requestId": id, "payload": payload, **old}
