"""The complete snapshots of ``provider.bind.update`` and ``provider.bind.state`` (HK-112).

Every field is given in every state; which may be null follows from the state
(HK-114, HK-116 … HK-118).
"""

from __future__ import annotations

from typing import Any

from sim.core.actor import Port
from sim.protocols.hook.frames import ProviderBindState, ProviderBindUpdate
from sim.protocols.hook.machine import PENDING
from sim.protocols.hook.server.accounts.links import connect_url
from sim.protocols.hook.server.accounts.rows import ProviderAttemptRow, ProviderBindingRow
from sim.protocols.hook.server.plan import ServerPlan

Snapshot = ProviderBindState | ProviderBindUpdate

_WIRE = {
    "PENDING": "pending",
    "AWAITING": "awaiting_confirmation",
    "DENIED": "denied",
    "EXPIRED": "expired",
}


class Snapshots:
    """Makes the snapshots of one server."""

    __slots__ = ("_plan", "_port")

    def __init__(self, plan: ServerPlan, port: Port) -> None:
        self._plan = plan
        self._port = port

    def scope(self, wanted: str) -> str:
        """Where an account is bound: what the desktop named, else the bot."""
        return wanted or self._plan.bot

    def none(self, provider: str, reply_to: str | None, *, first: bool = False) -> Snapshot:
        """Nothing is bound and nothing under way."""
        return _snapshot(first, provider, "none", reply_to)

    def attempt(
        self, attempt: ProviderAttemptRow, reply_to: str | None, *, first: bool = False
    ) -> Snapshot:
        """An attempt under way; its link is shown only while it may be opened."""
        pending = attempt.state == PENDING
        left_us = attempt.expires_us - self._port.now_us()
        url = connect_url(attempt.provider, attempt.link, self._plan.bot) if pending else None
        return _snapshot(
            first,
            attempt.provider,
            _WIRE[attempt.state],
            reply_to,
            attempt_id=attempt.attempt,
            scope_id=attempt.scope or None,
            connect_url=url,
            expires_at=self._port.now_ms() + left_us // 1000,
            actions=("open_connect_url", "copy_connect_url", "cancel") if pending else ("cancel",),
        )

    def over(self, attempt: ProviderAttemptRow, reason: str, reply_to: str | None) -> Snapshot:
        """An attempt that came to nothing."""
        return _snapshot(
            False,
            attempt.provider,
            _WIRE[attempt.state],
            reply_to,
            attempt_id=attempt.attempt,
            scope_id=attempt.scope or None,
            reason=reason,
            actions=("retry",),
        )

    def binding(
        self, row: ProviderBindingRow, reply_to: str | None, *, first: bool = False
    ) -> Snapshot:
        """A confirmed binding."""
        groups = ("add_to_group",) if row.provider == "telegram" else ()
        return _snapshot(
            first,
            row.provider,
            "confirmed",
            reply_to,
            binding_id=row.binding,
            principal_id=row.principal,
            principal_name=row.principal_name,
            scope_id=row.scope,
            scope_name=row.scope,
            actions=("revoke", "open_provider", *groups),
        )

    def gone(
        self, row: ProviderBindingRow, state: str, reason: str, reply_to: str | None
    ) -> Snapshot:
        """A binding that ended."""
        return _snapshot(
            False,
            row.provider,
            state,
            reply_to,
            binding_id=row.binding,
            principal_id=row.principal,
            principal_name=row.principal_name,
            scope_id=row.scope,
            reason=reason,
            actions=("retry",),
        )


_NULLABLE = (
    "attempt_id", "binding_id", "principal_id", "principal_name", "scope_id", "scope_name",
    "connect_url", "remediation_url", "expires_at", "reason",
)  # fmt: skip


def _snapshot(
    first: bool,
    provider: str,
    state: str,
    reply_to: str | None,
    *,
    actions: tuple[str, ...] = (),
    **fields: Any,
) -> Snapshot:
    """``first``: the one behind a welcome is a state, all others are updates."""
    kind = ProviderBindState if first else ProviderBindUpdate
    given: dict[str, Any] = {**dict.fromkeys(_NULLABLE), **fields}
    return kind(provider=provider, state=state, reply_to=reply_to, actions=actions, **given)
