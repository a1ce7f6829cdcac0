"""Who owns tabs at which nodes, and who must be told when an owner is gone (DR-04, DR-05)."""

from __future__ import annotations

from collections.abc import Iterable


class Owners:
    """Controller identities, their live sessions, and the nodes where they opened tabs."""

    def __init__(self) -> None:
        self._sessions: dict[str, int] = {}
        self._nodes: dict[str, dict[str, None]] = {}

    def is_live(self, identity: str) -> bool:
        """Whether a session of the identity is alive."""
        return identity in self._sessions

    def session_began(self, identity: str) -> None:
        """A session of this identity is authenticated."""
        self._sessions[identity] = self._sessions.get(identity, 0) + 1

    def tab_opened(self, identity: str, node: str) -> None:
        """The identity has sent a tab open to a node."""
        self._nodes.setdefault(identity, {})[node] = None

    def session_ended(self, identity: str, online: Iterable[str]) -> list[str]:
        """A session is over: the nodes, of those online, to close the identity's tabs at now.

        All of them when it was the last session, none while another one lives.
        """
        left = self._sessions[identity] - 1
        if left:
            self._sessions[identity] = left
            return []
        del self._sessions[identity]
        told = list(online)
        self._closed(identity, told)
        return told

    def node_came(self, node: str, spare_living: bool = True) -> list[str]:
        """A node is authenticated: the identities whose tabs it has missed to close.

        One that has a live session again keeps its tabs until that one ends, unless the
        living are not to be spared.
        """
        gone = [
            identity
            for identity, nodes in self._nodes.items()
            if node in nodes and not (spare_living and self.is_live(identity))
        ]
        for identity in gone:
            self._closed(identity, (node,))
        return gone

    def _closed(self, identity: str, nodes: Iterable[str]) -> None:
        open_at = self._nodes.get(identity)
        if open_at is None:
            return
        for node in nodes:
            open_at.pop(node, None)
        if not open_at:
            del self._nodes[identity]
