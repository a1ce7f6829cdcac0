"""Trials that compare two runs: what must not matter is changed, and nothing may change.

Each plays the same storm twice, once with something changed in the frames that
the twins receive. People must find the same
messages in the channel. A twin that minds the difference on purpose shows that
the comparison can fail.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from typing import Any, Final

import attrs

from sim.cli.proving.making import plain
from sim.cli.proving.mutants import WEATHERS
from sim.cli.proving.storm import Storm
from sim.core.actor import Actor, Port
from sim.core.op import Connection, Frame
from sim.protocols.catalogue import Trial
from sim.protocols.mutant import Mutant, mutated
from sim.wire.message import Message
from sim.world.host import START_MS

SEEDS: Final = (3, 5, 12)
CALM: Final = WEATHERS[2]
FEATURES: Final = ("turn-reopen-v1",)
NEUTRAL: Final = ("provider-bind-v1", "provider-prefs-v1", "session-picker-v1", "provider:x")
DAY_MS: Final = 24 * 60 * 60 * 1000

Change = Callable[[Any], Iterable[Any]]
"""A received frame, and what arrives instead of it."""
Twins = Callable[[type[Any]], type[Any]]
"""Which class plays instead of a twin's."""


def same(frame: Any) -> Iterable[Any]:
    """Nothing is changed."""
    yield frame


def shipped(twin: type[Any]) -> type[Any]:
    """The twin as it is."""
    return twin


def messages(storm: Storm) -> list[tuple[Any, ...]]:
    """What people find in the channel in the end."""
    storm.run()
    return [
        (message.id, message.author, message.state, message.text, message.deleted)
        for message in storm.view.history.messages.values()
    ]


def storm_of(seed: int, twins: Twins, change: Change) -> Storm:
    """A calm storm in which both sides receive changed frames."""

    def frames(actor: Any, conn: Connection, frame: Frame) -> Iterable[Any]:
        return change(frame)

    changed = Mutant("changed", "", "", "", frames=frames)

    def make(twin: Any, port: Port, facts: Any) -> Actor:
        return plain(mutated(twins(twin), changed), port, facts)

    return Storm(seed, weather=CALM, make=make, features=FEATURES)


def unmoved(change: Change, what: str) -> Callable[[Twins], str]:
    """The test that a change of the received frames changes nothing for people."""

    def test(twins: Twins) -> str:
        for seed in SEEDS:
            before = messages(storm_of(seed, twins, same))
            if messages(storm_of(seed, twins, change)) != before:
                return f"storm {seed}: people find other messages when {what}"
        return ""

    return test


def minding(minds: Callable[[Any], bool]) -> Twins:
    """Twins that drop every frame that they mind."""

    def frames(actor: Any, conn: Connection, frame: Frame) -> Iterable[Any]:
        if not minds(frame):
            yield frame

    def twins(twin: type[Any]) -> type[Any]:
        return mutated(twin, Mutant("minding", "", "", "", frames=frames))

    return twins


def _waiting(twin: type[Any]) -> type[Any]:
    """A twin that takes no end before it has seen a snapshot."""

    def frames(actor: Any, conn: Connection, frame: Any) -> Iterable[Any]:
        request = getattr(frame.body, "request_id", "")
        if frame.type == "turn.progress":
            actor.notes[request] = True
        if frame.type != "turn.end" or request in actor.notes:
            yield frame

    return mutated(twin, Mutant("waiting", "", "", "", frames=frames))


# -- what is changed ----------------------------------------------------------------------


def _tomorrow(frame: Any) -> Iterable[Any]:
    yield Message(frame.type, frame.id, frame.ts + DAY_MS, frame.body)


def _renamed(frame: Any) -> Iterable[Any]:
    yield Message(frame.type, f"another-{frame.id}", frame.ts, frame.body)


def _with_more(frame: Any) -> Iterable[Any]:
    wire = {**frame.wire, "payload": {**frame.wire["payload"], "ofNextYear": 1}}
    strict = frame.type in ("ping", "pong", "bind.revoke")
    yield frame if strict else Message(frame.type, frame.id, frame.ts, frame.body, wire)


def _evolved(frame: Any, field: str, make: Callable[[Any], Any]) -> Any:
    value = getattr(frame.body, field, None)
    if value is None:
        return frame
    body: Any = attrs.evolve(frame.body, **{field: make(value)})
    return Message(frame.type, frame.id, frame.ts, body)


def _opaque_keys(frame: Any) -> Iterable[Any]:
    at_desktop = frame.type in ("task.dispatch", "session.archive")
    yield _evolved(frame, "external_key", _scrambled) if at_desktop else frame


def _scrambled(key: str) -> str:
    return hashlib.blake2b(key.encode(), digest_size=12).hexdigest()


def _other_sessions(frame: Any) -> Iterable[Any]:
    at_server = frame.type in ("task.ack", "turn.end")
    yield _evolved(frame, "session_id", lambda session: f"x-{session}") if at_server else frame


def _lossy(frame: Any) -> Iterable[Any]:
    if frame.type != "turn.progress":
        yield frame


def _announced(frame: Any) -> Iterable[Any]:
    more = frame.type == "welcome"
    yield _evolved(frame, "features", lambda known: (*known, *NEUTRAL)) if more else frame


def _has_more(frame: Any) -> bool:
    return "ofNextYear" in frame.wire["payload"]


COMPARISONS: Final = (
    Trial("HK-07", "keys are opaque", "two runs are compared",
          unmoved(_opaque_keys, "keys are scrambled on their way to the desktop"), shipped,
          minding(lambda f: f.type == "task.dispatch" and ":" not in f.body.external_key)),
    Trial("HK-15", "sessions route nothing", "two runs are compared",
          unmoved(_other_sessions, "sessions have other names at the server"), shipped,
          minding(lambda f: f.type == "turn.end" and str(f.body.session_id).startswith("x-"))),
    Trial("HK-22", "ids correlate nothing", "two runs are compared",
          unmoved(_renamed, "frames have other ids"), shipped,
          minding(lambda f: f.type == "turn.end" and f.id.startswith("another-"))),
    Trial("HK-23", "clocks may differ by a day", "two runs are compared",
          unmoved(_tomorrow, "every time stamp is a day late"), shipped,
          minding(lambda f: f.type == "task.dispatch" and f.ts > START_MS + DAY_MS // 2)),
    Trial("HK-25", "fields of next year", "two runs are compared",
          unmoved(_with_more, "frames have a field more"), shipped, minding(_has_more)),
    Trial("HK-18", "Slack beside others", "two runs are compared",
          unmoved(_announced, "the welcome lists other channels"), shipped,
          minding(lambda f: f.type == "welcome" and NEUTRAL[0] in f.body.features)),
    Trial("HK-44", "lost snapshots", "two runs are compared",
          unmoved(_lossy, "no snapshot arrives"), shipped, _waiting),
)  # fmt: skip
