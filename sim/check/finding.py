"""What a judge of frames finds, and who has to obey what it judges."""

from __future__ import annotations

import msgspec


class Finding(msgspec.Struct, frozen=True, gc=False):
    """Something that is wrong. ``n`` is the event that showed it, ``at`` its time (µs).

    ``rule`` is the name of an invariant, ``side`` who has to obey it; ``path`` the field
    that the parser refused, None for a rule between frames and for a frame as a whole.
    """

    rule: str
    side: str
    text: str
    n: int
    at: int
    link: str
    catalogue: tuple[str, ...]
    is_wire: bool = False
    path: str | None = None
