"""Addresses to listen on and to dial: what is wrong with them, and what would be right."""

from __future__ import annotations

import errno
import ipaddress
import socket
from urllib.parse import urlsplit

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


def checked_base(url: str, name: str) -> str:
    """A base URL without the slash at its end.

    Raises UsageError, which calls it ``name`` and does not repeat it, for what is none.
    """
    try:
        parts = urlsplit(url.strip())
        is_good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        is_good = is_good and not (parts.query or parts.fragment) and url.isprintable()
    except ValueError:
        is_good = False
    if not is_good:
        raise UsageError(f"{name}: give a URL such as http://127.0.0.1:4096, without a query")
    return url.strip().rstrip("/")


def is_this_machine(base: str) -> bool:
    """Whether a URL is one of this machine's own."""
    host = urlsplit(base).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
