"""``hooktwin mutants``: break both sides on purpose; who notices?"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sim.cli import outcome
from sim.cli.protocol_option import ProtocolOption

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from sim.cli.exploring.score import Score, Tried
    from sim.protocols.mutant import Mutant

EPILOG = (
    "Examples:\n\n"
    "  hooktwin mutants                               all of them, at most ten minutes\n\n"
    "  hooktwin mutants --seconds 60                  what one minute can tell\n\n"
    "  hooktwin mutants --protocol relay              those of one protocol\n\n"
    "  hooktwin mutants server-goes-back              one of them\n\n"
    "  hooktwin mutants close-out-respects-owner      those that an invariant must notice\n\n"
    "Exit codes: 0 none survives, 1 one that was tried long enough does, 130 interrupted."
)
DEFAULT_SECONDS = 600.0


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command(epilog=EPILOG)(mutants)


def _complete(incomplete: str) -> list[str]:
    from sim.cli import words

    return [name for name in words.mutants() if name.startswith(incomplete)]


def mutants(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]…",
            help="Mutants, or invariants that must notice them. Default: all.",
            autocompletion=_complete,
            show_default=False,
        ),
    ] = None,
    seconds: Annotated[
        float,
        typer.Option(min=0, metavar="N", help="Try for so long, all mutants together, or inf."),
    ] = DEFAULT_SECONDS,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
    protocol: ProtocolOption = None,
) -> None:
    """Put known defects into the twins, one at a time, and see whether they are noticed.

    A mutant plays its story and then storms: random worlds with faults, of which
    each has its own seed. It is caught when the invariant that must notice it
    speaks up; one that survives shows a gap in the oracles.
    """
    from sim.cli.exploring.score import Score
    from sim.cli.terminal import print_json, say
    from sim.core.entropy import steady_s

    score, begun = Score.of(_chosen(names or [], protocol)), steady_s()
    _run(score, begun + seconds)
    if as_json:
        print_json(_to_json(score, steady_s() - begun))
    else:
        _show(score, steady_s() - begun)
    if score.interrupted:
        say(f"hooktwin: this is what was tried so far; go on with: {_go_on(score)}")
        raise typer.Exit(outcome.INTERRUPTED)
    raise typer.Exit(outcome.FAILED if score.survivors else outcome.OK)


def _chosen(names: list[str], protocol: str | None) -> list[Mutant]:
    """The mutants that are meant. Raises UsageError for a name that nobody knows."""
    from sim.cli import words
    from sim.cli.outcome import unknown

    known = words.mutants(protocol)
    judges = {mutant.caught_by: None for mutant in known.values()}
    for name in names:
        if name not in known and name not in judges:
            everything = (*known, *judges)
            raise unknown("mutant", name, everything, remedy="see: hooktwin rules --json")
    wanted = dict.fromkeys(names)
    return [m for m in known.values() if not names or m.name in wanted or m.caught_by in wanted]


def _run(score: Score, end: float) -> None:
    """Try them, with a bar on stderr where somebody looks."""
    from rich.progress import BarColumn, Progress, TextColumn

    from sim.cli.terminal import console
    from sim.core.entropy import steady_s
    from sim.drivers.interrupt import between_steps

    screen = console(stderr=True)
    columns = (BarColumn(bar_width=20), TextColumn("{task.fields[told]}", markup=False))
    bar = Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal)
    with bar, between_steps() as ask:
        task = bar.add_task("", total=len(score.tried), told="")

        def is_over() -> bool:
            ask()
            return steady_s() >= end

        def tell(score: Score) -> None:
            over = len(score.tried) - len(score.unfinished)
            left = "" if end == float("inf") else f", {max(end - steady_s(), 0):.0f} s left"
            told = f"{len(score.caught)} caught, {len(score.survivors)} survive"
            bar.update(task, completed=over, told=f"{told}, {score.storms} storms{left}")

        score.run(is_over, tell)


def _go_on(score: Score) -> str:
    """The command that tries what is left; those few that have a short list are named."""
    left = [one.mutant.name for one in score.unfinished]
    return shlex.join(["hooktwin", "mutants", *(left if len(left) <= 5 else [])])


def _show(score: Score, seconds: float) -> None:
    from rich.text import Text

    from sim.cli.terminal import console

    screen = console()
    survivors, caught, unfinished = score.survivors, score.caught, score.unfinished
    sign = Text("✗ ", "bold red") if survivors else Text("✓ ", "bold green")
    if unfinished and not survivors:
        sign = Text("· ", "bold yellow")
    total = len(score.tried)
    share = f" ({100 * len(caught) / total:.1f} %)" if total else ""
    so_far = " so far" if unfinished else ""
    are = "is" if total == 1 else "are"
    mutants = "mutant" if total == 1 else "mutants"
    line = sign.append(f"{len(caught)} of {total} {mutants} {are} noticed{so_far}{share}", "bold")
    screen.print(line.append(f"  {score.storms} storms, {seconds:.1f} s"))
    if unfinished:
        names = ", ".join(one.mutant.name for one in unfinished[:5])
        more = f" and {len(unfinished) - 5} more" if len(unfinished) > 5 else ""
        text = f"  not tried long enough: {len(unfinished)} of {len(score.tried)} ({names}{more})"
        screen.print(Text(text, "dim"))
    for one in survivors:
        _show_survivor(screen, one)


def _show_survivor(screen: Console, one: Tried) -> None:
    from rich.text import Text

    from sim.cli.exploring.telling import facts

    mutant = one.mutant
    screen.print()
    head = Text(f"✗ {mutant.name}", "red").append(f"   survives {one.storms} storms", "dim")
    screen.print(head)
    screen.print(facts(_facts_of(one)))
    for line in _to_paste(one):
        screen.print(line, soft_wrap=True)


def _facts_of(one: Tried) -> Iterator[tuple[str, str]]:
    from sim.cli import words
    from sim.cli.exploring.score import closest

    mutant = one.mutant
    yield "does", mutant.what
    yield "must be noticed by", mutant.caught_by
    invariant = words.invariants().get(mutant.caught_by)
    if invariant is not None:
        yield "which says", invariant.sentence
    if one.raised:
        yield "but it raises", one.raised
    scenario, row = closest(mutant)
    yield "closest scenario", f"{scenario} ({row})" if scenario else "none shows a row of it"


def _to_paste(one: Tried) -> Iterator[Text]:
    from rich.text import Text

    from sim.cli.exploring.score import closest

    scenario, _ = closest(one.mutant)
    rule = one.mutant.rule
    if scenario and rule:
        yield Text(f"  look for it: hooktwin explore {scenario} --without {rule}", "bold")
    elif scenario:
        yield Text(f"  see: hooktwin run {scenario}", "bold")


def _to_json(score: Score, seconds: float) -> dict[str, Any]:
    judged = len(score.caught) + len(score.survivors)
    return {
        "ok": not score.survivors,
        "mutants": len(score.tried),
        "caught": len(score.caught),
        "score": round(len(score.caught) / judged, 4) if judged else None,
        "survivors": [_tried_json(one) for one in score.survivors],
        "unfinished": [_tried_json(one) for one in score.unfinished],
        "caught_by": {one.mutant.name: one.caught for one in score.caught},
        "storms": score.storms,
        "seconds": round(seconds, 3),
        "interrupted": score.interrupted,
    }


def _tried_json(one: Tried) -> dict[str, Any]:
    from sim.cli.exploring.score import closest

    mutant = one.mutant
    scenario, row = closest(mutant)
    return {
        "name": mutant.name,
        "side": mutant.side,
        "what": mutant.what,
        "invariant": mutant.caught_by,
        "rule": mutant.rule,
        "storms": one.storms,
        "most_storms": one.most,
        "raised": one.raised,
        "closest_scenario": scenario or None,
        "row": row or None,
    }
