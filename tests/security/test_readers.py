"""Readers of foreign bytes refuse the worst that we could think of, quickly and by their errors.

``.ci/fuzz.py`` looks for what we could not think of; what it finds is written down here.
"""

from __future__ import annotations

import re
import time

import pytest

from tests.cli.screens import ROOT
from tests.security.targets import SECONDS, TARGETS

NASTY = {
    "nothing": b"",
    "a NUL": b"\0",
    "no UTF-8": b"\xff\xfe\xfd" * 9,
    "half a surrogate": b'"\xed\xa0\x80"',
    "an escaped surrogate": b'{"type": "\\ud800"}',
    "a list in a list in …": b"[" * 50_000,
    "an object in an object in …": b'{"a":' * 50_000,
    "a long number": b'{"v": ' + b"9" * 10_000 + b"}",
    "a number too large": b'{"ts": 1e999, "v": -0}',
    "a long line": b'{"type": "' + b"A" * 300_000 + b'"}',
    "many lines": b"\n" * 50_000,
    "the same key twice": b'{"type": "ping", "type": "pong"}',
    "no object": b"[1, null, true]",
    "JavaScript's own": b'{"__proto__": {"type": "ping"}, "constructor": 1}',
    "an escape sequence": b"\x1b]0;owned\x07",
    "a packed nothing": b"\x1f\x8b\x08\x00",
    "another encoding": '{"type": "ping"}'.encode("utf-16"),
}
FOUND = {
    "settings of the bridge": (
        b"-l1\n0\n\n\n\n\n" + b"\xff" * 108 + b"\n\n:5",
        b"a\n1\n\n\n\n\n~\xff",
    )
}


@pytest.mark.parametrize("name", TARGETS)
def test_a_reader_takes_its_examples(name: str) -> None:
    """Else the fuzzer would start from what is refused at the first byte."""
    examples = TARGETS[name].examples()
    assert examples
    refused = []
    for data in examples:
        try:
            TARGETS[name].read(data)
        except TARGETS[name].refuses_with as error:
            refused.append(str(error))
    assert len(refused) < len(examples), refused[:1]


@pytest.mark.parametrize("name", TARGETS)
def test_a_reader_refuses_the_worst_by_its_own_errors(name: str) -> None:
    for data in (*NASTY.values(), *FOUND.get(name, ())):
        began = time.process_time()
        TARGETS[name](data)
        assert time.process_time() - began < SECONDS, data[:40]


def test_every_module_that_decodes_json_is_read_by_somebody_here_or_reads_its_own() -> None:
    """A new reader is noticed: it gets a target, or a reason why its bytes are nobody else's."""
    decoding = re.compile(r"json\.loads\(|msgspec\.json\.decode|json\.Decoder\(")
    found = {
        path.relative_to(ROOT).as_posix()
        for folder in ("sim", "tui")
        for path in (ROOT / folder).rglob("*.py")
        if decoding.search(path.read_text("utf-8"))
    }
    known = READ | set(OWN)
    assert sorted(found - known) == [], "give these a target in tests/security/targets.py"
    assert sorted(known - found) == [], "these decode nothing any more"


READ = {
    "sim/check/clock.py", "sim/check/fields.py", "sim/check/lines.py", "sim/check/recorded.py",
    "sim/check/usual.py", "sim/core/trace.py", "sim/drivers/http_serving.py",
    "sim/explore/store.py", "sim/protocols/hook/swift.py", "sim/scenario/values.py",
    "sim/view/columns.py", "sim/view/tracefile.py", "sim/wire/decode.py",
    "tui/teaching/keeping.py",
}  # fmt: skip
OWN = {
    "sim/cli/exporting/perfetto.py": "a line of a trace that has been read",
    "sim/cli/relaying/address.py": "an answer, at most ANSWER_BYTES (tests/cli/test_relay_remote)",
    "sim/cli/verifying/compare.py": "what a process that hooktwin started says",
    "sim/cli/verifying/worker.py": "what the process that started it says",
    "sim/check/judgement.py": "a frame that was decoded and encoded again",
    "sim/core/op.py": "a row of a store of the simulation",
    "sim/drivers/http_asking.py": "an answer, at most ANSWER_BYTES (test_limits)",
    "sim/drivers/plain_http.py": "a body, at most BODY_BYTES (tests/live/test_strangers)",
    "sim/live/bridge_desk.py": "the pending file: its entries are a target",
    "sim/live/control.py": "a body, at most BODY_BYTES (tests/live/test_control_guard)",
    "sim/live/secrets.py": "a line of a recording that is being written",
    "sim/protocols/hook/catalogue/trials.py": "a frame that we have written",
    "sim/protocols/question/says.py": "a parameter of a simulated request",
    "sim/protocols/question/telegram/parameters.py": "a parameter of a simulated request",
    "sim/protocols/question/view_store.py": "a file of the simulation",
    "sim/protocols/relay/browser/adapters.py": "a page that is shipped",
    "sim/protocols/relay/browser/web.py": "pages that are shipped",
    "tui/feeds/live.py": "the control API of a process of one's own",
    "tui/screens/telling.py": "what is typed at the keyboard",
}
