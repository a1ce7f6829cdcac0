"""What passes through a proxy: numbered, judged, recorded, counted, and kept for a while."""

from __future__ import annotations

import base64
from collections import Counter, deque
from collections.abc import Callable
from typing import Any

import attrs

from sim.check.judge import Finding, FrameJudge
from sim.core.event import Event, FrameSent
from sim.live.proxy_faults import BINARY, TEXT
from sim.live.proxy_manner import Manner, decoded, manner_of
from sim.live.recording import Recording
from sim.live.roll import Named
from sim.live.secrets import Secrets
from sim.protocols.register import DEFAULT_PROTOCOL

BAD_TYPE = "(bad)"
KEPT_FRAMES = 2_000
KEPT_FINDINGS = 1_000
KEPT_CHARS = 4_096
COUNTED_TYPES = 200
"""Who invents a type per frame must not fill the memory."""


@attrs.define(eq=False)
class Seen:
    """A frame that has come in. ``n`` is its event, ``type`` the word of fault rules, ``names``
    are others for it."""

    n: int
    at_us: int
    link: str
    by_client: bool
    sender: str
    receiver: str
    nth: int
    type: str
    text: str
    chars: int
    names: tuple[str, ...] = ()
    fate: str = "on its way"

    @property
    def name(self) -> str:
        """As schedules call it: ``D.slack#1 D>S 14``."""
        return f"{self.link} {self.sender}>{self.receiver} {self.nth}"


class Book:
    """Takes down what happens.

    ``clock`` gives microseconds since the start; ``tell`` gets each finding at once, and a
    sentence when nothing more can be recorded: the connections go on without.
    """

    def __init__(
        self,
        clock: Callable[[], int],
        tell: Callable[[Finding | str], None],
        recording: Recording | None = None,
        manner: Manner | None = None,
        secrets: Secrets | None = None,
    ) -> None:
        """``secrets`` learn what frames show; ``manner`` None is that of the hook protocol."""
        self.manner = manner or manner_of(DEFAULT_PROTOCOL)
        self.centre = self.manner.centre
        self._secrets = secrets
        self.judge = FrameJudge(self.manner.name, record=self._record)
        self.clock = clock
        self.recording = recording
        self.unrecorded = ""
        self.events = 0
        self.frames: deque[Seen] = deque(maxlen=KEPT_FRAMES)
        self.findings: deque[Finding] = deque(maxlen=KEPT_FINDINGS)
        self.broken: Counter[str] = Counter()
        self.types: Counter[tuple[bool, str]] = Counter()
        self.faults: Counter[str] = Counter()
        self.connections = 0
        self._tell = tell
        self._last: FrameSent | None = None

    def _record(self, event: Event) -> None:
        self.events += 1
        if type(event) is FrameSent:
            self._last = event
        if self.recording is not None:
            self.recording.write(event)
            if self.recording.problem:
                self.unrecorded = self.recording.problem
                self._tell(self.unrecorded)
                self.recording.close()
                self.recording = None

    def _look(self) -> None:
        """Tell what the judge has found since."""
        found = self.judge.findings
        if found:
            for finding in found:
                self.findings.append(finding)
                self.broken[finding.rule] += 1
                self._tell(finding)
            found.clear()

    # -- connections --------------------------------------------------------------------

    def opened(self, named: Named) -> None:
        """A connection is there, at both of its halves."""
        self.connections += 1
        self.judge.opened(self.clock(), named.link, named.client, self.centre, named.lane)
        self._look()

    def refused(self, named: Named, status: int) -> None:
        """The real server turned somebody away, or could not be reached (0)."""
        self.judge.refused(self.clock(), named.link, named.client, self.centre, named.lane, status)

    def closed(self, named: Named, by: str, code: int, reason: str) -> None:
        """A connection is over."""
        self.judge.closed(self.clock(), named.link, by, code, reason)
        self._look()

    def struck(self, fault: str, link: str) -> None:
        """A fault strikes; ``fault`` as schedules name it."""
        self.faults[fault.partition(" ")[0]] += 1
        self.judge.struck(self.clock(), fault, link)
        self._look()

    # -- frames -------------------------------------------------------------------------

    def sent(self, named: Named, by_client: bool, message: str | bytes) -> Seen:
        """A frame has come in from one side."""
        text = message if isinstance(message, str) else as_text(message)
        self._learn(text)
        n = self.judge.sent(self.clock(), named.link, by_client, text)
        event = self._last
        assert event is not None
        assert event.n == n
        kind: str = event.frame.type
        if kind == BAD_TYPE:
            kind = TEXT if isinstance(message, str) else BINARY
        seen = Seen(
            n, event.at, named.link, by_client, event.sender, event.receiver, event.nth, kind,
            text[:KEPT_CHARS], len(text), self.manner.called(event.frame)[1:],
        )  # fmt: skip
        self.frames.append(seen)
        place = (by_client, kind)
        if place not in self.types and len(self.types) >= COUNTED_TYPES:
            place = (by_client, "(others)")
        self.types[place] += 1
        self._look()
        return seen

    def _learn(self, text: str) -> None:
        """The secrets that a frame shows are recorded nowhere."""
        if self._secrets is not None and "oken" in text:
            for secret in self.manner.secrets_in(decoded(text)):
                self._secrets.shown(f"Bearer {secret}")

    def delivered(self, seen: Seen) -> None:
        """It has been written to the other side."""
        seen.fate = "delivered"
        self.judge.delivered(self.clock(), seen.link, seen.n)
        self._look()

    def lost(self, seen: Seen, why: str) -> None:
        """It will never be; ``why``: lost, reset, cut or closed."""
        if seen.fate != "delivered":
            seen.fate = why
        self.judge.lost(self.clock(), seen.link, seen.n, why)
        self._look()

    def duplicated(self, seen: Seen) -> None:
        """It will be written once more."""
        self.faults["duplicate"] += 1
        before = self.events
        self.judge.duplicated(self.clock(), seen.link, seen.n)
        if self.events == before:  # a frame that no receiver takes; it is doubled all the same
            self.judge.struck(self.clock(), f"duplicate {seen.name}", seen.link)
        self._look()

    def finish(self) -> None:
        """Nothing more will come."""
        self.judge.finish(self.clock())
        self._look()
        if self.recording is not None:
            self.recording.close()

    def frames_after(self, n: int, limit: int) -> list[dict[str, Any]]:
        """The frames behind event ``n`` that are still kept, as JSON."""
        found = [seen for seen in self.frames if seen.n > n][:limit]
        return [frame_json(seen) for seen in found]


def as_text(data: bytes) -> str:
    """How a binary message stands in a recording, which is text."""
    return "data:application/octet-stream;base64," + base64.b64encode(data).decode()


def frame_json(seen: Seen) -> dict[str, Any]:
    """A frame for programs; ``text`` is cut off where ``chars`` is larger."""
    return {
        "n": seen.n,
        "at_s": seen.at_us / 1_000_000,
        "link": seen.link,
        "from": seen.sender,
        "to": seen.receiver,
        "type": seen.type,
        "fate": seen.fate,
        "chars": seen.chars,
        "text": seen.text,
    }


def finding_json(finding: Finding) -> dict[str, Any]:
    """A finding for programs; ``n`` is the number of the event."""
    return {
        "n": finding.n,
        "at_s": finding.at / 1_000_000,
        "link": finding.link,
        "rule": finding.rule,
        "side": finding.side,
        "text": finding.text,
        "path": finding.path,
        "rows": list(finding.catalogue),
        "wire": finding.is_wire,
    }
