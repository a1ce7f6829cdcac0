"""The interface over a run of the question bridge: it knows no word of it, and shows it all."""

from functools import cache

from sim.play import vocabularies
from sim.scenario.parse import parse_scenario
from tests.tui.stage import perform, screen_text, settled, shared
from tui.feeds.runner import run_session
from tui.widgets.pane import Pane

TEXT = """sequenceDiagram
    actor A as Agent
    participant OC as OpenCode
    participant P as pending-store.js
    participant L as permission-listener.js
    participant TG as Telegram
    actor U as User
    A->>OC: question (sessionID=S1, callID=C1, question="Now?", options=["A","B"])
    OC->>OC: question.asked (requestID=Q1, sessionID=S1)
    U->>TG: press custom
    L->>TG: sendMessage (force_reply=true)
    U->>TG: reply "use blue"
    OC->>OC: completed (output~"blue")
"""


@cache
def answered():
    """A custom answer, from the question to the confirmation."""
    session = run_session(parse_scenario(TEXT, "mine.mmd", vocabularies()), driver="step")
    session.finish()
    return session


def first_step(session, holds):
    return next(n for n in range(session.count) if any(map(holds, session.chronicle.messages(n))))


def screen(session, step, view):
    """What stands on the screen at a step."""

    async def script(pilot):
        script.drawn = screen_text(pilot.app)

    perform(session, script, step=step, view=view)
    return script.drawn


def test_the_chat_shows_prompt_reply_toast_and_what_became_of_the_keyboard():
    session = answered()
    drawn = screen(session, session.last, "channels")
    for told in ("[opens a reply to itself]", "use blue", "toast  ", "history 2", "buttons 3"):
        assert told in drawn
    assert "( A )" not in drawn


def test_a_key_of_the_keyboard_can_be_clicked_and_makes_a_branch():
    base = answered()

    async def script(pilot):
        pane = pilot.app.screen.query_one("#channel-TG", Pane)
        place = next(n for n, one in enumerate(pane.content) if any(span.act for span in one.spans))
        await pilot.click("#channel-TG", offset=(3, place - pane.top + 1))
        await settled(pilot)
        script.session = pilot.app.screen.session

    perform(base, script, step=first_step(base, lambda one: one.now.buttons), view="channels")
    assert script.session is not base
    assert script.session.deeds[0].act["button"].startswith("qopt:")
    messages = [one.now.text for one in script.session.chronicle.messages(script.session.last)]
    assert any("A" in text.splitlines()[-1] for text in messages)


def test_the_store_shows_the_question_that_waits():
    base = answered()
    waiting = first_step(base, lambda one: one.message.forces_reply)
    drawn = screen(base, waiting, "hosts")
    assert "hermes-pending.json" in drawn
    assert "awaitingText" in drawn


def test_each_row_of_the_keyboard_is_a_row():
    session = answered()
    step = first_step(session, lambda one: one.now.buttons)
    rows = [one.strip(" ┃") for one in screen(session, step, "channels").split("\n")]
    place = rows.index("( A )")
    assert rows[place + 1] == "( B )"
    assert rows[place + 2].startswith("( ✍")


def test_hosts_show_whole_entries_the_updates_that_wait_and_no_token():
    session = answered()
    step = first_step(session, lambda one: one.message.role == "prompt")
    drawn = screen(session, step, "hosts")
    assert "given as 9001  U  qcustom:" in drawn
    assert "messageId 101" in drawn
    assert "token-" not in drawn


def test_an_update_waits_is_given_and_is_gone_when_the_next_poll_confirms_it():
    session = answered()
    told = [
        [row.text for row in session.chronicle.standing("TG", step)]
        for step in range(session.count)
    ]
    seen = list(dict.fromkeys(text for rows in told for text in rows))
    press, text = "qcustom:", "use blue"
    for mine in (press, text):
        states = [one.partition("  ")[0] for one in seen if mine in one]
        assert states[0] == "waits"
        assert states[1].startswith("given as 900")
    assert told[-1] == []


def test_a_text_that_privacy_withholds_waits_for_nobody():
    session = shared("private-group")
    told = [r.text for n in range(session.count) for r in session.chronicle.standing("TG", n)]
    assert any("qcustom:" in text for text in told)
    assert not any("nobody hears me" in text for text in told)
