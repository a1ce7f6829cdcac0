import pytest

from sim.core import errors
from sim.core.errors import HooktwinError, ScenarioError, TraceError, UsageError


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ScenarioError("no such word"), "no such word"),
        (ScenarioError("no such word", path="a.mmd"), "a.mmd: no such word"),
        (ScenarioError("bad", path="a.mmd", line=3, column=7), "a.mmd:3:7: bad"),
        (ScenarioError("bad", line=3), "3: bad"),
        (
            ScenarioError("bad", path="a", line=1, column=2, allowed=("cut", "lose")),
            "a:1:2: bad (allowed here: cut, lose)",
        ),
    ],
)
def test_a_scenarios_error_names_its_place_and_the_allowed_words(error, text):
    assert str(error) == text


def test_everything_that_is_raised_on_purpose_has_one_root():
    raised = [e for e in vars(errors).values() if isinstance(e, type) and e is not HooktwinError]
    assert len(raised) >= 7
    assert all(issubclass(e, HooktwinError) for e in raised)


def test_errors_of_input_are_told_apart_from_our_own():
    assert issubclass(ScenarioError, UsageError)
    assert issubclass(TraceError, UsageError)
    assert not issubclass(errors.SimInternalError, UsageError)
