"""Real WebSockets; the only module that imports ``trio_websocket``."""

from __future__ import annotations

from trio_websocket import CloseReason, ConnectionClosed

__all__ = ["CloseReason", "ConnectionClosed"]
