"""Faults by the names that schedules give them, with those that need a protocol's help.

Beside the names of ``fault_choice``: ``lose``, ``duplicate``, ``delay`` and ``http`` have
the name that a helm gives to the delivery or the request, ``crash HOST`` brings the host
back by itself, and ``channel IM edit 429`` is the answer of a chat service's API.
"""

from __future__ import annotations

from sim.scenario.playing.directing import CHANNEL_OUTCOMES
from sim.scenario.playing.stage import Stage
from sim.world import fault, fault_choice, http_fault
from sim.world.call import CallRequest
from sim.world.helm import Helm
from sim.world.item import Item
from sim.world.link import FrameFlight
from sim.world.world import World

RESTART_US = 2_000_000
SLOW_US = 3_000_000
DOWN_US = 10_000_000

_LASTING_US = {"429": SLOW_US, "latency": SLOW_US, "down": DOWN_US}


class Striker:
    """What a helm calls to let a fault happen in one run."""

    def __init__(self, world: World, stage: Stage) -> None:
        self.world = world
        self.stage = stage

    def __call__(self, name: str, helm: Helm) -> bool:
        """False when there is nothing of that name now."""
        words = name.split(" ")
        match words:
            case ["lose" | "duplicate", "deliver", *_]:
                return self._frame(words[0], helm.find(name.partition(" ")[2]))
            case ["delay", "deliver", *_, by] if by.removesuffix("us").isdigit():
                item = helm.find(name.partition(" ")[2].rpartition(" ")[0])
                return self._delay(item, int(by.removesuffix("us")))
            case ["http", "apply", *_, outcome]:
                return self._http(
                    name, helm.find(name.split(" ", 1)[1].rpartition(" ")[0]), outcome
                )
            case ["crash", host]:
                return self._crash(host)
            case ["channel", channel, op, outcome]:
                return self._channel(channel, op, outcome)
            case _:
                return fault_choice.strike(self.world, name)

    def _frame(self, verb: str, item: Item | None) -> bool:
        if not isinstance(item, FrameFlight) or item.again or item not in item.end.flight:
            return False
        (fault.lose if verb == "lose" else fault.duplicate)(self.world, item)
        return True

    def _delay(self, item: Item | None, by_us: int) -> bool:
        if not isinstance(item, FrameFlight) or item.end.held or item not in item.end.flight:
            return False
        fault.delay(self.world, item, by_us)
        return True

    def _http(self, name: str, item: Item | None, outcome: str) -> bool:
        if not isinstance(item, CallRequest):
            return fault_choice.strike(self.world, name)
        if not http_fault.is_http(item.call) or not http_fault.is_outcome(outcome):
            return False
        http_fault.strike_call(self.world, item, outcome)
        return True

    def _crash(self, name: str) -> bool:
        world = self.world
        host = world.hosts.get(name)
        if host is None or not host.up:
            return False
        fault.crash(world, name)

        def restart() -> None:
            if not host.up:
                fault.restart(world, name)

        world.at(world.now + RESTART_US, f"restart {name}", restart)
        return True

    def _channel(self, channel: str, op: str, outcome: str) -> bool:
        word = CHANNEL_OUTCOMES.get(outcome)
        if word is None or channel not in self.stage.channels():
            return False
        lasting = _LASTING_US.get(outcome, 0)
        direction = self.stage.channel_fault(channel, op, word, lasting, False)
        self.world.act(direction.host, direction.act)
        return True
