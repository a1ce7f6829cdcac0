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
        ("channel:1,channel:4", Budget(channel=4)),
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
