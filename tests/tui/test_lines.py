import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tui.drawing import lines
from tui.drawing.lines import Span, cropped, facts, fit, fit_middle, harmless, line, pad, wrap
from tui.glyphs import to_ascii
from tui.language import Speech, from_locale


@given(st.text(max_size=40), st.integers(0, 30))
def test_what_is_fitted_never_takes_more_cells_than_there_are(text, width):
    safe = harmless(text)
    assert cell_len(fit(safe, width)) <= width
    assert cell_len(fit_middle(safe, width)) <= width
    assert cell_len(pad(safe, width)) == width
    assert all(cell_len(row) <= max(width, 4) for row in wrap(text, width))


def test_chinese_takes_two_cells_each():
    assert fit("用户提问了", 6) == "用户…"
    assert wrap("桌面服务器频道", 6) == ["桌面服", "务器频", "道"]
    assert line("用户").at(3).text == "用户"


def test_a_long_label_loses_its_middle():
    assert fit_middle("provider.bind.update confirmed", 16) == "provider.b…irmed"


def test_wrapping_says_that_something_is_left_out():
    assert wrap("one two three four", 5, 2) == ["one", "two…"]


def test_escape_sequences_and_invisible_signs_do_not_reach_a_terminal():
    told = harmless("a\x1b[31mb\u202ec\u0301d\ne")
    assert "\x1b" not in told
    assert "\u202e" not in told
    assert "\u0301" not in told
    assert told.isprintable()


def test_a_cropped_line_keeps_its_roles():
    short = cropped(line(("red", "bad"), ("green", "good")), 5)
    assert short.spans == (Span("red", "bad"), Span("g…", "good"))


def test_facts_stand_in_columns():
    assert [one.text for one in facts([("a", "1"), ("long", "2")], 40)] == ["a     1", "long  2"]


def test_ascii_keeps_the_number_of_cells():
    text = "┃▶ │╌╌▶┊ 用户 ● — …"
    assert to_ascii(text).isascii()
    assert cell_len(to_ascii(text)) == cell_len(text)


def test_a_translation_keeps_the_columns():
    chinese = Speech("zh")
    told = chinese("  event       ")
    assert told != "  event       "
    assert cell_len(told) == cell_len("  event       ")
    assert chinese("turn.end") == "turn.end"
    assert Speech("en")("event") == "event"


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "en_US.UTF-8"}, "en"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"),
        ({"HOOKTWIN_LANG": "zh", "LANG": "en_US"}, "zh"),
        ({}, "en"),
    ],
)
def test_the_locale_chooses_the_language(environment, language):
    assert from_locale(environment) == language


def test_a_word_of_a_megabyte_is_wrapped_as_far_as_it_is_wanted(monkeypatch):
    measured = []

    def counting(text):
        measured.append(len(text))
        return cell_len(text)

    monkeypatch.setattr(lines, "cell_len", counting)
    rows = wrap("a" * 1_000_000, 50, 3)
    assert rows == ["a" * 50, "a" * 50, "a" * 49 + "…"]
    assert sum(measured) < 2_000
