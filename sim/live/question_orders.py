"""What the control API of a served OpenCode and Telegram takes: one struct per command."""

from __future__ import annotations

from typing import Any

import msgspec

from sim.live.orders import Command


class OnTelegram(Command, kw_only=True):
    """Somebody does something on Telegram. Defaults: the first person; ``channel`` is the
    one that there is."""

    person: str = ""
    channel: str = ""


class WriteText(OnTelegram, kw_only=True):
    """``POST /message``: into the group, or another ``chat`` (``direct``: with the bot)."""

    text: str
    chat: str = ""


class ReplyText(OnTelegram, kw_only=True):
    """``POST /reply``: to a ``message`` ("": the newest that asks for a reply)."""

    text: str
    message: str = ""


class PressKey(OnTelegram, kw_only=True):
    """``POST /press``: a button by its label or data ("": the first; ``custom``: the one for
    a free answer; on a message also any data with a colon), on a ``message`` ("": the newest
    that has, or had, it)."""

    button: str = ""
    message: str = ""


class RewordText(OnTelegram, kw_only=True):
    """``POST /reword``: change a message of one's own."""

    message: str
    text: str


class RemoveText(OnTelegram, kw_only=True):
    """``POST /delete``: a message."""

    message: str


class AskQuestion(Command, kw_only=True):
    """``POST /ask``: an agent of OpenCode asks."""

    question: str = "Deploy now?"
    options: tuple[str, ...] = ("Yes", "No")
    header: str = "Pick"
    session: str = "ses_demo"
    call: str = ""
    directory: str = ""
    multiple: bool = False
    more: tuple[dict[str, Any], ...] = ()
    listed_after_s: float = 0.0
    names_call: bool = True
    shows_tool: bool = True


class CallTool(Command, kw_only=True):
    """``POST /tool``: an agent calls a tool, whatever its arguments are."""

    tool: str
    args: Any = None
    session: str = "ses_demo"
    call: str = ""
    directory: str = ""


class AnswerAtDesk(Command, kw_only=True):
    """``POST /answer``: somebody answers in OpenCode itself: one row of labels per question.
    ``request`` is a requestID or callID ("": the newest open one)."""

    answers: tuple[tuple[str, ...], ...]
    request: str = ""


class CloseAtDesk(Command, kw_only=True):
    """``POST /dismiss`` and ``/abort``: a question there ("": the newest open one)."""

    request: str = ""


class HttpFault(Command, kw_only=True):
    """``POST /http``: what befalls the next ``times`` requests to a server.

    ``request``: a method of the Bot API, or ``GET /question``, ``POST /question/*/reply``,
    or ``*``. ``caller`` "" is a listener, a hook for ``sendMessage`` of a question.
    """

    to: str
    outcome: str
    request: str = "*"
    caller: str = ""
    times: int = 1


class TelegramFault(Command, kw_only=True):
    """``POST /fault``: how Telegram answers the next such call (``always``: all of them)."""

    outcome: str
    op: str = "*"
    for_s: float = 0.0
    always: bool = False
    chat: str = ""
    channel: str = ""


class ActOn(Command, kw_only=True):
    """``POST /act``: any act of the protocol, as ``@act`` of the scenario language has it."""

    host: str
    act: dict[str, Any] = msgspec.field(default_factory=dict)
