"""A session that is going on: what is done in the terminal UI happens to it, at once."""

import attrs
import msgspec
import pytest

from sim.cli.app import call
from sim.core.errors import UsageError
from sim.live.commands import table
from sim.live.house import House, Plan
from tests.tui.stage import TRACES, Typed, perform, press, recorded, screen_text, session, settled
from tui.app import Looks
from tui.feeds.live import Control, LiveAct, LiveHost, LiveLink, Present, Refused, as_live
from tui.language import Speech
from tui.screens.help import all_keys
from tui.screens.living_faults import entries_for
from tui.screens.workbench import Workbench
from tui.session import Deed, Session

PRESENT = Present(
    links=(
        LiveLink("D.slack#1", "D", "S", True, True, False, ("D",)),
        LiveLink("D.telegram#1", "D", "S", True, False, True, ()),
    ),
    hosts=(
        LiveHost("S", "server", True), LiveHost("D", "desktop", False),
        LiveHost("slack", "slack", True), LiveHost("P", "person", True),
    ),
    channels=(("slack", "slack"),),
)  # fmt: skip


@attrs.define
class Fake:
    """Takes every act, but for those on paths that it refuses; ``gone`` answers nothing."""

    refuses: tuple[str, ...] = ()
    gone: bool = False
    acts: list[LiveAct] = attrs.field(factory=list)

    def act(self, act):
        if self.gone:
            raise UsageError("the session at http://there does not answer: refused")
        if act.path in self.refuses:
            raise Refused("S is up; possible: /crash")
        self.acts.append(act)
        return 40 + len(self.acts)

    def present(self):
        if self.gone:
            raise UsageError("the session at http://there does not answer: refused")
        return PRESENT


@pytest.fixture(scope="module")
def run():
    return session("two-presses")


def living(run, live):
    run.live = live
    return run


MENU = {
    "D.slack#1  cut rst": ("/cut", {"link": "D.slack#1", "how": "rst"}),
    "D.slack#1  release D>S": ("/release", {"link": "D.slack#1", "sender": "D"}),
    "D.slack#1  hold S>D": ("/hold", {"link": "D.slack#1", "sender": "S"}),
    "D.telegram#1  heal": ("/heal", {"link": "D.telegram#1"}),
    "turn.end  lose the next one": ("/lose", {"type": "turn.end"}),
    "D.slack#1 D>S  duplicate the next one": ("/duplicate", {"link": "D.slack#1", "sender": "D"}),
    "turn.end  delay the next one 2 s": ("/delay", {"type": "turn.end", "by_s": 2.0}),
    "*  let all pass again": ("/pass", {}),
    "S  crash": ("/crash", {"host": "S"}),
    "D  restart": ("/restart", {"host": "D"}),
    "S  sleep 60 s": ("/sleep", {"host": "S", "for_s": 60.0}),
    "D  refuse the next dial on slack": (
        "/refuse", {"host": "D", "lane": "slack", "status": 503},
    ),
    "slack  refuse the next edit": (
        "/fault", {"channel": "slack", "outcome": "refused", "op": "edit"},
    ),
    "P  says hello on slack": ("/message", {"person": "P", "channel": "slack", "text": "hello"}),
    "P  says /stop on slack": ("/stop", {"person": "P", "channel": "slack", "word": ""}),
    "P  presses a button on slack": ("/press", {"person": "P", "channel": "slack"}),
}  # fmt: skip
CANNOT = {
    "S  restart": "it is up",
    "D  crash": "it is down",
    "D.slack#1  hold D>S": "is held already",
    "D.slack#1  release S>D": "nothing is held",
    "D.slack#1  heal": "it is not silent",
    "D.telegram#1  cut fin": "it is not open",
    "D  retry": "an outside program: its person does that there",
}


@pytest.mark.parametrize("label", MENU)
def test_every_entry_of_the_menu_is_a_word_of_the_control_api(label):
    (found,) = [one for one in entries_for(PRESENT) if one.label == label]
    assert not found.why
    path, body = MENU[label]
    assert (found.value.path, found.value.body) == (path, body)
    kind, _ = table(House(Plan(), print))[path]
    msgspec.convert(body, kind)


@pytest.mark.parametrize("label", CANNOT)
def test_the_menu_says_why_something_cannot_be_done_now(label):
    (found,) = [one for one in entries_for(PRESENT) if one.label == label]
    assert found.why == CANNOT[label]


def test_the_menu_of_a_host_has_what_concerns_it():
    assert {one.group for one in entries_for(PRESENT, "slack")} == {"host", "channel"}
    assert all("slack" in one.label for one in entries_for(PRESENT, "slack"))


def test_what_is_chosen_pressed_or_written_is_done_to_the_session_and_no_branch_is_made(run):
    live = Fake()

    async def script(pilot):
        await press(pilot, "f", Typed("S  restart"), "enter")
        script.menu = screen_text(pilot.app)
        await press(pilot, "escape", "f", Typed("cut rst D.slack"), "enter")
        script.bench, script.text = pilot.app.screen, screen_text(pilot.app)
        await press(pilot, "3")
        script.bench.view.press("slack", "m2", "perm:allow")
        script.bench.ask_answer("slack", "P", ())
        await settled(pilot)
        await press(pilot, Typed("/stop now"), "enter")

    perform(living(run, live), script, looks=Looks("zh"))
    assert "不可用：它在运行" in script.menu
    assert "cut D.slack#1 rst：已执行，自第 41 步起" in script.text
    assert [act.path for act in live.acts] == ["/cut", "/press", "/stop"]
    pressed, said = (act.body for act in live.acts[1:])
    assert (pressed["message"], pressed["button"]) == ("m2", "perm:allow")
    assert (said["person"], said["channel"], said["word"]) == ("P", "slack", "now")
    assert isinstance(script.bench, Workbench)
    assert len(script.bench.runs.sessions) == 1


