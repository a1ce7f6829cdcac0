"""What the ``data`` of a result holds, by action."""

from __future__ import annotations

from typing import Any

from sim.protocols.relay.frames.descriptors import CommandDescriptor
from sim.wire.absent import ABSENT, Absent
from sim.wire.declare import Record, record, wire
from sim.wire.spec import (
    ANY_TEXT,
    COUNT,
    SOME_TEXT,
    AnyObject,
    Anything,
    Flag,
    ListOf,
    Nested,
)


@record()
class TabOpened(Record):
    """The new tab, and where it stands."""

    tab_session_id: str = wire(SOME_TEXT)
    url: str = wire(SOME_TEXT)
    tab_id: Any = wire(Anything(), default=ABSENT)


@record()
class TabClosed(Record):
    """The tab is gone."""

    tab_session_id: str = wire(SOME_TEXT)
    closed: bool = wire(Flag())


@record()
class TabNavigated(Record):
    """Where the tab stands now."""

    tab_session_id: str = wire(SOME_TEXT)
    url: str = wire(SOME_TEXT)


@record()
class TabsFound(Record):
    """The managed tabs by their ids."""

    tab_sessions: dict[str, Any] = wire(AnyObject())


@record()
class ExtractedText(Record):
    """The visible text of a tab, or of what the selector found there."""

    tab_session_id: str = wire(SOME_TEXT)
    text: str = wire(ANY_TEXT)
    selector: Any = wire(Anything(), default=ABSENT)


@record()
class ExtractedHtml(Record):
    """A page as HTML: raw, cleaned or distilled."""

    tab_session_id: str = wire(SOME_TEXT)
    html: str = wire(ANY_TEXT)


@record()
class ExtractedMarkdown(Record):
    """A page as Markdown."""

    tab_session_id: str = wire(SOME_TEXT)
    markdown: str = wire(ANY_TEXT)


@record()
class Screenshot(Record):
    """A picture of a page, in base64."""

    mime_type: str = wire(SOME_TEXT)
    data_base64: str = wire(SOME_TEXT)
    tab_session_id: str | Absent = wire(SOME_TEXT, default=ABSENT)


@record()
class CommandList(Record):
    """The commands of the node's sites."""

    commands: tuple[CommandDescriptor, ...] = wire(ListOf(Nested(CommandDescriptor)))


@record()
class CommandAnswer(Record):
    """What a command found; all but the tab is the command's own affair."""

    tab_session_id: str | Absent = wire(SOME_TEXT, default=ABSENT)


@record()
class StreamListener(Record):
    """A listener that the controller is to subscribe to."""

    listener: str = wire(SOME_TEXT)
    options: dict[str, Any] | Absent = wire(AnyObject(), default=ABSENT)


@record()
class StreamManifest(Record):
    """The listeners of a stream that a test has begun."""

    listeners: tuple[StreamListener, ...] = wire(ListOf(Nested(StreamListener)))


@record()
class TestAnswer(Record):
    """What a test found; with ``stream`` it goes on until command_cancel ends it."""

    tab_session_id: str | Absent = wire(SOME_TEXT, default=ABSENT)
    stream: StreamManifest | Absent = wire(Nested(StreamManifest), default=ABSENT)


@record()
class Subscribed(Record):
    """The listener is on; ``options`` are those that it uses, defaults filled in."""

    listener: str = wire(SOME_TEXT)
    subscribed: bool = wire(Flag())
    options: dict[str, Any] | Absent = wire(AnyObject(), default=ABSENT)


@record()
class Unsubscribed(Record):
    """The listener of that requestId is off."""

    target_request_id: str = wire(SOME_TEXT)
    unsubscribed: bool = wire(Flag())


@record()
class OwnedClosed(Record):
    """What the cleanup after one controller identity has closed."""

    controller_client_id: str = wire(SOME_TEXT)
    closed_count: int = wire(COUNT)
    missing_count: int = wire(COUNT)
    total_owned_sessions: int = wire(COUNT)
