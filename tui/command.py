"""What ``hooktwin tui`` does: open the program, print sentences, make a picture, serve."""

from __future__ import annotations

import asyncio
import difflib
import os
import re
import shlex
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from sim.cli import outcome
from sim.cli.terminal import say
from sim.core.errors import UsageError
from tui.language import Speech, from_locale
from tui.teaching import keeping

if TYPE_CHECKING:
    from tui.app import HooktwinApp, Looks
    from tui.session import Session

SIZES = ((40, 12), (400, 200))
"""The smallest and the largest picture."""

ALONE = "--live is for the terminal UI in this terminal: leave out --plain, --out and --serve"


@attrs.frozen
class Wish:
    """The command line."""

    what: str | None = None
    plain: bool = False
    ascii: bool = False
    language: str = ""
    theme: str = ""
    motion: bool = False
    step: int | None = None
    screen: str = "replay"
    out: Path | None = None
    size: str = "120x36"
    restricted: bool = False
    seed: int | None = None
    without: tuple[str, ...] = ()
    keys: Path | None = None
    against: str | None = None
    live: str | None = None


def run(wish: Wish) -> int:
    """Do it; the exit code. Raises UsageError for what cannot be opened."""
    from sim.cli.run_files import check_rules

    check_rules(wish.without)
    if wish.live is not None and (wish.plain or wish.out is not None):
        raise UsageError(ALONE)
    if wish.plain:
        return _plain(wish)
    if wish.out is not None:
        return _picture(wish)
    # Served, the program talks to the server through pipes and Textual's web driver.
    served = "TEXTUAL_DRIVER" in os.environ
    if not served and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(
            "the terminal UI needs a terminal; --plain prints one sentence per step, "
            "--out FILE.svg makes a picture"
        )
    from tui.app import HooktwinApp

    # Visitors from elsewhere have their own progress, which is none of this user's.
    kept = None if wish.restricted else keeping.usual_place()
    app = HooktwinApp(
        _opened(wish), attrs.evolve(_looks(wish), progress=kept), step=wish.step, view=wish.screen,
        seed=wish.seed, without=wish.without, against=wish.against,
    )  # fmt: skip
    app.run()
    if app.trouble is not None and app.return_code:
        raise UsageError(app.trouble)
    return app.return_code or outcome.OK


def _opened(wish: Wish) -> Session | str | None:
    """What the program opens; a session that is going on is opened here, and errors told here."""
    if wish.live is None:
        return wish.what
    from tui.feeds.live import live_session

    return live_session(wish.live, None if wish.what is None else Path(wish.what))


def _looks(wish: Wish) -> Looks:
    from textual.theme import BUILTIN_THEMES

    from tui.app import Looks
    from tui.themes import THEMES

    known = [*(one.name for one in THEMES), *BUILTIN_THEMES]
    if wish.theme and wish.theme not in known:
        raise outcome.unknown("theme", wish.theme, known)
    language = wish.language or from_locale()
    keymap = {} if wish.keys is None else read_keys(wish.keys)
    return Looks(language, wish.ascii, wish.motion, wish.theme, wish.restricted, keymap)


def read_keys(path: Path) -> dict[str, str]:
    """Keys by their ids. Raises UsageError with the near ids for one that is not known."""
    from tui.keys import ALL

    try:
        with path.open("rb") as file:
            told = tomllib.load(file)
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path}: cannot read the keys: {error}") from error
    known = [key.id for key in ALL]
    for name, keys in told.items():
        if name not in known or not isinstance(keys, str):
            near = ", ".join(difflib.get_close_matches(name, known, 4)) or "see ? for all keys"
            raise UsageError(f'{path}: {name!r}: write "ID" = "key,key"; ids like it: {near}')
    return dict(told)


