"""Faults of a recording as lines of a scenario that lets them strike again.

What befell one frame is written right behind the act that says it; what befell a
connection stands at its time. The rest (a crash, a refused dial …) has no meaning for
puppets: it is told as a comment.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sim.check.seen import SeenConn, SeenFault, SeenFrame

OF_FRAMES = ("lose", "duplicate", "delay")
OF_WAYS = ("hold", "release")
UNCLEAN = 1006
GOING = 1005
"""A closing frame without a code."""


def of_frame(frame: SeenFrame, name: str) -> Iterator[str]:
    """The faults of a frame. ``name`` is what the scenario calls it: ``D.slack#1 D>S 3``."""
    if frame.delayed_us:
        yield f"delay {name} {frame.delayed_us}us"
    if frame.is_lost:
        yield f"lose {name}"
        return
    for after_us in frame.copies[: frame.drawn_copies]:
        yield f"duplicate {name}" + (f" {after_us}us" if after_us else "")


def of_conn(fault: SeenFault, link: str, client: str, server: str) -> str:
    """A fault of a whole connection, or of one way of it; "" where none can be written."""
    if fault.verb in OF_WAYS:
        way = f"{client}>{server}" if fault.up else f"{server}>{client}"
        return f"{fault.verb} {link} {way}"
    if fault.verb == "heal":
        return f"heal {link}"
    return f"cut {link} silent" if fault.verb == "cut" and fault.words[-1:] == ("silent",) else ""


def how_it_ends(conn: SeenConn) -> str:
    """``rst`` or ``fin``."""
    if conn.closed_code != UNCLEAN:
        return "fin"
    told = conn.closed_reason.lower()
    return "rst" if "rst" in told or "reset" in told else "fin"


def not_drawn(conns: list[SeenConn], others: Sequence[str]) -> Iterator[str]:
    """What the scenario does not repeat, in words."""
    yield from others
    for conn in conns:
        if conn.closed_us >= 0 and conn.closed_code not in (UNCLEAN, GOING):
            yield f"that {conn.name} was closed with code {conn.closed_code}: it ends without one"
