"""What a check has found, as JUnit XML and SARIF 2.1.0, for machines."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from sim.check.verdict import BROKEN, Located, Report, RuleVerdict, merged
from sim.cli.exploring.junit import element
from sim.cli.exploring.sarif import SCHEMA, uri_of
from sim.cli.terminal import escape_within_json

if TYPE_CHECKING:
    from sim.core.errors import UsageError


def junit_xml(reports: Sequence[Report], unreadable: Sequence[tuple[str, UsageError]]) -> str:
    """A suite for each file, a case for each rule that could be judged."""
    root = ElementTree.Element("testsuites", name="hooktwin check")
    for report in reports:
        _suite(root, report)
    for name, error in unreadable:
        suite = element(root, "testsuite", name=name, tests="1", failures="0", errors="1")
        case = element(suite, "testcase", name="check", classname=name)
        element(case, "error", str(error), type="UsageError", message=str(error))
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _suite(root: ElementTree.Element, report: Report) -> None:
    broken = sum(rule.verdict == BROKEN for rule in report.rules)
    suite = element(
        root, "testsuite", name=report.name, tests=str(len(report.rules)),
        failures=str(broken), errors="0", skipped=str(sum(not r.seen for r in report.rules)),
    )  # fmt: skip
    for rule in report.rules:
        case = element(suite, "testcase", name=rule.rule, classname=report.name)
        if rule.verdict == BROKEN:
            lines = [one for one in report.found if one.finding.rule == rule.rule]
            text = "\n".join(f"{one.place}: {one.finding.text}" for one in lines)
            message = f"{rule.rule} is broken {rule.broken} times: {rule.sentence}"
            element(case, "failure", text, type=rule.rule, message=message)
        elif not rule.seen:
            element(case, "skipped", message=rule.verdict)


def sarif_json(reports: Sequence[Report], unreadable: Sequence[tuple[str, UsageError]]) -> str:
    """Each rule is a rule, each finding a result at its line."""
    from sim import __version__

    rules = merged(reports)
    numbers = {rule.rule: number for number, rule in enumerate(rules)}
    driver = {
        "name": "hooktwin",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": [_rule(rule) for rule in rules],
    }
    notifications = [{"level": "error", "message": {"text": str(error)}} for _, error in unreadable]
    run = {
        "tool": {"driver": driver},
        "invocations": [
            {
                "executionSuccessful": not unreadable,
                "toolExecutionNotifications": notifications,
            }
        ],
        "columnKind": "unicodeCodePoints",
        "results": [_result(one, numbers) for report in reports for one in report.found],
    }
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return escape_within_json(json.dumps(document, ensure_ascii=False, indent=1)) + "\n"


def _rule(rule: RuleVerdict) -> dict[str, Any]:
    return {
        "id": rule.rule,
        "shortDescription": {"text": rule.sentence},
        "properties": {"tags": [rule.side, *rule.catalogue]},
    }


def _result(one: Located, numbers: dict[str, int]) -> dict[str, Any]:
    place = {"artifactLocation": {"uri": uri_of(one.file)}}
    finding = one.finding
    return {
        "ruleId": finding.rule,
        "ruleIndex": numbers[finding.rule],
        "level": "error",
        "message": {"text": finding.text},
        "locations": [{"physicalLocation": {**place, "region": {"startLine": max(one.line, 1)}}}],
        "properties": {
            "path": finding.path,
            "connection": finding.link,
            "catalogue": list(finding.catalogue),
            "sections": list(one.sections),
        },
    }
