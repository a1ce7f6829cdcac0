import re
from collections import Counter

from sim.core import entropy
from sim.core.entropy import Stream, mix64, nth_between, origin

UUID4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


def test_an_id_has_the_form_of_a_uuid_of_version_4():
    stream = Stream(1, "ids")
    ids = [stream.uuid4() for _ in range(500)]
    assert all(UUID4.fullmatch(one) for one in ids)
    assert len(set(ids)) == 500


def test_every_free_bit_of_an_id_takes_both_values():
    stream = Stream(2, "ids")
    values = [int(stream.uuid4().replace("-", ""), 16) for _ in range(300)]
    varying = 0
    for value in values:
        varying |= value ^ values[0]
    assert varying.bit_count() == 122


def test_a_stream_repeats_itself_and_no_other():
    def draws(seed, name):
        stream = Stream(seed, name)
        return [stream.draw64() for _ in range(5)]

    assert draws(1, "a") == draws(1, "a")
    assert len({tuple(draws(*of)) for of in [(1, "a"), (1, "b"), (2, "a")]}) == 3


def test_draws_spread_evenly_over_their_range():
    stream = Stream(3, "dice")
    counts = Counter(stream.between(1, 6) for _ in range(6_000))
    assert sorted(counts) == [1, 2, 3, 4, 5, 6]
    assert all(850 < count < 1_150 for count in counts.values())


def test_stateless_draws_spread_evenly_too():
    counts = Counter(nth_between(origin(4, "link"), nth, 0, 9) for nth in range(10_000))
    assert sorted(counts) == list(range(10))
    assert all(850 < count < 1_150 for count in counts.values())


def test_a_range_of_one_value_gives_that_value():
    assert nth_between(123, 4, 7, 7) == 7
    assert Stream(1, "x").between(7, 7) == 7


def test_fractions_lie_between_zero_and_one():
    stream = Stream(5, "fractions")
    fractions = [stream.fraction() for _ in range(2_000)]
    assert all(0 <= fraction < 1 for fraction in fractions)
    assert 0.45 < sum(fractions) / len(fractions) < 0.55


def test_the_mixer_is_the_published_one():
    # splitmix64 seeded with 1234567, first output
    assert mix64((1234567 + 0x9E3779B97F4A7C15) & ((1 << 64) - 1)) == 6457827717110365317


def test_real_time_and_real_ids_are_there_for_code_outside_a_run():
    assert entropy.wall_ms() > 1_700_000_000_000
    assert UUID4.fullmatch(entropy.real_uuid4())
