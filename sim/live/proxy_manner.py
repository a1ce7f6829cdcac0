"""What a proxy must know of the protocol that it passes on: who is who, and by which words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import attrs

from sim.core.errors import UsageError
from sim.core.op import Frame
from sim.live.proxy_faults import WAYS, WayWord
from sim.live.roll import PeerRoll, Roll
from sim.scenario.playing.wording import PayloadWording, Wording
from sim.wire.decode import NotJson, decode_json

API: Final = "/api/"
TOKENS: Final = ("accessToken", "refreshToken")


@attrs.frozen(eq=False)
class Manner:
    """One protocol. ``centre`` is the name of the real server and ``kind`` what it is, ``firsts``
    by kind of client the name of the first.

    ``ways`` are the directions that fault rules name, ``types`` the frames that they may,
    ``wording`` how frames are called and where their fields stand. Plain requests to paths
    below ``api`` pass ("": none do). ``secrets_in`` are those of a decoded frame.
    """

    name: str
    centre: str
    kind: str
    firsts: Mapping[str, str]
    roll: Callable[[], Roll | PeerRoll]
    ways: Mapping[str, WayWord]
    types: tuple[str, ...]
    wording: Wording
    api: str
    secrets_in: Callable[[Any], tuple[str, ...]]

    @property
    def hosts(self) -> tuple[tuple[str, str], ...]:
        """The lifelines that a recording begins with."""
        clients = ((name, kind) for kind, name in self.firsts.items())
        return ((self.centre, self.kind), *clients)

    @property
    def labels(self) -> tuple[str, str]:
        """What one calls the frames of clients, and those of the server."""
        if len(self.firsts) == 1:
            first = next(iter(self.firsts.values()))
            return f"{first}->{self.centre}", f"{self.centre}->{first}"
        return f"to {self.centre}", f"from {self.centre}"

    def called(self, frame: Frame) -> tuple[str, ...]:
        """The names of a frame."""
        return self.wording.called(frame)


def decoded(text: str) -> Any:
    """The JSON value of a frame, {} for none."""
    try:
        return decode_json(text)
    except NotJson:
        return {}


def _hook() -> Manner:
    from sim.protocols.hook.frames import MESSAGES

    return Manner(
        name="hook",
        centre="S",
        kind="server",
        firsts={"desktop": "D"},
        roll=Roll,
        ways=WAYS,
        types=tuple(MESSAGES),
        wording=PayloadWording(),
        api="",
        secrets_in=lambda wire: (),
    )


def _relay() -> Manner:
    from sim.protocols.relay.constants import CONTROLLER, NODE, RELAY
    from sim.protocols.relay.words import WORDS

    return Manner(
        name="relay",
        centre="R",
        kind=RELAY,
        firsts={CONTROLLER: "A", NODE: "N"},
        roll=PeerRoll,
        ways={
            "A->R": WayWord(True, CONTROLLER),
            "R->A": WayWord(False, CONTROLLER),
            "N->R": WayWord(True, NODE),
            "R->N": WayWord(False, NODE),
        },
        types=WORDS.frame_types(),
        wording=WORDS,
        api=API,
        secrets_in=_tokens,
    )


def _tokens(wire: Any) -> tuple[str, ...]:
    """In this protocol tokens are shown, and given, in frames."""
    payload = wire.get("payload") if isinstance(wire, dict) else None
    if not isinstance(payload, dict):
        return ()
    return tuple(token for name in TOKENS if isinstance(token := payload.get(name), str))


_MANNERS: Final[Mapping[str, Callable[[], Manner]]] = {"hook": _hook, "relay": _relay}


def manner_of(protocol: str) -> Manner:
    """How a protocol's frames are passed on. Raises UsageError for one that cannot be."""
    if protocol not in _MANNERS:
        able = ", ".join(_MANNERS)
        raise UsageError(f"nobody can stand between hosts of the {protocol} protocol; only {able}")
    return _MANNERS[protocol]()
