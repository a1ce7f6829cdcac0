"""A real browser without a window, driven over its debugging protocol: where one is installed.

No package is needed: the protocol is JSON over a WebSocket. ``HOOKTWIN_BROWSER`` names another
program than the first that is found.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import trio
from trio_websocket import ConnectionClosed, open_websocket_url

from sim.cli.reporting.pdf import BROWSERS

NAMES = (os.environ.get("HOOKTWIN_BROWSER", ""), *BROWSERS)
PROGRAM = next((found for name in NAMES if name and (found := shutil.which(name))), None)

needs_browser = pytest.mark.skipif(
    PROGRAM is None, reason="neither Chrome, Chromium nor Edge is installed (HOOKTWIN_BROWSER)"
)

CODES = {
    "ArrowRight": 39,
    "ArrowLeft": 37,
    "Home": 36,
    "End": 35,
    "PageDown": 34,
    "Escape": 27,
    ".": 190,
    "/": 191,
}


class Tab:
    """One page. ``errors`` are exceptions and refusals by the page's own policy."""

    def __init__(self, send: Callable[..., Awaitable[Any]]) -> None:
        self._send = send
        self.errors: list[str] = []

    async def eval(self, script: str) -> Any:
        """The value of an expression; promises are waited for. Fails with what it threw."""
        told = await self._send(
            "Runtime.evaluate",
            expression=script,
            awaitPromise=True,
            returnByValue=True,
            allowUnsafeEvalBlockedByCSP=False,  # as strict as for the page itself
        )
        assert "exceptionDetails" not in told, told["exceptionDetails"]
        return told["result"].get("value")

    async def open(self, path: Path, hash: str = "") -> None:
        """Load a report and wait until it stands there."""
        url = path.as_uri() + (f"#{hash}" if hash else "")
        await self._send("Page.navigate", url=url)
        await self.eval(READY)

    async def press(self, key: str) -> None:
        """A key, as a person presses it, and the picture that follows."""
        code = CODES.get(key, ord(key[0].upper()))
        told: dict[str, Any] = {"key": key, "windowsVirtualKeyCode": code}
        text = {"text": key} if len(key) == 1 else {}
        await self._send("Input.dispatchKeyEvent", type="keyDown", **told, **text)
        await self._send("Input.dispatchKeyEvent", type="keyUp", **told)
        await self.eval("new Promise((done) => requestAnimationFrame(() => done()))")

    async def colours(self, scheme: str) -> None:
        """What the system wants: light or dark."""
        feature = {"name": "prefers-color-scheme", "value": scheme}
        await self._send("Emulation.setEmulatedMedia", features=[feature])

    async def screenshot(self) -> bytes:
        """A picture (PNG), for people who look."""
        told = await self._send("Page.captureScreenshot", format="png")
        return base64.b64decode(told["data"])


READY = """new Promise((done) => {
  const look = () => document.documentElement?.dataset.ready ? done() : setTimeout(look, 5);
  look();
})"""


def browse(play: Callable[[Tab], Awaitable[Any]], *, width: int = 1400, height: int = 900) -> Any:
    """Start a browser, give a tab to ``play``, end the browser; what ``play`` answers."""
    assert PROGRAM is not None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [
            PROGRAM, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
            "--remote-debugging-port=0", f"--user-data-dir={profile}",
            f"--window-size={width},{height}", "about:blank",
        ]  # fmt: skip
        with subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as process:
            try:
                assert process.stderr is not None
                address = next(
                    line.split(" on ")[1].strip()
                    for line in process.stderr
                    if "DevTools listening on" in line
                )
                return trio.run(_play, address, play)
            finally:
                process.kill()


async def _play(address: str, play: Callable[[Tab], Awaitable[Any]]) -> Any:
    async with open_websocket_url(address, max_message_size=1 << 28) as socket:
        wire = _Wire(socket)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(wire.listen)
            target = (await wire.ask("Target.createTarget", url="about:blank"))["targetId"]
            told = await wire.ask("Target.attachToTarget", targetId=target, flatten=True)
            wire.session = told["sessionId"]
            tab = wire.tab = Tab(wire.ask)
            for domain in ("Page", "Runtime", "Log"):
                await wire.ask(f"{domain}.enable")
            answer = await play(tab)
            nursery.cancel_scope.cancel()
        return answer


class _Wire:
    """Questions by number, and what the page reports."""

    def __init__(self, socket: Any) -> None:
        self._socket = socket
        self._answers: dict[int, tuple[trio.Event, list[Any]]] = {}
        self.session = ""
        self.tab: Tab | None = None

    async def ask(self, method: str, **params: Any) -> Any:
        number = len(self._answers) + 1
        arrived, told = self._answers[number] = trio.Event(), []
        message = {"id": number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        await self._socket.send_message(json.dumps(message))
        with trio.fail_after(60):
            await arrived.wait()
        assert "error" not in told[0], (method, told[0])
        return told[0]["result"]

    async def listen(self) -> None:
        try:
            while True:
                self._take(json.loads(await self._socket.get_message()))
        except ConnectionClosed:
            return

    def _take(self, message: dict[str, Any]) -> None:
        if "id" in message:
            arrived, told = self._answers[message["id"]]
            told.append(message)
            arrived.set()
        elif self.tab is not None and message["method"] in REPORTS:
            self.tab.errors.append(json.dumps(message["params"])[:400])


REPORTS = ("Runtime.exceptionThrown", "Log.entryAdded")
