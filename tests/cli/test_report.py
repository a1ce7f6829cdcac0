"""``hooktwin report``: what is in the page, and what can never come out of it."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from sim.cli.reporting import html
from sim.cli.reporting.content import content_of
from sim.cli.reporting.html import page_of
from sim.cli.reporting.subject import Asked, subject_of
from sim.core import event as events
from sim.core.trace import Header, Trace, read_trace, write_trace
from sim.protocols.played import PLAYED
from sim.scenario.load import shipped_scenarios
from tests.cli.hostile import ACT, TEXTS, write_hostile
from tests.cli.screens import ROOT, Shell

RACE = ("reopen-teardown", "--without", "ownership-at-write")
TOKEN = "typical/end-replay/AwEKu3gJuvDK0_spGhmjlJnT-_M"


class Reader(HTMLParser):
    """Elements with their attributes, and the text of each script."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.styles: list[str] = []
        self.title = ""
        self._inside = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside = tag
        if tag == "script":
            self.scripts.append((dict(attrs), ""))

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside == "script":
            about, text = self.scripts[-1]
            self.scripts[-1] = about, text + data
        elif self._inside == "style":
            self.styles.append(data)
        elif self._inside == "title" and not self.title:
            self.title = data

    def data(self, name: str) -> Any:
        """A block of the run, decoded as a browser does."""
        about, text = next(one for one in self.scripts if one[0].get("id") == name)
        if about["type"] == "application/gzip":
            text = gzip.decompress(base64.b64decode(text)).decode()
        return json.loads(text)


def made(what: str | Path, *without: str) -> str:
    subject = subject_of(Asked(str(what), None, without), lambda done, of: None)
    return page_of(subject, content_of(subject))


@cache
def race() -> str:
    return made("reopen-teardown", "ownership-at-write")


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    write_hostile(tmp_path / "hostile.jsonl")
    return tmp_path / "hostile.jsonl"


def test_the_page_loads_nothing_and_lets_only_its_own_script_run() -> None:
    reader = Reader(race())
    programs = [text for about, text in reader.scripts if "type" not in about]
    assert len(programs) == 1
    assert len(reader.styles) == 1
    policy = next(a["content"] for t, a in reader.elements if a.get("http-equiv"))
    for kind, text in (("script-src", programs[0]), ("style-src", reader.styles[0])):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind} 'sha256-{digest}';" in str(policy)
    assert str(policy).startswith("default-src 'none';")
    assert "unsafe" not in str(policy)
    loading = {"src", "href", "srcset", "action", "data", "poster"}
    assert [a for _, a in reader.elements if loading & a.keys()] == []
    assert [a for _, a in reader.elements if any(name.startswith("on") for name in a)] == []
    assert [a for _, a in reader.elements if "style" in a] == []
    assert re.findall(r"@import|url\(|fetch\(|XMLHttp|WebSocket|innerHTML|eval\(", "".join(
        [*programs, *reader.styles]
    )) == []  # fmt: skip
    addresses = re.findall(r"https?://[\w./-]+", programs[0] + reader.styles[0])
    assert set(addresses) == {"http://www.w3.org/2000/svg"}


def test_the_page_holds_every_event_with_its_row_and_what_its_frame_breaks(tmp_path: Path) -> None:
    reader = Reader(race())
    shared, run = reader.data("report"), reader.data("run-0")
    chunk = reader.data("run-0-0")
    assert {len(column) for column in run["rows"].values()} == {run["count"]}
    assert len(chunk["events"]) == run["count"] < shared["chunk"]
    assert [event["n"] for event in chunk["events"]] == list(range(run["count"]))
    sent = [event["n"] for event in chunk["events"] if event["kind"] == "FrameSent"]
    assert sorted(map(int, chunk["notes"])) == sent
    dispatch = next(e for e in chunk["events"] if e.get("frame", {}).get("type") == "task.dispatch")
    shape, faults, verdicts = chunk["notes"][str(dispatch["n"])]
    assert shared["shapes"][shape]["type"] == "task.dispatch"
    assert faults == {}
    words = run["words"]
    assert [words[place] for place in verdicts[0][:3]] == [
        "server connection",
        "D.slack#1",
        "READY",
    ]
    assert run["used"]["request"] == {"WAITING accepted": 1, "RUNNING end": 1, "ENDED reopen": 2}


