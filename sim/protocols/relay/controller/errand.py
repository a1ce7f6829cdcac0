"""extract-content as a client does it: open a tab, take its content, close it again.

Written as a generator of acts, so that whoever has a controller can run it: in a
simulated world, or over a real socket.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Final

import attrs

from sim.core.errors import UsageError
from sim.protocols.relay.acts import Act, ExtractContent, SendCommand
from sim.protocols.relay.constants import DEFAULT_FORMAT, EXTRACT_ACTIONS
from sim.protocols.relay.controller.records import DISCONNECTED, GAVE_UP, Outcome

FORMATS: Final = tuple(format for format, _ in EXTRACT_ACTIONS)
_FIELDS: Final = {"markdown": "markdown", "text": "text"}
_WHY: Final = {
    DISCONNECTED: "the connection to the relay was lost",
    GAVE_UP: "nobody has answered in time",
}


@attrs.frozen
class Wanted:
    """What is to be extracted: a page by its ``url``, or a tab that is open already.

    ``timeout_ms`` is the budget of each command. Raises UsageError when not exactly
    one of both is named, or the format is unknown.
    """

    url: str = ""
    tab: str = ""
    format: str = DEFAULT_FORMAT
    selector: str = ""
    timeout_ms: float | None = None

    def __attrs_post_init__(self) -> None:
        if bool(self.url) == bool(self.tab):
            raise UsageError("name what to extract: either a URL or a tab session")
        if self.format not in FORMATS:
            raise UsageError(f"unknown format {self.format!r}; formats are {', '.join(FORMATS)}")


@attrs.frozen
class Extracted:
    """The content of a page, and where it stood."""

    format: str
    content: str
    tab_session_id: str
    url: str = ""


@attrs.frozen
class NotExtracted:
    """Why there is no content: the ``code`` of an error, "" where nobody has answered."""

    code: str
    message: str
    hint: str = ""

    def __str__(self) -> str:
        told = f"{self.code}: {self.message}" if self.code else self.message
        return f"{told} ({self.hint})" if self.hint else told


Errand = Generator[tuple[str, Act], Outcome, Extracted | NotExtracted]
"""Gives (requestId, act), takes what each has come to, returns the end."""


def extraction(wanted: Wanted, name: Callable[[], str]) -> Errand:
    """The steps of an extraction. ``name`` gives a requestId that nobody else uses."""
    if not wanted.url:
        return (yield from _taken(wanted, wanted.tab, "", name))
    request, open = name(), "primitive.tab.open"
    act = SendCommand(open, {"url": wanted.url}, request=request, timeout_ms=wanted.timeout_ms)
    opened = yield request, act
    if not opened.is_good:
        return _failure(opened)
    data = opened.payload.get("data")
    tab = data.get("tabSessionId") if isinstance(data, dict) else None
    if not isinstance(tab, str):
        return NotExtracted("", "the node has opened a tab and does not say which")
    url = str(data["url"]) if isinstance(data, dict) and "url" in data else wanted.url
    end = yield from _taken(wanted, tab, url, name)
    if isinstance(end, NotExtracted) and not end.code:
        return end  # nobody is there to close it; the relay cleans up after us
    request = name()
    yield request, SendCommand("primitive.tab.close", tab=tab, request=request)
    return end


def _taken(wanted: Wanted, tab: str, url: str, name: Callable[[], str]) -> Errand:
    request = name()
    act = ExtractContent(
        tab, wanted.format, wanted.selector, request=request, timeout_ms=wanted.timeout_ms
    )
    outcome = yield request, act
    if not outcome.is_good:
        return _failure(outcome)
    data = outcome.payload.get("data")
    field = _FIELDS.get(wanted.format, "html")
    content = data.get(field) if isinstance(data, dict) else None
    if not isinstance(content, str):
        return NotExtracted("", f"the node's result has no {field}")
    return Extracted(wanted.format, content, tab, url)


def _failure(outcome: Outcome) -> NotExtracted:
    """What a call that has gone wrong says to whoever asked."""
    if outcome.how in _WHY:
        return NotExtracted("", _WHY[outcome.how])
    message = str(outcome.payload.get("message", "it did not work"))
    return NotExtracted(outcome.code, message, str(outcome.payload.get("actionableHint", "")))