def test_it_begins_at_the_end_a_step_back_stays_there_and_an_act_follows_again(run):
    live = Fake(refuses=("/crash",))

    async def script(pilot):
        bench = pilot.app.screen

        def seen():
            return bench.following, bench.state.step == run.last, screen_text(pilot.app)

        script.seen = [seen()]
        await press(pilot, "N", "N", "f", Typed("S  crash"), "enter")
        script.seen.append(seen())
        await press(pilot, "f", Typed("telegram heal"), "enter")
        script.seen.append(seen())
        live.gone = True
        await press(pilot, "f")
        script.seen.append(seen())
        await press(pilot, "q")
        script.asked = screen_text(pilot.app)
        assert pilot.app.is_running
        await press(pilot, "enter")

    left = perform(living(run, live), script)
    first, refused, done, gone = script.seen
    assert first[:2] == (True, True)
    assert refused[:2] == (False, False), "who goes back is not carried off again"
    assert "crash S: refused: S is up; possible: /crash" in refused[2]
    assert done[:2] == (True, True)
    assert "heal D.telegram#1: done" in done[2], "what was said stays"
    assert "the session at http://there does not answer" in gone[2]
    assert "leave the running session?" in script.asked
    assert left.return_code == 0
    assert "esc cancel" not in gone[2], "the menu is closed: nothing can be chosen"


def test_what_is_done_at_an_outside_program_is_refused_with_the_reason():
    assert as_live(Deed(3, "retry on D", host="D", act={"is": "retry"})) is None
    assert as_live(Deed(3, "cut", fault="cut D.slack#1 rst")) is None
    said = {"is": "say", "person": "P", "text": "/etc is full"}
    assert as_live(Deed(3, "P says", act=said)) == LiveAct(
        "P says", "/message", {"person": "P", "text": "/etc is full"}
    )


@pytest.mark.parametrize(("language", "told"), [("en", "act on it at once"), ("zh", "立即作用于")])
def test_the_help_says_that_nothing_is_branched_only_in_a_running_session(language, told):
    speech = Speech(language)
    assert told in "".join(row.text for row in all_keys(("run",), speech, 300, live=True))
    assert told not in "".join(row.text for row in all_keys(("run",), speech, 300))


@pytest.mark.parametrize("url", ["", "127.0.0.1:8788", "ws://127.0.0.1:1", "http://h", "http://[x"])
def test_what_is_no_control_address_is_refused_with_one_that_is(url):
    with pytest.raises(UsageError, match=r"such as http://127\.0\.0\.1:8788"):
        Control.at(url)


def test_the_start_screen_asks_for_a_control_address_until_it_is_one():
    async def script(pilot):
        await press(pilot, "l", Typed("127.0.0.1:1"), "enter")
        script.wrong = screen_text(pilot.app)
        pilot.app.screen.focused.value = "http://127.0.0.1:1"
        await press(pilot, "enter")

    app = perform(None, script)
    assert "give the control address" in script.wrong
    assert "the session at http://127.0.0.1:1 does not answer" in app.trouble


@pytest.mark.parametrize(
    "options", [["--live", "http://h:1", "--plain"], ["--serve", "http://h:1"]]
)
def test_a_running_session_is_for_the_terminal_only(options, capsys):
    assert call(["tui", *options]) == 2
    assert "leave out --plain, --out and --serve" in capsys.readouterr().err


def test_programs_that_came_after_the_recording_began_are_lanes_and_judged_as_what_they_are():
    one = recorded("two-have-come")
    assert one.lanes()[-2:] == (("D", "desktop"), ("D2", "desktop"))
    assert (one.kind_of("D2"), one.kind_of("nobody")) == ("desktop", None)
    assert (one.violations, one.unjudged) == ([], "")


@pytest.mark.parametrize("desktop", ["D", "D2"])
def test_what_each_of_them_leaves_out_is_found(tmp_path, desktop):
    """Without its lifecycle.preference, however much of the file has been read so far."""
    kept = []
    for line in (TRACES / "two-have-come.jsonl").read_text("utf-8").splitlines():
        event = msgspec.json.decode(line)
        if event.get("sender") == desktop:
            if event.get("frame", {}).get("type") == "lifecycle.preference":
                event["frame"] = {"v": 1, "type": "ping", "id": "x", "ts": 1, "payload": {}}
            elif event.get("type") == "lifecycle.preference":
                event["type"] = "ping"
        kept.append(msgspec.json.encode(event).decode())
    path = tmp_path / "run.jsonl"
    path.write_text("\n".join(kept) + "\n", "utf-8")
    one = Session.of_file(path)
    one.know(one.last)
    [violation] = one.violations
    assert violation.invariant == "preference-is-said-again"
    assert violation.text.startswith(f"{desktop} has not repeated")
