"""The commands that teach: explain, schema, rules, states, scenarios."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from sim.protocols.hook import MESSAGES
from sim.protocols.played import PLAYED, played
from tests.cli.screens import Shell


@pytest.mark.parametrize("type_name", list(MESSAGES))
def test_every_message_type_is_explained(shell: Shell, type_name: str) -> None:
    said = shell("explain", type_name)
    assert said.code == 0
    assert said.out.startswith(type_name)
    for field in MESSAGES[type_name].FIELDS:
        assert field.name in said.out
    explained = json.loads(shell("explain", type_name, "--json").out)
    assert explained["type"] == type_name


def test_the_example_that_explain_shows_is_a_frame(shell: Shell) -> None:
    from sim.protocols.hook import parse_hook_message

    for one in json.loads(shell("explain", "--all", "--json").out):
        assert parse_hook_message(one["example"]).ok, one["type"]


def test_all_types_are_explained_at_once(shell: Shell) -> None:
    assert len(json.loads(shell("explain", "--all", "--json").out)) == len(MESSAGES)
    said = shell("explain", "--all")
    assert [name for name in MESSAGES if name not in said.out] == []


def test_a_rule_is_explained_by_name_and_by_catalogue_id(shell: Shell) -> None:
    by_name, by_id = shell("explain", "ownership-at-write"), shell("explain", "hk-187")
    assert by_name.out.strip() in by_id.out
    assert "the server obeys" in by_id.out
    for part in ("HK-186", "server", "without it", "--without ownership-at-write"):
        assert part in by_name.out


@pytest.mark.parametrize("each", [11, pytest.param(1, marks=pytest.mark.deep)])
def test_a_catalogue_id_explains_every_rule_that_it_stands_at(shell: Shell, each: int) -> None:
    rules = json.loads(shell("rules", "--switches", "--json").out)
    for row in sorted({row for rule in rules for row in rule["catalogue"]})[::each]:
        named = {rule["name"] for rule in rules if row in rule["catalogue"]}
        answer = json.loads(shell("explain", row, "--json").out)
        explained = answer if isinstance(answer, list) else [answer]
        assert named == {one["name"] for one in explained if one["kind"] == "rule"}


@pytest.mark.parametrize("each", [11, pytest.param(1, marks=pytest.mark.deep)])
def test_every_invariant_is_explained(shell: Shell, each: int) -> None:
    invariants = [one for name in PLAYED for one in played(name).invariants]
    for invariant in invariants[::each]:
        said = shell("explain", invariant.name)
        assert said.code == 0
        assert " ".join(invariant.sentence.split()[:3]) in said.out


def test_the_schema_is_valid_and_accepts_the_examples(shell: Shell) -> None:
    schema = json.loads(shell("schema").out)
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    for one in json.loads(shell("explain", "--all", "--json").out):
        assert validator.is_valid(one["example"]), one["type"]


def test_the_schema_of_one_type_refuses_another(shell: Shell, tmp_path: Path) -> None:
    out = tmp_path / "end.json"
    assert shell("schema", "turn.end", "--out", out).out == ""
    validator = Draft202012Validator(json.loads(out.read_text()))
    end = json.loads(shell("explain", "turn.end", "--json").out)["example"]
    ping = json.loads(shell("explain", "ping", "--json").out)["example"]
    assert validator.is_valid(end)
    assert not validator.is_valid(ping)


def test_the_rule_table_has_no_empty_cell(shell: Shell) -> None:
    rules = json.loads(shell("rules", "--switches", "--json").out)
    assert [rule["name"] for rule in rules if not all(rule.values())] == []
    table = shell("rules", "--switches").out
    assert [rule["name"] for rule in rules if rule["name"] not in table] == []


def test_states_are_drawn_as_mermaid(shell: Shell) -> None:
    one = shell("states", "round")
    assert one.out.startswith("stateDiagram-v2\n")
    everything = shell("states").out
    assert everything.count("```mermaid\nstateDiagram-v2") >= 7
    assert "OPEN --> TORN: disconnect" in everything


def test_shipped_scenarios_are_listed_with_what_they_show(shell: Shell) -> None:
    listed = json.loads(shell("scenarios", "--json").out)
    assert "typical" in [one["name"] for one in listed]
    assert [one["name"] for one in listed if not one["about"]] == []
    assert {one["protocol"] for one in listed} == set(PLAYED)
    assert [one["name"] for one in listed if not Path(one["path"]).is_file()] == []
    assert "typical" in shell("scenarios").out


def test_the_scenarios_of_one_protocol_are_listed_alone(shell: Shell) -> None:
    every = json.loads(shell("scenarios", "--json").out)
    for name in ("hook", "relay"):
        listed = json.loads(shell("scenarios", "--protocol", name, "--json").out)
        assert listed == [one for one in every if one["protocol"] == name]
        assert listed
    said = shell("scenarios", "--protocol", "rely")
    assert said.code == 2
    assert "did you mean: relay" in said.err


def test_a_rule_is_explained_with_a_run_that_goes_wrong_without_it(shell: Shell) -> None:
    for rule in ("one-answer-per-command", "ownership-at-write"):
        told = shell("explain", rule).out
        line = next(line for line in told.splitlines() if line.strip().startswith("try"))
        assert f"--without {rule} --seed" in line
        assert "SCENARIO" not in line


def test_all_shipped_scenarios_parse(shell: Shell) -> None:
    names = [one["name"] for one in json.loads(shell("scenarios", "--json").out)]
    said = shell("parse", *names)
    assert (said.code, said.out, said.err) == (0, "", "")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("states", "rond"), "did you mean: round"),
        (("states", "TASK"), "did you mean: desktop task"),
        (("states", "zzz"), "known: server connection, request, round"),
        (("learn", "lost-akc"), "did you mean: lost-ack; hooktwin learn lists all"),
        (("learn", "zzz"), "unknown lesson 'zzz'; the first 10 of 17: way, "),
        (("schema", "Turn.End"), "did you mean: turn.end"),
        (("run", "typical", "--without", "replay"), "did you mean: ack-replay"),
        (("mutants", "zzz"), "the first 10 of "),
        (
            ("tui", "typical", "--theme", "high-contrats", "--out", "x.svg"),
            "did you mean: high-contrast",
        ),
    ],
)
def test_a_word_that_nobody_knows_is_answered_with_what_may_be_meant_or_where_all_are_listed(
    words, told, shell
):
    said = shell(*words)
    assert said.code == 2
    assert told in said.err
