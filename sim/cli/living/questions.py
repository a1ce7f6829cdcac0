"""What ``hooktwin serve --protocol question`` wants to know besides."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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


def served_of(
    protocol: str,
    port: int,
    telegram_port: int,
    twins: Sequence[str] | None,
    hook_url: str | None,
    store: Path | None,
    demo: bool,
    played: bool = False,
) -> Served:
    """The surroundings; ``played``: of a scenario.

    Raises UsageError for what contradicts itself or the protocol.
    """
    from sim.cli.outcome import unknown
    from sim.core.errors import UsageError
    from sim.drivers.listening import checked_base
    from sim.live.served import TWINS, Served

    given: dict[str, object] = {
        "--telegram-port": telegram_port,
        "--twin": twins,
        "--hook-url": hook_url,
    }
    given |= {"--store": store, "--no-demo": not demo}
    if protocol != "question":
        for name, value in given.items():
            if value:
                raise UsageError(f"{name} is for --protocol question")
        return Served()
    for one in twins or ():
        if one not in TWINS:
            raise unknown("twin", one, TWINS)
    if hook_url and "hook" in (twins or ()):
        raise UsageError("--hook-url and --twin hook: there is one hook; leave one of them out")
    if played and not hook_url and "hook" not in (twins or ()):
        told = "a scenario needs somebody who hears of tools: give --hook-url URL or --twin hook"
        raise UsageError(told)
    if store is not None and not twins:
        raise UsageError("--store: only twins use it; give --twin hook, --twin listener or both")
    return Served(
        twins=frozenset(twins or ()),
        hook_url=checked_base(hook_url, "--hook-url") if hook_url else "",
        store=str(store.expanduser().absolute()) if store is not None else "",
        demo=demo,
        opencode_port=port,
        telegram_port=telegram_port,
    )
