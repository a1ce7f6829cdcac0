"""Stage 5 and its part of stage 13: Slack accounts on a desktop (spec §5)."""

from __future__ import annotations

from sim.protocols.hook.constants import BIND_UPDATE_STATES, HOOK_FEATURE_MULTI_TEAM
from sim.protocols.hook.frames.envelope import (
    BOTH,
    DESKTOP_TO_SERVER,
    SERVER_TO_DESKTOP,
    HookBody,
)
from sim.protocols.hook.predicates import HAS_AT
from sim.wire.absent import ABSENT, Absent
from sim.wire.declare import Gate, Record, message, record, wire
from sim.wire.linkage import filled_when
from sim.wire.spec import ANY_TEXT, SOME_TEXT, Choice, Flag, ListOf, Nested, Text


@message("bind.start", direction=DESKTOP_TO_SERVER, section="§5.5", example={"teamId": "T1"})
class BindStart(HookBody):
    """Starts signing in with Slack. ``email`` only marks old desktops."""

    email: str | Absent = wire(Text(min=1, where=HAS_AT), default=ABSENT)
    team_id: str | Absent | None = wire(ANY_TEXT, nullable=True, default=ABSENT)


@message(
    "bind.update",
    direction=SERVER_TO_DESKTOP,
    section="§5.5",
    example={
        "state": "pending",
        "slackUserId": None,
        "slackUserName": None,
        "message": None,
        "authorizeUrl": "https://slack.com/openid/connect/authorize?state=1",
    },
    rules=(
        filled_when("slackUserId", "state", "confirmed"),
        filled_when("authorizeUrl", "state", "pending"),
        filled_when("message", "state", "failed"),
    ),
)
class BindUpdate(HookBody):
    """State of a Slack sign-in, or of the binding that came of it."""

    state: str = wire(Choice(BIND_UPDATE_STATES))
    slack_user_id: str | None = wire(ANY_TEXT, nullable=True)
    slack_user_name: str | None = wire(ANY_TEXT, nullable=True)
    message: str | None = wire(ANY_TEXT, nullable=True)
    authorize_url: str | Absent | None = wire(ANY_TEXT, nullable=True, default=ABSENT)
    reason: str | Absent | None = wire(ANY_TEXT, nullable=True, default=ABSENT)
    install_url: str | Absent | None = wire(ANY_TEXT, nullable=True, default=ABSENT)
    team_name: str | Absent | None = wire(ANY_TEXT, nullable=True, default=ABSENT)
    team_id: str | Absent | None = wire(ANY_TEXT, nullable=True, default=ABSENT)


@message(
    "bind.revoke",
    direction=DESKTOP_TO_SERVER,
    section="§5.5",
    example={"teamId": "T1", "pendingOnly": True},
    unknown="refused first",
)
class BindRevoke(HookBody):
    """Ends one binding, all of them, or (``pending_only``) just a sign-in under way."""

    team_id: str | Absent | None = wire(ANY_TEXT, nullable=True, default=ABSENT)
    pending_only: bool | Absent = wire(Flag(), default=ABSENT)


@record()
class SlackBinding(Record):
    """One Slack account that is bound to the desktop."""

    team_id: str = wire(SOME_TEXT)
    team_name: str | None = wire(ANY_TEXT, nullable=True)
    slack_user_id: str = wire(SOME_TEXT)
    slack_user_name: str | None = wire(ANY_TEXT, nullable=True)


@message(
    "bind.state",
    direction=SERVER_TO_DESKTOP,
    section="§5.13",
    gate=Gate(HOOK_FEATURE_MULTI_TEAM, BOTH),
    example={
        "bindings": [
            {"teamId": "T1", "teamName": "Acme", "slackUserId": "U1", "slackUserName": "alice"}
        ]
    },
)
class BindState(HookBody):
    """All Slack bindings of the desktop; this list is the authority."""

    bindings: tuple[SlackBinding, ...] = wire(ListOf(Nested(SlackBinding)))
