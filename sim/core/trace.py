"""Traces: the events of a run with a header, as JSON lines, and their digest.

The file's first line is the header, each further line one event. A file that
was cut off in the middle of a line still opens (``truncated`` says so). The
digest covers the events' canonical encoding and nothing else, so that two
runs are the same run exactly when their digests are equal. Between the events
there may be snapshots of a fold (``{"kind":"Snapshot", …}``), with which a viewer
jumps; whoever reads events passes over them.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import IO, Any, Final, Protocol

import attrs
import msgspec

from sim.core.errors import TraceError
from sim.core.event import AnyEvent, Event, FrameSent

FORMAT = 1


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """What a reader must know before the first event.

    ``without`` are the rules that were off, ``source`` the scenario's text,
    ``hosts`` the (name, kind) of each lifeline in order of appearance. ``outside``
    are the kinds of host that were real programs, known by their frames alone.
    """

    hooktwin: int = FORMAT
    scenario: str = ""
    protocol: str = ""
    seed: int = 0
    driver: str = "step"
    without: tuple[str, ...] = ()
    source: str = ""
    hosts: tuple[tuple[str, str], ...] = ()
    outside: tuple[str, ...] = ()


@attrs.frozen
class Trace:
    """A run that can be kept: header and events."""

    header: Header
    events: Sequence[Event]
    truncated: bool = False

    def digest(self) -> str:
        """32 hex digits over all events (BLAKE2b of their canonical lines)."""
        return digest_of(self.events)


class Snapshots(Protocol):
    """A fold that wants to stand in the file after ``every`` events."""

    every: int

    def on(self, event: Event) -> None:
        """The next event is written."""

    def take(self) -> Any:
        """The fold now, as JSON."""


def _plain(value: Any) -> Any:
    """Frames and protocol values as JSON; anything else is a bug of ours."""
    if hasattr(value, "wire"):
        return value.wire
    raise TypeError(f"{type(value).__name__} cannot stand in a trace")


_encoder = msgspec.json.Encoder(enc_hook=_plain, order=None)
_decoder = msgspec.json.Decoder(AnyEvent)
_BATCH = 256
LARGEST_BYTES: Final = 2 << 30
"""Of a trace that is read into memory; viewers map larger ones."""
TOO_DEEP = "(nested too deeply to stand in a trace)"


def encode_event(event: Event) -> bytes:
    """One line without its end. Lone surrogates are escaped, never lost.

    Of a frame that is nested too deeply to be written (or read again) stays its type.
    """
    try:
        return _line(event)
    except RecursionError:
        if type(event) is not FrameSent:
            raise
        told = {"type": str(event.frame.type), "text": TOO_DEEP}
        return _line(msgspec.structs.replace(event, frame=told))


def encode_header(header: Header) -> bytes:
    """The first line without its end. A file name need not be UTF-8."""
    return _line(header)


def _line(value: Event | Header) -> bytes:
    try:
        return _encoder.encode(value)
    except UnicodeEncodeError:
        plain = msgspec.to_builtins(value, enc_hook=_plain)
        return json.dumps(plain, ensure_ascii=True, separators=(",", ":")).encode()


def decode_event(line: bytes) -> Event:
    """The event of a line. Raises msgspec.DecodeError or ValueError."""
    try:
        return _decoder.decode(line)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        # Only the standard library reads a lone surrogate's escape.
        return msgspec.convert(json.loads(line), AnyEvent)  # type: ignore[no-any-return]


def digest_of(events: Iterable[Event]) -> str:
    """The digest of a sequence of events."""
    total = hashlib.blake2b(digest_size=16)
    left = iter(events)
    while batch := list(islice(left, _BATCH)):
        total.update(_lines(batch))
    return total.hexdigest()


def _lines(events: list[Event]) -> bytes:
    """The same as a line of each, in one go where they are all UTF-8."""
    try:
        return _encoder.encode_lines(events)
    except (UnicodeEncodeError, RecursionError):
        return b"".join(encode_event(event) + b"\n" for event in events)


def first_difference(left: Sequence[Event], right: Sequence[Event]) -> int | None:
    """The position of the first event that is not the same in both; None if none is."""
    for n, (a, b) in enumerate(zip(left, right, strict=False)):
        if encode_event(a) != encode_event(b):
            return n
    return None if len(left) == len(right) else min(len(left), len(right))


def write_trace(path: Path, trace: Trace, snapshots: Snapshots | None = None) -> None:
    """Write header and events, and snapshots between them if somebody makes them.

    Raises TraceError when the file cannot be written.
    """
    try:
        with path.open("wb") as file:
            file.writelines(lines_of(trace, snapshots))
    except OSError as error:
        raise TraceError(f"{path}: cannot write the trace: {error.strerror}") from error


def lines_of(trace: Trace, snapshots: Snapshots | None = None) -> Iterator[bytes]:
    """The file's lines, ends included."""
    yield encode_header(trace.header) + b"\n"
    for count, event in enumerate(trace.events, 1):
        yield encode_event(event) + b"\n"
        if snapshots is not None:
            snapshots.on(event)
            if count % snapshots.every == 0:
                yield snapshot_line(count, snapshots.take()) + b"\n"


