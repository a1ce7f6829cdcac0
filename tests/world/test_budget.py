"""Fault budgets, as people write them."""

import pytest

from sim.core.errors import UsageError
from sim.world.fault import Budget


@pytest.mark.parametrize(
    ("text", "budget"),
    [
        ("", Budget()),
        ("cut", Budget(cut=1)),
        ("cut:", Budget(cut=1)),
        ("cut:2,duplicate:3", Budget(cut=2, duplicate=3)),
        (" lose:1 , , crash:0 ", Budget(lose=1)),
    ],
)
def test_a_budget_is_words_with_counts(text, budget):
    assert Budget.parse(text) == budget


@pytest.mark.parametrize(
    "text", ["cat", "cut:x", "cut:-1", "cut:1:2", "cut 1", ":3", "cut:²", "cut:1234567", "CUT"]
)
def test_a_budget_that_cannot_be_read_is_answered_with_the_words_that_can(text):
    with pytest.raises(UsageError, match="lose, duplicate, delay, cut, crash, channel") as caught:
        Budget.parse(text)
    assert repr(text) in str(caught.value)


def test_a_word_that_is_counted_twice_is_asked_for_once():
    """The last count would win in silence, and the run would not be the one that was meant."""
    with pytest.raises(UsageError, match="channel is counted already; write it once"):
        Budget.parse("channel:1,channel:4")
