"""Addresses to listen on and to dial: what is wrong with them, and what would be right."""

from __future__ import annotations

import errno
import socket

from sim.core.errors import UsageError

_NOT_OURS = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)


def is_host(name: str) -> bool:
    """Whether a text could be a host's name or address at all."""
    try:
        name.encode("idna")
    except UnicodeError:
        return False
    return bool(name) and name.isprintable() and not any(one in name for one in " /?#@[]\\")


def cannot_listen(who: str, host: str, port: int, error: Exception) -> UsageError:
    """Why nobody can listen there, with the remedy."""
    number = getattr(error, "errno", None)
    reason = getattr(error, "strerror", None) or error
    remedy = "give it another port, or 0 for any free one"
    if isinstance(error, UnicodeError):
        reason = "this is no name of a host"
    if isinstance(error, UnicodeError | socket.gaierror) or number in _NOT_OURS:
        remedy = "give --host an address of this machine, such as 127.0.0.1 or ::1"
    shown = f"[{host}]" if ":" in host else host
    return UsageError(f"{who} cannot listen on {shown}:{port}: {reason}; {remedy}")
