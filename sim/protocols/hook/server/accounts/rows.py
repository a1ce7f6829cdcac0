"""What the server keeps through a crash about accounts and settings.

Keys: ``slack-binding/<team>/<person>``, ``slack-attempt/<deviceId>``,
``provider-binding/<bindingId>``, ``provider-attempt/<provider>/<deviceId>``,
``prefs/<team>/<user>/<alias>``, ``provider-prefs/<provider>/<selector>/<alias>``,
``behavior/<bindingId>``, ``activation/<bindingId>/<chat>``,
``member/<provider>/<chat>/<principal>``, ``command/<event>``, ``picker/<event>``,
``presence/<deviceId>``, ``features``.
"""

from __future__ import annotations

from sim.channel.api import Button
from sim.protocols.hook.server.stored import Row


class SlackBindingRow(Row, frozen=True, gc=False, tag="slack-binding"):
    """A Slack user of a team and the device that is theirs.

    ``state`` is a state of ``machine.SLACK_BINDING``; ``link`` the sign-in that
    made it ("" when it was there from the start).
    """

    team: str
    person: str
    user: str
    device: str
    state: str
    team_name: str | None = None
    user_name: str | None = None
    link: str = ""


class SlackAttemptRow(Row, frozen=True, gc=False, tag="slack-attempt"):
    """A sign-in under way. ``team`` is what the page is pinned to, ``multi`` how it began."""

    device: str
    link: str
    team: str
    multi: bool
    state: str
    expires_us: int


class ProviderBindingRow(Row, frozen=True, gc=False, tag="provider-binding"):
    """An account of a provider-neutral channel and the device that is theirs."""

    binding: str
    provider: str
    device: str
    person: str
    principal: str
    principal_name: str | None
    scope: str
    state: str
    link: str = ""


class ProviderAttemptRow(Row, frozen=True, gc=False, tag="provider-attempt"):
    """One attempt to bind; ``asked`` is who opened it and has to say yes, if that is awaited."""

    attempt: str
    provider: str
    device: str
    link: str
    scope: str
    state: str
    expires_us: int
    asked: str = ""


class PrefRow(Row, frozen=True, gc=False, tag="pref"):
    """What runs in one folder: of a Slack user in a team, or of a binding or scope."""

    workspace: str
    model: str | None = None
    effort: str | None = None
    agent_kind: str | None = None
    permission_mode: str | None = None


class BehaviorRow(Row, frozen=True, gc=False, tag="behavior"):
    """What was set for a binding; None is "whatever the default is"."""

    emoji_reactions: str | None = None
    reply_quote_dm: str | None = None
    reply_quote_group: str | None = None


class MemberRow(Row, frozen=True, gc=False, tag="member"):
    """That a principal is in a group, and nothing else about the group (HK-159)."""

    provider: str
    chat: str
    principal: str


class CommandRow(Row, frozen=True, gc=False, tag="command"):
    """A command that somebody gave and that has not been answered yet."""

    event: str
    channel: str
    lane: str
    chat: str
    thread: str | None
    person: str
    team: str
    word: str
    at_us: int


class PickerRow(Row, frozen=True, gc=False, tag="picker"):
    """A card of the server's own. ``choices`` are what its buttons stand for."""

    event: str
    channel: str
    lane: str
    chat: str
    thread: str | None
    person: str
    team: str
    word: str
    workspace: str
    text: str
    buttons: tuple[Button, ...]
    choices: tuple[tuple[str, ...], ...]
    message: str
    outcome: str
    written: bool


class PresenceRow(Row, frozen=True, gc=False, tag="presence"):
    """What people were told last about a device."""

    online: bool


class FeaturesRow(Row, frozen=True, gc=False, tag="features"):
    """What this server offers, after it was changed."""

    features: tuple[str, ...]
