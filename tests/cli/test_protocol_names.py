"""Names of several protocols: found without saying whose, told apart where both have one."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from sim.protocols import register
from sim.protocols.relay import DECLARED, MESSAGES, parse_relay_message
from tests.cli.screens import Shell


def test_every_name_of_the_relay_protocol_is_explained(shell: Shell) -> None:
    told = json.loads(shell("explain", "--all", "--protocol", "relay", "--json").out)
    assert [one["type"] for one in told] == list(MESSAGES)
    for one in told:
        assert parse_relay_message(one["example"]).ok, one["type"]
    for name in ("listener_update", "primitive.tab.open", "network.http_intercept", "tab_lock"):
        said = shell("explain", name)
        assert said.code == 0
        assert said.out.startswith(name)
        assert all(field.name in said.out for field in DECLARED[name].FIELDS)


def test_a_name_of_both_protocols_is_told_of_the_first_and_the_other_one_is_named(
    shell: Shell,
) -> None:
    assert register.owners("hello") == ("hook", "relay")
    said = shell("explain", "hello")
    assert "desktop → server" in said.out
    assert "hooktwin explain hello --protocol relay" in said.out
    assert "peer → relay" in shell("explain", "hello", "--protocol", "relay").out
    assert "--protocol" not in shell("explain", "turn.end").out
    assert json.loads(shell("explain", "hello", "--json").out)["direction"] == "desktop>server"


def test_the_answer_of_an_action_is_told_with_it(shell: Shell) -> None:
    said = shell("explain", "command.list")
    assert "commands[].timeoutPolicy.scaling.perUnitMs" in said.out
    answer = json.loads(shell("explain", "primitive.tab.close", "--json").out)["answer"]
    assert [one["name"] for one in answer] == ["tabSessionId", "closed"]


def test_the_schema_of_a_protocol_accepts_its_examples_and_no_others(shell: Shell) -> None:
    validator = Draft202012Validator(json.loads(shell("schema", "--protocol", "relay").out))
    told = json.loads(shell("explain", "--all", "--protocol", "relay", "--json").out)
    assert all(validator.is_valid(one["example"]) for one in told)
    ping = json.loads(shell("explain", "ping", "--json").out)["example"]
    assert not validator.is_valid(ping)
    one = Draft202012Validator(json.loads(shell("schema", "cancel_ack").out))
    assert one.is_valid(DECLARED["cancel_ack"].enclose("c", 1, DECLARED["cancel_ack"].EXAMPLE))


def test_the_tables_of_both_protocols_are_drawn(shell: Shell) -> None:
    assert "HELD --> FREE: unlock, expire, holder lost" in shell("states", "tab lock").out
    relay = shell("states", "--protocol", "relay").out
    tables = register.protocol("relay").tables()
    assert {"relay session", "tab lock"} <= set(tables)
    assert relay.count("stateDiagram-v2") == len(tables)
    assert relay in shell("states").out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("explain", "hello", "--protocol", "telnet"), "there is hook, relay"),
        (("schema", "--protocol", "telnet"), "there is hook, relay"),
        (("states", "--protocol", "telnet"), "there is hook, relay"),
        (("explain", "turn.end", "--protocol", "relay"), "of the relay protocol 'turn.end'"),
        (("explain", "xyzzy", "--protocol", "question"), "hooktwin rules --protocol question"),
        (("explain", "tab_lok"), "did you mean: tab_lock"),
        (("explain", "GET"), "GET /question"),
        (("schema", "comand", "--protocol", "relay"), "did you mean: command"),
        (("states", "round", "--protocol", "relay"), "relay session"),
    ],
)
def test_errors_name_what_is_allowed(shell: Shell, words: tuple[str, ...], told: str) -> None:
    said = shell(*words)
    assert said.code == 2
    assert told in said.err


def test_a_frame_tells_whose_it_is_by_the_key_of_its_type() -> None:
    for name in register.PROTOCOLS:
        one = register.protocol(name)
        cls = next(iter(one.messages.values()))
        assert register.protocol_of(cls.enclose("f", 1, cls.EXAMPLE)) is one
        assert one.parse(cls.enclose("f", 1, cls.EXAMPLE)).ok
    assert register.protocol_of({"kind": "x"}).name == register.DEFAULT_PROTOCOL
    assert register.protocol_of("text").name == register.DEFAULT_PROTOCOL


def test_the_nearest_declaration_of_a_frame_is_that_of_its_event() -> None:
    shape_of = register.protocol("relay").shape_of
    assert shape_of({"messageType": "event", "payload": {"type": "routed"}}) is DECLARED["routed"]
    assert shape_of({"messageType": "event", "payload": {"type": "x"}}) is DECLARED["event"]
    assert shape_of({"messageType": "event", "payload": 7}) is DECLARED["event"]
    assert shape_of({"messageType": "ping"}) is DECLARED["ping"]
    assert shape_of({"messageType": "teleport"}) is None
    assert register.protocol("hook").shape_of({"type": "teleport"}) is None


@pytest.mark.parametrize("row", ["OT-12", "OT-26", "HK-01"])
def test_no_row_is_told_to_be_seen_by_the_proof_that_stands_below(shell: Shell, row: str) -> None:
    assert shell("explain", row).out.count("hooktwin rules --check") == 1


@pytest.mark.parametrize(
    ("word", "protocol", "told"),
    [
        ("HK-06", "hook", "prove it"),
        ("ot-60", "relay", "prove it"),
        ("QT-35", "question", "hooktwin rules --check QT-35"),
        ("I1", "question", "the opencode, the listener and the hook obey"),
        ("session-fallback-narrow", "question", "a rule that the listener obeys"),
        ("hooks-never-throw", "question", "an invariant"),
        ("listener-prompts-the-agent", "question", "a mutant of the listener"),
        ("@http", "question", "a directive"),
        ("question", "question", "person → opencode"),
        ("question", None, "a directive"),
    ],
)
def test_a_protocol_narrows_what_a_word_means_and_hides_nothing_of_its_own(
    shell: Shell, word: str, protocol: str | None, told: str
) -> None:
    said = shell("explain", word, *(("--protocol", protocol) if protocol else ()))
    assert (said.code, told in said.out) == (0, True), said.out + said.err