def test_what_broke_has_its_sentence_its_rows_and_the_run_with_the_rule_on_beside_it() -> None:
    reader = Reader(race())
    shared, off, on = (reader.data(name) for name in ("report", "run-0", "run-1"))
    broken = off["violations"][0]
    assert (broken["invariant"], broken["expected"]) == ("close-out-respects-owner", False)
    assert broken["sentence"].startswith("A close-out is written only while")
    assert [row[0] for row in broken["rows"]] == ["HK-186", "HK-187"]
    assert all(section and rule for _, section, rule in broken["rows"])
    assert off["rows"]["flags"][broken["step"]] & 1, "what broke has a row"
    assert (off["title"], on["title"]) == ("without ownership-at-write", "all rules on")
    assert on["violations"] == []
    assert on["ok"]
    parted = [pair for pair in shared["pairs"] if not pair[2]]
    assert parted[0][0] == broken["step"]
    assert shared["rules"][0]["name"] == "ownership-at-write"
    assert shared["command"] == [
        "hooktwin run reopen-teardown --seed 1 --without ownership-at-write"
    ]
    assert "close-out-respects-owner broken at step" in race().split("</noscript>")[0]


def test_a_message_tells_at_each_step_how_it_looked_and_whose_it_was() -> None:
    run = Reader(race()).data("run-0")
    card = next(one for one in run["messages"] if one["id"] == "m2")
    states = [look[2] for look in card["looks"]]
    assert states[-3:] == ["WORKING", "INTERRUPTED", "OK"]
    owners = [(owner[1], owner[2]) for owner in card["owners"]]
    assert owners[0] == ("R1", "D.slack#1")
    assert owners[-1] == ("K2", "D.slack#2")
    late = next(edit for edit in card["edits"] if edit[2] == "INTERRUPTED")
    assert late[0] < late[1] == card["looks"][-2][0]


def test_a_trace_and_a_finding_tell_the_same_as_the_run_that_they_are_of(
    tmp_path: Path, shell: Shell
) -> None:
    trace = tmp_path / "race.jsonl"
    assert shell("run", *RACE, "-q", "--trace", trace).code == 1
    told, read = (Reader(page) for page in (race(), made(trace)))
    for name in ("run-0", "run-1"):
        for key in ("digest", "title", "violations", "lanes", "used", "stores", "downs", "count"):
            ours, theirs = told.data(name)[key], read.data(name)[key]
            if key == "violations":  # a file has no names for ids but those that are counted
                ours, theirs = (
                    [(v["invariant"], v["step"]) for v in one] for one in (ours, theirs)
                )
            assert ours == theirs, (name, key)
    assert told.data("report")["pairs"] == read.data("report")["pairs"]
    found = Reader(made(TOKEN))
    assert len(found.data("report")["choices"]) == 3
    assert found.data("run-0")["violations"][0]["invariant"] == "results-are-handed-in"
    assert found.data("run-1")["violations"] == []


def test_a_finding_with_all_rules_on_stands_beside_the_undisturbed_run() -> None:
    token = TOKEN.replace("/end-replay/", "//")
    reader = Reader(made(token))
    assert [reader.data(f"run-{k}")["title"] for k in (0, 1)] == [
        "all rules on",
        "the same run, undisturbed",
    ]
    assert reader.data("run-1")["digest"] != reader.data("run-0")["digest"]


def _one_of(protocol: str) -> Path:
    found = [path for paths in shipped_scenarios().values() for path in paths]
    return next(p for p in sorted(found) if p.parent.name == protocol)


@pytest.mark.parametrize("protocol", PLAYED)
def test_every_protocol_is_reported_without_a_word_about_it_here(protocol: str) -> None:
    page = made(_one_of(protocol))
    reader = Reader(page)
    run, shared = reader.data("run-0"), reader.data("report")
    assert shared["protocol"] == protocol
    assert run["count"] > 10
    figures = [a["data-table"] for tag, a in reader.elements if tag == "figure"]
    assert figures
    assert set(run["used"]) <= set(figures)
    kinds = {event["kind"] for event in reader.data("run-0-0")["events"]}
    assert ("FrameSent" in kinds) == bool(shared["shapes"]) == bool(run["used"])


