from sim.view.diagram import Diagram
from sim.view.diff import align, first_difference
from sim.view.scene import kind_of
from tests.view.traces import file_of


def identity(event):
    return type(event).__name__, getattr(event, "type", ""), kind_of(getattr(event, "request", ""))


def test_a_run_does_not_differ_from_itself():
    assert first_difference(file_of("typical"), file_of("typical")) is None


def test_a_rule_that_is_off_makes_its_first_difference_where_it_matters():
    on = file_of("reopen-teardown")
    off = file_of("reopen-teardown", ("ownership-at-write",))
    step = first_difference(on, off)
    assert on.line(step) != off.line(step)
    assert all(on.line(n) == off.line(n) for n in range(step))


def test_every_shown_step_of_both_runs_stands_in_one_pair():
    on, off = file_of("reopen-teardown"), file_of("reopen-teardown", ("ownership-at-write",))
    shown = Diagram(on).is_shown
    pairs = align(on, off, identity, shown)
    assert [p.left for p in pairs if p.left >= 0] == [
        n for n in range(on.count) if shown(on.event(n))
    ]
    assert [p.right for p in pairs if p.right >= 0] == [
        n for n in range(off.count) if shown(off.event(n))
    ]
    parted = first_difference(on, off)
    assert all(p.same and p.left == p.right for p in pairs if 0 <= p.left < parted)
    assert all(identity(on.event(p.left)) == identity(off.event(p.right)) for p in pairs if p.same)


def test_each_stretch_of_differences_is_marked_once():
    on, off = file_of("reopen-teardown"), file_of("reopen-teardown", ("ownership-at-write",))
    pairs = align(on, off, identity, Diagram(on).is_shown)
    begun = [i for i, p in enumerate(pairs) if not p.same and (i == 0 or pairs[i - 1].same)]
    assert begun == [i for i, p in enumerate(pairs) if p.stretch]
    assert begun
