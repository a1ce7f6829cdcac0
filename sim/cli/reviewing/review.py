"""``hooktwin review``: every scenario of a folder played and searched, told on one page."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sim.cli import outcome
from sim.cli.exploring.options import Faults, Jobs, SaveFolder
from sim.cli.run_options import Seed, Without, complete_scenario
from sim.cli.writing import named

if TYPE_CHECKING:
    from sim.cli.reviewing.reviewed import Review
    from sim.cli.reviewing.reviewing import ReviewWish

EPILOG = (
    "Examples:\n\n"
    "  hooktwin review scenarios/hook --out review.html        one page, 2 s for each search\n\n"
    "  hooktwin review designs --faults cut:1 --seconds 30     search longer, with a cut\n\n"
    "  hooktwin review designs --schedules 200                 the same result on any machine\n\n"
    "  hooktwin review designs --out page.html --out comment.md      two forms at once\n\n"
    "  hooktwin review designs --without end-replay            what if this rule were gone?\n\n"
    "Exit codes: 0 all hold, 1 something failed (a scenario that cannot be read, too), "
    "2 there is nothing to review, 130 interrupted (what was found is told all the same).\n\n"
    "For CI: docs/review.md"
)


class Form(StrEnum):
    """What is written."""

    html = "html"
    md = "md"
    json = "json"


BY_ENDING = {
    ".html": Form.html, ".htm": Form.html, ".md": Form.md, ".markdown": Form.md,
    ".json": Form.json,
}  # fmt: skip

Folders = Annotated[
    list[str],
    typer.Argument(
        metavar="DIR…",
        help="Folders, files, or names of shipped scenarios.",
        autocompletion=complete_scenario,
        show_default=False,
    ),
]
Outs = Annotated[
    list[Path] | None,
    typer.Option("--out", "-o", metavar="FILE", parser=named, help="Write it there (repeatable)."),
]
Wanted = Annotated[
    Form | None,
    typer.Option("--format", "-f", help="What is written. Default: as FILE ends, else a table."),
]
PerScenario = Annotated[
    float | None,
    typer.Option(
        min=0, metavar="N", show_default=False,
        help="Search each scenario for so long. Default: 2, no limit with --schedules.",
    ),
]  # fmt: skip
Schedules = Annotated[
    int | None,
    typer.Option(
        min=1, metavar="N",
        help="Try so many schedules of each, however long it takes: the same on any machine.",
    ),
]  # fmt: skip


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command(epilog=EPILOG)(review)


def review(
    folders: Folders,
    out: Outs = None,
    form: Wanted = None,
    seconds: PerScenario = None,
    schedules: Schedules = None,
    faults: Faults = None,
    without: Without = None,
    seed: Seed = None,
    save: SaveFolder = None,
    jobs: Jobs = 1,
) -> None:
    """Play and search every scenario of a folder: verdicts, findings, coverage, on one page.

    Each is played once as it is timed, then searched for races within its budget. Told are
    what failed (with the shortest schedule, its picture and the command that replays it),
    rules that nothing put to the test, branches of diagrams and ways of state tables that
    no run took.
    """
    from sim.cli.reviewing.reviewing import DEFAULT_SECONDS, ReviewWish
    from sim.cli.run_files import check_rules, expand
    from sim.cli.writing import check_folder, check_writable, refuse_overwriting
    from sim.world.fault import Budget

    outs = out or []
    forms = [_form_of(path, form) for path in outs]
    if not outs and form is Form.html:
        from sim.core.errors import UsageError

        raise UsageError("a page needs a file: --out FILE.html")
    check_rules(without or ())
    if seconds is None and schedules is None:
        seconds = DEFAULT_SECONDS
    budget = None if faults is None else Budget.parse(faults)
    wish = ReviewWish(seconds, schedules, budget, tuple(without or ()), seed, save, jobs)
    names = expand(folders)
    _check_typed(folders)
    refuse_overwriting(names, outs)
    for path in outs:
        check_writable(path)
    if save is not None:
        check_folder(save)
    made = _reviewed(names, wish, folders)
    _tell(made, list(zip(outs, forms, strict=True)), form)
    raise typer.Exit(_code(made))


def _check_typed(folders: list[str]) -> None:
    """A name that was typed and means nothing is a slip, not a scenario that fails.

    Raises UsageError, with the names that may be meant.
    """
    from sim.cli.reading import STDIN, read_scenario
    from sim.scenario.load import shipped_scenarios

    shipped = shipped_scenarios()
    for one in folders:
        if one != STDIN and one not in shipped and not os.path.lexists(one):
            read_scenario(one)


def _form_of(path: Path, form: Form | None) -> Form:
    """Raises UsageError where nobody says what a file shall be."""
    from sim.core.errors import UsageError

    if form is None and path.suffix.lower() not in BY_ENDING:
        endings = ", ".join(BY_ENDING)
        raise UsageError(
            f"{path}: what shall it be? Give --format, or a name that ends in {endings}"
        )
    return form or BY_ENDING[path.suffix.lower()]


def _reviewed(names: list[str], wish: ReviewWish, folders: list[str]) -> Review:
    from sim.cli.reviewing.progress import Progress
    from sim.cli.reviewing.reviewing import review_all

    with Progress(len(names)) as progress:
        return review_all(names, wish, wish.command(folders), progress)


def _tell(made: Review, outs: list[tuple[Path, Form]], form: Form | None) -> None:
    """Files first, then stdout: a table, unless a form for stdout is named."""
    from sim.cli.terminal import console
    from sim.cli.writing import hand_over, write_text

    for path, wanted in outs:
        write_text(path, _text_of(made, wanted))
    if form is not None and not outs:
        hand_over(_text_of(made, form), None)
        return
    from sim.cli.reviewing.screen import show

    show(made, console())


def _text_of(made: Review, form: Form) -> str:
    if form is Form.html:
        from sim.cli.reviewing.page import page_of

        return page_of(made)
    if form is Form.md:
        from sim.cli.reviewing.markdown import text_of

        return text_of(made)
    from sim.cli.reviewing.documents import review_json
    from sim.cli.terminal import to_json

    return to_json(review_json(made), indent=2) + "\n"


def _code(made: Review) -> int:
    if made.interrupted:
        return outcome.INTERRUPTED
    return outcome.FAILED if made.bad else outcome.OK
