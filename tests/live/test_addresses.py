"""Where live commands listen: brackets are taken, and what cannot be is told with the remedy."""

from __future__ import annotations

import errno
import socket

import pytest

from sim.cli.living.setup import host_of
from sim.core.errors import UsageError
from sim.drivers.listening import cannot_listen
from sim.drivers.websocket import bind
from sim.live.control import _bound

NO_NAME = "a" * 64


@pytest.mark.parametrize(
    ("text", "host"), [("[::1]", "::1"), (" 127.0.0.1 ", "127.0.0.1"), ("localhost", "localhost")]
)
def test_an_address_is_taken_as_urls_write_it(text, host):
    assert host_of(text) == host


@pytest.mark.parametrize("text", ["", " ", "a b", "a\nb", NO_NAME, "a..b", "http://x", "u@h"])
def test_what_is_no_address_is_refused(text):
    with pytest.raises(UsageError, match="give one such as"):
        host_of(text)


@pytest.mark.trio
async def test_a_name_that_is_none_ends_in_no_traceback():
    with pytest.raises(UsageError, match="no name of a host; give --host"):
        await bind(0, "serve", NO_NAME)
    with pytest.raises(UsageError, match="no name of a host; give --host"):
        _bound(NO_NAME, 0)


@pytest.mark.parametrize(
    ("error", "remedy"),
    [
        (OSError(errno.EADDRINUSE, "in use"), "another port"),
        (OSError(errno.EACCES, "denied"), "another port"),
        (OSError(errno.EADDRNOTAVAIL, "not ours"), "--host"),
        (socket.gaierror(-2, "not known"), "--host"),
    ],
)
def test_the_remedy_is_that_of_the_mistake(error, remedy):
    told = str(cannot_listen("serve", "::1", 80, error))
    assert told.startswith("serve cannot listen on [::1]:80: ")
    assert remedy in told
