"""Preferences of provider-neutral channels: ``provider.prefs.*`` (§5).

A domain is a provider with one binding or one scope (HK-119). Nothing here
touches Slack's rows (HK-19). An answer is about the domain that was asked for,
even if it is bound no longer: then it is empty (RC-92).
"""

from __future__ import annotations

from typing import Any

from sim.core.op import Save
from sim.protocols.hook.constants import HOOK_FEATURE_PROVIDER_PREFS
from sim.protocols.hook.frames import (
    ProviderPreference,
    ProviderPrefsGet,
    ProviderPrefsSet,
    ProviderPrefsState,
)
from sim.protocols.hook.server.accounts.provider_binding import ProviderBindings
from sim.protocols.hook.server.accounts.reach import Reach
from sim.protocols.hook.server.accounts.rows import PrefRow, ProviderBindingRow
from sim.protocols.hook.server.accounts.slack_prefs import NOTHING_SET, SlackPrefs, patched
from sim.protocols.hook.server.memory import Socket

Domain = tuple[str, str]


class ProviderPrefs:
    """The server's book of preferences by binding or scope."""

    __slots__ = ("_rows", "bindings", "reach", "slack")

    def __init__(self, reach: Reach, bindings: ProviderBindings, slack: SlackPrefs) -> None:
        self.reach = reach
        self.bindings = bindings
        self.slack = slack
        # (provider, "b:…" or "s:…") → alias → row
        self._rows: dict[Domain, dict[str, PrefRow]] = {}

    def read(self) -> None:
        """Read what is stored."""
        for key, row in self.reach.port.store.items("provider-prefs/"):
            provider, selector = key.split("/", 2)[1], key.split("/", 2)[2]
            selector = selector[: len(selector) - len(row.workspace) - 1]
            self._rows.setdefault((provider, selector), {})[row.workspace] = row

    def of(self, binding: ProviderBindingRow, workspace: str) -> PrefRow:
        """What a task of this account in this folder runs with: the binding's, else the scope's."""
        for selector in (f"b:{binding.binding}", f"s:{binding.scope}"):
            row = self._rows.get((binding.provider, selector), {}).get(workspace)
            if row is not None:
                return row
        return NOTHING_SET

    # -- frames ----------------------------------------------------------------

    async def get(self, socket: Socket, body: ProviderPrefsGet) -> None:
        """``provider.prefs.get``."""
        await self._show(socket, body, body.request_id)

    async def set(self, socket: Socket, body: ProviderPrefsSet) -> None:
        """``provider.prefs.set``: one alias, partially (HK-120)."""
        if self._is_bound(socket, body):
            await self._write(_domain(body), body.workspace, body)
            if not self.reach.rules.prefs_isolated:
                await self._write_slack(socket, body)
        if socket.ready:
            await self._show(socket, body, body.request_id)

    def _is_bound(self, socket: Socket, body: Any) -> bool:
        """Whether this domain is this very device's at this moment."""
        assert socket.desk is not None
        row = self.bindings.of_device(body.provider, socket.desk.device)
        if row is None:
            return False
        wanted: str = body.binding_id or body.scope_id
        return wanted == (row.binding if body.binding_id else row.scope)

    async def _write(self, domain: Domain, workspace: str, patch: Any) -> None:
        rows = self._rows.setdefault(domain, {})
        partial = self.reach.rules.prefs_partial
        row = patched(rows.get(workspace), workspace, patch, partial=partial)
        if row is not None:
            rows[workspace] = row
            key = f"provider-prefs/{domain[0]}/{domain[1]}/{workspace}"
            await self.reach.actor.perform(Save(key, row))

    async def _write_slack(self, socket: Socket, body: ProviderPrefsSet) -> None:
        assert socket.desk is not None
        for row in self.slack.bindings.of_device(socket.desk.device):
            await self.slack.write(row, body.workspace, body)

    # -- the channel's side ----------------------------------------------------

    async def write(self, binding: ProviderBindingRow, workspace: str, patch: Any) -> None:
        """A choice that was made in the channel."""
        await self._write((binding.provider, f"b:{binding.binding}"), workspace, patch)

    async def push(self, binding: ProviderBindingRow) -> None:
        """Tell the desktop what was changed in the channel."""
        socket = self.reach.socket(binding.provider, binding.device)
        if socket is None or not socket.agreed(HOOK_FEATURE_PROVIDER_PREFS):
            return
        if self.reach.rules.prefs_pushed and self.bindings.confirmed(binding.binding) is not None:
            selector = _Selector(binding.provider, binding.binding)
            await self._show(socket, selector, None)

    async def _show(self, socket: Socket, body: Any, reply_to: str | None) -> None:
        bound = self._is_bound(socket, body)
        rows = self._rows.get(_domain(body), {}) if bound else {}
        state = ProviderPrefsState(
            provider=body.provider,
            binding_id=body.binding_id,
            scope_id=body.scope_id,
            reply_to=reply_to,
            bound=bound,
            prefs=tuple(
                ProviderPreference(
                    workspace=row.workspace,
                    model=row.model,
                    effort=row.effort,
                    agent_kind=row.agent_kind,
                    permission_mode=row.permission_mode,
                )
                for row in rows.values()
            ),
        )
        await self.reach.say(socket, state)


class _Selector:
    """The domain of an unsolicited state."""

    __slots__ = ("binding_id", "provider", "scope_id")

    def __init__(self, provider: str, binding: str) -> None:
        self.provider = provider
        self.binding_id = binding
        self.scope_id = None


def _domain(body: Any) -> Domain:
    selector = f"b:{body.binding_id}" if body.binding_id else f"s:{body.scope_id}"
    return (body.provider, selector)
