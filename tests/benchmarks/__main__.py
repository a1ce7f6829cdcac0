"""``python -m tests.benchmarks [B1 B2 …] [--rounds N] [--seeds N --cap S]``: print the ratios.

Every figure is a ratio of two things that ran in turn in this one process;
the median of the rounds is printed with the lowest and the highest.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial

from rich.console import Console
from rich.table import Table

from tests.benchmarks.figures import ALL
from tests.benchmarks.search import CAP_S, SEEDS, b3


def main() -> int:
    """Run the chosen benchmarks, each result as soon as it is there."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("ids", nargs="*", metavar="ID", help=f"some of {', '.join(ALL)}")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seeds", type=int, default=SEEDS, help="of each race of B3")
    parser.add_argument("--cap", type=float, default=CAP_S, help="seconds for each search of B3")
    chosen = parser.parse_args()
    unknown = [one for one in chosen.ids if one not in ALL]
    if unknown:
        parser.error(f"unknown benchmark {', '.join(unknown)}; known: {', '.join(ALL)}")
    table = Table("id", "what", "median", "min…max", "goal", "note")
    progress = Console(stderr=True)
    try:
        for one in chosen.ids or ALL:
            progress.print(f"{one} …", style="dim")
            run = partial(b3, seeds=chosen.seeds, cap_s=chosen.cap) if one == "B3" else ALL[one]
            for ratio in run(chosen.rounds):
                table.add_row(*ratio.row())
    except KeyboardInterrupt:
        progress.print("interrupted; what was measured so far:")
    Console(width=None if sys.stdout.isatty() else 150).print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
