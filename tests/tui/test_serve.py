"""The terminal UI in a real browser, through its own remote control.

What the page gets is read from its WebSocket, what it does comes from key events.
"""

import base64
import importlib.util
import json
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
import trio
from trio_websocket import open_websocket_url

ROOT = Path(__file__).parents[2]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SEQUENCE = re.compile(r"\x1b\[[0-9;?<>=]*[a-zA-Z]")
PATIENCE_S = 60

browser = next((path for name in BROWSERS if (path := shutil.which(name))), None)
pytestmark = [
    pytest.mark.skipif(browser is None, reason="no Chromium is installed"),
    pytest.mark.skipif(
        importlib.util.find_spec("textual_serve") is None, reason="textual-serve is missing"
    ),
]


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def wait_for(what):
    end = time.monotonic() + PATIENCE_S
    while True:
        try:
            return what()
        except (OSError, ValueError, IndexError):
            assert time.monotonic() < end, "it never came up"
            time.sleep(0.1)


@pytest.fixture
def page(tmp_path):
    """(address of the UI, address of the browser's remote control)."""
    port = free_port()
    server = subprocess.Popen(
        [sys.executable, "-m", "tui", "reopen-teardown", "--serve", "--port", str(port),
         "--lang", "en"], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    profile = tmp_path / "profile"
    chromium = subprocess.Popen(
        [browser, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0",
         "--disable-background-networking", f"--user-data-dir={profile}", "about:blank"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        told = profile / "DevToolsActivePort"
        control = wait_for(lambda: int(told.read_text().split()[0]))
        wait_for(lambda: urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5).close())
        pages = wait_for(
            lambda: json.load(urllib.request.urlopen(f"http://127.0.0.1:{control}/json"))
        )
        target = next(one for one in pages if one["type"] == "page")
        yield f"http://localhost:{port}/", target["webSocketDebuggerUrl"]
    finally:
        for program in (chromium, server):
            program.terminate()
            program.wait(20)


class Browser:
    """Commands to one page, and what its WebSockets received."""

    def __init__(self, connection):
        self.connection = connection
        self.received = ""
        self.sent = 0

    async def tell(self, method, **params):
        self.sent += 1
        message = {"id": self.sent, "method": method, "params": params}
        await self.connection.send_message(json.dumps(message))

    async def hear(self):
        told = json.loads(await self.connection.get_message())
        if told.get("method") == "Network.webSocketFrameReceived":
            frame = told["params"]["response"]
            data = frame["payloadData"]
            if frame["opcode"] == 2:
                data = base64.b64decode(data).decode("utf-8", "replace")
            self.received += data

    async def wait_for(self, text):
        with trio.fail_after(PATIENCE_S):
            while text not in SEQUENCE.sub("", self.received):
                await self.hear()
        self.received = ""

    async def press(self, key):
        await self.tell("Page.bringToFront")
        for kind in ("mousePressed", "mouseReleased"):
            await self.tell(
                "Input.dispatchMouseEvent", type=kind, x=60, y=12, button="left", clickCount=1
            )
        code = {"code": f"Digit{key}", "windowsVirtualKeyCode": ord(key)}
        await self.tell("Input.dispatchKeyEvent", type="keyDown", text=key, key=key, **code)
        await self.tell("Input.dispatchKeyEvent", type="keyUp", key=key, **code)


def test_a_browser_shows_the_first_screen_and_its_keys_work(page):
    address, control = page

    async def visit():
        async with open_websocket_url(control, max_message_size=1 << 26) as connection:
            found = Browser(connection)
            await found.tell("Network.enable")
            await found.tell("Page.navigate", url=address)
            await found.wait_for("4 lanes")
            await found.press("2")
            await found.wait_for("●2 frames")

    trio.run(visit)
