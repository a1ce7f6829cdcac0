"""What live commands do before anything is opened: channels, scenarios, files, tokens."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sim.live.holding import Stop
    from sim.live.session import Running
    from sim.scenario.syntax import Scenario


def channels_of(wanted: Sequence[str] | None) -> tuple[str, ...]:
    """The channels of the command line, in a fixed order. Raises UsageError for unknown ones."""
    from sim.cli.outcome import unknown
    from sim.live.stage import CHANNELS

    for name in wanted or ():
        if name not in CHANNELS:
            raise unknown("channel", name, CHANNELS)
    return tuple(name for name in CHANNELS if not wanted or name in wanted)


def scenario_of(name: str | None, channels: Sequence[str] | None) -> Scenario | None:
    """The scenario to be played live. Raises UsageError where ``--channel`` contradicts it."""
    from sim.cli.reading import read_scenario
    from sim.core.errors import UsageError

    if name is None:
        return None
    if channels:
        raise UsageError("--channel and --scenario: the scenario says which channels there are")
    return read_scenario(name)


def protocol_of(
    wanted: str | None, scenario: Scenario | None, channels: Sequence[str] | None
) -> str:
    """The protocol to be spoken. Raises UsageError for an unknown one, for one that the scenario
    does not speak, and for channels where there are none."""
    from sim.core.errors import UsageError
    from sim.protocols import register

    drawn = scenario.protocol if scenario is not None else None
    name = register.protocol(wanted or drawn or register.DEFAULT_PROTOCOL).name
    if drawn not in (None, name):
        raise UsageError(f"--protocol {name}: the scenario speaks {drawn}; leave it out")
    if channels and name != register.DEFAULT_PROTOCOL:
        raise UsageError(f"--channel: the {name} protocol has no channels; leave it out")
    return name


def check_token(token: str | None) -> str:
    """The token, "" for none. Raises UsageError for one that no header can carry."""
    from sim.core.errors import UsageError

    if token is None:
        return ""
    if not token.strip() or not token.isascii() or not token.isprintable() or " " in token:
        raise UsageError("--token: give printable ASCII without spaces, as a header carries it")
    return token


def stop_of() -> Stop:
    """What ends a live session. A signal that came while it was being set up ends it at once:
    the exception that it raised may be lost, see :mod:`sim.cli.ending`."""
    from sim.cli.ending import signal_that_came
    from sim.live.holding import Stop

    stop = Stop()
    if number := signal_that_came():
        stop.now(number)
    return stop


def host_of(text: str) -> str:
    """The address to listen on, of ``--host``. Raises UsageError for what is none."""
    from sim.core.errors import UsageError
    from sim.drivers.listening import is_host

    host = text.strip()
    if host.startswith("[") and host.endswith("]"):  # as in URLs
        host = host[1:-1]
    if not is_host(host):
        raise UsageError(f"--host: {text!r} is no address; give one such as 127.0.0.1 or ::1")
    return host


def check_recording(path: Path | None, scenario: str | None) -> None:
    """Raises UsageError when the recording cannot be written, or would replace the scenario."""
    from sim.cli.writing import check_writable, refuse_overwriting

    if path is not None:
        refuse_overwriting([scenario] if scenario else [], [path])
        check_writable(path)


def running_of(
    record: Path | None,
    speed: float,
    seed: int | None,
    without: Sequence[str] | None,
    scenario: Scenario | None,
) -> Running:
    """How the session runs; the file's ``@seed`` counts unless one is given."""
    from sim.live.session import Running

    if seed is None:
        own = scenario.settings.seed if scenario is not None else None
        seed = 1 if own is None else own
    return Running(record, speed, seed, frozenset(without or ()))
