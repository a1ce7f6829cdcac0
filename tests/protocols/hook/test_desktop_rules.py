"""Desktop twin: rules of the connection, the queue and the cards, on and off."""

from __future__ import annotations

from typing import Any

from sim.protocols.hook import InteractionDecision
from sim.protocols.hook.acts import (
    AgentAsks,
    AgentEnds,
    AgentProgresses,
    ChangeWorkspaces,
    Login,
    Retry,
    Toggle,
)
from sim.protocols.hook.desktop import DesktopSettings
from sim.protocols.hook.desktop.progress import WAITING, cut
from sim.protocols.hook.machine_desktop import OFFLINE
from sim.wire.javascript import utf16_length
from tests.protocols.hook.desktop_play import Play
from tests.protocols.hook.test_desktop_bindings import notes


def without(*rules: str, **more: Any) -> Play:
    return Play(rules_off=rules, **more)


def answers(play: Play) -> list[tuple[str, str]]:
    return [(d["button"], d["by"]) for d in notes(play, "agent") if d["did"] == "answered"]


def press(play: Play, card: Any, button: str) -> None:
    play.say(
        InteractionDecision(
            request_id=card.request_id, interaction_id=card.interaction_id, button_id=button
        )
    )


# ---- connection ----------------------------------------------------------------


def sockets_after_refusal(play: Play) -> int:
    play.welcomes = False
    for _ in range(6):
        play.close(4000, "device already connected")
        play.pass_time(8)
    return len(play.sockets)


def test_a_second_process_waits_half_a_minute_rc_76() -> None:
    assert sockets_after_refusal(Play()) <= 3
    assert sockets_after_refusal(without("standby")) > 4


def test_delays_grow_while_the_server_is_away_rc_79() -> None:
    dials = []
    for play in (Play(), without("backoff")):
        play.go_offline()
        before = len(play.world.events)
        play.pass_time(60)
        events = play.world.events[before:]
        dials.append(sum(type(e).__name__ == "ConnectionRefused" for e in events))
    assert dials[0] < 8
    assert dials[1] > 50


def test_a_changed_folder_list_is_told_at_once_hk_49() -> None:
    for play, hellos in ((Play(), 2), (without("hello_again"), 1)):
        play.do(ChangeWorkspaces(("new",)))
        assert len(play.frames("hello")) == hellos


def test_chat_is_the_first_folder_hk_48() -> None:
    assert Play(workspaces=("web", "chat")).last("hello").workspaces == ("chat", "web")
    play = without("chat_first", workspaces=("chat", "web"))
    assert play.last("hello").workspaces == ("web", "chat")


def test_a_deleted_default_folder_is_cleared_hk_56() -> None:
    x = {"lanes": ("x",), "default_workspace": "web"}
    for play, default in ((Play(**x), None), (without("default_cleared", **x), "web")):
        assert play.last("hello").default_workspace == "web"
        play.do(ChangeWorkspaces((), default="web"))
        assert (play.last("hello").default_workspace or None) == default


def test_a_queue_takes_twenty_and_no_more_rc_41() -> None:
    for play, last in ((Play(), "rejected"), (without("queue_limit"), "queued")):
        for n in range(22):
            play.dispatch(f"R{n}", seconds=0.1)
        acks = play.frames("task.ack")
        assert [a.queue_position for a in acks[:3]] == [None, 0, 1]
        assert acks[-1].result == last


# ---- cards ---------------------------------------------------------------------


def test_the_first_answer_counts_hk_47() -> None:
    for play, count in ((Play(), 1), (without("first_answer_wins"), 2)):
        play.dispatch("R1")
        play.do(AgentAsks())
        card = play.last("interaction.request")
        press(play, card, "perm:deny")
        press(play, card, "perm:allow")
        assert len(answers(play)) == count


def test_silence_grants_nothing_hk_12() -> None:
    for play, button in ((Play(), "perm:deny"), (without("safe_default"), "perm:allow")):
        play.dispatch("R1")
        play.do(AgentAsks())
        play.stay(1801)
        assert answers(play) == [(button, "time limit")]


