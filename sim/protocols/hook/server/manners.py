"""How each kind of channel wants to be written to.

The differences between Slack, Telegram and X are the columns of one small
table; whoever writes asks the table and not for the channel's name.
"""

from __future__ import annotations

from collections.abc import Callable

import attrs

from sim.channel.weight import LIMIT, shorten
from sim.protocols.hook.server.texts import CUT_MARK, cut

SECOND_US = 1_000_000
TELEGRAM_CHARS = 4_096
MOST_PIECES = 8


@attrs.frozen
class Manners:
    """One kind of channel.

    ``chars``: longest text (None: the server's own limit); ``shorten`` cuts to
    it. ``edits``: messages can be changed; where they cannot, a request has one
    post, its final, and continuations are not shown. ``cards``: messages can
    have buttons. ``answers_anew``: a task's end is a new message and its
    progress message is deleted; ``splits``: an answer that is too long goes out
    in several messages. ``per_chat``: a 429 is about one chat, not about the
    whole channel. ``doubt_us``: for how long a post of unknown outcome may
    still appear. ``files``: most files per message; ``images_only``: no others.
    """

    chars: int | None = None
    shorten: Callable[[str, int], str] = cut
    edits: bool = True
    cards: bool = True
    answers_anew: bool = False
    splits: bool = False
    per_chat: bool = False
    doubt_us: int = 90 * SECOND_US
    files: int = 10
    images_only: bool = False

    def fit(self, text: str) -> str:
        """The text, or its head with a mark."""
        return text if self.chars is None else self.shorten(text, self.chars)

    def fit_final(self, text: str) -> str:
        """The text of an end: whole, where the channel takes several messages."""
        return text if self.splits else self.fit(text)

    def first(self, text: str) -> str:
        """What the message itself shows of a text that was fitted before."""
        return self.pieces(text)[0] if self.splits else text

    def pieces(self, text: str) -> list[str]:
        """The messages that a final text needs; each but the last ends with a mark."""
        limit = self.chars
        if not self.splits or limit is None or utf16(text) <= limit:
            return [self.fit(text)]
        pieces: list[str] = []
        while utf16(text) > limit and len(pieces) < MOST_PIECES - 1:
            piece = cut_utf16(text, limit)
            pieces.append(piece)
            text = text[len(piece) - len(CUT_MARK) :]
        return [*pieces, self.fit(text)]


def utf16(text: str) -> int:
    """The length that Telegram counts: UTF-16 units."""
    return len(text) + sum(letter > "\uffff" for letter in text)


def cut_utf16(text: str, units: int) -> str:
    """The head of a text that is too long, counted in UTF-16 units."""
    if utf16(text) <= units:
        return text
    left = units - len(CUT_MARK)
    for place, letter in enumerate(text):
        left -= 2 if letter > "\uffff" else 1
        if left < 0:
            return text[:place] + CUT_MARK
    return text


SLACK = Manners()
TELEGRAM = Manners(
    chars=TELEGRAM_CHARS,
    shorten=cut_utf16,
    answers_anew=True,
    splits=True,
    per_chat=True,
)
X = Manners(
    chars=LIMIT,
    shorten=shorten,
    edits=False,
    cards=False,
    doubt_us=300 * SECOND_US,
    files=4,
    images_only=True,
)
BY_LANE = {"slack": SLACK, "telegram": TELEGRAM, "x": X}


def manners_of(lane: str, chars: int) -> Manners:
    """The manners of a lane; ``chars`` where the channel has no limit of its own."""
    manners = BY_LANE.get(lane, SLACK)
    return manners if manners.chars is not None else attrs.evolve(manners, chars=chars)
