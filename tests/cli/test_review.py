"""``hooktwin review``: verdicts, findings and coverage of a folder on one page."""

from __future__ import annotations

import base64
import json
import re
import shlex
import signal
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from sim.cli.reviewing.coverage import Area, Seen
from sim.cli.reviewing.markdown import ROOM, text_of
from sim.cli.reviewing.reviewed import Review, Reviewed
from sim.core.errors import UsageError
from sim.protocols.played import PLAYED, played
from tests.cli.screens import ROOT, Said, Shell

ACT = "<img src=x onerror=alert(1)>"
TINY = """\
sequenceDiagram
    actor U as Alice
    participant IM as Slack
    participant S as hook server
    participant D as desktop
    U->>IM: message "hi"
    alt it is taken
        S->>D: task.dispatch (requestId=R1)
    else it is not
        S->>D: ping
    end
"""
BROKEN = TINY.replace("task.dispatch", "task.dispatsch")
WRONG = f'{TINY}    %% @final R1 OK "{ACT} | `x`"\n'
RACE = (ROOT / "scenarios/hook/reopen-teardown.mmd").read_text("utf-8")
LOST = (ROOT / "scenarios/hook/cut-redelivers.mmd").read_text("utf-8")
RELAY = (ROOT / "scenarios/relay/lock-with-lease.mmd").read_text("utf-8")
QUESTION = (ROOT / "scenarios/question/answer-from-the-phone.mmd").read_text("utf-8")
FEW = ("--schedules", "3")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which everything is wrong that can be, and three protocols."""
    monkeypatch.chdir(tmp_path)
    made = tmp_path / "designs"
    made.mkdir()
    texts = {
        "a-broken.mmd": BROKEN, "b-holds.mmd": TINY, "c-wrong.mmd": WRONG, "d-race.mmd": RACE,
        "e-relay.mmd": RELAY, f"f{ACT.replace('/', '')}.mmd": TINY, "g-question.mmd": QUESTION,
    }  # fmt: skip
    for name, text in texts.items():
        (made / name).write_text(text, "utf-8")
    return made


class Page(HTMLParser):
    """What a browser would see of a page."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: Counter[str] = Counter()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.images: list[str] = []
        self.text = ""
        self.policy = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        about = {name: value or "" for name, value in attrs}
        self.tags[tag] += 1
        assert not [name for name in about if name.startswith("on")]
        self.ids += [about["id"]] if "id" in about else []
        self.links += [about["href"]] if "href" in about else []
        self.images += [about["src"]] if "src" in about else []
        if about.get("http-equiv") == "Content-Security-Policy":
            self.policy = about["content"]

    def handle_data(self, data: str) -> None:
        self.text += data


def reviewed(shell: Shell, *words: object) -> tuple[Said, dict[str, Any]]:
    said = shell("review", *words, "--format", "json")
    return said, json.loads(said.out)


def test_a_mixed_folder_is_reviewed_to_its_end_whatever_is_wrong_with_it(
    shell: Shell, folder: Path
) -> None:
    said, told = reviewed(shell, "designs", *FEW, "--without", "ownership-at-write")
    assert said.code == 1
    assert [one["verdict"] for one in told["scenarios"]] == [
        "cannot be read", "holds", "fails", "fails", "holds", "holds", "holds",
    ]  # fmt: skip
    broken, _, wrong, race, relay, _, question = told["scenarios"]
    assert (broken["error"]["line"], broken["error"]["column"]) == (8, 16)
    assert "task.dispatch" in broken["error"]["allowed"]
    assert [one["line"] for one in wrong["failures"]] == [12]
    [finding] = race["findings"]
    assert finding["invariant"] == "close-out-respects-owner"
    assert finding["token"] in finding["replay"]
    # A rule of the hook protocol is none of the others.
    assert (race["without"], relay["without"]) == (["ownership-at-write"], [])
    assert list(told["coverage"]) == ["hook", "relay", "question"]
    assert told["coverage"]["hook"]["scenarios"] == 4
    assert question["schedules"] == 3


def test_the_page_loads_nothing_runs_nothing_and_every_link_leads_to_its_place(
    shell: Shell, folder: Path
) -> None:
    words = ("designs", *FEW, "--without", "ownership-at-write")
    said = shell("review", *words, "--out", "page.html", "--out", "again.htm")
    assert said.code == 1
    text = Path("page.html").read_text("utf-8")
    assert text == Path("again.htm").read_text("utf-8")
    page = Page(text)
    assert page.policy.startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:;")
    assert not page.tags["script"]
    assert not re.search(r"https?://(?!www\.w3\.org/)", text)
    anchors = [link.removeprefix("#") for link in page.links]
    assert set(anchors) <= set(page.ids)
    assert len(page.ids) == len(set(page.ids))
    assert {"bad", "verdicts", "hook", "relay", "question", "branches", "s3-0"} <= set(page.ids)
    assert "designs/a-broken.mmd:8:16: unknown frame" in page.text
    assert ACT in page.text
    assert "line 9: else it is not happens" in page.text
    for image in page.images:
        kind, _, data = image.partition(",")
        assert kind == "data:image/svg+xml;base64"
        ElementTree.fromstring(base64.b64decode(data))
    assert len(page.images) == 3  # two timed runs that fail, and the finding


