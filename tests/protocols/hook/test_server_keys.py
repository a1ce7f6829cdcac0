"""The keys that conversations have: two of them never share one, and a restart changes none."""

from __future__ import annotations

import pytest

from sim.protocols.hook import HOOK_PROVIDERS, TaskDispatch
from tests.protocols.hook.accounts_play import GROUP, AccountsPlay

PLACES = [
    ("slack:T1:C1:m1", {}),
    ("slack:T1:C1:m7", {"thread": "m7"}),
    ("slack:T2:T2.C1:m1", {"chat": "T2.C1"}),
    ("telegram::10001:dm", {"channel": "TG"}),
    ("telegram:group:Alice:-1001:", {"channel": "TG", "chat": GROUP}),
    ("telegram:group:Alice:-1001:77", {"channel": "TG", "chat": GROUP, "thread": "77"}),
    ("x::public:x1", {"channel": "XX"}),
]


def bound() -> AccountsPlay:
    """Alice's desktop is connected on every lane and bound on each, on Slack in two teams."""
    play = AccountsPlay(bound=True)
    for lane in reversed(HOOK_PROVIDERS):
        play.join(lane)
    play.sign_in(team="T2")
    return play


def keys(play: AccountsPlay) -> list[str]:
    """The keys of all tasks, in order, each once."""
    return list(dict.fromkeys(task.external_key for task in play.got(TaskDispatch)))


def speak(play: AccountsPlay, where: dict[str, str]) -> None:
    """Alice asks the bot something there."""
    channel = where.get("channel", "IM")
    play.types("@bot go", channel=channel, **{k: v for k, v in where.items() if k != "channel"})


@pytest.mark.parametrize(("key", "where"), PLACES, ids=[key for key, _ in PLACES])
def test_a_conversation_has_this_key(key: str, where: dict[str, str]) -> None:
    """HK-08, HK-165"""
    play = bound()
    speak(play, where)
    assert keys(play) == [key]


@pytest.mark.parametrize(("key", "where"), PLACES, ids=[key for key, _ in PLACES])
def test_a_task_that_was_unanswered_has_the_same_key_after_a_restart(
    key: str, where: dict[str, str]
) -> None:
    """HK-08, HK-53"""
    play = bound()
    speak(play, where)
    before = len(play.got(TaskDispatch))
    play.restart_server()
    for lane in HOOK_PROVIDERS:
        play.join(lane)
    again = play.got(TaskDispatch)[before:]
    assert [task.external_key for task in again] == [key]


def test_all_places_together_have_each_their_own_key() -> None:
    """HK-08"""
    play = bound()
    for _, where in PLACES:
        speak(play, where)
    assert len(keys(play)) == len(PLACES)
