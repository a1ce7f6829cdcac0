"""What a scenario has told a channel to do wrong."""

from __future__ import annotations

from sim.channel.api import ChannelFault

RETRY_AFTER_US = 1_000_000

REFUSALS = {
    "rate_limited": "rate_limited",
    "server_error": "server_error",
    "message_not_found": "message_not_found",
    "edit_refused": "edit_refused",
    "quota_exceeded": "quota_exceeded",
    "duplicate": "duplicate",
    "down": "unavailable",
}
EVENT = "event"
EVENT_OUTCOMES = ("repeated", "latency", "reordered")


class Faults:
    """The faults that wait for their call, by what they are for and where."""

    __slots__ = ("_waiting",)

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, str], tuple[ChannelFault, int]] = {}

    def add(self, fault: ChannelFault, now_us: int) -> None:
        """From now on; a fault for the same replaces it, ``* ok`` all."""
        known = EVENT_OUTCOMES if fault.op == EVENT else (*REFUSALS, "latency", "unknown")
        if fault.outcome not in (*known, "ok"):
            raise LookupError(f"no outcome {fault.outcome!r} of {fault.op}; there are {known}")
        if fault.outcome != "ok":
            self._waiting[fault.op, fault.chat] = (fault, now_us)
        elif fault.op == "*":
            self._waiting.clear()
        else:
            self._waiting.pop((fault.op, fault.chat), None)

    def take(self, op: str, chat: str, now_us: int, named: bool = False) -> ChannelFault | None:
        """The fault for this call, if any; a single one is used up.

        ``named``: of those for all calls only an outage concerns this one.
        """
        if not self._waiting:
            return None
        words = (op,) if op == EVENT else (op, "*")
        for key in [(word, where) for word in words for where in dict.fromkeys((chat, ""))]:
            entry = self._waiting.get(key)
            if entry is None:
                continue
            fault, since_us = entry
            if named and key[0] == "*" and fault.outcome != "down":
                continue
            if fault.outcome == "down" and fault.for_us:
                if now_us < since_us + fault.for_us:
                    return fault
                del self._waiting[key]
                continue
            if not fault.always and fault.outcome != "down":
                del self._waiting[key]
            return fault
        return None
