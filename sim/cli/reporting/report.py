"""``hooktwin report``: a run as a page, a picture or a text that can be handed on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sim.cli import outcome
from sim.cli.run_options import Seed, Without, complete_scenario
from sim.cli.writing import named

if TYPE_CHECKING:
    from sim.cli.reporting.retold import Tell
    from sim.cli.reporting.subject import Subject

EPILOG = (
    "Examples:\n\n"
    "  hooktwin report typical --out typical.html              a scenario\n\n"
    "  hooktwin report reopen-teardown --without ownership-at-write -o race.html\n\n"
    "  hooktwin report run.jsonl -o run.html                   what run --trace or proxy wrote\n\n"
    "  hooktwin report TOKEN -o finding.pdf                    what explore has found\n\n"
    "  hooktwin report typical --format md                     as text, on stdout\n\n"
    "Exit codes: 0 it is written (also when the run fails), 2 the input cannot be used."
)


class Format(StrEnum):
    """What is written."""

    html = "html"
    svg = "svg"
    mermaid = "mermaid"
    md = "md"
    pdf = "pdf"


BY_ENDING = {
    ".html": Format.html, ".htm": Format.html, ".svg": Format.svg, ".mmd": Format.mermaid,
    ".mermaid": Format.mermaid, ".md": Format.md, ".markdown": Format.md, ".pdf": Format.pdf,
}  # fmt: skip
TO_FILES = (Format.html, Format.pdf)
"""What nobody wants to see on a terminal."""

What = Annotated[
    str,
    typer.Argument(
        metavar="RUN|SCENARIO|FINDING",
        help="A trace file, a scenario (file, shipped name, -), or a token or file of explore.",
        autocompletion=complete_scenario,
        show_default=False,
    ),
]
Out = Annotated[
    Path | None,
    typer.Option("--out", "-o", metavar="FILE", parser=named, help="Write it there."),
]
Wanted = Annotated[
    Format | None,
    typer.Option("--format", "-f", help="What is written. Default: as FILE ends, else html."),
]
Against = Annotated[
    str | None,
    typer.Option(
        metavar="WHAT",
        help="Compare with this run, scenario or finding. Default: the same with all rules on.",
    ),
]
Browser = Annotated[
    Path | None,
    typer.Option(
        metavar="PROGRAM", parser=named, help="Chrome, Chromium or Edge, for pdf. Default: one "
        "that is installed.",
    ),
]  # fmt: skip


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command(epilog=EPILOG)(report)


def report(
    what: What,
    out: Out = None,
    wanted: Wanted = None,
    seed: Seed = None,
    without: Without = None,
    against: Against = None,
    browser: Browser = None,
) -> None:
    """Write a run down: one page with diagram, scrubber, channels, frames and verdict.

    The page loads nothing and can be handed on as a file. Where a rule is off, the same run
    with the rule on stands beside it.
    """
    from sim.cli.reading import tell_cut_off
    from sim.cli.reporting.subject import Asked, subject_of
    from sim.cli.writing import check_writable, hand_over, refuse_overwriting

    form = _format_of(out, wanted)
    if out is not None:
        refuse_overwriting([what], [out])
        check_writable(out)
    program = _browser_for(form, browser)
    with watched() as tell:
        subject = subject_of(Asked(what, seed, tuple(without or ()), against), tell)
        tell_cut_off(what, subject.first.trace.truncated)
        written = _made(form, subject, tell)
    if form is Format.pdf:
        from sim.cli.reporting.pdf import print_pdf

        assert out is not None
        print_pdf(program, written, out)
    else:
        hand_over(written, out)
    interrupted = any(_was_cut_short(run.result.failures) for run in subject.runs)
    raise typer.Exit(outcome.INTERRUPTED if interrupted else outcome.OK)


def _format_of(out: Path | None, wanted: Format | None) -> Format:
    """Raises UsageError where a file is needed and none is named."""
    from sim.core.errors import UsageError

    ending = "" if out is None else out.suffix.lower()
    if wanted is None and ending and ending not in BY_ENDING:
        endings = ", ".join(BY_ENDING)
        raise UsageError(
            f"{out}: what shall it be? Give --format, or a name that ends in {endings}"
        )
    form = wanted or BY_ENDING.get(ending, Format.html)
    if out is None and form in TO_FILES:
        raise UsageError(f"a report as {form.value} needs a file: --out FILE.{form.value}")
    return form


def _browser_for(form: Format, browser: Path | None) -> Path:
    """Found before the work. Raises UsageError where there is none and one is needed."""
    if form is not Format.pdf:
        return Path()
    from sim.cli.reporting.pdf import find_browser

    return find_browser(browser)


def _made(form: Format, subject: Subject, tell: Tell) -> str:
    """The text of the report; of a pdf the page that is printed."""
    from sim.cli.reporting import markdown, mermaid, picture
    from sim.cli.reporting.content import content_of
    from sim.cli.reporting.html import page_of

    texts: dict[Format, Callable[[Subject], str]] = {
        Format.svg: picture.picture_of,
        Format.mermaid: lambda subject: mermaid.diagram_of(subject.first),
        Format.md: markdown.text_of,
    }
    if form in texts:
        return _or_refused(form, subject, texts[form])
    return page_of(subject, content_of(subject, tell))


def _or_refused(form: Format, subject: Subject, make: Callable[[Subject], str]) -> str:
    """Raises UsageError for a recording that holds what no hooktwin writes."""
    from sim.core.errors import UsageError

    try:
        return make(subject)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        run = subject.first
        if not run.unjudged:
            raise
        raise UsageError(
            f"{run.trace.name}: no sense can be made of it as {form.value} ({run.unjudged}); "
            "--format html shows what there is"
        ) from error


def _was_cut_short(failures: tuple[object, ...]) -> bool:
    return any(
        str(getattr(one, "happened", "")).startswith("the run was interrupted") for one in failures
    )


@contextmanager
def watched() -> Iterator[Tell]:
    """Progress on stderr, for runs that are long enough."""
    from rich.progress import Progress

    from sim.cli.terminal import console

    screen = console(stderr=True)
    with Progress(console=screen, transient=True, disable=not screen.is_terminal) as progress:
        task = progress.add_task("reading and writing", total=None, visible=False)

        def tell(done: int, of: int) -> None:
            progress.update(task, completed=done, total=of, visible=of > SHORT)

        yield tell


SHORT = 5_000
"""Events of which nobody wants to see that they are read."""
