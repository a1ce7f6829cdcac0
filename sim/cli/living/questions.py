"""What ``hooktwin serve --protocol question`` wants to know besides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import attrs
import typer

from sim.cli.writing import named

if TYPE_CHECKING:
    from sim.live.served import Served

TelegramPort = Annotated[
    int,
    typer.Option(min=0, max=65535, help="Question: where the Bot API listens; 0: any."),
]
Twins = Annotated[
    list[str] | None,
    typer.Option(
        "--twin",
        metavar="hook|listener",
        help="Question: simulate this one, too (again for both). Default: both are outside.",
        autocompletion=lambda: ["hook", "listener"],
    ),
]
HookUrl = Annotated[
    str | None,
    typer.Option(
        metavar="URL", help="Question: where a real hook (a bridge, too) hears of each tool."
    ),
]
StoreFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        parser=named,
        help="Question: the real pending file that --twin shares with real programs.",
    ),
]
Demo = Annotated[bool, typer.Option(help="Question: ask one at the beginning.")]


@attrs.frozen
class Wish:
    """What the options say; those left out are as :class:`sim.live.served.Served` has them."""

    telegram_port: int = 0
    twins: Sequence[str] = ()
    hook_url: str = ""
    store: Path | None = None
    demo: bool = True

    def given(self) -> Iterator[str]:
        """The options that were given."""
        options = {
            "--telegram-port": self.telegram_port,
            "--twin": self.twins,
            "--hook-url": self.hook_url,
            "--store": self.store,
            "--no-demo": not self.demo,
        }
        yield from (name for name, value in options.items() if value)


def served_of(protocol: str, port: int, wish: Wish, *, played: bool) -> Served:
    """The surroundings; ``played``: of a scenario.

    Raises UsageError for what contradicts itself or the protocol.
    """
    from sim.core.errors import UsageError
    from sim.drivers.listening import checked_base
    from sim.live.served import Served

    if protocol != "question":
        for name in wish.given():
            raise UsageError(f"{name} is for --protocol question")
        return Served()
    _check(wish, played)
    return Served(
        twins=frozenset(wish.twins),
        hook_url=checked_base(wish.hook_url, "--hook-url") if wish.hook_url else "",
        store=_store(wish.store) if wish.store is not None else "",
        demo=wish.demo,
        opencode_port=port,
        telegram_port=wish.telegram_port,
    )


def _store(path: Path) -> str:
    """Raises UsageError where no pending store can be."""
    from sim.core.errors import UsageError
    from sim.live.disk import unfit

    whole = path.expanduser().absolute()
    why = unfit(whole)
    if why:
        raise UsageError(f"--store: {whole} {why}")
    return str(whole)


def _check(wish: Wish, played: bool) -> None:
    """Raises UsageError for options that do not go together."""
    from sim.cli.outcome import unknown
    from sim.core.errors import UsageError
    from sim.live.served import TWINS

    for one in wish.twins:
        if one not in TWINS:
            raise unknown("twin", one, TWINS)
    if wish.hook_url and "hook" in wish.twins:
        raise UsageError("--hook-url and --twin hook: there is one hook; leave one of them out")
    if played and not wish.hook_url and "hook" not in wish.twins:
        told = "a scenario needs somebody who hears of tools: give --hook-url URL or --twin hook"
        raise UsageError(told)
    if wish.store is not None and not wish.twins:
        raise UsageError("--store: only twins use it; give --twin hook, --twin listener or both")
