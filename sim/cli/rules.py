"""``hooktwin rules``: the catalogue, who watches each row, and the proof that it is watched."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sim.cli import outcome
from sim.cli.protocol_option import ProtocolOption

if TYPE_CHECKING:
    from sim.cli.proving.prove import Proving
    from sim.cli.proving.watchers import Watched

EPILOG = (
    "Examples:\n\n"
    "  hooktwin rules\n\n"
    "  hooktwin rules reopen                  rows in which the word occurs\n\n"
    "  hooktwin rules --section 5.18          rows of a section of the document\n\n"
    "  hooktwin rules --protocol relay        rows of one protocol\n\n"
    "  hooktwin rules --switches              what --without takes\n\n"
    "  hooktwin rules --check                 make every watcher complain (some minutes)\n\n"
    "  hooktwin rules --check HK-186          the same for one row\n\n"
    "  hooktwin explain HK-186                one row in full\n\n"
    "Exit codes of --check: 0 every watched row is proven, 1 a watcher did not complain."
)


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command(epilog=EPILOG)(rules)


def rules(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ROW|WORD]…", help="Catalogue ids, or words to look for."),
    ] = None,
    section: Annotated[
        str, typer.Option(metavar="TEXT", help="Rows of a section of the document: 5.18.")
    ] = "",
    unwatched: Annotated[bool, typer.Option("--unwatched", help="Rows nobody watches.")] = False,
    switches: Annotated[
        bool, typer.Option("--switches", help="The rules that can be switched off.")
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Prove that every watcher can complain.")
    ] = False,
    seconds: Annotated[
        float | None, typer.Option(min=0, metavar="N", help="Stop the check after so long.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON value on stdout.")] = False,
    protocol: ProtocolOption = None,
) -> None:
    """List the rows of the protocol's catalogue: rule, who obeys, who watches, what breaks it."""
    from sim.cli.terminal import print_json
    from sim.core.errors import UsageError

    if seconds is not None and not check:
        raise UsageError(
            "--seconds is for --check; for example: hooktwin rules --check --seconds 60"
        )
    if switches:
        _list_switches(as_json, protocol)
        return
    chosen = _chosen(words or [], section, unwatched, protocol)
    if check:
        raise typer.Exit(_check(chosen, seconds, as_json))
    if as_json:
        print_json([one.to_json() for one in chosen.values()])
    else:
        _show(chosen)


def _chosen(
    words: list[str], section: str, unwatched: bool, protocol: str | None
) -> dict[str, Watched]:
    """The rows that are meant; raises UsageError for an id or a word that fits none."""
    from sim.cli.outcome import unknown
    from sim.cli.proving.watchers import watched
    from sim.protocols.proven import rows_of

    mine = rows_of(protocol)
    rows = {id: one for id, one in watched().items() if id in mine}
    ids = {id for word in words if (id := word.upper()) in rows}
    others = [word for word in words if word.upper() not in rows]
    found = {
        id: one
        for id, one in rows.items()
        if (not words or id in ids or _has(one, others))
        and section.lstrip("§ ") in one.row.section
        and not (unwatched and one.is_watched)
    }
    if words and not found:
        raise unknown("row or word", words[0], rows, remedy="hooktwin rules lists all rows")
    return found


def _has(one: Watched, words: list[str]) -> bool:
    names = (rule.name for rule in one.switches)
    mutants = (mutant.name for mutant in one.mutants)
    row = one.row
    text = " ".join(
        (row.by, row.rule, row.without, *one.watchers, *names, *mutants, *one.scenarios)
    )
    return bool(words) and all(word.lower() in text.lower() for word in words)


def _list_switches(as_json: bool, protocol: str | None) -> None:
    from rich.table import Table

    from sim.cli import words
    from sim.cli.explain import rule_json
    from sim.cli.terminal import console, print_json

    known = words.rules(protocol).values()
    if as_json:
        print_json([rule_json(rule) for rule in known])
        return
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("rule", style="cyan", no_wrap=True)
    table.add_column("catalogue", no_wrap=True)
    table.add_column("obeyed by", no_wrap=True)
    table.add_column("reason")
    for rule in known:
        table.add_row(rule.name, "\n".join(rule.catalogue), rule.by, rule.reason)
    console().print(table)


