"""``hooktwin check FILE…``: did the frames of a log keep to the protocol?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from sim.cli import outcome
from sim.cli.checking import options

if TYPE_CHECKING:
    from sim.check.verdict import Report
    from sim.check.wanted import Wanted
    from sim.cli.checking.telling import Teller
    from sim.core.errors import UsageError

EPILOG = (
    "Examples:\n\n"
    "  hooktwin check desktop.log               frames and rules\n\n"
    "  hooktwin check traffic.har run.jsonl     HAR files, traces\n\n"
    "  hooktwin check logs/                     all files of a folder\n\n"
    "  hooktwin check -f desktop.log            as lines come, until Ctrl-C\n\n"
    "  hooktwin check --rule HK-06 desktop.log  one rule, by name or row\n\n"
    "  hooktwin check --json desktop.log | jq .findings\n\n"
    "A line holds a frame, or ts, dir, conn and raw (a frame as text), or an event of a "
    "trace. More: docs/check.md\n\n"
    "Exit codes: 0 no frame and no rule is wrong, 1 one is, 2 a file cannot be read or has no "
    "frame, so that nothing could be judged (whatever the others have). Single lines that "
    "cannot be read are told, and change no exit code."
)


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command(epilog=EPILOG)(check)


def check(
    files: options.Logs,
    rule: options.RuleNames = None,
    only: options.OnlyWhat = None,
    follow: options.Follow = False,
    from_middle: options.FromMiddle = False,
    every: options.Every = False,
    quiet: options.Quiet = False,
    as_json: options.AsJson = False,
    junit: options.JunitFile = None,
    sarif: options.SarifFile = None,
    protocol: options.Protocol = None,
) -> None:
    """Judge the frames of logs: their form, and the rules that frames alone can show.

    Cut off, interleaved and disordered logs are taken as they are; every line
    that cannot be read is named. Rules about what a program stores or shows
    cannot be judged here.
    """
    from sim.check.wanted import Wanted
    from sim.cli.checking.telling import Teller

    wanted = Wanted(
        protocol,
        tuple(rule or ()),
        only_wire=only is options.Only.wire,
        only_rules=only is options.Only.rules,
        from_middle=from_middle,
    )
    _refuse_early(files, wanted, (junit, sarif))
    teller = Teller(as_json=as_json, every=every, quiet=quiet)
    work = _follow if follow else _check
    raise typer.Exit(work(files, wanted, teller, (junit, sarif)))


def _refuse_early(
    names: list[str], wanted: Wanted, documents: tuple[Path | None, Path | None]
) -> None:
    """Raises UsageError for what could only fail after the work."""
    from sim.check.wanted import check_rules
    from sim.cli.writing import check_writable, refuse_overwriting

    check_rules(wanted)
    refuse_overwriting(names, documents)
    for path in documents:
        if path is not None:
            check_writable(path)


def _check(
    names: list[str],
    wanted: Wanted,
    teller: Teller,
    documents: tuple[Path | None, Path | None],
) -> int:
    """All files, one after the other; the worst exit code."""
    from sim.check.checking import check_rotated
    from sim.check.rotated import joined
    from sim.check.source import files_in
    from sim.core.errors import UsageError

    reports: list[Report] = []
    unreadable: list[tuple[str, UsageError]] = []
    files: list[str] = []
    interrupted = False

    def refuse(name: str, error: UsageError) -> None:
        unreadable.append((name, error))
        teller.unreadable(name, error)

    for given in names:
        try:
            files += files_in(given)
        except UsageError as error:  # a folder
            refuse(given, error)
    try:
        for log in joined(files):
            try:
                reports.append(check_rotated(log, wanted, teller.tell))
            except UsageError as error:
                refuse(log[-1], error)
    except KeyboardInterrupt:
        interrupted = True
    return _end(reports, unreadable, teller, documents, interrupted)


def _follow(
    names: list[str],
    wanted: Wanted,
    teller: Teller,
    documents: tuple[Path | None, Path | None],
) -> int:
    from sim.cli.checking.following import follow_until_interrupted
    from sim.core.errors import UsageError

    if len(names) != 1 or Path(names[0]).is_dir():
        raise UsageError("--follow reads one file: name the one that grows")
    report = follow_until_interrupted(names[0], wanted, teller.tell)
    return _end([report], [], teller, documents, False)


def _end(
    reports: list[Report],
    unreadable: list[tuple[str, UsageError]],
    teller: Teller,
    documents: tuple[Path | None, Path | None],
    interrupted: bool,
) -> int:
    teller.end(reports, unreadable)
    _write(reports, unreadable, documents)
    if interrupted:
        return outcome.INTERRUPTED
    if unreadable or any(not report.is_readable for report in reports):
        return outcome.CANNOT_RUN
    return outcome.OK if all(report.is_clean for report in reports) else outcome.FAILED


def _write(
    reports: list[Report],
    unreadable: list[tuple[str, UsageError]],
    documents: tuple[Path | None, Path | None],
) -> None:
    from sim.cli.writing import write_text

    junit, sarif = documents
    if junit is not None:
        from sim.cli.checking.documents import junit_xml

        write_text(junit, junit_xml(reports, unreadable))
    if sarif is not None:
        from sim.cli.checking.documents import sarif_json

        write_text(sarif, sarif_json(reports, unreadable))
