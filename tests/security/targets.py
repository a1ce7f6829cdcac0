"""Every reader of bytes that others have written, by name, with examples to start from.

A reader may refuse what it gets, with the errors that are named here and with no other; it has
``SECONDS`` for it. ``.ci/fuzz.py`` throws changed examples at each, and
``tests/security/test_readers.py`` the examples and the worst that we could think of.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import attrs
import trio
import trio.testing

from sim.check.checking import check_file
from sim.check.diagram import all_seen_in
from sim.check.wanted import Wanted
from sim.core.errors import UsageError
from sim.core.http import HttpRequest, HttpResponse
from sim.core.trace import read_trace
from sim.drivers.http_serving import Conversation
from sim.drivers.upgrade import read_head
from sim.explore.schedule import Case
from sim.explore.store import read_stored, to_json
from sim.explore.token import read_code, split_token
from sim.live.bridge_settings import settings_from
from sim.live.bridge_variables import VARIABLES
from sim.play import load, play, vocabularies
from sim.protocols.hook import parse_hook_message
from sim.protocols.question import parse_question_message
from sim.protocols.question.listener.updates import update_of
from sim.protocols.question.store.entry import kept
from sim.protocols.relay import parse_relay_message
from sim.scenario.lexer import decode
from sim.scenario.markdown import first_diagram
from sim.scenario.parse import parse_scenario
from sim.view.filters.parse import parse_filter
from sim.view.tracefile import TraceFile
from tui.teaching.keeping import finished

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data"
SECONDS = 2.0
MOST_EXAMPLES = 40


@attrs.frozen
class Target:
    """A reader: what it is called with, what it may raise, and examples."""

    read: Callable[[bytes], object]
    examples: Callable[[], list[bytes]]
    refuses_with: tuple[type[Exception], ...] = ()

    def __call__(self, data: bytes) -> None:
        """Read. Raises what the reader must not raise."""
        with contextlib.suppress(*self.refuses_with):
            self.read(data)


def text_of(data: bytes) -> str:
    """Any bytes as a text, lone surrogates included."""
    return data.decode("utf-8", "surrogatepass" if b"\xed" in data else "replace")


def _text(data: bytes) -> str:
    try:
        return text_of(data)
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _frames(protocol: str) -> list[bytes]:
    """Frames of the protocol that a run has sent."""
    name = {"hook": "typical", "relay": "lock-with-lease"}[protocol]
    events = play(name, driver="step").trace.events
    frames = [event.frame for event in events if hasattr(event, "frame")]
    return [json.dumps(getattr(one, "wire", one)).encode() for one in frames][:MOST_EXAMPLES]


def _updates() -> list[bytes]:
    people = {"from": {"id": 7, "is_bot": False, "first_name": "A"}, "chat": {"id": -1}}
    said = {"update_id": 1, "message": {"message_id": 2, "date": 1, "text": "/a 1", **people}}
    press = {
        "update_id": 2,
        "callback_query": {"id": "9", "data": "o:1:0", "message": said, **people},
    }
    return [json.dumps(one).encode() for one in (said, press)]


@functools.cache
def _trace() -> bytes:
    path = Path(tempfile.mkdtemp()) / "run.jsonl"
    from sim.core.trace import write_trace

    write_trace(path, play("two-presses", driver="step").trace)
    return path.read_bytes()


def _finding() -> bytes:
    case = Case.of(load("typical"))
    return json.dumps(to_json(case, _schedule(), "results-are-handed-in")).encode()


def _schedule() -> Any:
    from sim.explore.schedule import Schedule

    return Schedule(1)


def _in_a_file(suffix: str, read: Callable[[Path], object]) -> Callable[[bytes], object]:
    def reader(data: bytes) -> object:
        handle, name = tempfile.mkstemp(suffix)
        try:
            os.write(handle, data)
            os.close(handle)
            return read(Path(name))
        finally:
            os.unlink(name)

    return reader


def _viewed(path: Path) -> None:
    file = TraceFile.open(path)
    file.lenient = True
    for n in range(min(file.count, 50)):
        file.event(n)


def _scenario(data: bytes) -> object:
    return parse_scenario(decode(data, "fuzz"), "fuzz", vocabularies())


def _document(data: bytes) -> object:
    return first_diagram(decode(data, "fuzz"), "fuzz")


def _token(data: bytes) -> object:
    name, _, code = split_token(_text(data))
    return read_code(Case.of(load("typical")), code) if name else None


def _settings(data: bytes) -> object:
    values = _text(data).replace("\0", "").split("\n")
    return settings_from(dict(zip(VARIABLES, values, strict=False)))


def _update(data: bytes) -> object:
    try:
        return update_of(json.loads(data))
    except (ValueError, RecursionError):
        return None


def _pending(data: bytes) -> object:
    """The bridge's pending file, which other programs write, too."""
    try:
        entries = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return [kept(one) for one in entries.values()] if isinstance(entries, dict) else None


