"""Binding Telegram or X: one local request at a time, and whose word counts (section 13).

Of the server's snapshots only these are taken: the answer to the request that
is under way; the first ``provider.bind.state`` after a welcome, unless
something newer came before; and those that name the present attempt or
binding. A confirmation never replaces another confirmed binding.
"""

from __future__ import annotations

from typing import Any

import attrs

from sim.core.op import Erase, Note, Save, StartTimer, StopTimer
from sim.protocols.hook import ProviderBindState, ProviderBindUpdate
from sim.protocols.hook.desktop import asks, behavior
from sim.protocols.hook.desktop.desk import Desk
from sim.protocols.hook.desktop.links import may_open
from sim.protocols.hook.desktop.records import Lane
from sim.protocols.hook.desktop.ties import BindingRow, NeutralTies, binding_key, neutral_ties

Snapshot = ProviderBindUpdate | ProviderBindState
OPEN = ("pending", "awaiting_confirmation")
ENDED = ("denied", "expired", "failed")
GONE = ("revoked", "superseded")
BAD_LINK = "invalid-connect-url"


def begins_anew(desk: Desk, lane: Lane) -> None:
    """A welcome: the server will tell how things stand; what it tells first counts."""
    if lane.ties is None and not desk.port.store.get(binding_key(desk, lane)):
        return
    ties = neutral_ties(desk, lane)
    ties.is_settled = False
    ties.mutation = None


async def told(desk: Desk, lane: Lane, frame: Snapshot) -> None:
    """A snapshot of an attempt or binding: take it whole (HK-112), or not at all."""
    ties = neutral_ties(desk, lane)
    if frame.provider != lane.name:
        return
    if desk.rules.one_attempt and not counts(ties, frame):
        return
    answered = frame.reply_to is not None and frame.reply_to == ties.mutation
    ties.is_settled = True
    if answered:
        ties.mutation = None
    if frame.state == "pending" and not _link_is_good(desk, lane, frame):
        whole: Any = frame
        frame = attrs.evolve(
            whole, state="failed", connect_url=None, expires_at=None, reason=BAD_LINK
        )
    await take(desk, lane, ties, frame)
    if answered:
        await asks.settle(desk, frame.reply_to, "answered")
    if frame.state == "pending":
        fact = {"lane": lane.name, "opened": frame.connect_url or ""}
        await desk.perform(Note("link", fact))


def counts(ties: NeutralTies, frame: Snapshot) -> bool:
    """Whether a snapshot may change what is known."""
    if frame.reply_to is not None:
        if frame.reply_to != ties.mutation:
            return False
    elif isinstance(frame, ProviderBindState) and not ties.is_settled:
        return True  # the first after a welcome is the authority
    elif frame.state != "confirmed":
        return _names_the_present(ties, frame)
    bound = ties.binding
    if frame.state == "confirmed":
        is_known = bound is not None and bound.binding == frame.binding_id
        return is_known or (bound is None and ties.attempt is not None)
    if frame.state in GONE:
        return bound is not None and bound.binding == frame.binding_id
    return True


def _names_the_present(ties: NeutralTies, frame: Snapshot) -> bool:
    if frame.attempt_id is not None:
        return frame.attempt_id == ties.attempt
    bound = ties.binding
    return bound is not None and frame.binding_id == bound.binding


def _link_is_good(desk: Desk, lane: Lane, frame: Snapshot) -> bool:
    """Whether the link of a new attempt is one of the provider's own, and may be opened."""
    return not desk.rules.link_allow_list or may_open(lane.name, frame.connect_url or "")


async def take(desk: Desk, lane: Lane, ties: NeutralTies, frame: Snapshot) -> None:
    """The snapshot is what is known from now on, all of it at once.

    The next one may be taken while this one's rows and timers are still being written:
    so nothing of the state is left for later, and what is written is what holds then.
    """
    ties.state = frame.state
    if frame.state in OPEN:
        ties.attempt = frame.attempt_id
    elif frame.state in ENDED or frame.state == "confirmed":
        ties.attempt = None
    before = ties.binding
    if frame.state == "confirmed":
        # the parser has seen that they are there
        ties.binding = BindingRow(
            frame.binding_id or "", frame.principal_id or "", frame.scope_id or ""
        )
    elif frame.state in ("none", *GONE):
        ties.binding = None
    if ties.binding != before:
        ties.prefs = ties.behavior = None
    fact = {
        "lane": lane.name,
        "state": frame.state,
        "attempt": frame.attempt_id,
        "binding": frame.binding_id,
        "reason": frame.reason,
    }
    await desk.perform(Note("binding", fact))
    if frame.state in OPEN and ties.attempt == frame.attempt_id:
        await _lease(desk, lane, frame.expires_at)
    elif ties.attempt is None:
        await desk.perform(StopTimer("attempt", lane.name))
    if frame.state in ("confirmed", "none", *GONE):
        await _bound(desk, lane, ties, before)


async def _lease(desk: Desk, lane: Lane, expires_at: int | None) -> None:
    """An attempt is given up when it expires, in ten minutes at the latest."""
    left_us = desk.settings.attempt_lease_us
    if expires_at is not None:
        left_us = min(left_us, (expires_at - desk.port.now_ms()) * 1000)
    await desk.perform(StartTimer("attempt", lane.name, max(left_us, 0), background=True))


async def expired(desk: Desk, lane: Lane) -> None:
    """The lease of the attempt is over."""
    ties = neutral_ties(desk, lane)
    if ties.attempt is not None:
        ties.attempt = None
        if ties.state in OPEN:
            ties.state = "expired"
        fact = {"lane": lane.name, "state": "expired", "reason": "lease"}
        await desk.perform(Note("binding", fact))


async def _bound(desk: Desk, lane: Lane, ties: NeutralTies, before: BindingRow | None) -> None:
    """Store who is bound now; whatever was asked for somebody else gets no answer."""
    if lane.ties is not ties:
        return  # another account has signed in
    row = ties.binding
    if row != before:
        if row is None:
            await desk.perform(Erase(binding_key(desk, lane)))
        else:
            await desk.perform(Save(binding_key(desk, lane), row))
        bound = ties.binding
        await asks.reject_all(desk, lane, "rebound", but=bound.binding if bound else "")
    if row is not None and ties.binding is row:
        await behavior.fetch(desk, lane)
