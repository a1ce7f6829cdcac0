"""The process that carries answers from Telegram to OpenCode (``permission-listener.js``).

``plan`` says what it is told, ``actor`` is the host. What has no port is pure:
``ledger`` (which updates are open, and from where to poll), ``updates`` (what an update
says), ``matching`` (which listed question is meant), ``routing`` (whose answer a text
is), ``texts`` (what people read).
"""

from __future__ import annotations

from sim.protocols.question.listener.actor import Listener
from sim.protocols.question.listener.plan import ListenerPlan

__all__ = ["Listener", "ListenerPlan"]