def _request(data: bytes) -> object:
    """What an HTTP server of ours is sent."""

    async def ask(_: HttpRequest) -> HttpResponse:
        return HttpResponse(200, {})

    return _over_a_stream(data, lambda one: Conversation(one, ask, lambda _: None).run())


def _upgrade(data: bytes) -> object:
    """What a WebSocket server of ours is sent first."""
    return _over_a_stream(data, lambda one: read_head(one, lambda method, path: None, "/api"))


def _over_a_stream(data: bytes, talk: Callable[[Any], Any]) -> object:
    async def main() -> None:
        ours, theirs = trio.testing.memory_stream_pair()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_say, theirs, data)
            with trio.fail_after(SECONDS):
                await talk(ours)
            nursery.cancel_scope.cancel()

    return trio.run(main)


async def _say(stream: Any, data: bytes) -> None:
    try:
        if data:
            await stream.send_all(data)
        await stream.send_eof()
        while await stream.receive_some(65_536):
            pass
    except (trio.BrokenResourceError, trio.ClosedResourceError):
        pass


def _files(*patterns: str) -> Callable[[], list[bytes]]:
    def read() -> Iterator[bytes]:
        for pattern in patterns:
            for path in sorted(ROOT.glob(pattern))[:MOST_EXAMPLES]:
                yield path.read_bytes()[: 1 << 16]

    return lambda: list(read())


def _logs() -> list[bytes]:
    lines = [
        json.dumps({"ts": 1.5 + n, "dir": "in", "conn": "c", "raw": frame.decode()}).encode()
        for n, frame in enumerate(_frames("hook"))
    ]
    har = {"_webSocketMessages": [{"type": "send", "time": 1, "opcode": 1, "data": "{}"}]}
    return [
        b"\n".join(lines),
        b"\n".join(_frames("relay")),
        b"[" + b",".join(_frames("hook")) + b"]",
        json.dumps({"log": {"entries": [har]}}).encode(),
        _trace(),
    ]


POST = (
    b"POST /a?b=c HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    b"Content-Length: 7\r\n\r\n"
)
BODY = b'{"a":1}'
REQUESTS = [
    POST + BODY,
    b"GET / HTTP/1.1\r\n\r\n",
    POST.replace(b"POST", b"HEAD") + BODY + POST + BODY,
    b"HEAD / HTTP/1.1\r\nHost: x\r\n\r\n" + BODY,
    b"CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n",
    b"OPTIONS * HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
]
PENDING = json.dumps({"1": {"type": "question", "requestID": "que_1", "questions": []}}).encode()
UPGRADE = (
    b"GET /hook HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)

TARGETS = {
    "frames of hook": Target(lambda data: parse_hook_message(_text(data)), lambda: _frames("hook")),
    "frames of relay": Target(
        lambda data: parse_relay_message(_text(data)), lambda: _frames("relay")
    ),
    "messages of question": Target(lambda data: parse_question_message(_text(data)), _updates),
    "updates of Telegram": Target(_update, _updates),
    "scenarios": Target(_scenario, _files("scenarios/*/*.mmd"), (UsageError,)),
    "documents with a scenario": Target(_document, _files("docs/*.md"), (UsageError,)),
    "traces": Target(_in_a_file(".jsonl", read_trace), lambda: [_trace()], (UsageError,)),
    "traces, viewed": Target(_in_a_file(".jsonl", _viewed), lambda: [_trace()], (UsageError,)),
    "logs": Target(
        _in_a_file(".log", lambda path: check_file(str(path), Wanted())), _logs, (UsageError,)
    ),
    "logs, drawn": Target(
        _in_a_file(".log", lambda path: all_seen_in(str(path))), _logs, (UsageError,)
    ),
    "pending files": Target(_pending, lambda: [PENDING]),
    "findings": Target(_in_a_file(".json", read_stored), lambda: [_finding()], (UsageError,)),
    "tokens": Target(
        _token, lambda: [b"typical/end-replay/AwEKu3gJuvDK0_spGhmjlJnT-_M"], (UsageError,)
    ),
    "filters": Target(
        lambda data: parse_filter(_text(data)),
        lambda: [b'type:turn.end and (host:S or not "x")', b"/a+/ t>1.5"],
        (UsageError,),
    ),
    "settings of the bridge": Target(_settings, lambda: [b"1:a\n-100\n2:b"], (UsageError,)),
    "progress of lessons": Target(
        _in_a_file(".json", finished), lambda: [b'{"finished": ["a"]}'], (UsageError,)
    ),
    "requests over HTTP": Target(_request, lambda: REQUESTS),
    "requests for a WebSocket": Target(_upgrade, lambda: [UPGRADE]),
}
