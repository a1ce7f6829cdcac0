"""Addresses of pages: one spelling for each, and which site they belong to."""

from __future__ import annotations

from typing import Final

import can_ada

_SCHEMES: Final = ("http:", "https:")


def normalized(url: str) -> str | None:
    """The one spelling of a web address, without its fragment; None for anything else.

    Only http and https count, with a host: a managed tab shows nothing of the
    person's own machine.
    """
    try:
        parsed = can_ada.parse(url)
    except ValueError:
        return None
    if parsed.protocol not in _SCHEMES or not parsed.hostname:
        return None
    return str(parsed.href).partition("#")[0]


def host_of(url: str) -> str:
    """The host of an address in lower case, empty where it has none."""
    try:
        return str(can_ada.parse(url).hostname)
    except ValueError:
        return ""


def without_query(url: str) -> str:
    """The same address before its question mark."""
    return url.partition("?")[0]


def host_belongs_to(host: str, site: str) -> bool:
    """Whether a host is the site itself or lies below it; both in lower case."""
    return host == site or host.endswith("." + site)
