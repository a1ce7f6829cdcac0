"""permessage-deflate (RFC 7692), for clients that offer it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wsproto.extensions import Extension, PerMessageDeflate

BITS = ("client_max_window_bits", "server_max_window_bits")
PLAIN = ("client_no_context_takeover", "server_no_context_takeover")
# zlib makes no raw stream of 8 bits; an offer that insists on it is passed over.
LOWEST, HIGHEST = 9, 15


def extensions(offers: Iterable[str]) -> Iterator[Extension]:
    """The extension for a handshake; none when no offer is one that we can keep.

    ``offers`` are the elements of Sec-WebSocket-Extensions. Each gets a fresh
    compressor: it remembers what went over its connection.
    """
    offered = [one for one in offers if one.partition(";")[0].strip() == PerMessageDeflate.name]
    # The library answers every offer that it is shown, so all have to be clean.
    if offered and all(_is_clean(one) for one in offered):
        yield PerMessageDeflate()


def _is_clean(offer: str) -> bool:
    _, *parameters = (part.strip() for part in offer.split(";"))
    names = [parameter.partition("=")[0].strip() for parameter in parameters]
    return len(dict.fromkeys(names)) == len(names) and all(map(_is_known, parameters))


def _is_known(parameter: str) -> bool:
    name, equals, value = (part.strip() for part in parameter.partition("="))
    if name in PLAIN:
        return not equals
    value = value.strip('"')
    if name not in BITS:
        return False
    if not equals:
        return name == BITS[0]
    return value.isascii() and value.isdigit() and LOWEST <= int(value) <= HIGHEST
