"""How far a judge of frames has come, and the connections that are open."""

from __future__ import annotations

from typing import Any

import attrs


@attrs.define(eq=False)
class Course:
    """How far a judge has come: the number of the next event, the time (µs), the connection
    that it looks at."""

    n: int = 0
    now: int = 0
    link: str = ""


@attrs.define(eq=False)
class Link:
    """A connection that is open: who, how many frames each way, when something passed last.

    ``side`` is the kind of host that dialled.
    ``seen`` is what the view knows of it, ``line`` where its last frame stands in a log.
    """

    name: str
    client: str
    server: str
    lane: str
    side: str = ""
    up: int = 0
    down: int = 0
    last: int = 0
    seen: Any = None
    line: int = 0