_SNAPSHOT = b'{"kind":"Snapshot","n":'


def snapshot_line(count: int, scene: Any) -> bytes:
    """The line of a viewer's snapshot behind ``count`` events, without its end."""
    return _SNAPSHOT + _encoder.encode(count) + b',"scene":' + _encoder.encode(scene) + b"}"


def is_snapshot(line: bytes) -> bool:
    """Whether a line is no event but a viewer's snapshot."""
    return line.startswith(_SNAPSHOT)


def read_trace(path: Path) -> Trace:
    """Read a trace; a line that the writer did not finish is left out.

    Raises TraceError, with file and line, for a file that is missing, is no
    trace, or was written by another version of the format.
    """
    try:
        with path.open("rb") as file:
            data = read_within(path, file)
    except OSError as error:
        raise TraceError(f"{path}: cannot read the trace: {error.strerror}") from error
    lines = data.split(b"\n")
    finished = lines.pop() == b""
    if not lines:
        raise TraceError(f"{path}:1: this is no hooktwin trace (no header line); "
                         "write one with 'hooktwin run SCENARIO --trace FILE'")  # fmt: skip
    header = decode_header(path, lines[0])
    events: list[Event] = []
    for number, line in enumerate(lines[1:], 2):
        if is_snapshot(line):
            continue
        try:
            events.append(decode_event(line))
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            raise TraceError(f"{path}:{number}: no event of this format: {error}") from error
    return Trace(header, events, truncated=not finished)


def read_within(path: Path, file: IO[bytes], most: int | None = None) -> bytes:
    """All bytes of a file that somebody else may have made.

    Raises TraceError for a device, and for more than ``most`` bytes (``LARGEST_BYTES`` unless
    named): a pipe may never end. Raises OSError where it cannot be read.
    """
    mode = os.fstat(file.fileno()).st_mode
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        raise TraceError(f"{path}: this is a device; give a file")
    most = LARGEST_BYTES if most is None else most
    data = file.read(most + 1)
    if len(data) > most:
        raise TraceError(f"{path}: more than {most >> 20} MiB; record a shorter run")
    return data


def is_trace(data: bytes) -> bool:
    """Whether a file's first bytes look like a trace of any version."""
    return data.lstrip()[:12].startswith(b'{"hooktwin":')


def decode_header(path: Path, line: bytes) -> Header:
    """The header of a trace's first line.

    Raises TraceError for a line that is none, or is of another version.
    """
    if not is_trace(line):
        raise TraceError(
            f"{path}:1: this is no hooktwin trace (no header); "
            "write one with 'hooktwin run SCENARIO --trace FILE'"
        )
    try:
        version = _decode_line(line).get("hooktwin")
        if version != FORMAT:
            raise TraceError(
                f"{path}:1: trace format {version!r}, but this hooktwin reads format {FORMAT}; "
                "run the scenario again, or use the hooktwin that wrote it"
            )
        return msgspec.convert(_decode_line(line), Header)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise TraceError(f"{path}:1: the header is damaged: {error}") from error


def _decode_line(line: bytes) -> Any:
    """The JSON object of a line that starts like one."""
    try:
        return msgspec.json.decode(line)
    except msgspec.DecodeError:
        # Only the standard library reads a lone surrogate's escape.
        return json.loads(line)
