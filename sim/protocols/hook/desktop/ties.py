"""Who the desktop is bound to, by channel, and what the server told of it.

Made on first use: a desktop that nobody binds and whose settings nobody opens
has none of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sim.protocols.hook import HOOK_FEATURE_MULTI_TEAM
from sim.protocols.hook.desktop.desk import Desk
from sim.protocols.hook.desktop.records import Lane

if TYPE_CHECKING:
    from sim.protocols.hook import (
        BindUpdate,
        PrefsState,
        ProviderBehaviorState,
        ProviderPrefsState,
        SlackBinding,
    )


class BindingRow(msgspec.Struct, frozen=True, gc=False, tag="binding"):
    """Durable: the confirmed binding of a provider-neutral channel."""

    binding: str
    principal: str
    scope: str


class NeutralTies:
    """A channel that is bound by ``provider.bind.*`` (Telegram, X).

    ``state`` is what is shown. ``attempt`` is the attempt that may still
    succeed, ``mutation`` the local request that is under way.
    ``is_settled``: since the last welcome something newer than the server's
    first snapshot has happened, so that one counts no more.
    """

    __slots__ = ("attempt", "behavior", "binding", "is_settled", "mutation", "prefs", "state")

    def __init__(self, binding: BindingRow | None) -> None:
        self.state = "none" if binding is None else "confirmed"
        self.binding = binding
        self.attempt: str | None = None
        self.mutation: str | None = None
        self.is_settled = False
        self.prefs: ProviderPrefsState | None = None
        # None: unknown
        self.behavior: ProviderBehaviorState | None = None


class SlackTies:
    """The Slack accounts of the desktop.

    ``rows`` are bound; ``displaced`` are those that another device took over.
    ``state`` is that of the only binding where the server knows but one.
    ``is_pending``: a sign-in is under way. ``binds_itself``: the person has
    switched Slack on, so a server that knows of no binding is asked for one.
    ``last`` is the newest ``bind.update``: it decides what is waited for.
    """

    __slots__ = (
        "binds_itself",
        "displaced",
        "is_pending",
        "is_too_old",
        "last",
        "prefs",
        "rows",
        "state",
    )

    def __init__(self) -> None:
        self.rows: tuple[SlackBinding, ...] = ()
        self.displaced: tuple[SlackBinding, ...] = ()
        self.state = "none"
        self.is_pending = False
        self.binds_itself = False
        self.last: BindUpdate | None = None
        self.prefs: PrefsState | None = None
        # the server does not answer questions about preferences
        self.is_too_old = False

    @property
    def is_bound(self) -> bool:
        """Whether there is any Slack account."""
        return bool(self.rows) or self.state == "confirmed"


def slack_ties(lane: Lane) -> SlackTies:
    """Those of the Slack lane."""
    if lane.ties is None:
        lane.ties = SlackTies()
    ties = lane.ties
    assert isinstance(ties, SlackTies)
    return ties


def neutral_ties(desk: Desk, lane: Lane) -> NeutralTies:
    """Those of a Telegram or X lane; a confirmed binding is remembered from earlier lives."""
    if lane.ties is None:
        lane.ties = NeutralTies(desk.port.store.get(binding_key(desk, lane)))
    ties = lane.ties
    assert isinstance(ties, NeutralTies)
    return ties


def binding_key(desk: Desk, lane: Lane) -> str:
    """Where a neutral channel's binding stands."""
    return f"binding/{desk.account}/{lane.name}"


def binding_of(desk: Desk, lane: Lane) -> BindingRow | None:
    """The confirmed binding of a neutral channel."""
    return None if lane.name == "slack" else neutral_ties(desk, lane).binding


def concerns(desk: Desk, lane: Lane, binding: str | None, scope: str | None = None) -> bool:
    """Whether settings of this binding, or of its scope, are the present one's (HK-119)."""
    if not desk.rules.own_binding_only:
        return True
    bound = binding_of(desk, lane)
    if bound is None:
        return False
    return binding == bound.binding or (binding is None and scope == bound.scope)


def agreed(desk: Desk, lane: Lane, feature: str) -> bool:
    """Whether both sides have announced a feature on this lane."""
    return feature in lane.features and feature in desk.features.get(lane.name, ())


def has_teams(desk: Desk, lane: Lane) -> bool:
    """Whether several Slack teams may be bound at once (HK-99)."""
    return agreed(desk, lane, HOOK_FEATURE_MULTI_TEAM)
