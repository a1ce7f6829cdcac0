"""``hooktwin export``: documents of the protocols, which their own validators take."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from sim.cli.exporting.asyncapi import FRAMED, asyncapi_of
from sim.cli.exporting.openapi import openapi
from sim.protocols import register
from sim.protocols.played import PLAYED, played
from tests.cli.screens import ROOT, Shell

PLACE = "#/components/schemas/"


@cache
def document(protocol: str) -> dict[str, Any]:
    return openapi() if protocol == "question" else asyncapi_of(protocol)


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for one in value.values():
            yield from references(one)
    elif isinstance(value, list):
        for one in value:
            yield from references(one)


def validator(protocol: str, schema: Any) -> Draft202012Validator:
    """Of a schema within a document, its components at hand."""
    whole = {"components": {"schemas": document(protocol)["components"]["schemas"]}}
    return Draft202012Validator({**whole, "allOf": [schema]})


@pytest.mark.parametrize("protocol", PLAYED)
def test_every_reference_leads_somewhere(protocol: str) -> None:
    whole = document(protocol)
    found = set(references(whole))
    assert found
    for reference in found:
        place: Any = whole
        for word in reference.removeprefix("#/").split("/"):
            place = place[word]


@pytest.mark.parametrize("protocol", FRAMED)
def test_asyncapi_has_every_message_type_and_its_schema_judges_as_the_parser_does(
    protocol: str,
) -> None:
    spoken = register.protocol(protocol)
    made = document(protocol)["components"]["messages"]
    assert [one["name"] for one in made.values()] == list(spoken.messages)
    for name, cls in spoken.messages.items():
        judge = validator(protocol, made[name]["payload"])
        [example] = made[name]["examples"]
        assert judge.is_valid(example["payload"])
        assert spoken.parse(example["payload"]).ok
        assert not judge.is_valid({**example["payload"], spoken.type_key: "none of these"})
        assert cls.SECTION in made[name]["description"]


@pytest.mark.parametrize("protocol", FRAMED)
def test_the_centre_receives_what_is_meant_for_it_and_sends_the_rest(protocol: str) -> None:
    centre = played(protocol).centre
    did: dict[str, set[str]] = {"receive": set(), "send": set()}
    for operation in document(protocol)["operations"].values():
        did[operation["action"]] |= {one["$ref"].split("/")[-1] for one in operation["messages"]}
    for name, cls in register.protocol(protocol).messages.items():
        source, _, target = cls.DIRECTION.partition(">")
        assert (name in did["receive"]) == (cls.DIRECTION == "both" or source != centre)
        assert (name in did["send"]) == (cls.DIRECTION == "both" or target != centre)


def test_the_openapi_document_is_valid_and_names_every_request() -> None:
    whole = document("question")
    assert not list(OpenAPIV31SpecValidator(whole).iter_errors())
    calls = {
        f"{method.upper()} {path}": operation
        for path, item in whole["paths"].items()
        for method, operation in item.items()
        if method != "servers"
    }
    declared = register.protocol("question").messages
    for name, cls in declared.items():
        if name.startswith(("GET ", "POST ")):
            assert calls[name]["x-declaration"] == name
        elif cls.DIRECTION.endswith(">telegram"):
            for method in ("GET", "POST"):
                assert calls[f"{method} /bot{{token}}/{name}"]["x-declaration"] == name
    assert len({one["operationId"] for one in calls.values()}) == len(calls)


def test_what_openapi_asks_for_is_what_the_declaration_asks_for() -> None:
    """Each field of a request stands in one place: the path, the query or the body."""
    declared = register.protocol("question").messages
    for item in document("question")["paths"].values():
        for method, operation in item.items():
            if method == "servers":
                continue
            cls = declared[operation["x-declaration"]]
            parameters = {one["name"]: one for one in operation.get("parameters", ())}
            parameters.pop("token", None)
            body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
            fields: set[str] = set()
            if body:
                judge = validator("question", body["schema"])
                assert judge.is_valid(body["example"])
                fields = set(body["example"])
                name = body["schema"].get("$ref", "").removeprefix(PLACE)
                schema = document("question")["components"]["schemas"].get(name, body["schema"])
                fields = set(schema["properties"])
            assert not fields & set(parameters)
            assert fields | set(parameters) == {field.name for field in cls.FIELDS}
            for field in cls.FIELDS:
                if not field.optional and field.name in parameters:
                    assert parameters[field.name]["required"]


def test_updates_are_what_the_listener_takes() -> None:
    judge = validator("question", {"$ref": f"{PLACE}Update"})
    declared = register.protocol("question").messages
    for kind in ("callback_query", "message"):
        content = dict(declared[kind].EXAMPLE)
        number = content.pop("update_id")
        assert judge.is_valid({"update_id": number, kind: content})
        assert not judge.is_valid({kind: content})
        assert not judge.is_valid({"update_id": number, kind: {}})


def test_documents_are_printed_or_written_the_same_each_time(shell: Shell, tmp_path: Path) -> None:
    for words in (("asyncapi", "--protocol", "relay"), ("openapi",), ("jsonschema", "turn.end")):
        out = tmp_path / f"{words[0]}.json"
        said = shell("export", *words)
        assert (said.code, shell("export", *words, "--out", out).code) == (0, 0)
        assert json.loads(said.out) == json.loads(out.read_text("utf-8"))
        assert said.out == shell("export", *words).out
    assert shell("export", "jsonschema", "turn.end").out == shell("schema", "turn.end").out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("asyncapi", "--protocol", "question"), "export openapi"),
        (("openapi", "--protocol", "hook"), "export asyncapi"),
        (("asyncapi", "--protocol", "smtp"), "there is hook, relay, question"),
        (("pcapng", "typical"), "--out"),
        (("perfetto", "no-such-scenario"), "no shipped scenario"),
        (("pcapng", "typical", "--without", "no-such-rule", "--out", "x"), "unknown rule"),
    ],
)
def test_what_cannot_be_exported_is_told_with_what_can(
    words: tuple[str, ...], told: str, shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = shell("export", *words)
    assert said.code == 2
    assert told in said.err
    assert not list(tmp_path.iterdir())


PARSER = """
const { Parser } = require("@asyncapi/parser");
const { readFileSync } = require("node:fs");
(async () => {
  for (const file of process.argv.slice(1)) {
    const { document, diagnostics } = await new Parser().parse(readFileSync(file, "utf-8"));
    const errors = diagnostics.filter((one) => one.severity === 0).map((one) => one.message);
    console.log(JSON.stringify([errors, document ? document.messages().length : 0]));
  }
})();
"""


def modules() -> Path | None:
    """Where npm has put the AsyncAPI parser: in the checkout, or where NODE_PATH says."""
    if shutil.which("node") is None:
        return None
    places = [str(ROOT / "node_modules"), *os.environ.get("NODE_PATH", "").split(os.pathsep)]
    found = (Path(one) for one in places if one and (Path(one) / "@asyncapi" / "parser").is_dir())
    return next(found, None)


@pytest.mark.skipif(modules() is None, reason="needs node and npm install @asyncapi/parser")
def test_the_parser_of_asyncapi_finds_no_error(tmp_path: Path) -> None:
    files = []
    for protocol in FRAMED:
        files.append(tmp_path / f"{protocol}.json")
        files[-1].write_text(json.dumps(document(protocol)), "utf-8")
    done = subprocess.run(
        ["node", "-e", PARSER, *files], capture_output=True, text=True, check=True, timeout=120,
        env={**os.environ, "NODE_PATH": str(modules())},
    )  # fmt: skip
    counts = [[[], len(register.protocol(name).messages)] for name in FRAMED]
    assert [json.loads(line) for line in done.stdout.splitlines()] == counts
