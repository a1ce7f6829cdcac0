"""``hooktwin bridge``: OpenCode's questions on Telegram, for real; ``bridge plugin`` feeds it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sim.cli.writing import named

if TYPE_CHECKING:
    from sim.live.bridging import Done, Work

EPILOG = (
    "Set-up, once:\n\n"
    "  hooktwin bridge plugin ~/.config/opencode/plugin/hooktwin-bridge.js\n\n"
    "  export HERMES_PERMISSION_BOT_TOKEN=… HERMES_TELEGRAM_CHANNEL=-1001234567890\n\n"
    "  hooktwin bridge\n\n"
    "Then start OpenCode with a fixed port: opencode --port 4096. Without the plugin, --watch "
    "looks at a project's open questions every 2 s.\n\n"
    "To try it without either: hooktwin serve --protocol question prints what to export.\n\n"
    "The environment:\n\n{variables}\n\n"
    "What hook and listener log goes to stderr; tokens are never shown. Exit codes: 0 after "
    "--seconds, 2 it cannot begin, 130 by Ctrl-C, 143 by SIGTERM."
)


def _epilog() -> str:
    from sim.live.bridge_variables import VARIABLES

    lines = (f"  {name}  {told}" for name, told in VARIABLES.items())
    return EPILOG.format(variables="\n\n".join(lines))


Watch = Annotated[
    list[str] | None,
    typer.Option(
        metavar="DIR", help="Look at this project's open questions, too (again for more)."
    ),
]
Port = Annotated[
    int | None,
    typer.Option(min=0, max=65535, help="Where the plugin reaches it; 0: any free one."),
]
RecordFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", parser=named, help="Record everything as a trace (JSON lines)."),
]
Seconds = Annotated[
    float | None, typer.Option(min=0.1, help="End after so many seconds. Default: by Ctrl-C.")
]
PluginFile = Annotated[
    Path | None,
    typer.Argument(metavar="[FILE]", parser=named, help="Where to write it. Default: stdout."),
]
Force = Annotated[bool, typer.Option("--force", help="Replace a file that is there.")]


def add_to(app: typer.Typer) -> None:
    """Register the group."""
    group = typer.Typer(epilog=_epilog(), invoke_without_command=True)
    group.callback()(bridge)
    group.command()(plugin)
    app.add_typer(group, name="bridge")


def bridge(
    context: typer.Context,
    watch: Watch = None,
    port: Port = None,
    record: RecordFile = None,
    seconds: Seconds = None,
) -> None:
    """Bring OpenCode's questions to Telegram, and the answers back: the twin's own hook and
    listener against the real programs."""
    if context.invoked_subcommand is not None:
        return
    import os

    import attrs

    from sim.cli.living.setup import check_recording
    from sim.live.bridge_settings import settings_from

    settings = settings_from(os.environ)
    if port is not None:
        settings = attrs.evolve(settings, port=port)
    check_recording(record, None)
    watched = tuple(_project(one) for one in watch or ())
    from sim.live.bridging import Work  # behind what may be wrong: it takes a moment

    raise typer.Exit(_work(Work(settings, watched, record, seconds)))


def _project(text: str) -> str:
    """A project's directory as OpenCode calls it. Raises UsageError for none."""
    from sim.core.errors import UsageError

    path = Path(text).expanduser().resolve()  # as OpenCode finds its own
    if not path.is_dir():
        raise UsageError(f"--watch: {text!r} is no directory; give that of a project")
    return str(path)


def _work(work: Work) -> int:
    """Bridge until it is over; the exit code."""
    import trio

    from sim.cli.living.setup import stop_of
    from sim.cli.terminal import say
    from sim.live.bridging import work as bridge_live

    settings = work.settings

    def opened(url: str) -> None:
        say(f"hooktwin: OpenCode {_shown(settings.opencode)}, Telegram {_shown(settings.telegram)}")
        say(f"hooktwin: chat {settings.chat}, pending file {settings.store}")
        say(f"hooktwin: the plugin reaches this bridge at {url}")
        for directory in work.watch:
            say(f"hooktwin: watching {directory}")

    return _told(trio.run(bridge_live, work, say, opened, stop_of()), work.record)


def _told(done: Done, record: Path | None) -> int:
    """What there was, and the exit code."""
    from sim.cli import outcome
    from sim.cli.living.summary import counted
    from sim.cli.terminal import say

    say(f"hooktwin: {counted(done.asked, 'question')} handed to the hook")
    if done.unrecorded:
        say(f"hooktwin: the recording is not whole: {done.unrecorded}")
    elif record is not None:
        say(f"hooktwin: recorded in {record}")
    if done.signal:
        return outcome.BY_SIGNAL + done.signal
    return outcome.CANNOT_RUN if done.unrecorded else outcome.OK


def _shown(url: str) -> str:
    """A URL without a user and a password."""
    from urllib.parse import urlsplit, urlunsplit

    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def plugin(file: PluginFile = None, force: Force = False) -> None:
    """Write the OpenCode plugin that hands questions to a running bridge.

    It belongs into .opencode/plugin/ of a project, or into ~/.config/opencode/plugin/.
    """
    import sys
    from importlib.resources import files

    from sim.cli.terminal import say
    from sim.cli.writing import check_writable
    from sim.core.errors import UsageError

    text = files("sim.live").joinpath("bridge_plugin.js").read_text(encoding="utf-8")
    if file is None:
        sys.stdout.write(text)
        return
    if file.exists() and not force:
        raise UsageError(f"{file} is there already; give --force to replace it")
    file.parent.mkdir(parents=True, exist_ok=True)
    check_writable(file)
    file.write_text(text, encoding="utf-8")
    say(f"hooktwin: wrote {file}; OpenCode loads it when it starts")
