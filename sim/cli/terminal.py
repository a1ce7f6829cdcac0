"""Streams and consoles, and the one place where foreign text becomes harmless.

Whatever comes from frames, scenarios, file names or the command line goes
through :func:`clean` before a terminal sees it: an escape sequence in a chat
message must not repaint the reader's screen.
"""

from __future__ import annotations

import codecs
import contextlib
import json
import os
import re
import sys
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

PIPE_WIDTH = 100
"""Columns where nobody says how wide it is (a pipe, a file)."""

NARROWEST = 60

_BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_UNSAFE = re.compile(f"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff{_BIDI}\ud800-\udfff]")
_UNSAFE_IN_JSON = re.compile(f"[\x7f-\x9f\u2028\u2029\ufeff{_BIDI}\ud800-\udfff]")


def clean(text: str, *, newline: str = "⏎") -> str:
    """A text as one harmless line: controls become their pictures, others ``�``."""

    def picture(found: re.Match[str]) -> str:
        code = ord(found[0])
        if code == 0x0A:
            return newline
        if code < 0x20:
            return chr(0x2400 + code)
        return "\u2421" if code == 0x7F else "\ufffd"

    return _UNSAFE.sub(picture, text)


def to_json(value: Any, *, indent: int | None = None) -> str:
    """JSON that is harmless on a terminal and fits the encoding of stdout."""
    text = json.dumps(value, ensure_ascii=not speaks_unicode(sys.stdout), indent=indent)
    return escape_within_json(text)


def escape_within_json(text: str) -> str:
    """What JSON may contain and a terminal may not, as JSON's own escapes."""
    return _UNSAFE_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def print_json(value: Any, *, indent: int | None = None) -> None:
    """One JSON value on stdout."""
    sys.stdout.write(to_json(value, indent=indent) + "\n")


def print_text(text: str) -> None:
    """A text of several lines that is meant to be piped: no wrapping, no colour."""
    lines = (clean(line) for line in text.rstrip("\n").split("\n"))
    sys.stdout.write("\n".join(lines) + "\n")


def pipe_utf8() -> None:
    """What other programs read is UTF-8 where it is piped, whatever the locale says.

    A question mark instead of a sign is harmless on a screen; in a file it is damage.
    """
    if not sys.stdout.isatty():
        with contextlib.suppress(AttributeError, ValueError, OSError):
            sys.stdout.reconfigure(encoding="utf-8", errors="hooktwin")  # type: ignore[union-attr]


def speaks_unicode(stream: IO[str]) -> bool:
    """Whether a stream takes box drawing, arrows and Chinese."""
    return (getattr(stream, "encoding", None) or "ascii").lower().replace("-", "") == "utf8"


PLAIN = str.maketrans(
    {
        **dict.fromkeys("│┃", "|"),
        **dict.fromkeys("─━", "-"),
        **dict.fromkeys("╭╮╰╯┼", "+"),
        **dict.fromkeys("●•·", "*"),
        "╌": ".",
        "▶": ">",
        "◀": "<",
        "→": ">",
        "╳": "x",
        "…": "~",
        "⏎": "/",
        "⚡": "!",
        "📎": "@",
        "✓": "ok:",
        "✗": "FAILED:",
        "\u2019": "'",
    }
)
"""Our own signs for streams that cannot take them; other texts get question marks."""


def _plainly(error: UnicodeError) -> tuple[str, int]:
    """A codec error handler: the sign's stand-in."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end].translate(PLAIN)
    return "".join(sign if sign.isascii() else "?" for sign in text), error.end


def prepare_streams() -> None:
    """Survive closed and non-UTF-8 streams: a strange character is no reason to fail."""
    codecs.register_error("hooktwin", _plainly)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        with contextlib.suppress(AttributeError, ValueError, OSError):
            getattr(sys, name).reconfigure(errors="hooktwin")


def silence_stdout() -> None:
    """The reader has gone: let the interpreter's last flush go nowhere."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def console(*, stderr: bool = False) -> Console:
    """A console that interprets nothing in the text it is given."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    colours: dict[str, Any] = {"color_system": None} if os.environ.get("NO_COLOR") else {}
    made = Console(
        file=stream, markup=False, highlight=False, emoji=False, soft_wrap=False, **colours
    )
    if not made.is_terminal and "COLUMNS" not in os.environ:
        made.width = PIPE_WIDTH
    made.width = max(made.width, NARROWEST)
    return made


def say(*lines: str) -> None:
    """A message for the person at the keyboard: stderr, harmless, each text one line.

    A newline within a text is none: it may come from the name of a file, and would let that
    name say something of its own.
    """
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write("".join(f"{clean(line)}\n" for line in lines))
        sys.stderr.flush()