def test_a_round_asks_at_the_desktop_only_hk_174() -> None:
    for play, count in ((Play(), 0), (without("no_cards_in_rounds"), 1)):
        play.dispatch("R1")
        play.do(AgentEnds(status="error", error="x"))
        play.do(Retry())
        play.do(AgentAsks())
        assert len(play.frames("interaction.request")) == count


def test_what_is_always_allowed_is_not_asked_again() -> None:
    play = Play()
    play.dispatch("R1")
    play.do(AgentAsks(title="Run tests?"))
    press(play, play.last("interaction.request"), "perm:always")
    play.do(AgentAsks(title="Run tests?"))
    play.do(AgentAsks(title="Delete all?"))
    assert [c.title for c in play.frames("interaction.request")] == ["Run tests?", "Delete all?"]
    play.dispatch("R2", key="another")
    play.do(AgentAsks(title="Run tests?", request="R2"))
    assert len(play.frames("interaction.request")) == 3


def test_several_cards_of_a_task_are_open_at_once() -> None:
    play = Play()
    play.dispatch("R1")
    play.do(AgentAsks(title="a"))
    play.do(AgentAsks(title="b", kind="plan_review"))
    first, second = play.frames("interaction.request")
    press(play, second, "plan:approve")
    press(play, first, "plan:approve")  # no button of this card
    press(play, first, "perm:allow")
    assert [button for button, _ in answers(play)] == ["plan:approve", "perm:allow"]
    assert not play.frames("interaction.cancel")


def test_a_question_offers_six_answers_at_most() -> None:
    play = Play()
    play.dispatch("R1")
    buttons = tuple((f"ask:{n}", str(n), "default") for n in range(9))
    play.do(AgentAsks(kind="ask_user_question", title="Which?", buttons=buttons))
    assert len(play.last("interaction.request").buttons) == 6


# ---- progress ------------------------------------------------------------------


def test_a_line_says_that_the_task_waits_for_an_answer() -> None:
    play = Play()
    play.dispatch("R1")
    play.do(AgentProgresses("work"), 2)
    play.do(AgentAsks(), 2)
    assert play.last("turn.progress").text == f"work\n\n{WAITING}"
    press(play, play.last("interaction.request"), "perm:allow")
    play.pass_time(2)
    assert play.last("turn.progress").text == "work"


def test_a_quiet_task_shows_how_long_it_takes() -> None:
    play = Play()
    play.dispatch("R1")
    play.pass_time(20)
    assert not play.frames("turn.progress")  # there is nothing to show yet
    play.do(AgentProgresses("work"), 2)
    play.forget()
    play.pass_time(10)
    texts = [f.text for f in play.frames("turn.progress")]
    assert len(texts) == 2
    assert all(t.startswith("work\n\n⏱ ") for t in texts)
    play.do(AgentEnds(text="done"))
    play.forget()
    play.stay(30)
    assert not play.frames("turn.progress")
    still = Play(settings=DesktopSettings(idle_refresh_us=0))
    still.dispatch("R1")
    still.do(AgentProgresses("work"), 20)
    assert len(still.frames("turn.progress")) == 1


def test_limits_are_counted_in_utf_16_units() -> None:
    for text in ("a" * 30, "😀" * 30, "a😀" * 20, "é" * 30):
        for limit in (10, 11):
            short = cut(text, limit)
            assert limit - 1 <= utf16_length(short) <= limit
            assert short.endswith("…")
    assert cut("😀" * 5, 10) == "😀" * 5
    play = Play()
    play.dispatch("R1")
    play.do(AgentProgresses("😀" * 3_000), 2)
    assert utf16_length(play.last("turn.progress").text) <= 3_800


def test_a_desktop_that_is_switched_off_stays_offline_over_logins() -> None:
    play = Play()
    play.do(Toggle(on=False))
    play.do(Login("another"), 5)
    assert play.desktop().lanes["slack"].state == OFFLINE
    assert len(play.sockets) == 1
