"""What a scenario tells agents, people at the desk, and the file of the store.

These arrive at a twin's ``on_act``; who gets one that is another host's raises
LookupError. What people do on Telegram (say, press, remove) is in
:mod:`sim.channel.api`. Times are in milliseconds.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from sim.protocols.question.constants import QUESTION
from sim.wire.linkage import JsonObject


class Act(msgspec.Struct, frozen=True, gc=False, tag_field="is"):
    """Root of the acts."""


# -- OpenCode: its agents, and the person at its terminal


class RunTool(Act, frozen=True, gc=False, tag="tool"):
    """An agent calls a tool; before it runs, the hook is told.

    ``call`` "" draws ``call_N``; ``directory`` "" is the plan's. ``args`` may be anything.
    A tool that is not ``question`` is completed as soon as the hook has returned.
    ``listed_after_ms``: so long after the hook's return the tool registers its question.
    ``request`` "" draws ``que_N``. With ``names_call`` off neither the hook's input nor
    the list's item says which call it is, with ``shows_tool`` off only the item does not
    (QT-50).
    """

    session: str
    tool: str = QUESTION
    call: str = ""
    directory: str = ""
    args: Any = None
    request: str = ""
    listed_after_ms: int = 0
    names_call: bool = True
    shows_tool: bool = True


class Ask(Act, frozen=True, gc=False, tag="ask"):
    """An agent asks one question with these options: the usual :class:`RunTool`.

    ``more``: further questions of the same call, as OpenCode writes them. ``multiple``:
    several options may be chosen at the desk.
    """

    session: str
    question: str = "Deploy now?"
    options: tuple[str, ...] = ("A", "B")
    header: str = "Pick"
    call: str = ""
    directory: str = ""
    request: str = ""
    multiple: bool = False
    more: tuple[JsonObject, ...] = ()
    listed_after_ms: int = 0
    names_call: bool = True
    shows_tool: bool = True


class AnswerHere(Act, frozen=True, gc=False, tag="answer"):
    """Somebody answers at OpenCode's own terminal: one row of labels per question.

    ``request`` is a requestId or a callID. A question that is not open stays as it is.
    """

    request: str
    answers: tuple[tuple[str, ...], ...]


class DismissHere(Act, frozen=True, gc=False, tag="dismiss"):
    """Somebody dismisses the question at the terminal: the tool ends with an error."""

    request: str


class AbortTool(Act, frozen=True, gc=False, tag="abort"):
    """The session is interrupted: its tool ends, and the question with it.

    ``request`` is a requestId or a callID; it may be one that is not registered yet.
    """

    request: str


# -- the store's file


class BreakStore(Act, frozen=True, gc=False, tag="break"):
    """The file's content becomes this text, whatever was there."""

    text: str = '{"aaaa0001": {"type": "ques'


class TearNextWrite(Act, frozen=True, gc=False, tag="tear"):
    """The next ``times`` writes stop half-way, as if the machine had lost its power."""

    times: int = 1


class LeaveLock(Act, frozen=True, gc=False, tag="leave-lock"):
    """A lock lies beside the file, left by ``owner`` (a process that is gone unless it
    names a living one: ``hook#1``) ``age_ms`` ago. ``text`` stands for any other content."""

    owner: str = "killed#1"
    age_ms: int = 0
    text: str = ""


class RemoveLock(Act, frozen=True, gc=False, tag="remove-lock"):
    """Somebody removes the lock by hand."""


class PutEntry(Act, frozen=True, gc=False, tag="put-entry"):
    """An entry is in the file, as if it had been written ``age_ms`` ago.

    ``fields`` are the entry's, in the wire's spelling; ``timestamp`` is added where it
    is not among them.
    """

    unique_id: str
    fields: JsonObject
    age_ms: int = 0


class DenyStore(Act, frozen=True, gc=False, tag="deny"):
    """The disk refuses every operation, or takes them again."""

    on: bool = True
    why: str = "no space left on device"


OPENCODE_ACTS: Final = (RunTool, Ask, AnswerHere, DismissHere, AbortTool)
STORE_ACTS: Final = (BreakStore, TearNextWrite, LeaveLock, RemoveLock, PutEntry, DenyStore)
