"""The hook server's twin.

Start with ``endpoint``: which handler deals with what. ``plan`` says what a
server is told, ``memory``, ``tasks`` and ``line`` what it holds, ``stored``
what survives a crash. The behaviour: ``handshake`` (connections), ``inbox``
(webhooks), ``requests`` (tasks), ``turns`` (progress and ends), ``rounds``
(continuations and ownership), ``cards``, ``writing`` (channel writes),
``recovery`` (after a crash), ``expiry`` (forgetting).
"""

from __future__ import annotations

from sim.protocols.hook.server.endpoint import Server
from sim.protocols.hook.server.plan import ALREADY_CONNECTED, Limits, ServerPlan

__all__ = ["ALREADY_CONNECTED", "Limits", "Server", "ServerPlan"]
