import pytest

from sim.core.errors import LocalProtocolError, SimInternalError
from sim.core.table import Machine, Table

DOOR = Table(
    "door",
    "SHUT",
    {"SHUT": {"open": "AJAR", "lock": "LOCKED"}, "AJAR": {"shut": "SHUT"}, "LOCKED": {}},
)


def test_a_trigger_that_the_table_knows_moves_the_machine():
    door = Machine(DOOR)
    assert door.can("open")
    assert door.fire("open") == door.state == "AJAR"


def test_a_forbidden_trigger_names_role_state_trigger_and_what_is_allowed():
    door = Machine(DOOR, "AJAR")
    with pytest.raises(LocalProtocolError, match=r"door in state AJAR cannot 'lock'.*: shut"):
        door.fire("lock")
    assert door.state == "AJAR"


def test_a_final_state_allows_nothing():
    with pytest.raises(LocalProtocolError, match="allowed: nothing"):
        Machine(DOOR, "LOCKED").fire("open")
    assert DOOR.final() == ("LOCKED",)


@pytest.mark.parametrize(
    ("transitions", "complaint"),
    [
        ({"A": {"go": "B"}}, "no state"),
        ({"A": {}, "B": {}}, "never reached: B"),
        ({"B": {}}, "initial A"),
    ],
)
def test_a_table_that_contradicts_itself_cannot_be_made(transitions, complaint):
    with pytest.raises(SimInternalError, match=complaint):
        Table("broken", "A", transitions)


def test_the_diagram_has_an_arrow_for_each_pair_of_states():
    assert DOOR.mermaid() == Machine(DOOR).mermaid()
    assert DOOR.mermaid().splitlines() == [
        "stateDiagram-v2",
        "    [*] --> SHUT",
        "    SHUT --> AJAR: open",
        "    SHUT --> LOCKED: lock",
        "    AJAR --> SHUT: shut",
        "    LOCKED --> [*]",
    ]
    assert repr(Machine(DOOR)) == "<door SHUT>"


def test_a_table_notes_its_rows_where_somebody_wants_to_know():
    door = Table("door", "SHUT", {"SHUT": {"open": "AJAR"}, "AJAR": {"shut": "SHUT"}})
    door.step("SHUT", "open")
    door.used = {}
    assert door.after("SHUT", "open") == "AJAR"
    assert not door.used
    door.step("AJAR", "shut")
    assert list(door.used) == [("AJAR", "shut")]
    assert [row for row in door.rows() if row not in door.used] == [("SHUT", "open")]
