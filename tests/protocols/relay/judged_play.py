"""A relay among puppets that say anything, judged by its oracles as a served one is."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

from sim.core.invariant import Invariant, Monitor
from sim.drivers.codec import JsonCodec
from sim.protocols import register
from sim.protocols.relay.invariants import invariants_for
from sim.protocols.relay.predicates import iso_timestamp
from sim.protocols.relay.relay.plan import Limits
from sim.protocols.relay.relay.sessions import Grant
from sim.protocols.relay.view import RelayView
from sim.world import fault
from tests.protocols.relay.frames_for_tests import golden_files
from tests.protocols.relay.golden_play import recording
from tests.protocols.relay.relay_play import PEERS, RelayPlay

Wire = dict[str, Any]

ODD: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 1e308, 10**30, "", "x", "\ud800", "é", [], {}, [1], "relay", "2.0",
    "unknown", "node", "1970-01-01T00:00:00Z",
)  # fmt: skip


class JudgedPlay(RelayPlay):
    """``found``: what the oracles say of the relay, as (rule, text)."""

    def __init__(self, *, ready: str = "AN", seed: int = 1, **options: Any) -> None:
        super().__init__(ready="", seed=seed, limits=Limits(auth_check_ms=20), **options)
        self.found: list[tuple[str, str]] = []
        view = RelayView(self.plan)
        for kind in view.kinds:
            self.world.watch(kind, view.on)
        _Breaks(invariants_for(view, frozenset({"relay"})), self.found).attach(self.world.watch)
        self._codec = JsonCodec(register.protocol("relay").parse)
        for who in ready:
            self.join(who)

    def throw(self, who: str, wire: Any, nth: int = -1, wait: float = 5) -> None:
        """A frame as it comes from a socket: a text, or what becomes one."""
        text = wire if isinstance(wire, str) else json.dumps(wire)
        self.world.act(who, (nth, self._codec.decode(text)))
        self.run(wait)

    def texts(self) -> list[str]:
        """Play on for a moment; what was found."""
        self.run(1_000)
        return [text for _, text in self.found]


class _Breaks(Monitor):
    def __init__(self, invariants: list[Invariant], found: list[tuple[str, str]]) -> None:
        super().__init__(invariants)
        self._found = found

    def _break(self, invariant: Invariant, step: int, text: str) -> None:
        self._found.append((invariant.name, text))


class Rabble(JudgedPlay):
    """Peers that take frames of recordings, change some, and throw them in any order.

    ``wild``: the share of changed frames; ``ids``: requestIds that are used again and again.
    """

    def __init__(self, seed: int, wild: float, ids: tuple[str, ...] = ()) -> None:
        grants = {f"token-{who}2": Grant(*of) for who, of in PEERS.items()}
        refresh = {f"refresh-{who}": Grant(*of) for who, of in PEERS.items()}
        super().__init__(ready="", seed=seed, tokens=grants, refresh=refresh)
        self.chance = random.Random(seed)
        self.wild, self.ids = wild, ids
        self.asked = ["k0"]
        self.seeds = _seeds()
        for who in "ABN":
            self.enter(who)

    def enter(self, who: str) -> None:
        """One more connection, with hello and auth under whatever requestId."""
        self.dial(who)
        for kind, payload in self._greeting(who):
            id = self.chance.choice([f"{kind}-{who}", "x"])
            self.throw(who, self.frame(who, kind, id, payload), wait=self.chance.choice([0, 1, 5]))

    def _greeting(self, who: str) -> list[tuple[str, Wire]]:
        role, identity = PEERS[who]
        hello = {"role": role} | ({"nodeId": identity} if role == "node" else {})
        return [("hello", hello), ("auth", {"accessToken": f"token-{who}"})]

    def rage(self, frames: int) -> None:
        """So many frames, some moments of silence, some cuts."""
        for _ in range(frames):
            who = self.chance.choice("AABBNNN")
            conns = self.puppet(who).conns
            if not any(one.is_open for one in conns) or self.chance.random() < 0.01:
                self.enter(who)
                continue
            if self.chance.random() < 0.01:
                fault.cut(self.world, self.chance.choice(conns).link, "fin")
                continue
            wait = self.chance.choice([0, 0, 0, 0.3, 1, 3, 20])
            wait = 25_000 if self.chance.random() < 0.005 else wait
            self.throw(who, self._text(who), wait=wait)

    def _text(self, who: str) -> str:
        had = [one for one in self.frames(who)[-9:] if one["messageType"] == "command"]
        if who == "N" and had and self.chance.random() < 0.6:
            to = self.chance.choice(had)
            body = {"ok": True, "durationMs": 1, "action": to["payload"]["action"]}
            return json.dumps(self.frame(who, "result", to["requestId"], body))
        wire = self._aimed(who, copy.deepcopy(self.chance.choice(self.seeds[PEERS[who][0]])))
        if self.chance.random() < self.wild:
            self._spoil(wire)
        text = json.dumps(wire)
        if self.chance.random() < 0.03 * self.wild:
            text = self.chance.choice([text[:-1], "null", "[]", "", "1"])
        return text

    def _aimed(self, who: str, wire: Wire) -> Wire:
        """A recorded frame, said now, to those who are here."""
        pick = self.chance.choice
        wire["timestamp"] = iso_timestamp(self.now_ms())
        fresh = pick(self.ids) if self.ids else f"{who}{len(self.asked)}"
        wire["requestId"] = fresh if self.chance.random() < 0.8 else pick(self.asked[-8:])
        self.asked.append(wire["requestId"])
        payload = wire.get("payload")
        if not isinstance(payload, dict):
            return wire
        choices: dict[str, list[Any]] = {
            "replayNonce": [f"nonce{len(self.asked)}"] * 9 + ["again"],
            "targetNodeId": ["node_n"] * 5 + ["gone"],
            "tabSessionId": ["T1", "T2"],
            "accessToken": [f"token-{who}"] * 3 + [f"token-{who}2", "token-B", "token-M", "bad"],
            "refreshToken": [f"refresh-{who}", "refresh-B", "bad"],
            "targetRequestId": self.asked[-8:],
            "timeoutMs": [1000, 30_000],
            "lockLeaseMs": [500, 3_000, 0],
        }
        for name in payload:
            if name in choices:
                payload[name] = pick(choices[name])
        return wire

    def _spoil(self, wire: Wire) -> None:
        """Leave out, change or add something, anywhere."""
        at: Any = wire
        name = self.chance.choice(list(at))
        while isinstance(at[name], dict) and at[name] and self.chance.random() < 0.7:
            at = at[name]
            name = self.chance.choice(list(at))
        deed = self.chance.random()
        if deed < 0.3:
            del at[name]
        else:
            at[name if deed < 0.9 else "extra"] = copy.deepcopy(self.chance.choice(ODD))


def _seeds() -> dict[str, list[Wire]]:
    """What controllers and nodes have sent in recordings, by role."""
    found: dict[str, list[Wire]] = {"controller": [], "node": []}
    for file in golden_files():
        for _, _, deed in recording(file).deeds():
            if isinstance(deed, dict) and deed.get("senderRole") in found:
                found[deed["senderRole"]].append(deed)
    return found