def _show(rows: dict[str, Watched]) -> None:
    from rich.table import Table

    from sim.cli.proving.watchers import summary
    from sim.cli.terminal import console

    screen = console()
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    wide = screen.width >= WIDE
    table.add_column("row", style="cyan", no_wrap=True)
    table.add_column("rule", min_width=16)
    table.add_column("by", no_wrap=True)
    # Names are copied: they are never broken.
    for title in ("watched by", "shown, broken by") if wide else (STACKED,):
        table.add_column(title, no_wrap=True, overflow="ellipsis")
    for id, one in rows.items():
        watchers = _lines(one.watchers if one.is_watched else ["nobody"])
        breakers = _lines(_breakers(one))
        cells = [watchers, breakers] if wide else [[*watchers, *(f"  {b}" for b in breakers)]]
        by = one.row.by.replace(", ", "\n")
        table.add_row(id, one.row.rule, by, *("\n".join(cell) for cell in cells))
    screen.print(table)
    count = summary()
    screen.print(
        f"\n{count['watched']} of {count['rows']} watched, {count['mutants']} mutants, "
        f"{count['switchable']} switchable; {len(rows)} listed. Proof: hooktwin rules --check"
    )


SHOWN_MUTANTS = 2
WIDE = 120
STACKED = "watched by\n  shown, broken by"
NAMES_WIDTH = 36


def _lines(told: Iterable[str]) -> list[str]:
    """Names stay whole; what has several words is wrapped."""
    wrapped = (
        wrap(one, NAMES_WIDTH, break_on_hyphens=False, break_long_words=False) for one in told
    )
    return [line for lines in wrapped for line in lines]


def _breakers(one: Watched) -> list[str]:
    """Scenarios, rules that can be switched off and some mutants; else why there are none."""
    names = [*one.scenarios, *(f"--without {rule.name}" for rule in one.switches)]
    mutants = [mutant.name for mutant in one.mutants if not mutant.rule]
    names += mutants[:SHOWN_MUTANTS]
    if len(mutants) > SHOWN_MUTANTS:
        names.append(f"and {len(mutants) - SHOWN_MUTANTS} mutants")
    return names or [one.why_no_mutant]


def _check(rows: dict[str, Watched], seconds: float | None, as_json: bool) -> int:
    from sim.cli.proving.prove import FAILED, OPEN, plan
    from sim.cli.terminal import print_json, say

    proving = plan(rows)
    _run(proving, seconds)
    verdicts = list(proving.verdicts())
    if as_json:
        print_json(_check_json(proving))
    else:
        _show_check(proving)
    if proving.interrupted:
        say("hooktwin: this is what was proven so far")
        return outcome.INTERRUPTED
    wrong = any(verdict.state in (FAILED, OPEN) for verdict in verdicts)
    return outcome.FAILED if wrong or any(proving.done.values()) else outcome.OK


def _run(proving: Proving, seconds: float | None) -> None:
    """Try everything, with a bar on stderr where somebody looks."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    from sim.cli.terminal import console
    from sim.core.entropy import wall_ms

    end = None if seconds is None else wall_ms() + int(seconds * 1000)
    screen = console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    bar = Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal)
    with bar:
        task = bar.add_task("", total=len(proving.proofs))
        proving.run(
            lambda: end is not None and wall_ms() >= end,
            lambda proof: bar.update(task, completed=len(proving.done), description=proof.name),
        )


def _check_json(proving: Proving) -> dict[str, Any]:
    import attrs

    from sim.cli.proving.watchers import summary

    return {
        **summary(),
        "proofs": len(proving.proofs),
        "tried": len(proving.done),
        "faults": {name: fault for name, fault in proving.done.items() if fault},
        "verdicts": [attrs.asdict(verdict) for verdict in proving.verdicts()],
    }


def _show_check(proving: Proving) -> None:
    from collections import Counter

    from sim.cli.proving.prove import FAILED, OPEN, PROVEN, UNWATCHED
    from sim.cli.terminal import console

    screen = console()
    verdicts = list(proving.verdicts())
    for verdict in verdicts:
        if verdict.state == PROVEN:
            continue
        screen.print(f"{verdict.id}  {verdict.state}", style="bold" if verdict.notes else "")
        for note in dict.fromkeys(verdict.notes):
            screen.print(f"        {note}")
    count = Counter(verdict.state for verdict in verdicts)
    told = [f"{count[PROVEN]} of {len(verdicts)} rows proven"]
    told += [f"{count[state]} {state}" for state in (FAILED, OPEN, UNWATCHED) if count[state]]
    screen.print(f"{', '.join(told)}; {len(proving.done)} of {len(proving.proofs)} proofs tried")
    if proving.out_of_time:
        screen.print(f"The time was over: {proving.untried()} proofs were not tried")
