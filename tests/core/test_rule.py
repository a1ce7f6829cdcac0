import attrs
import pytest

from sim.core.errors import UsageError
from sim.core.rule import Rule, rule, switch_off, table_of


@attrs.frozen
class HouseRules:
    shut_the_door: bool = rule("R-1", "R-2", by="guest", reason="cats", without="no cats")
    pay_first: bool = rule("R-3", by="guest", reason="trust", without="debts")


def test_rules_are_on_unless_switched_off():
    assert HouseRules() == HouseRules(shut_the_door=True, pay_first=True)
    off = switch_off(HouseRules, frozenset({"pay-first"}))
    assert off == HouseRules(shut_the_door=True, pay_first=False)
    assert switch_off(HouseRules, frozenset()) == HouseRules()


def test_the_table_of_rules_is_in_order_of_declaration_with_names_as_people_write_them():
    assert table_of(HouseRules) == (
        Rule("shut-the-door", ("R-1", "R-2"), "guest", "cats", "no cats"),
        Rule("pay-first", ("R-3",), "guest", "trust", "debts"),
    )


def test_an_unknown_rule_is_answered_with_the_known_ones():
    with pytest.raises(UsageError, match="unknown rule 'pay-last'; known rules: pay-first, shut"):
        switch_off(HouseRules, frozenset({"pay-last"}))