def test_of_a_relay_the_page_knows_what_hosts_had_in_mind_at_each_step() -> None:
    run = Reader(made("lock-with-lease")).data("run-0")
    told = [(run["words"][head], text) for _, _, head, _, text in run["minds"]]
    locks = [-1 if text < 0 else run["words"][text] for head, text in told if head == "locks"]
    assert "held by" in str(locks[0]) or locks[0] != -1
    assert -1 in locks, "a lease ends"
    assert [n for n, *_ in run["minds"]] == sorted(n for n, *_ in run["minds"])


# -- hostile texts -------------------------------------------------------------------------------


def test_no_text_of_a_recording_ends_its_element_or_becomes_one(hostile: Path) -> None:
    page = made(hostile)
    reader, tame = Reader(page), Reader(made("typical"))
    assert {tag for tag, _ in reader.elements} <= {tag for tag, _ in tame.elements}
    assert len([1 for about, _ in reader.scripts if "type" not in about]) == 1
    assert [a for _, a in reader.elements if any(name.startswith("on") for name in a)] == []
    blocks = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)
    assert len(blocks) == 3
    assert not any(sign in block for block in blocks for sign in "<>&\u2028\u2029")
    assert "\x1b" not in page
    assert "\u202e" not in page.split('<script type="application/json"')[0]
    run = reader.data("run-0")
    said = {text for message in run["messages"] for text in (message["chat"],)}
    assert set(TEXTS[:-1]) <= said, "they are all there, as what they are"


def test_every_other_form_keeps_hostile_texts_texts(hostile: Path, shell: Shell) -> None:
    from xml.etree import ElementTree

    svg = ElementTree.fromstring(shell("report", hostile, "--format", "svg").out)
    names = {element.tag.rpartition("}")[2] for element in svg.iter()}
    assert names <= {"svg", "title", "style", "rect", "line", "g", "text", "path", "circle"}
    told = shell("report", hostile, "--format", "md").out
    outside = re.sub(r"^(`{3,})\w*\n.*?^\1$", "", told, flags=re.DOTALL | re.MULTILINE)
    assert "<" not in outside
    assert ACT not in outside or "onerror=" not in re.sub(r"&#\d+;", "", outside)
    diagram = shell("report", hostile, "--format", "mermaid").out
    texts = re.findall(r"(?: as |: )(.*)", diagram)
    assert len(texts) > 60
    assert [text for text in texts if re.search(r"[<>&{}]|%%|#(?!\d+;)", text)] == []
    assert [text for text in texts if re.search(r";(?<!#\d;)(?<!#\d\d;)(?<!#\d{3};)", text)] == []


def test_a_file_that_speaks_of_what_is_not_in_it_is_shown_as_far_as_it_can(
    tmp_path: Path, shell: Shell
) -> None:
    told = [
        events.FrameDelivered(0, 0, 99, "L#1", "D", "S", 1_000, "ping"),
        events.CallAnswered(1, 1, 1, "S", "IM", 1_000, {}),
        events.CallIssued(2, 2, -5, "S", "IM", {"is": "edit"}),
        events.BadFrame(3, 3, 2, "L#1", "S", -7, "bad", None),
        events.ConnectionClosed(4, 4, 0, "L#1", "S", "D", 1006, "", "D"),
    ]
    header = Header(scenario="odd", protocol="hook", hosts=(("D", "desktop"), ("S", "server")))
    write_trace(tmp_path / "odd.jsonl", Trace(header, told))
    run = Reader(made(tmp_path / "odd.jsonl")).data("run-0")
    assert run["count"] == 5
    assert run["unjudged"]
    assert run["rows"]["cause"] == [0, 0, 0, 1, 4]
    assert "this step cannot be told" in " ".join(run["words"])
    said = shell("report", tmp_path / "odd.jsonl", "--format", "md")
    assert said.code == 0 or "--format html shows what there is" in said.err


# -- forms and mistakes ----------------------------------------------------------------------------


def test_a_report_says_the_same_each_time_and_nothing_of_where_it_was_made() -> None:
    assert made("reopen-teardown", "ownership-at-write") == race()
    assert str(Path.cwd()) not in race()


def test_large_runs_are_packed_and_read_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = Reader(race())
    monkeypatch.setattr(html, "PACKED_FROM", 1)
    packed = made("reopen-teardown", "ownership-at-write")
    reader = Reader(packed)
    assert {a["type"] for a, _ in reader.scripts if "type" in a} == {"application/gzip"}
    for name in ("report", "run-0", "run-1", "run-0-0"):
        assert reader.data(name) == plain.data(name)
    assert len(packed) < len(race()) * 0.8


