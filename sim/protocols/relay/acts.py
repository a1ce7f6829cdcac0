"""What a scenario tells the people and programs at controllers and nodes.

These arrive at a twin's ``on_act``. Times are in milliseconds. ``request`` is the
requestId that a frame gets, "" for a fresh one; ``node`` "" is the controller's only
or first node. Who gets an act that is another role's raises LookupError.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from sim.protocols.relay.constants import DEFAULT_FORMAT
from sim.wire.linkage import JsonObject


class Act(msgspec.Struct, frozen=True, gc=False, tag_field="is"):
    """Root of the acts."""


# -- both


class Connect(Act, frozen=True, gc=False, tag="connect"):
    """The program dials; one that is connected does nothing."""


class Disconnect(Act, frozen=True, gc=False, tag="disconnect"):
    """The program closes its socket and stays away until :class:`Connect`."""

    code: int = 1000
    reason: str = ""


class Redial(Act, frozen=True, gc=False, tag="redial"):
    """The program dials anew; the old socket it neither closes nor looks at any more."""


class SwitchPings(Act, frozen=True, gc=False, tag="pings"):
    """The program stops pinging, or begins again."""

    on: bool


class UseToken(Act, frozen=True, gc=False, tag="token"):
    """The access token of the next auth; with ``now`` it is shown on the present socket too."""

    token: str
    now: bool = False


class RefreshToken(Act, frozen=True, gc=False, tag="refresh"):
    """Asks for a new access token, which the next auth shows; ``token`` "": the plan's."""

    token: str = ""
    request: str = ""


class SayFrame(Act, frozen=True, gc=False, tag="say"):
    """Writes this frame on the socket, right or wrong, ready or not.

    ``frame`` is the decoded object; with ``fill`` the envelope's fields that it lacks
    are filled in: version, a fresh requestId, the time, the role.
    """

    frame: JsonObject
    fill: bool = True


class SayText(Act, frozen=True, gc=False, tag="text"):
    """Writes this text on the socket, whatever it is."""

    text: str


# -- controllers


class SendCommand(Act, frozen=True, gc=False, tag="command"):
    """Sends a command, at once or as soon as the session is ready.

    ``timeout_ms`` None leaves the budget to the command's timeoutPolicy, if one is
    known, else to the relay. ``nonce`` "" is a fresh one. ``retries``: so often a
    failure that is retryable, or the loss of the socket, makes it go out again, under a
    new requestId and with the same idempotencyKey. With ``early`` it does not wait for
    the session, only for the socket.
    """

    action: str
    payload: JsonObject = msgspec.field(default_factory=dict)
    node: str = ""
    tab: str = ""
    request: str = ""
    timeout_ms: int | float | None = None
    wait_policy: str = ""
    idempotency_key: str = ""
    nonce: str = ""
    retries: int = 0
    early: bool = False


class ExtractContent(Act, frozen=True, gc=False, tag="extract"):
    """Sends the command that takes a tab's content in this ``format``: markdown,
    distilled_html, clean_html, raw_html or text. ``selector`` "": all of the page."""

    tab: str
    format: str = DEFAULT_FORMAT
    selector: str = ""
    node: str = ""
    request: str = ""
    timeout_ms: float | None = None
    wait_policy: str = ""


class LockTab(Act, frozen=True, gc=False, tag="lock"):
    """Takes a tab, or renews the lock; ``lease_ms`` None: the relay's default."""

    tab: str
    node: str = ""
    lease_ms: int | None = None
    request: str = ""


class UnlockTab(Act, frozen=True, gc=False, tag="unlock"):
    """Gives a tab back."""

    tab: str
    node: str = ""
    request: str = ""


class CancelCommand(Act, frozen=True, gc=False, tag="cancel"):
    """Cancels the command or the stream with this requestId."""

    target: str
    request: str = ""


# -- nodes


class SignIn(Act, frozen=True, gc=False, tag="sign-in"):
    """The person at the browser signs in at a site."""

    site: str


class DeclineSignIn(Act, frozen=True, gc=False, tag="decline"):
    """The person does not sign in: commands that waited for it fail."""

    site: str


class SignOut(Act, frozen=True, gc=False, tag="sign-out"):
    """The site forgets the person."""

    site: str


class CloseTab(Act, frozen=True, gc=False, tag="close-tab"):
    """The person closes a managed tab."""

    tab: str


class SlowDown(Act, frozen=True, gc=False, tag="slow"):
    """What begins from now on takes ``ms`` longer; ``action`` "" means every action."""

    ms: int
    action: str = ""


class FailNext(Act, frozen=True, gc=False, tag="fail"):
    """The next ``times`` commands (of this ``action``) fail with ``code`` when they are done."""

    code: str = "command_failed"
    message: str = "the browser has failed"
    action: str = ""
    times: int = 1


class HangNext(Act, frozen=True, gc=False, tag="hang"):
    """The next ``times`` commands (of this ``action``) never end by themselves."""

    action: str = ""
    times: int = 1


class RefuseCancels(Act, frozen=True, gc=False, tag="refuse-cancels"):
    """The browser cannot stop what it has begun, or can again."""

    on: bool = True


class ReportProgress(Act, frozen=True, gc=False, tag="progress"):
    """An event about a command, running or not."""

    request: str
    fields: JsonObject = msgspec.field(default_factory=lambda: {"type": "progress"})


class EmitUpdate(Act, frozen=True, gc=False, tag="update"):
    """A listener update under this requestId, whether it is subscribed or not."""

    request: str
    data: Any = None
    update_type: str = "network.response"


CONTROLLER_ACTS: Final = (SendCommand, ExtractContent, LockTab, UnlockTab, CancelCommand)
NODE_ACTS: Final = (
    SignIn,
    DeclineSignIn,
    SignOut,
    CloseTab,
    SlowDown,
    FailNext,
    HangNext,
    RefuseCancels,
    ReportProgress,
    EmitUpdate,
)
PEER_ACTS: Final = (
    Connect,
    Disconnect,
    Redial,
    SwitchPings,
    UseToken,
    RefreshToken,
    SayFrame,
    SayText,
)
"""What both take."""


# -- the relay


class RemoveController(Act, frozen=True, gc=False, tag="remove"):
    """Whoever runs the relay lets a controller identity in no more: its sessions end."""

    identity: str
