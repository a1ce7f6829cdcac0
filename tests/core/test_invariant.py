import pytest

from sim.core.errors import SimInternalError
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


class NoiseStops(Invariant):
    name = "noise-stops"
    sentence = "A host is silent after it was told to be."
    ALIKE = True

    def __init__(self):
        self.told = False

    def handlers(self):
        return {Noted: self.on_any}

    def sorted_handlers(self):
        return {(Noted, "noise"): self.on_noise}

    def on_any(self, event):
        self.told = self.told or event.what == "hush"

    def on_noise(self, event):
        return f"{event.host} makes noise" if self.told else None


class NoNoise(NoiseStops):
    name = "no-noise"

    def on_noise(self, event):
        return "noise"


def violations(*notes, of=NoiseStops):
    play = Play()
    monitor = Monitor([of()])
    monitor.attach(play.world.watch)
    for n, what in enumerate(notes):
        play.world.record(Noted(n, 0, -1, "D", what, None))
    return [(one.step, one.text) for one in monitor.violations]


def test_invariants_that_are_alike_share_no_state_between_runs():
    assert violations("hush", "noise") == [(1, "D makes noise")]
    assert violations("noise") == []
    assert violations("noise", "hush") == []


def test_a_class_that_is_alike_is_heard_with_its_own_methods():
    assert violations("noise") == []
    assert violations("noise", of=NoNoise) == [(0, "noise")]


def test_what_is_alike_cannot_hand_out_what_only_one_instance_has():
    class Odd(NoiseStops):
        def handlers(self):
            return {Noted: lambda event: "odd"}

    with pytest.raises(SimInternalError, match=r"Odd is ALIKE, but .* is no method of its own"):
        violations("noise", of=Odd)


def test_an_invariant_that_hears_a_sort_and_the_whole_kind_hears_the_kind_first():
    heard = []

    class Both(Invariant):
        name = "both"

        def handlers(self):
            return {Noted: lambda event: heard.append("kind")}

        def sorted_handlers(self):
            return {(Noted, "a"): lambda event: heard.append("sort")}

    violations("a", "b", of=Both)
    assert heard == ["kind", "sort", "kind"]


class Told(Invariant):
    """Hears of noise only where a view has found some."""

    name = "told"

    def __init__(self, news):
        self.news = news
        self.heard = []

    def handlers(self):
        return {Noted: self._heard}

    def hears_news(self):
        return {Noted: ("noise",)}

    def _heard(self, event):
        self.heard.append(event.n)
        return "noise"


def test_who_hears_news_is_asked_only_where_there_are_some_of_its_words():
    play, news = Play(), []
    monitor = Monitor([one := Told(news), SpeaksUp()])
    monitor.attach(play.world.watch)
    for n, words in enumerate([(), ("hush",), ("hush", "noise"), ()]):
        news[:] = [(word, None) for word in words]
        play.world.record(Noted(n, 0, -1, "D", "any", None))
    assert one.heard == [2]
    assert [(one.invariant, one.step) for one in monitor.violations] == [
        ("speaks-up", 0),
        ("told", 2),
    ]


class SpeaksUp(Invariant):
    name = "speaks-up"

    def handlers(self):
        return {Noted: lambda event: "any"}


def test_a_monitor_judges_by_the_news_of_one_view():
    with pytest.raises(SimInternalError, match="make two monitors"):
        Monitor([Told([]), Told([])]).attach(Play().world.watch)
