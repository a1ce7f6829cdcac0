"""What a scenario tells the people at a desktop and the agents on it.

These arrive at the desktop twin's ``on_act``. ``request`` names the task by
its requestId; "" is the task that started last and has not ended.
"""

from __future__ import annotations

from typing import Any

import msgspec


class Act(msgspec.Struct, frozen=True, gc=False, tag_field="is"):
    """Root of the desktop's acts."""


class AgentProgresses(Act, frozen=True, gc=False, tag="agent-progresses"):
    """The agent's visible work is now ``text`` (a whole snapshot, markdown).

    ``fresh``: it is another message of the agent's, not more of the same.
    """

    text: str
    request: str = ""
    fresh: bool = False


class AgentAsks(Act, frozen=True, gc=False, tag="agent-asks"):
    """The agent needs an answer: a card. ``buttons``: (id, label, style) triples."""

    kind: str = "permission"
    title: str = "Allow?"
    body: str = ""
    buttons: tuple[tuple[str, str, str], ...] = ()
    request: str = ""


class AgentEnds(Act, frozen=True, gc=False, tag="agent-ends"):
    """The agent's turn is over. ``status``: ok or error. ``files``: (name, mimeType,
    dataBase64) triples."""

    status: str = "ok"
    text: str = ""
    error: str = ""
    files: tuple[tuple[str, str, str], ...] = ()
    request: str = ""


class Retry(Act, frozen=True, gc=False, tag="retry"):
    """The person presses retry on the error banner (of the session of ``request``)."""

    request: str = ""


class TypeText(Act, frozen=True, gc=False, tag="type"):
    """The person writes into the session on the desktop: an ordinary local turn."""

    text: str
    request: str = ""


class AnswerCard(Act, frozen=True, gc=False, tag="answer"):
    """The person answers the agent's open question on the desktop itself."""

    button: str


class Login(Act, frozen=True, gc=False, tag="login"):
    """Another account signs in; running tasks of the old one are aborted silently."""

    account: str


class ChangeWorkspaces(Act, frozen=True, gc=False, tag="workspaces"):
    """The person changes the folder list (aliases; ``chat`` is always first)."""

    aliases: tuple[str, ...]
    default: str | None = None


class Toggle(Act, frozen=True, gc=False, tag="toggle"):
    """The person switches a channel on or off at the desktop ("": the first one).

    Switching Slack on also asks for a binding, should the server know of none.
    """

    on: bool
    lane: str = ""


class ChangeFeature(Act, frozen=True, gc=False, tag="feature"):
    """What this side (desktop or server) announces changes with its next handshake."""

    feature: str
    on: bool


class Adopt(Act, frozen=True, gc=False, tag="adopt"):
    """The server's operator gives a device to a person without a sign-in: from now on the
    server's plan binds them. Counts only where neither is bound on that lane."""

    lane: str
    person: str
    device: str


class Operate(Act, frozen=True, gc=False, tag="operate"):
    """The person (or the agent's tool use) at the desktop does what sends this frame.

    ``frame`` is a wire type that a person or tool causes: ``bind.start``,
    ``bind.revoke``, ``provider.bind.start`` …, ``prefs.get``, ``prefs.set``,
    ``provider.prefs.*``, ``provider.behavior.*``, ``tool.request``,
    ``lifecycle.preference``. ``fields`` are payload fields by wire name; what is
    not named the desktop fills in. Where the desktop must not send the frame
    (feature missing, not bound), it does not.
    """

    frame: str
    fields: dict[str, Any] = msgspec.field(default_factory=dict)
