"""Values of events as plain JSON, whether the run has just ended or was read from a file."""

from __future__ import annotations

from typing import Any

import msgspec


def plain(value: Any) -> Any:
    """Frames, requests, replies and acts as dicts, lists and scalars."""
    return msgspec.to_builtins(value, enc_hook=_other)


def _other(value: Any) -> Any:
    wire = getattr(value, "wire", None)
    return wire if wire is not None else repr(value)