def test_what_a_finding_says_to_paste_fails_again(shell: Shell, folder: Path) -> None:
    _, told = reviewed(shell, "designs/d-race.mmd", *FEW, "--without", "ownership-at-write")
    [one] = told["scenarios"]
    [finding] = one["findings"]
    words = shlex.split(finding["replay"])
    assert words[:2] == ["hooktwin", "replay"]
    said = shell(*words[1:], "--quiet")
    assert (said.code, "close-out-respects-owner" in said.out) == (1, True)
    saved = ("--save", "kept", "--out", "x.md")
    assert (
        shell("review", "designs/d-race.mmd", *FEW, "--without", "ownership-at-write", *saved).code
        == 1
    )
    assert {path.suffix for path in Path("kept").iterdir()} == {".json", ".mmd"}


def test_the_comment_for_a_pull_request_is_harmless_and_the_same_each_time(
    shell: Shell, folder: Path
) -> None:
    for name in ("b-holds.mmd", "e-relay.mmd", "g-question.mmd"):
        (folder / name).unlink()
    words = ("review", "designs", "--schedules", 2, "--without", "ownership-at-write")
    said = shell(*words, "--format", "md")
    assert said.code == 1
    assert said.out == shell(*words, "--format", "md").out
    assert said.out.startswith("# ✗ Review: 1 of 4 scenarios hold, 1 finding in ")
    assert "hooktwin review designs --schedules 2 --without ownership-at-write" in said.out
    assert "<img" not in said.out
    outside = re.sub(r"```sh\n.*?```", "", said.out, flags=re.DOTALL)
    tags = set(re.findall(r"<(\w+)", outside))
    assert tags == {"details", "summary"}
    assert outside.count("<details>") == outside.count("</details>")
    for row in re.findall(r"^\|.*", outside, re.MULTILINE):
        assert row.count("|") in (4, 7), row


def test_a_comment_has_room_for_a_comment_only() -> None:
    review = Review("hooktwin review x", 900)
    review.every = [Reviewed(f"{n}.mmd", error=UsageError("x" * 200)) for n in range(900)]
    text = text_of(review)
    assert len(text) < ROOM + 100
    assert text.rstrip().endswith("the page (--out FILE.html) has all of it.")


def test_what_the_diagram_says_that_it_breaks_is_no_finding(shell: Shell, folder: Path) -> None:
    said_so = "%% @rule -delivery-where-asked\n    %% @violates server-sends-what-is-agreed"
    shown = LOST.replace("sequenceDiagram\n", f"sequenceDiagram\n    {said_so}\n", 1)
    Path("shown.mmd").write_text(shown, "utf-8")
    said, told = reviewed(shell, "shown.mmd", *FEW)
    [one] = told["scenarios"]
    assert (one["findings"], one["shown"]) == ([], ["server-sends-what-is-agreed"])
    assert (said.code, one["verdict"], one["schedules"]) == (0, "holds", 3)
    assert told["summary"] == "1 of 1 scenarios hold, 0 findings in 3 schedules"


