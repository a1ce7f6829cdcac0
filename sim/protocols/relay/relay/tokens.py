"""Which tokens are good for what: those of the plan, and those that refreshes have made."""

from __future__ import annotations

import msgspec

from sim.core.op import Save
from sim.protocols.relay.constants import CONTROLLER
from sim.protocols.relay.relay.sessions import Grant
from sim.protocols.relay.relay.switchboard import Switchboard


class TokenRow(msgspec.Struct, frozen=True, gc=False):
    """A token that a refresh has made, as it survives a restart (DR-27)."""

    role: str
    identity: str
    scopes: tuple[str, ...]
    nodes: tuple[str, ...] | None
    expires_ms: int


class Tokens:
    """The table of tokens."""

    __slots__ = ("board",)

    def __init__(self, board: Switchboard) -> None:
        self.board = board

    def access(self, token: str) -> Grant | None:
        """What an access token stands for; None for an unknown one. It may have expired."""
        grant = self.board.plan.tokens.get(token)
        if grant is None:
            row = self.board.port.store.get(f"token/{token}")
            if row is None:
                return None
            grant = Grant(row.role, row.identity, row.scopes, row.nodes, row.expires_ms)
        return None if self._is_removed(grant) else grant

    def _is_removed(self, grant: Grant) -> bool:
        if grant.role != CONTROLLER:
            return False
        return self.board.port.store.get(f"removed/{grant.identity}") is not None

    def remove(self, identity: str) -> None:
        """No token of this controller identity is good any more."""
        self.board.put(Save(f"removed/{identity}", True))

    def renewed(self, refresh_token: str, role: str, identity: str) -> str | None:
        """A new access token; None where the refresh token is not this very peer's (DR-26).

        It can be shown as soon as it has been told, for it is stored before that.
        """
        grant = self.board.plan.refresh_tokens.get(refresh_token)
        if grant is None:
            return None
        if self.board.rules.own_refresh_token and (grant.role, grant.identity) != (role, identity):
            return None
        return self.refreshed(refresh_token)

    def refreshed(self, refresh_token: str) -> str | None:
        """A new access token for whom the refresh token belongs to; None where it is not good."""
        board = self.board
        grant = board.plan.refresh_tokens.get(refresh_token)
        if grant is None or self._is_removed(grant):
            return None
        if not grant.is_good_at(board.port.now_ms()):
            return None
        token = f"token-{board.port.new_id()}{board.plan.stamp}"
        until = board.port.now_ms() + board.plan.limits.access_token_ms
        row = TokenRow(grant.role, grant.identity, grant.scopes, grant.nodes, until)
        board.put(Save(f"token/{token}", row))
        return token
