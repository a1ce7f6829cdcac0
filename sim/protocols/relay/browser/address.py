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
    parsed = _parsed(url)
    if parsed is None or parsed.protocol not in _SCHEMES or not parsed.hostname:
        return None
    return str(parsed.href).partition("#")[0]


def host_of(url: str) -> str:
    """The host of an address in lower case, empty where it has none."""
    parsed = _parsed(url)
    return "" if parsed is None else str(parsed.hostname)


def _parsed(url: str) -> can_ada.URL | None:
    """None for what is no address; halves of surrogate pairs are a TypeError to the library."""
    try:
        return can_ada.parse(url)
    except (ValueError, TypeError):
        return None


def without_query(url: str) -> str:
    """The same address before its question mark."""
    return url.partition("?")[0]


def host_belongs_to(host: str, site: str) -> bool:
    """Whether a host is the site itself or lies below it; both in lower case.

    A name without a dot, such as ``com``, is no site of the hosts below it.
    """
    return host == site or ("." in site.strip(".") and host.endswith("." + site))