def test_markdown_has_verdict_diagram_channels_and_where_the_runs_part(shell: Shell) -> None:
    told = shell("report", *RACE, "--format", "md").out
    assert told.startswith("# ✗ reopen-teardown\n")
    for expected in (
        "**close-out-respects-owner** broken at step 91",
        "## all rules on",
        "```mermaid\nsequenceDiagram\n    actor p0 as U (Alice)",
        "Note over p0,p3: ✗ close-out-respects-owner",
        "| IM C1 | S | OK | Migrated. |",
        "## Where the runs part",
        "hooktwin run reopen-teardown --seed 1 --without ownership-at-write",
    ):
        assert expected in told


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("typical",), "needs a file: --out FILE.html"),
        (("typical", "--out", "x.docx"), "a name that ends in .html"),
        (("typical", "--out", "no/such/folder/x.html"), "there is no folder"),
        (("no-such-scenario", "--format", "md"), "no-such-scenario"),
        (("typical", "--without", "no-such-rule", "--format", "md"), "unknown rule"),
        ((TOKEN, "--without", "pong", "--format", "md"), "--seed and --without are for scenarios"),
        (("typical", "--out", "x.pdf", "--browser", "no-such-browser"), "no such program"),
        (("gone.jsonl", "--format", "md"), "cannot read the trace"),
        (("gone.json", "--format", "md"), "there is no such file of choices"),
    ],
)
def test_what_cannot_be_reported_is_answered_with_the_remedy(
    shell: Shell, arguments: tuple[str, ...], told: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    said = shell("report", *arguments)
    assert (said.code, said.out) == (2, "")
    assert told in said.err
    assert list(tmp_path.iterdir()) == []


def test_without_a_browser_pdf_is_refused_before_the_run(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sim.cli.reporting.pdf.ELSEWHERE", ())
    monkeypatch.setenv("PATH", str(tmp_path))
    said = shell("report", "typical", "--out", tmp_path / "x.pdf")
    assert said.code == 2
    assert "none is on the path; name one with --browser, or write --format html" in said.err


def test_two_runs_of_any_kind_can_be_compared(shell: Shell, tmp_path: Path) -> None:
    trace, page = tmp_path / "other.jsonl", tmp_path / "both.html"
    shell("run", "typical", "--seed", 7, "-q", "--trace", trace)
    assert shell("report", "typical", "--against", trace, "--out", page).code == 0
    reader = Reader(page.read_text(encoding="utf-8"))
    assert reader.data("run-1")["digest"] == read_trace(trace).digest()
    assert reader.data("report")["alone"] == ""
    alone = Reader(made("typical")).data("report")
    assert (alone["pairs"], alone["runs"]) == (None, 1)
    assert "--without RULE" in alone["alone"]


def test_the_docs_tell_of_every_key_of_the_page() -> None:
    table = re.search(r"const KEYS = \[\n(.*?)\n\];", html.asset("start.js"), re.DOTALL)
    assert table
    keys = {key for row in re.findall(r'^  \["([^"]+)"', table[1], re.M) for key in row.split()}
    told = (ROOT / "docs" / "report.md").read_text(encoding="utf-8")
    missing = [key for key in keys - {"or", "2", "3"} if f"`{key}`" not in told]
    assert missing == []


@pytest.mark.deep
def test_every_shipped_scenario_can_be_reported() -> None:
    paths = [path for found in shipped_scenarios().values() for path in found]
    for path in paths:
        reader = Reader(made(path))
        run = reader.data("run-0")
        assert (run["unjudged"], run["count"] > 0) == ("", True), path


@pytest.mark.parametrize("form", [("report", "--format", "md"), ("export", "perfetto")])
def test_half_a_file_is_not_handed_on_as_a_whole_run(
    shell: Shell, tmp_path: Path, form: tuple[str, ...]
) -> None:
    whole, half = tmp_path / "whole.jsonl", tmp_path / "half.jsonl"
    write_hostile(whole)
    half.write_bytes(whole.read_bytes()[:-9])
    told = shell(*form, half)
    assert "cut off" in told.err
    assert "cut off" not in shell(*form, whole).err
    assert form[0] != "report" or "cut off" in told.out
