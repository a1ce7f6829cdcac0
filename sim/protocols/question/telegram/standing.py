"""Messages that were there before the run began."""

from __future__ import annotations

from typing import Any

from sim.channel.api import Done
from sim.channel.history import APPLIED
from sim.protocols.question.telegram.markup import Key, Markup
from sim.protocols.question.telegram.state import State
from sim.protocols.question.telegram.writing import posted


def put_standing(state: State, date_s: int) -> list[tuple[str, dict[str, Any]]]:
    """Put the plan's messages into their chats. → what readers see of them, as notes."""
    notes: list[tuple[str, dict[str, Any]]] = []
    for one in state.plan.standing:
        post = state.board.add(one.chat or state.plan.chat, one.text, date_s)
        post.bot = one.bot or state.plan.bots[0].username
        post.forces_reply = one.forces_reply
        post.look(one.text, (), tuple((Key(label, data),) for label, data in one.keys))
        request = posted(post, Markup(post.keyboard, post.forces_reply))
        notes.append((APPLIED, {"request": request, "reply": Done(post.name), "by": post.bot}))
    return notes
