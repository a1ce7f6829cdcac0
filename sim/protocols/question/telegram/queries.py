"""Presses that wait for an answer: callback queries, and how long they can be answered."""

from __future__ import annotations

import attrs

from sim.protocols.question.telegram.board import Post
from sim.protocols.question.telegram.refusals import QUERY_TOO_OLD, bad


@attrs.define(eq=False)
class Query:
    """One press: by whom, on which message, what the key says, when (µs)."""

    id: str
    person: str
    post: Post
    data: str
    at_us: int
    answered: bool = False


class Queries:
    """All presses by their ids, ``cbq_1`` and on."""

    __slots__ = ("_by_id", "valid_us")

    def __init__(self, valid_us: int) -> None:
        self.valid_us = valid_us
        self._by_id: dict[str, Query] = {}

    def open(self, person: str, post: Post, data: str, now_us: int) -> Query:
        """Somebody has pressed."""
        name = f"cbq_{len(self._by_id) + 1}"
        self._by_id[name] = query = Query(name, person, post, data, now_us)
        return query

    def answer(self, name: str, bot: str, now_us: int) -> Query | None:
        """The press that a bot answers now; None for one that is answered already.

        Raises a 400 for one that is unknown, another bot's, or older than ``valid_us``.
        """
        query = self._by_id.get(name)
        if query is None or query.post.bot != bot or now_us - query.at_us > self.valid_us:
            raise bad(QUERY_TOO_OLD)
        if query.answered:
            return None
        query.answered = True
        return query
