"""The connections that some end still believes in, found by name and by host.

A run may have a hundred thousand connections, one after the other: nothing here
goes through all of them, and what oracles keep of those that are over is dropped.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim.protocols.hook.view_records import LinkView

FORGETS = 64
_NONE: Mapping[str, LinkView] = {}


class Links(dict[str, LinkView]):
    """The open connections by name, in order of opening."""

    def __init__(self) -> None:
        super().__init__()
        self._of: dict[str, dict[str, LinkView]] = {}

    def opened(self, link: LinkView) -> None:
        """One more."""
        self[link.name] = link
        for host in (link.client, link.server):
            self._of.setdefault(host, {})[link.name] = link

    def of(self, host: str) -> list[LinkView]:
        """Those of one host, in order of opening."""
        return list(self._of.get(host, _NONE).values())

    def forget_if_over(self, link: LinkView) -> None:
        """Nobody believes in it any more."""
        if link.open or self.pop(link.name, None) is None:
            return
        for host in (link.client, link.server):
            of = self._of[host]
            of.pop(link.name, None)
            if not of:
                del self._of[host]

    def forget_over(self, by_link: dict[str, Any]) -> None:
        """Drop what is kept of connections that are over; so seldom that it costs nothing."""
        if len(by_link) > FORGETS + 2 * len(self):
            for name in [name for name in by_link if name not in self]:
                del by_link[name]
