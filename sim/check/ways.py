"""Directions: what a log calls them, and who they make the sender."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from sim.check.entry import Entry
from sim.check.protocols import Judged

_UP = (
    "up", "upstream", "c2s", "d2s", "client", "desktop", "client>server", "desktop>server",
    "client->server", "desktop->server", "clienttoserver", "desktoptoserver", "toserver", "d>s",
    "c>s", "d->s", "c->s", "controller>relay", "node>relay", "controller->relay", "node->relay",
    "controllertorelay", "nodetorelay", "torelay", "c2r", "n2r", "c>r", "n>r", "c->r", "n->r",
)  # fmt: skip
_DOWN = (
    "down", "downstream", "s2c", "s2d", "server", "server>client", "server>desktop",
    "server->client", "server->desktop", "servertoclient", "servertodesktop", "toclient",
    "todesktop", "s>d", "s>c", "s->d", "s->c", "relay>controller", "relay>node",
    "relay->controller", "relay->node", "relaytocontroller", "relaytonode", "tocontroller",
    "tonode", "r2c", "r2n", "r>c", "r>n", "r->c", "r->n",
)  # fmt: skip
KNOWN: Final = {**dict.fromkeys(_UP, True), **dict.fromkeys(_DOWN, False)}
"""Words that say who sends, whoever keeps the log."""

_OUT = ("out", "send", "sent", "tx", "outgoing", "outbound", "write", "wrote", ">", "->", ">>")
_IN = (
    "in", "recv", "receive", "received", "rx", "incoming", "inbound", "read", "<", "<-", "<<",
)  # fmt: skip
OPPOSITE: Final = {**dict(zip(_OUT, _IN, strict=True)), **dict(zip(_IN, _OUT, strict=True))}
"""Words whose meaning depends on who keeps the log; each with the other one."""

AGREED: Final = 0.8
"""The part of the frames that must agree with a word of a sentence (``?out``)."""


def plain(word: object) -> str:
    """A direction's word without case, blanks and the like."""
    if not isinstance(word, str):
        return ""
    return word.strip().lower().replace("_", "").replace(" ", "").replace("→", ">")


class Ways:
    """Who sends, by the words of one log.

    Words that depend on the log's keeper are learned from the frames: a hello is the
    client's, its answer the server's, and most types go one way only.
    """

    def __init__(self, record: Judged) -> None:
        self._record = record
        self._wrong_way = record.wrong_way  # by type, who may not send it
        self._votes: dict[str, int] = {}
        self._counts: dict[str, int] = {}

    def learn(self, entries: Iterable[Entry]) -> None:
        """Look at some frames before their senders are asked for."""
        for entry in entries:
            word = entry.word
            if not word or word in KNOWN or entry.verdict is None:
                continue
            message = entry.verdict.message
            kind = getattr(message, "type", "")
            sender = self.sender_of(kind)
            if sender is None and message is not None:
                sender = self._record.sent_by_client(message, "")
            if sender is None:
                continue
            weight = 1_000 if kind in self._record.greetings else 1
            self._vote(word, weight if sender else -weight)

    def sender_of(self, kind: str) -> bool | None:
        """Whether the client sends this type; None: both may, or nobody knows it."""
        forbidden = self._wrong_way.get(kind)
        return None if forbidden is None else not forbidden

    def _vote(self, word: str, weight: int) -> None:
        soft = "?" if word[0] == "?" else ""
        if soft:
            weight = 1 if weight > 0 else -1
        other = OPPOSITE.get(word.removeprefix(soft))
        for one, count in ((word, weight), (other and soft + other, -weight)):
            if one:
                self._votes[one] = self._votes.get(one, 0) + count
                self._counts[one] = self._counts.get(one, 0) + 1

    def is_up(self, word: str, kind: str, message: Any = None, lane: str = "") -> bool | None:
        """Whether the client has sent a frame of this type; None: nobody can tell.

        ``message`` may say it itself, where the connection is known to be for ``lane``.
        """
        known = KNOWN.get(word)
        if known is not None:
            return known
        votes = self._votes.get(word, 0)
        if word[:1] == "?" and abs(votes) < AGREED * self._counts.get(word, 0):
            votes = 0  # a word of a sentence, which says something else
        if votes:
            return votes > 0
        told = None if message is None else self._record.sent_by_client(message, lane)
        return self.sender_of(kind) if told is None else told
