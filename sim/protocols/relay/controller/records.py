"""What a controller keeps in mind of what it has asked for."""

from __future__ import annotations

from typing import Any

import attrs

from sim.protocols.relay.acts import Act

RESULT = "result"
ERROR = "error"
EVENT = "event"
GAVE_UP = "gave up"
DISCONNECTED = "disconnected"


@attrs.frozen
class Outcome:
    """What a call has come to.

    ``how`` it ended: by a result, an error, the event that answers a lock or a cancel, by
    the controller's own deadline (``gave up``), or with its socket (``disconnected``).
    ``payload`` is that of the frame that ended it. ``retried`` is the requestId under
    which it was sent again, "" if it was not.
    """

    request: str
    name: str
    how: str
    payload: dict[str, Any]
    retried: str = ""

    @property
    def code(self) -> str:
        """The code of an error, "" for anything else."""
        return str(self.payload.get("code", "")) if self.how == ERROR else ""

    @property
    def is_good(self) -> bool:
        """Whether it is what was asked for."""
        if self.how == RESULT:
            return self.payload.get("ok") is True
        return self.how == EVENT


@attrs.define(eq=False)
class Call:
    """One request that has no end yet. ``name`` is its action or message family.

    ``node`` and ``tab`` are those that it concerns, ``sent_us`` when it went out.
    ``target`` is the requestId that a cancel or an unsubscribe is about, ``listener`` what
    a subscribe turns on, ``test`` the command.test that it belongs to, ``session`` the
    controller's that has sent it.
    """

    request: str
    name: str
    act: Act
    node: str = ""
    tab: str = ""
    sent_us: int = 0
    target: str = ""
    listener: str = ""
    test: str = ""
    session: int = 0


@attrs.frozen
class Hold:
    """A lock that this controller holds, until ``ends_us`` at the latest by its own clock."""

    request: str
    lease_ms: int
    ends_us: int


@attrs.frozen
class Stream:
    """A listener that is on; ``test`` is the requestId of the command.test it belongs to."""

    listener: str
    node: str
    test: str = ""
