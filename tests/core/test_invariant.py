from sim.core.event import Noted, TimerFired
from sim.core.invariant import Invariant, Monitor, Violation
from tests.world.play import Play


class NothingBad(Invariant):
    name = "nothing-bad"
    sentence = "No host notes anything bad."

    def handlers(self):
        return {Noted: self.on_note}

    def on_note(self, event):
        self.exercised += 1
        return f"{event.host} noted {event.what}" if event.what == "bad" else None


class SomethingGood(Invariant):
    name = "something-good"
    sentence = "Some host notes something good in the end."

    def __init__(self):
        super().__init__()
        self.good = False

    def handlers(self):
        return {Noted: self.on_note, TimerFired: self.on_timer}

    def on_note(self, event):
        self.good = self.good or event.what == "good"

    def on_timer(self, event):
        return "timers are not good"

    def at_end(self):
        if not self.good:
            yield "nothing good"
            yield "nothing good at all"


def watched(*notes):
    play = Play()
    monitor = Monitor([NothingBad(), SomethingGood()])
    monitor.attach(play.world.watch)
    play.host("D")
    for n, what in enumerate(notes, 1):
        play.world.record(Noted(n, 0, -1, "D", what, None))
    return monitor


def test_an_invariant_that_always_holds_breaks_at_the_event_that_breaks_it():
    monitor = watched("good", "bad", "fine", "bad")
    assert monitor.violations == [Violation("nothing-bad", 2, "D noted bad")]


def test_an_invariant_breaks_once_even_when_it_is_broken_again():
    monitor = watched("bad", "bad")
    monitor.finish(3)
    assert [v.invariant for v in monitor.violations] == ["nothing-bad", "something-good"]


def test_what_never_came_true_is_said_at_the_end_with_the_last_step():
    monitor = watched("fine")
    assert monitor.violations == []
    monitor.finish(1)
    assert monitor.violations == [Violation("something-good", 1, "nothing good")]


def test_a_run_that_keeps_all_invariants_has_no_violations():
    monitor = watched("good")
    monitor.finish(1)
    assert monitor.violations == []


def test_an_invariant_tells_how_often_a_run_exercised_it():
    monitor = watched("fine", "good", "fine")
    assert [invariant.exercised for invariant in monitor.invariants] == [3, 0]


def test_an_invariant_hears_only_of_the_events_that_it_wants():
    monitor = Monitor([Invariant()])
    monitor.attach(lambda kind, handler: (_ for _ in ()).throw(AssertionError(kind)))
    monitor.finish(0)
    assert monitor.violations == []
