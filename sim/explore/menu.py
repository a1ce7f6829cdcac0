"""Which faults a search may add in front of the next step, within its budget."""

from __future__ import annotations

import attrs

from sim.channel.services import SERVICES
from sim.world import http_fault
from sim.world.call import CallRequest
from sim.world.fault import CUTS, Budget
from sim.world.helm import Helm
from sim.world.item import Item
from sim.world.link import FrameFlight

OUTCOMES = ("429", "5xx", "not_found", "refused", "unknown", "latency", "down")
OPS = ("post", "edit")
FRAME_FAULTS = ("lose", "duplicate", "delay")
DELAY_US = 5_000_000
KINDS = tuple(word.name for word in attrs.fields(Budget))


@attrs.define
class Purse:
    """What is left of a fault budget."""

    left: dict[str, int]

    @classmethod
    def of(cls, budget: Budget) -> Purse:
        """The whole budget."""
        return cls({word: getattr(budget, word) for word in KINDS})

    def pay(self, fault: str) -> bool:
        """Whether this fault may still be added; if so, it is paid for."""
        kind = kind_of(fault)
        if self.left.get(kind, 0) <= 0:
            return False
        self.left[kind] -= 1
        return True

    @property
    def total(self) -> int:
        """How many faults are left."""
        return sum(self.left.values())


def kind_of(fault: str) -> str:
    """The word of the budget that a fault's name falls under."""
    return fault.partition(" ")[0]


def menu(helm: Helm, channels: tuple[str, ...], purse: Purse, item: Item) -> list[str]:
    """Names of the faults that could strike in front of ``item``, in canonical order."""
    world = helm.world
    found: list[str] = []
    left = purse.left
    if left["cut"]:
        for link in world.links.values():
            if link.client.is_open and link.server.is_open and not link.silent:
                found += [f"cut {link.name} {how}" for how in CUTS]
    if isinstance(item, FrameFlight) and not item.again:
        found += [frame_fault(k, helm.key(item)) for k in FRAME_FAULTS if left[k]]
    if left["http"] and isinstance(item, CallRequest) and http_fault.is_http(item.call):
        found += [http_fault_of(helm.key(item), outcome) for outcome in http_fault.MENU]
    if left["crash"]:
        found += [f"crash {h.name}" for h in world.hosts.values() if h.up and may_crash(h.kind)]
    if left["channel"]:
        found += [f"channel {c} {op} {word}" for c in channels for op in OPS for word in OUTCOMES]
    return found


def frame_fault(kind: str, delivery: str) -> str:
    """The name of a fault that befalls one frame."""
    return f"{kind} {delivery} {DELAY_US}us" if kind == "delay" else f"{kind} {delivery}"


def http_fault_of(request: str, outcome: str) -> str:
    """The name of a fault that befalls one HTTP request."""
    return f"http {request} {outcome}"


def may_crash(kind: str) -> bool:
    """People do not crash, and a chat service's own state is not ours to lose."""
    return kind not in ("person", *SERVICES)
