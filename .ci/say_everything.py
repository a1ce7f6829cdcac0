"""Everything that the command line can say of itself: helps, and each word explained.

Run with the installed wheel and with the tree, it must print the same: what the wheel
leaves out (wheel_hook.py) is nothing that anybody is told.
"""

import os
from collections.abc import Iterator

SOME = 12  # every so-and-so-many'th of the words that are data, no docstring
os.environ.update(COLUMNS="100", NO_COLOR="1", TERM="dumb")


def command_lines() -> Iterator[list[str]]:
    """All helps, all frames, the language, and some of the thousand other words."""
    import typer

    from sim.cli.app import app
    from sim.cli.words import declared, invariants, language_words, mutants, rows, rules

    for name, command in typer.main.get_command(app).commands.items():  # type: ignore[attr-defined]
        yield [name, "--help"]
        for inner in getattr(command, "commands", {}):
            yield [name, inner, "--help"]
    others = (*rules(), *invariants(), *rows(), *mutants())
    for word in (*declared(), *language_words(), *others[::SOME]):
        yield ["explain", word]
    yield from (["rules"], ["states"])


if __name__ == "__main__":
    from sim.cli.app import call

    for line in command_lines():
        print("$", *line, flush=True)
        print("exit", call(line), flush=True)
