"""What goes to stdout where its encoding is not UTF-8."""

from __future__ import annotations

import io
import sys

import pytest

from sim.cli.terminal import prepare_streams, print_text
from sim.cli.writing import hand_over

SAID = "U->>IM: 用户 ✓"


class Stream(io.TextIOWrapper):
    """A standard stream of a machine with an old locale; a terminal, or not."""

    def __init__(self, encoding: str, *, is_terminal: bool = False) -> None:
        super().__init__(io.BytesIO(), encoding=encoding)
        self.is_terminal = is_terminal

    def isatty(self) -> bool:
        return self.is_terminal

    def written(self) -> bytes:
        self.flush()
        whole = self.buffer
        assert isinstance(whole, io.BytesIO)
        return whole.getvalue()


@pytest.mark.parametrize("encoding", ["ascii", "gbk", "latin-1", "utf-8"])
def test_a_text_for_other_programs_is_utf8_where_it_is_piped(
    encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``diagram > file`` wrote question marks under LANG=C, and GBK, which ``run`` refuses."""
    stream = Stream(encoding)
    monkeypatch.setattr(sys, "stdout", stream)
    prepare_streams()
    hand_over(SAID, None)
    assert stream.written() == f"{SAID}\n".encode()


@pytest.mark.parametrize(("encoding", "shown"), [("ascii", "?? ok:"), ("gbk", "用户 ok:")])
def test_a_terminal_gets_what_it_can_show(
    encoding: str, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = Stream(encoding, is_terminal=True)
    monkeypatch.setattr(sys, "stdout", stream)
    prepare_streams()
    hand_over(SAID, None)
    assert stream.written() == f"U->>IM: {shown}\n".encode(encoding)


def test_a_text_for_people_keeps_the_encoding_of_their_pipe(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream = Stream("gbk")
    monkeypatch.setattr(sys, "stdout", stream)
    prepare_streams()
    print_text(SAID)
    assert stream.written() == "U->>IM: 用户 ok:\n".encode("gbk")
