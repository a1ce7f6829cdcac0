"""A channel message at one step of a run, with who may change it: what screens show."""

from __future__ import annotations

import attrs

from sim.channel.api import EditMessage
from sim.channel.history import ShownMessage, Version


@attrs.define
class Edit:
    """An edit on its way to a channel: issued by event ``n``, ``landed`` -1 while it flies."""

    n: int
    at: int
    request: EditMessage
    landed: int = -1


@attrs.frozen
class Owner:
    """Who may change a message: the request or round ``holder`` on the connection ``link``.

    ``state`` is a round's: OPEN, ENDED, SUPERSEDED, TORN; "" for the request itself.
    """

    holder: str
    link: str
    state: str = ""

    @property
    def generation(self) -> int:
        """Which life of the connection; 0 when it is not known."""
        number = self.link.rpartition("#")[2]
        return int(number) if number.isdigit() else 0


@attrs.frozen
class MessageAt:
    """A channel message as it stood after some step.

    ``versions`` are all looks up to then, newest last; ``flying`` the edits that
    were under way; ``owner`` None for people's messages and cards.
    """

    message: ShownMessage
    versions: tuple[Version, ...]
    flying: tuple[Edit, ...]
    deleted: bool
    reaction: str
    owner: Owner | None

    @property
    def now(self) -> Version:
        return self.versions[-1]

    @property
    def edits(self) -> int:
        """How often it has been changed."""
        return len(self.versions) - 1
