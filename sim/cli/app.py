"""The commands in one table, and the door through which all of them run."""

from __future__ import annotations

import errno
import importlib
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from sim.cli import outcome
from sim.cli.ending import gentle_endings
from sim.cli.terminal import prepare_streams, say, silence_stdout

COMMANDS = (
    "run",
    "verify",
    "diagram",
    "checking.check",
    "parse",
    "scenarios",
    "explain",
    "schema",
    "rules",
    "states",
    "exploring.explore",
    "exploring.replay",
    "exploring.mutants",
    "reporting.report",
    "reviewing.review",
    "exporting.group",
    "living.proxy",
    "living.serve",
    "living.connect",
    "bridging.group",
    "relaying.group",
    "learn",
    "quiz",
    "tui",
)

app = typer.Typer(
    name="hooktwin",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Start with:\n\n"
    "  hooktwin scenarios               what is there to play\n\n"
    "  hooktwin run typical             play one, of the hook protocol\n\n"
    "  hooktwin run lock-with-lease     play one of the relay protocol\n\n"
    "  hooktwin explain turn.end        what a frame says\n\n"
    "  hooktwin explore typical --faults cut:1    search for races\n\n"
    "  hooktwin explain language        how a scenario is written\n\n"
    "  hooktwin tui                     look at runs, step by step\n\n"
    "  hooktwin learn 1                 the first lesson\n\n"
    "  hooktwin check desktop.log       judge what real programs said\n\n"
    "Exit codes: 0 all is well, 1 something failed, 2 the input cannot be used.",
)


def _version(wanted: bool) -> None:
    if wanted:
        from sim import __version__

        sys.stdout.write(f"hooktwin {__version__}\n")
        raise typer.Exit


@app.callback()
def hooktwin(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say which version.")
    ] = False,
) -> None:
    """A deterministic simulator of three protocols: chat to desktop agents, browsers by relay,
    and an agent's questions answered from the phone.

    Sequence diagrams are its programs: simulated desktops, a server and chat
    channels (hook), controllers, a relay and nodes with browsers (relay), or
    OpenCode, a hook, a listener and Telegram (question) play them on a virtual
    clock, while connections break, and frames and requests get lost. The same
    seed gives the same run.
    """


for _name in COMMANDS:
    importlib.import_module(f"sim.cli.{_name}").add_to(app)


def call(arguments: Sequence[str]) -> int:
    """Run one command line; the exit code. Nothing but the code leaves here."""
    prepare_streams()
    with gentle_endings() as ended_by:
        code = _call(arguments)
        signal_number = ended_by()
    if signal_number:
        say("hooktwin: terminated")
        return outcome.BY_SIGNAL + signal_number
    if code == outcome.INTERRUPTED:
        say("hooktwin: interrupted")
    return code


def _call(arguments: Sequence[str]) -> int:
    try:
        answer = app(list(arguments), prog_name="hooktwin", standalone_mode=False)
        sys.stdout.flush()
    except (KeyboardInterrupt, typer.Abort):
        return outcome.INTERRUPTED
    except SystemExit as error:
        # Rich's way to say that nobody reads any more.
        if isinstance(error.__context__, BrokenPipeError):
            return _nobody_reads()
        raise
    except OSError as error:
        if error.errno == errno.EPIPE:
            return _nobody_reads()
        if error.filename is None:
            silence_stdout()  # it was the output: what is left of it must not fail again
        return outcome.complain(error, arguments)
    except Exception as error:
        # Errors of the command line itself; click is vendored by some versions of typer,
        # so they are known by their manners, not by their class.
        if hasattr(error, "format_message") and hasattr(error, "exit_code"):
            return _bad_command_line(error)
        return outcome.complain(error, arguments)
    return answer if isinstance(answer, int) else outcome.OK


def _nobody_reads() -> int:
    """``| head`` has seen enough. That is no failure, and no success that a script may rely on."""
    silence_stdout()
    return outcome.PIPE_CLOSED


def _bad_command_line(error: Exception) -> int:
    message: str = error.format_message()  # type: ignore[attr-defined]
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "hooktwin"
    if not message:  # no arguments at all: the help has been printed
        return outcome.CANNOT_RUN
    say(f"hooktwin: {message}", f"  see: {path} --help")
    return outcome.CANNOT_RUN
