"""A recording that wants to be more than data: every text of it tries to act on its reader."""

from __future__ import annotations

from pathlib import Path

from sim.core import event as events
from sim.core.trace import Header, Trace, write_trace

ACT = "globalThis.acted=(globalThis.acted||0)+1"
TEXTS = (
    f"</script><script>{ACT}</script>",
    f"<!--<script>{ACT}//",
    f"<img src=x onerror={ACT}>",
    f"<svg onload={ACT}><style>*{{display:none}}</style>",
    f'"><a href="javascript:{ACT}" autofocus onfocus={ACT}>x</a>',
    "{{script}}{{data}}]]>&lt;b&gt;&#60;i&#62;",
    f"`${{{ACT}}}`\u2028\u2029\u202eeman eht si siht\u202c\x1b[2J\x00",
    "```\n# no title\n| a | b |\n<details open ontoggle=" + ACT + ">",
    "end; participant X; note over p0: #quot; %% gone",
    "__proto__",
    "\ud800 alone",
)


def write_hostile(path: Path) -> None:
    """A trace in which hosts, links, frames, notes, rows and messages are named so."""
    write_trace(path, Trace(_header(), list(_events())))


def _header() -> Header:
    hosts = (("IM", "slack"), ("S", "server"), *((text, text) for text in TEXTS[:9]))
    source = "sequenceDiagram\n" + "\n".join(f"%% {text}" for text in TEXTS[:10])
    return Header(
        scenario=TEXTS[0], protocol="hook", hosts=hosts, without=(TEXTS[2],), source=source
    )


def _events():
    n = 0
    for text in TEXTS:
        link, at = f"{text}#1", 1000 * n
        frame = {
            "v": 1,
            "type": text,
            "id": text,
            "ts": 1,
            "payload": {"requestId": text, text: text},
        }
        bad = {"type": "(bad)", "text": text}
        post = dict.fromkeys(("chat", "text", "state", "about"), text)
        buttons = [{"id": text, "label": text}]
        post |= {"is": "post", "thread": None, "files": [text], "buttons": buttons}
        yield events.HostStarted(n, at, -1, text, 1)
        yield events.ConnectionOpened(n + 1, at, -1, link, text, "S", "slack")
        yield events.FrameSent(n + 2, at, n + 1, link, text, "S", 1, frame)
        yield events.FrameDelivered(n + 3, at, n + 2, link, text, "S", n + 2, text)
        yield events.FrameSent(n + 4, at, n + 1, link, text, "S", 2, bad)
        yield events.BadFrame(n + 5, at, n + 4, link, "S", n + 4, text, text)
        yield events.CallIssued(n + 6, at, n + 3, "S", "IM", post)
        done = {"is": "done", "message": f"m{n}"}
        yield events.CallApplied(n + 7, at, n + 6, "S", "IM", n + 6, post, done)
        yield events.Saved(n + 8, at, -1, text, f"row/{text}", {"state": text})
        yield events.Noted(n + 9, at, -1, text, text, {text: text})
        yield events.FaultInjected(n + 10, at, -1, text, text)
        yield events.ConnectionClosed(n + 11, at, -1, link, text, "S", 1006, text, text)
        n += 12
