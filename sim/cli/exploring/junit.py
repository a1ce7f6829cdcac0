"""A search as JUnit XML: a suite per scenario, a failed case per finding.

The dialect is the one that Jenkins, GitLab and GitHub actions read: a failure
has a type, a message of one line and a text.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from sim.cli.exploring.documents import choice
from sim.cli.exploring.wish import faults_text
from sim.cli.terminal import clean

if TYPE_CHECKING:
    from sim.cli.exploring.searching import Explored
    from sim.core.errors import UsageError
    from sim.explore.finding import Finding


def junit_xml(done: Sequence[Explored], unusable: Sequence[tuple[str, UsageError]]) -> str:
    """The whole document."""
    root = ElementTree.Element("testsuites", name="hooktwin explore")
    for explored in done:
        _suite(root, explored)
    for name, error in unusable:
        suite = element(root, "testsuite", name=name, tests="1", failures="0", errors="1")
        case = element(suite, "testcase", name="explore", classname=name)
        element(case, "error", str(error), type="UsageError", message=str(error))
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def element(
    parent: ElementTree.Element, tag: str, text: str = "", **attributes: str
) -> ElementTree.Element:
    """A new element. XML has no place for control characters, not even escaped ones."""
    values = {name: clean(value) for name, value in attributes.items()}
    made = ElementTree.SubElement(parent, tag, values)
    if text:
        made.text = "\n".join(clean(line) for line in text.split("\n"))
    return made


def _suite(root: ElementTree.Element, explored: Explored) -> None:
    findings, search, case = explored.findings, explored.search, explored.case
    suite = element(
        root, "testsuite", name=explored.name, tests=str(max(len(findings), 1)),
        failures=str(len(findings)), errors="0", time=f"{explored.seconds:.3f}",
    )  # fmt: skip
    facts = {
        "schedules": str(search.schedules),
        "complete": str(explored.complete).lower(),
        "situations": str(len(search.covered)),
        "seed": str(case.seed),
        "strategy": search.strategy.name,
        "without": " ".join(sorted(case.without)),
        "faults": faults_text(case.faults),
    }
    properties = element(suite, "properties")
    for name, value in facts.items():
        element(properties, "property", name=name, value=value)
    if not findings:
        name = f"{search.schedules} schedules break no invariant"
        element(suite, "testcase", name=name, classname=explored.name)
    for finding in findings:
        _case(suite, explored, finding)


def _case(suite: ElementTree.Element, explored: Explored, finding: Finding) -> None:
    case = element(suite, "testcase", name=finding.invariant, classname=explored.name)
    message = f"{finding.invariant} broken at step {finding.step}: {finding.text}"
    text = "\n".join(lines_of(explored, finding))
    element(case, "failure", text, type=finding.invariant, message=message)


def lines_of(explored: Explored, finding: Finding) -> list[str]:
    """What happened, by which choices, what passes, and what to paste."""
    lines = [finding.text, *(choice(step) for step in finding.schedule.steps)]
    lines += [finding.sentence] if finding.sentence else []
    lines.append(replay_line(explored, finding))
    files = explored.files.get(finding.invariant)
    lines += [f"saved as {path}" for path in files or ()]
    return lines


def replay_line(explored: Explored, finding: Finding) -> str:
    """What to paste: the token, the file that was saved, else the search that saves one."""
    files = explored.files.get(finding.invariant)
    if finding.token is not None:
        return shlex.join(["hooktwin", "replay", finding.token])
    if files is not None:
        return shlex.join(["hooktwin", "replay", str(files[0])])
    return explored.wish.command(explored.name, save="findings")
