"""Protection against frames that are sent again: the time window and the nonces (DR-22, DR-23)."""

from __future__ import annotations

from sim.protocols.relay.constants import NONCE_MEMORY_MS, REPLAY_WINDOW_MS


def is_in_window(ts: int, now_ms: int, window_ms: int = REPLAY_WINDOW_MS) -> bool:
    """Whether a timestamp is near enough to the relay's own clock; the edge still is."""
    return abs(now_ms - ts) <= window_ms


class Nonces:
    """The nonces of accepted commands, by controller identity; they outlive sessions.

    One is remembered for twice the window and for the edge itself: a frame that was
    stamped a whole window ahead passes the time check until then.
    """

    def __init__(self, memory_ms: int = NONCE_MEMORY_MS) -> None:
        self.memory_ms = memory_ms
        # In the order of acceptance, so the oldest are in front.
        self._seen: dict[tuple[str, str], int] = {}

    def burn(self, identity: str, nonce: str, now_ms: int) -> bool:
        """Take a nonce; False when this identity has used it and it is still remembered.

        ``now_ms`` never goes back. A refused nonce is not remembered any longer for it.
        """
        self._forget(now_ms)
        if (identity, nonce) in self._seen:
            return False
        self._seen[identity, nonce] = now_ms
        return True

    def __len__(self) -> int:
        return len(self._seen)

    def _forget(self, now_ms: int) -> None:
        while self._seen:
            oldest = next(iter(self._seen))
            if now_ms - self._seen[oldest] <= self.memory_ms:
                return
            del self._seen[oldest]
