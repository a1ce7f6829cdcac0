"""What Telegram is told when it is made: bots, chats, people, and how strict it is."""

from __future__ import annotations

from typing import Final, Literal

import attrs

from sim.protocols.question.constants import PRESS_VALID_MS

CHAT: Final = "-4200000001"
"""The group in which bot and people meet, where nobody says otherwise."""
TOKEN: Final = "token-A"
FIRST_BOT: Final = 1
FIRST_PERSON: Final = 7_001
FIRST_MESSAGE: Final = 101
FIRST_UPDATE: Final = 9_001

Privacy = Literal["off", "replies", "on"]
"""What a bot gets of a group's texts: all of them, those that answer or name it, none."""


@attrs.frozen
class BotAccount:
    """One bot: its token as it stands in paths, its name with people, and its privacy.

    With ``privacy`` ``on`` no text of a group reaches the bot (facts, §7 supplement 2);
    ``replies`` is what Telegram's own documents promise: commands, mentions and replies
    to the bot come through. Presses and direct chats come through always.
    """

    token: str = TOKEN
    username: str = "perm_bot"
    privacy: Privacy = "off"


@attrs.frozen
class Standing:
    """A message of a bot that stands there before the run begins.

    ``keys``: (label, callback data), one per row. ``chat`` and ``bot`` "" are the plan's
    first. Each chat counts its messages from 101 in the order of the plan.
    """

    text: str
    keys: tuple[tuple[str, str], ...] = ()
    forces_reply: bool = False
    chat: str = ""
    bot: str = ""


@attrs.frozen
class BotApiPlan:
    """Telegram's surroundings.

    ``bots``: the first is the one whose chats people mean who name none. ``chat`` is the
    group that people write in who name none, ``groups`` all groups, ``people`` get their
    numbers in that order, whoever else appears the next. ``writes_per_minute`` is what a
    bot may write into one group before it gets 429 (0: no limit). ``strict``: an edit
    that changes nothing is refused (DQ-27). ``press_valid_us``: a press can be answered
    so long. ``conflicts``: a second getUpdates ends the first with 409 (off: both are
    served, as for the moment before Telegram notices). ``standing``: what stands there.
    """

    bots: tuple[BotAccount, ...] = (BotAccount(),)
    chat: str = CHAT
    groups: tuple[str, ...] = ()
    people: tuple[str, ...] = ("Alice", "Bob")
    writes_per_minute: int = 0
    strict: bool = True
    conflicts: bool = True
    press_valid_us: int = PRESS_VALID_MS * 1_000
    standing: tuple[Standing, ...] = ()
