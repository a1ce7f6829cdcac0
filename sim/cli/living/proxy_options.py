"""The options of ``hooktwin proxy``, as types."""

from __future__ import annotations

from typing import Annotated

import typer

from sim.cli.run_options import complete_scenario

Listen = Annotated[
    int, typer.Option(min=0, max=65535, metavar="PORT", help="Where clients connect; 0: any.")
]
UpstreamUrl = Annotated[
    str,
    typer.Option(
        "--upstream", metavar="URL", help="The real server: ws://HOST:PORT or wss://HOST."
    ),
]
Host = Annotated[str, typer.Option(help="The address to listen on.")]
ControlPort = Annotated[
    int, typer.Option(min=0, max=65535, help="Where the control API listens, on 127.0.0.1; 0: any.")
]
Faults = Annotated[
    list[str] | None,
    typer.Option(
        "--fault", metavar="FAULT", help="Which frame is struck, and how (again for more)."
    ),
]
FollowedFile = Annotated[
    str | None,
    typer.Option(
        metavar="SCENARIO",
        help="Its arrows are waited for, its faults strike.",
        autocompletion=complete_scenario,
    ),
]
Insecure = Annotated[
    bool, typer.Option("--insecure", help="Believe any certificate of a wss:// server.")
]
WithKeys = Annotated[bool, typer.Option("--keys", help="Faults by single keys; ? shows them.")]
