"""``python -m sim`` and the entry point ``hooktwin``."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and exit with its code."""
    from sim.cli.app import call

    sys.exit(call(sys.argv[1:]))


if __name__ == "__main__":
    main()
