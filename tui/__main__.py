"""``python -m tui [WHAT]`` is ``hooktwin tui``; ``python -m tui shot WHAT`` makes a picture."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and exit with its code."""
    from sim.cli.app import call

    arguments = sys.argv[1:]
    if arguments[:1] == ["shot"]:
        arguments = arguments[1:]
        if not any(one == "--out" or one.startswith("--out=") for one in arguments):
            arguments += ["--out", "hooktwin.svg"]
    sys.exit(call(["tui", *arguments]))


if __name__ == "__main__":
    main()
