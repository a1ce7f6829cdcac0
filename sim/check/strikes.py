"""Faults and ends of connections as lines of a scenario that lets them happen again.

What befell single frames is in :mod:`sim.check.fates`. The rest (a crash, a refused dial …)
has no meaning for puppets: it is told as a comment.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sim.check.seen import SeenConn, SeenFault
from sim.scenario.transcribe import plain_json

OF_WAYS = ("hold", "release")
UNCLEAN = 1006
GOING = 1005
"""A closing frame without a code."""
SHOWN = 2


def of_conn(fault: SeenFault, link: str, client: str, server: str) -> str:
    """A fault of a whole connection, or of one way of it; "" where none can be written."""
    if fault.verb in OF_WAYS:
        way = f"{client}>{server}" if fault.up else f"{server}>{client}"
        return f"{fault.verb} {link} {way}"
    if fault.verb == "heal":
        return f"heal {link}"
    return f"cut {link} silent" if fault.is_silent_cut else ""


def ending(conn: SeenConn, link: str, client: str, server: str) -> list[str]:
    """The lines that end a connection as it has ended.

    Who closes it says its code; where a proxy has closed it, both ends do.
    """
    if conn.closed_code in (UNCLEAN, GOING) or not conn.closed_by:
        return [f"%% @fault cut {link} {_how_it_ends(conn)}"]
    act = {"is": "puppet-closes", "link": link, "code": conn.closed_code}
    if conn.closed_reason:
        act["reason"] = conn.closed_reason
    by = {conn.client: (client,), conn.server: (server,)}.get(conn.closed_by, (client, server))
    return [f"%% @act {one} {plain_json(act)}" for one in by]


def _how_it_ends(conn: SeenConn) -> str:
    """``rst`` or ``fin``."""
    if conn.closed_code != UNCLEAN:
        return "fin"
    told = conn.closed_reason.lower()
    return "rst" if "rst" in told or "reset" in told else "fin"


def not_drawn(conns: Sequence[SeenConn], others: Sequence[str]) -> Iterator[str]:
    """What the scenario does not repeat, in words."""
    yield from others
    nobodys: dict[int, list[str]] = {}
    for conn in conns:
        if conn.is_over and not conn.closed_by and conn.closed_code not in (UNCLEAN, GOING):
            nobodys.setdefault(conn.closed_code, []).append(conn.name)
    for code, names in nobodys.items():
        more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
        told = f"{', '.join(names[:SHOWN])}{more} {'were' if len(names) > 1 else 'was'}"
        yield f"that {told} closed with code {code} by whom is not said: cut without one"