def test_a_handler_that_raises_fails_its_scenario_and_no_other(
    shell: Shell, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(desktop: object, frame: object, connection: object) -> None:
        raise TypeError(f"what is {ACT}?")

    monkeypatch.setattr("sim.protocols.hook.desktop.actor.Desktop.on_frame", wrong)
    said = shell("review", "designs/b-holds.mmd", "designs/e-relay.mmd", *FEW, "--out", "p.html")
    assert said.code == 1
    assert "1 of 2 scenarios hold, 1 finding" in said.out
    page = Page(Path("p.html").read_text("utf-8"))
    assert f"TypeError: what is {ACT}?" in page.text
    assert "no-handler-raises is broken" in page.text


def test_ctrl_c_leaves_a_page_of_what_is_known(
    shell: Shell, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pressed(quiet: object, search: Any) -> None:
        if search.case.scenario.name == "d-race" and search.schedules == 2:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("sim.cli.reviewing.progress.Quiet.searching", pressed)
    said = shell("review", "designs", "--schedules", 5, "--out", "page.html")
    assert said.code == 130
    assert "interrupted: 7 scenarios were wanted" in said.out
    text = Path("page.html").read_text("utf-8")
    assert "d-race.mmd" in text
    assert "e-relay.mmd" not in text


def test_ctrl_c_in_the_timed_run_is_no_failure_of_the_scenario(
    shell: Shell, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Seen.take

    def pressed(seen: Seen, run: Any) -> None:
        real(seen, run)
        raise KeyboardInterrupt

    monkeypatch.setattr(Seen, "take", pressed)
    said, told = reviewed(shell, "designs/b-holds.mmd", *FEW)
    assert (said.code, told["interrupted"]) == (130, True)
    assert [one["verdict"] for one in told["scenarios"]] == ["interrupted"]
    assert told["scenarios"][0]["failures"] == []


@pytest.mark.deep
def test_processes_find_the_same_and_give_the_same_page(shell: Shell, folder: Path) -> None:
    for path in sorted(folder.iterdir())[4:]:
        path.unlink()
    words = ("review", "designs", *FEW, "--without", "ownership-at-write")
    assert shell(*words, "--out", "one.html").code == 1
    assert shell(*words, "--out", "two.html", "--jobs", 2).code == 1
    assert Path("one.html").read_bytes() == Path("two.html").read_bytes()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("designs", "--format", "html"), "--out FILE.html"),
        (("designs", "--out", "page.txt"), ".html, .htm, .md, .markdown, .json"),
        (("empty",), "no scenario in this folder"),
        (("designs", "--without", "no-such"), "unknown rule"),
        (("designs", "--faults", "quake:1"), "quake"),
        (("designs/b-holds.mmd", "--out", "designs/b-holds.mmd", "--format", "md"), "another name"),
        (("designs", "--out", "nowhere/page.html"), "there is no folder"),
        (("designs", "--out", "x.md", "--out", "x.md"), "written already"),
    ],
)
def test_what_cannot_be_reviewed_is_refused_before_anything_is_played(
    words: tuple[str, ...], told: str, shell: Shell, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("empty").mkdir()
    monkeypatch.setattr("sim.cli.reviewing.reviewing.review_all", None)
    said = shell("review", *words)
    assert said.code == 2
    assert told in said.err


def test_no_time_is_the_timed_run_and_one_schedule(shell: Shell, folder: Path) -> None:
    said, told = reviewed(shell, "designs/b-holds.mmd", "--seconds", 0)
    assert (said.code, told["scenarios"][0]["schedules"]) == (0, 1)
    assert told["command"] == "hooktwin review designs/b-holds.mmd --seconds 0"


def test_branches_are_counted_over_all_runs(shell: Shell, folder: Path) -> None:
    said, told = reviewed(shell, "designs/b-holds.mmd", *FEW)
    [one] = told["scenarios"]
    runs = {(way["line"], way["fate"]): way["runs"] for way in one["branches"]}
    # The timed run and the searched ones but the first, which is the timed run once more.
    assert runs == {(7, "happens"): 3, (9, "happens"): 0}
    assert said.code == 0
    text = shell("review", "designs/b-holds.mmd", *FEW, "--format", "md").out
    assert "- designs/b-holds.mmd, line 9: else it is not happens" in text
    assert "1 of 2 happened in some run." in text


@pytest.mark.parametrize("protocol", PLAYED)
def test_what_was_put_to_the_test_is_idle_no_more(protocol: str) -> None:
    record = played(protocol)
    area = Area(record)
    assert area.idle == record.invariants
    watched = area.idle_rules
    assert watched
    for one in record.invariants:
        area.tested[one.name] += 1
    assert (area.idle, area.idle_rules) == ((), ())
    area.tested.clear()
    rule = watched[0]
    mine = [one for one in record.invariants if set(one.catalogue) & set(rule.catalogue)]
    area.tested[mine[0].name] = 1
    assert rule not in area.idle_rules


@pytest.mark.parametrize("page", ["README.md", "docs/review.md"])
def test_the_workflow_that_is_shown_runs_a_review_that_works_and_uses_what_it_writes(
    page: str, shell: Shell, folder: Path
) -> None:
    text = (ROOT / page).read_text("utf-8")
    [workflow] = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    [command] = re.findall(r"- run: (hooktwin review .*)", workflow)
    words = shlex.split(command.replace("--schedules 200", "--schedules 2"))[1:]
    for path in sorted(folder.iterdir())[4:]:
        path.unlink()
    assert shell(*words).code == 1
    assert {path.name for path in Path().iterdir()} == {"designs", "review.html", "review.md"}
    for name in ("review.html", "review.md"):
        assert workflow.count(name) >= 2
    assert "/home" not in workflow


def test_the_verdicts_of_a_narrow_terminal_keep_their_sign(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    told = shell("review", "typical", "--schedules", 1)
    assert re.search(r"^✓ +typical +holds", told.out, re.MULTILINE)
