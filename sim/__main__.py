"""``python -m sim`` and the entry point ``hooktwin``."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and exit with its code."""
    try:
        from sim.cli.ending import hear_what_python_drops

        hear_what_python_drops()
        from sim.cli.app import call

        code = call(sys.argv[1:])
    except KeyboardInterrupt:  # before there was anybody to take care of it
        code = 130
    sys.exit(code)


if __name__ == "__main__":
    main()