def _plain(wish: Wish) -> int:
    from sim.cli.terminal import print_text
    from tui.app import session_of
    from tui.glyphs import to_ascii
    from tui.plain import sentence, sentences

    if wish.what is None:
        raise UsageError("--plain tells a run: give a scenario, a trace or a token")
    session = session_of(wish.what, wish.seed, wish.without)
    session.finish()
    speech = Speech(wish.language or from_locale())
    if wish.step is not None:
        told = [sentence(session, min(wish.step, session.last), speech)]
    else:
        told = list(sentences(session, speech=speech))
    for one in told:
        print_text(to_ascii(one) if wish.ascii else one)
    return outcome.OK


def _picture(wish: Wish) -> int:
    from tui.app import HooktwinApp, session_of
    from tui.shot import FORMATS, write_picture

    assert wish.out is not None
    width, height = size_of(wish.size)
    if wish.out.suffix.lower() not in FORMATS:
        raise UsageError(f"{wish.out}: give a name that ends in {', '.join(FORMATS)}")
    session = session_of(wish.what, wish.seed, wish.without) if wish.what is not None else None
    step = wish.step
    if session is not None:
        session.finish()
        step = None if step is None else min(step, session.last)
    app = HooktwinApp(session, _looks(wish), step=step, view=wish.screen)

    async def make() -> None:
        async with app.run_test(size=(width, height)) as pilot:
            await at_rest(app)
            await pilot.pause()
            assert wish.out is not None
            write_picture(app, wish.out)

    try:
        asyncio.run(make())
    except OSError as error:
        raise UsageError(f"{wish.out}: cannot write it: {error.strerror or error}") from error
    say(f"hooktwin: wrote {wish.out}")
    return outcome.OK


async def at_rest(app: HooktwinApp) -> None:
    """Wait until no worker runs and nothing is left to draw."""
    quiet = 0
    while quiet < 3:
        await asyncio.sleep(0.01)
        busy = any(not worker.is_finished for worker in app.workers)
        quiet = 0 if busy else quiet + 1


def size_of(text: str) -> tuple[int, int]:
    """``120x36``. Raises UsageError."""
    found = re.fullmatch(r"(\d{1,4})x(\d{1,4})", text)
    size = (int(found[1]), int(found[2])) if found else (0, 0)
    (low_w, low_h), (high_w, high_h) = SIZES
    if not (low_w <= size[0] <= high_w and low_h <= size[1] <= high_h):
        raise UsageError(
            f"--size {text!r}: write COLUMNSxROWS, {low_w}x{low_h} to {high_w}x{high_h}"
        )
    return size


LOCAL = ("localhost", "127.0.0.1", "::1")


def serve(wish: Wish, host: str, port: int) -> int:
    """Show it in a browser: one process per visitor, with the rights of this user.

    Anywhere but on this machine only what needs no files is offered.
    Raises UsageError where textual-serve is missing or the port is taken.
    """
    if wish.live is not None or (wish.what or "").startswith("http://"):
        raise UsageError(ALONE)
    try:
        from textual_serve.server import Server
    except ImportError as error:
        raise UsageError(
            "serving needs the package textual-serve: pip install 'hooktwin[serve]'"
        ) from error
    restricted = wish.restricted or host not in LOCAL
    server = Server(_command(wish, restricted), host=host, port=port, title="hooktwin")
    say(f"hooktwin: http://{host}:{port}   Ctrl-C ends it")
    if host not in LOCAL:
        say("hooktwin: whoever reaches this address can run scenarios here, in processes of yours")
    try:
        server.serve()
    except OSError as error:
        raise UsageError(f"cannot serve at {host}:{port}: {error.strerror}") from error
    return outcome.OK


def _command(wish: Wish, restricted: bool) -> str:
    words = [sys.executable, "-m", "tui"]
    if wish.what is not None:
        words.append(wish.what)
    for name, wanted in (
        ("--ascii", wish.ascii), ("--motion", wish.motion), ("--restricted", restricted)
    ):  # fmt: skip
        if wanted:
            words.append(name)
    words += ["--screen", wish.screen, "--lang", wish.language or from_locale()]
    if wish.seed is not None:
        words += ["--seed", str(wish.seed)]
    for rule in wish.without:
        words += ["--without", rule]
    if wish.theme:
        words += ["--theme", wish.theme]
    return shlex.join(words)
