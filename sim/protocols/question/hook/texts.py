"""What the hook writes into the chat, and into its log."""

from __future__ import annotations

import re
from typing import Final

from sim.protocols.question.constants import MESSAGE_CHARS
from sim.protocols.question.hook.asked import Asked
from sim.protocols.question.telegram.entities import units

PREFIX: Final = "[HermesHook]"
OWN_ANSWER: Final = "✍️ 自定义回答"
"""The button for a free answer."""
OTHERS_UNANSWERED: Final = (
    "（此处只能回答第一个问题，其余 {count} 个将视为未回答；要全部回答请在电脑上进行）"
)
"""Only the first question can be answered here, and that ends the call: the others stay
unanswered (DQ-08). Whoever wants to answer all of them does it at the desk."""
ONE_VALUE: Final = "（此处只能选择一项）"
"""Only one option can be chosen here (DQ-08)."""

_MARKS: Final = "_*`["
_PIECES: Final = re.compile(r"\\[_*`\[]|.", re.DOTALL)
_MORE: Final = "…"


def escaped(text: str) -> str:
    """A text that old Markdown shows as it is: an unclosed mark would be a 400."""
    return "".join(f"\\{sign}" if sign in _MARKS else sign for sign in text)


def _bold(text: str) -> str:
    """Bold where it can be: within bold letters old Markdown knows no escapes."""
    return escaped(text) if any(sign in text for sign in _MARKS + "\\") else f"*{text}*"


def clipped(text: str, most: int) -> str:
    """As much of an escaped text as fits, never half of an escape."""
    if units(text) <= most:
        return text
    kept, left = [], most - units(_MORE)
    for piece in _PIECES.findall(text):
        left -= units(piece)
        if left < 0:
            break
        kept.append(piece)
    return "".join(kept) + _MORE


def question(asked: Asked, says_rest: bool) -> str:
    """The message of a question: header, question, options, and what cannot be said here.

    The notes at its end stay, however long the question is.
    """
    notes = []
    if says_rest and asked.others:
        notes.append(OTHERS_UNANSWERED.format(count=asked.others))
    if says_rest and asked.multiple:
        notes.append(ONE_VALUE)
    head = f"❓ {_bold(asked.header)}\n" if asked.header else "❓ "
    lines = [head + escaped(asked.question)]
    lines += (
        f"• {escaped(option.label)} — {escaped(option.description)}"
        for option in asked.options
        if option.description
    )
    end = "".join(f"\n{note}" for note in notes)
    return clipped("\n".join(lines), MESSAGE_CHARS - units(end)) + end
