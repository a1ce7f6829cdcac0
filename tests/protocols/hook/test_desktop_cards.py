"""Desktop twin: the agent's questions."""

from __future__ import annotations

from typing import Any

from sim.core.event import Noted
from sim.protocols.hook import InteractionDecision, TaskCancel
from sim.protocols.hook.acts import AgentAsks, AgentEnds, AnswerCard
from tests.protocols.hook.desktop_play import Play


def answers(play: Play) -> list[tuple[str, str]]:
    """What was decided, and by whom."""
    notes: list[dict[str, Any]] = [
        e.data for e in play.world.events if isinstance(e, Noted) and e.what == "agent"
    ]
    return [(d["button"], d["by"]) for d in notes if d["did"] == "answered"]


def asking(**card: Any) -> Play:
    play = Play()
    play.dispatch("R1")
    play.do(AgentAsks(**card))
    return play


def press(play: Play, button: str, request: str = "R1", card: str = "") -> None:
    card = card or play.last("interaction.request").interaction_id
    play.say(InteractionDecision(request_id=request, interaction_id=card, button_id=button))


def test_a_permission_card_has_three_buttons_and_short_texts() -> None:
    play = asking(title="t" * 100, body="b" * 1000)
    card = play.last("interaction.request")
    assert [b.id for b in card.buttons] == ["perm:allow", "perm:always", "perm:deny"]
    assert (len(card.title), len(card.body)) == (60, 600)


def test_a_card_carries_at_most_24_buttons_with_unique_ids_and_no_bar() -> None:
    buttons = (("a|b", "bad", "primary"), ("x", "X", "loud"), ("x", "Y", "danger"))
    many = tuple((f"b{n}", "l" * 50, "default") for n in range(30))
    play = asking(kind="plan_review", buttons=buttons + many, body="b" * 2000)
    card = play.last("interaction.request")
    ids = [b.id for b in card.buttons]
    assert len(ids) == 24
    assert ids[:2] == ["x", "b0"]
    assert max(len(b.label) for b in card.buttons) == 30
    assert len(card.body) == 1500


def test_a_decision_is_taken_and_no_cancel_follows() -> None:
    play = asking()
    press(play, "perm:allow")
    play.do(AgentEnds(text="done"))
    assert answers(play) == [("perm:allow", "channel")]
    assert "interaction.cancel" not in play.types()


def test_unknown_buttons_cards_and_requests_leave_the_card_open() -> None:
    play = asking()
    press(play, "perm:root")
    press(play, "perm:allow", request="R2")
    press(play, "perm:allow", card="nobody")
    assert answers(play) == []
    press(play, "perm:deny")
    assert answers(play) == [("perm:deny", "channel")]


def test_the_first_answer_wins() -> None:
    play = asking()
    press(play, "perm:deny")
    press(play, "perm:allow")
    play.do(AnswerCard("perm:allow"))
    assert answers(play) == [("perm:deny", "channel")]


def test_an_answer_on_the_desktop_takes_the_buttons_off_in_the_channel() -> None:
    play = asking()
    play.do(AnswerCard("perm:root"))
    play.do(AnswerCard("perm:allow"))
    press(play, "perm:deny")
    assert answers(play) == [("perm:allow", "desktop")]
    assert play.last("interaction.cancel").reason == "answered on the desktop"


def test_after_30_minutes_the_safe_default_holds_and_nothing_is_granted() -> None:
    play = asking()
    for _ in range(65):
        play.pass_time(30)
    assert answers(play) == [("perm:deny", "time limit")]
    assert play.last("interaction.cancel").reason == "timed out"


def test_open_cards_are_cancelled_before_the_end() -> None:
    play = asking()
    play.do(AgentAsks(kind="ask_user_question", title="Which?"))
    play.say(TaskCancel(request_id="R1"))
    assert play.types()[-3:] == ["interaction.cancel", "interaction.cancel", "turn.end"]
    assert answers(play) == [("perm:deny", "turn end"), ("", "turn end")]
    press(play, "perm:allow", card=play.frames("interaction.request")[0].interaction_id)
    assert len(answers(play)) == 2


def test_without_the_rule_dead_cards_stay_in_the_channel() -> None:
    play = Play(rules_off=("cancel_cards_at_end",))
    play.dispatch("R1")
    play.do(AgentAsks())
    play.do(AgentEnds(text="done"))
    assert "interaction.cancel" not in play.types()


def test_a_card_that_was_asked_offline_is_not_sent_later() -> None:
    play = Play()
    play.dispatch("R1")
    play.go_offline()
    play.do(AgentAsks())
    play.come_back()
    assert "interaction.request" not in play.types()


def test_a_decision_on_a_later_socket_counts() -> None:
    play = asking()
    play.close()
    play.pass_time(3)
    press(play, "perm:allow")
    assert answers(play) == [("perm:allow", "channel")]


def test_cards_do_not_survive_a_restart() -> None:
    play = asking()
    play.restart_desktop()
    press(play, "perm:allow")
    assert answers(play) == []
    assert "interaction.cancel" not in play.types()
