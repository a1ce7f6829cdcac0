"""A conversation in lines: with a person at a terminal, or with whatever a pipe has to say."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from rich.cells import cell_len

from sim.core.errors import HooktwinError
from tui.drawing.lines import harmless, pad, wrap
from tui.language import Speech

WIDEST = 96
LONGEST = 4096
"""Signs of an answer that are looked at."""


class NothingMore(HooktwinError):
    """The input has ended before the conversation did."""


class Talk:
    """``read`` gives the next line without its end, None at the end of the input.

    ``echo``: what was read is written out again, for pipes, where nobody has seen it typed.
    """

    def __init__(
        self,
        speech: Speech,
        read: Callable[[str], str | None],
        write: Callable[[str], object],
        width: int = 80,
        *,
        echo: bool = False,
    ) -> None:
        self.speech = speech
        self.width = min(width, WIDEST)
        self._read, self._write, self._echo = read, write, echo

    @property
    def language(self) -> str:
        return self.speech.language

    def say(self, text: str = "", *, indent: int = 0) -> None:
        """A paragraph, in the reader's language where the tables know it."""
        told = self.speech(text) if text else ""
        for row in wrap(told, self.width - indent):
            self._write(f"{' ' * indent}{row}".rstrip() + "\n")

    def said(self, template: str, *, indent: int = 0, **parts: object) -> None:
        """A sentence with places in braces; the names in them stay as they are."""
        self.say(self.speech(template).format(**parts), indent=indent)

    def item(self, sign: str, text: str, width: int = 0) -> None:
        """``  1  something``, with the lines below it under its first word; the sign takes
        ``width`` cells at least."""
        lead = f"  {pad(sign, max(width, cell_len(sign)))}  "
        rows = wrap(text, self.width - cell_len(lead))
        self._write(f"{lead}{rows[0]}".rstrip() + "\n")
        for row in rows[1:]:
            self._write(f"{' ' * cell_len(lead)}{row}\n")

    def ask(self, prompt: str) -> str:
        """The next line, without blanks around it. Raises NothingMore."""
        told = self._read(f"{prompt}> ")
        if told is None:
            raise NothingMore("the input has ended")
        told = harmless(told[:LONGEST].strip())
        if self._echo:
            self._write(f"{told}\n")
        return told

    def unknown(self, word: str, known: Sequence[str]) -> None:
        """Say that this was not understood, and what would be."""
        self.said(
            "I do not know {word}; here: {known}", word=repr(word[:40]), known="  ".join(known)
        )


def of_streams(speech: Speech, width: int) -> Talk:
    """With standard input and output; a person gets a line that can be edited."""
    talks = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
    return Talk(speech, _typed if talks else _piped, _write, width, echo=not talks)


def _typed(prompt: str) -> str | None:
    try:
        return input(prompt)
    except EOFError:
        _write("\n")
        return None


def _piped(prompt: str) -> str | None:
    _write(prompt)
    sys.stdout.flush()
    data = b"" if sys.stdin is None else sys.stdin.buffer.readline(LONGEST * 4)
    return data.decode("utf-8", "replace").rstrip("\r\n") if data else None


def _write(text: str) -> None:
    sys.stdout.write(text)
