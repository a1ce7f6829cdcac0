"""The nodes of directives that take effect at their place in the diagram.

Settings of the whole run (``@seed``, ``@rule`` …) are in ``syntax.Settings``.
``channel`` is a provider (``slack``, ``telegram``, ``x``) or None for all.
"""

from __future__ import annotations

from typing import Literal

from attrs import frozen


@frozen
class After:
    """``@after 3s``: let virtual time pass."""

    line: int
    column: int
    duration_us: int


@frozen
class At:
    """``@at 10s``: let virtual time pass up to this moment since the start."""

    line: int
    column: int
    moment_us: int


@frozen
class Settle:
    """``@settle``: run until nothing is pending except heartbeats and time limits."""

    line: int
    column: int


@frozen
class Cut:
    """``@cut D slack old rst``: the connection of D ends; ``old``: the replaced one."""

    line: int
    column: int
    host: str
    channel: str | None = None
    old: bool = False
    how: Literal["fin", "rst", "silent"] = "rst"


@frozen
class Heal:
    """``@heal D``: a cut link carries again."""

    line: int
    column: int
    host: str
    channel: str | None = None


@frozen
class Reconnect:
    """``@reconnect D``: a puppet connects (again). It does not block."""

    line: int
    column: int
    host: str
    channel: str | None = None


@frozen
class LoseNext:
    """``@lose next``: the next frame of the diagram is lost."""

    line: int
    column: int


@frozen
class DuplicateNext:
    """``@duplicate next after 1s``: the next frame comes twice."""

    line: int
    column: int
    after_us: int | None = None


@frozen
class DelayNext:
    """``@delay next 3s``: the next frame is late."""

    line: int
    column: int
    duration_us: int


@frozen
class Hold:
    """``@hold D->S``: keep frames of that direction in flight."""

    line: int
    column: int
    source: str
    target: str


@frozen
class Release:
    """``@release D->S``: let held frames go, in order."""

    line: int
    column: int
    source: str
    target: str


@frozen
class Crash:
    """``@crash S``: the process dies, volatile state is gone."""

    line: int
    column: int
    host: str


@frozen
class Restart:
    """``@restart S``: it comes back with what it had stored."""

    line: int
    column: int
    host: str


@frozen
class Skew:
    """``@skew D +70s``: the clock of one host is off by so much."""

    line: int
    column: int
    host: str
    by_us: int


@frozen
class Sleep:
    """``@sleep D 8h``: a closed laptop lid."""

    line: int
    column: int
    host: str
    duration_us: int


@frozen
class FeatureChange:
    """``@feature S +name`` after the head: announced from the next handshake on."""

    line: int
    column: int
    host: str
    feature: str
    on: bool


@frozen
class ChannelFault:
    """``@channel edit 429 5s always``: how the channel's API answers the next such call.

    ``duration_us`` belongs to ``429`` (retry after, optional), ``latency`` and ``down``.
    ``ok`` ends an ``always``.
    """

    line: int
    column: int
    op: Literal["post", "edit", "card", "react", "delete", "answer", "poll", "*"]
    outcome: Literal["ok", "429", "5xx", "not_found", "refused", "unknown", "latency", "down"]
    duration_us: int | None = None
    always: bool = False


@frozen
class HttpFault:
    """``@http L->OC "GET /question" 500 2x``: what becomes of the next such requests.

    ``request`` is ``*`` for any; ``outcome`` a word of ``http_fault``.
    """

    line: int
    column: int
    source: str
    target: str
    request: str
    outcome: str
    times: int = 1


@frozen
class Expect:
    """``@expect R1 WORKING|QUEUED "p2"``: what a reader of the channel sees now.

    ``OPEN`` and ``CLOSED`` are states of a card; the others of a request's message.
    """

    line: int
    column: int
    name: str
    states: tuple[str, ...]
    text: str | None = None


@frozen
class Final:
    """``@final R1 OK "done"``: the same, when everything has settled at the end."""

    line: int
    column: int
    name: str
    states: tuple[str, ...]
    text: str | None = None


@frozen
class Count:
    """``@count edits R1 <=3``, ``@count frame D2 group.message 0``: over the run so far.

    ``host`` narrows to a channel (posts, edits) or to frames from or to a lifeline.
    """

    line: int
    column: int
    what: Literal["posts", "edits", "frame"]
    op: Literal["=", "<", "<=", ">", ">="]
    number: int
    name: str | None = None
    host: str | None = None
    frame: str | None = None


@frozen
class Never:
    """``@never "evil"``: no channel message ever shows this text."""

    line: int
    column: int
    text: str


@frozen
class Open:
    """``@open D``: the connection is up."""

    line: int
    column: int
    host: str
    channel: str | None = None


@frozen
class Closed:
    """``@closed D``: the connection is down."""

    line: int
    column: int
    host: str
    channel: str | None = None


@frozen
class Act:
    """``@act U {"is":"say",...}``: one act of a person, agent, channel or puppet, literally.

    What recorded runs are written back with; ``act`` is the decoded JSON object.
    """

    line: int
    column: int
    host: str
    act: object


@frozen
class Fault:
    """``@fault cut D.slack#1 rst``: one fault by the name that traces give it."""

    line: int
    column: int
    name: str


Directive = (
    After
    | At
    | Settle
    | Cut
    | Heal
    | Reconnect
    | LoseNext
    | DuplicateNext
    | DelayNext
    | Hold
    | Release
    | Crash
    | Restart
    | Skew
    | Sleep
    | FeatureChange
    | ChannelFault
    | HttpFault
    | Expect
    | Final
    | Count
    | Never
    | Open
    | Closed
    | Act
    | Fault
)
