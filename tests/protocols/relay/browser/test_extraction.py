"""Five formats of content, from pages as people write them."""

import random
import re
from pathlib import Path

import pytest

from sim.core.fence import fenced
from sim.protocols.relay.browser.extraction import (
    FORMATS,
    NothingSelected,
    SelectorError,
    extract,
    matches,
    outline,
    title_of,
)

PAGES = Path(__file__).parents[3] / "data" / "relay" / "pages"
BASE = "https://site.example/a/b/page.html"
FILES = sorted(path.name for path in PAGES.glob("*.html"))


def page(name):
    return (PAGES / name).read_text(encoding="utf-8")


def test_an_article_becomes_markdown_without_what_stands_around_it():
    markdown = extract(page("blog.html"), "markdown", base_url=BASE)
    assert markdown.startswith("# Repairing a folding stool\n\nBy Mira Voss on 14 March\n\n")
    assert "\n## The leg\n" in markdown
    assert "2. Cut a new pin, **two millimetres** too long." in markdown
    assert "> Canvas forgives everything but impatience." in markdown
    assert "[what to do with stuck pins](https://site.example/a/pins/stuck.html)" in markdown
    assert "![A stool leg with a new pin](https://site.example/img/leg.jpg)" in markdown
    for around in ("biscuits", "Tools", "ADVERT", "Related", "comments", "Skip", "dataLayer"):
        assert around not in markdown


def test_distilled_html_is_the_article_and_clean_html_the_whole_page():
    distilled = extract(page("blog.html"), "distilled_html", base_url=BASE)
    clean = extract(page("blog.html"), "clean_html", base_url=BASE)
    assert distilled.startswith("<article itemscope")
    assert 'href="https://site.example/a/pins/stuck.html"' in distilled
    assert "ADVERT" not in distilled
    assert 'href="../pins/stuck.html"' in clean
    for kept in ("<nav>", "ADVERT", '<time datetime="2026-03-14">', 'role="banner"'):
        assert kept in clean
    for gone in ("onclick", "class=", "width=", "<style", "<script", "biscuits"):
        assert gone not in clean


def test_text_is_all_that_a_person_sees_in_the_order_of_the_page():
    text = extract(page("blog.html"), "text")
    seen = ["Tools", "Repairing a folding stool", "1. Clean the hole.", "ADVERT", "Related"]
    assert [text.index(words) for words in seen] == sorted(text.index(words) for words in seen)
    assert "biscuits" not in text
    assert "<" not in text


def test_raw_html_is_what_the_server_sent_byte_for_byte():
    for name in FILES:
        assert extract(page(name), "raw_html") == page(name)


def test_code_keeps_its_lines_its_signs_and_its_language():
    markdown = extract(page("manual.html"), "markdown")
    assert "```sh\n$ pkg add tidecalc   # three spaces before the hash\n" in markdown
    assert "````\nif a < b && c:\n\tindented with a tab\n```not a fence```\n````" in markdown
    assert "`0 <= h < 24`" in markdown
    assert r"A star, \*, and an under\_score" in markdown
    assert '<code class="language-sh">' in extract(page("manual.html"), "clean_html")
    assert "if a < b && c:\n\tindented with a tab\n" in extract(page("manual.html"), "text")


def test_tables_become_tables_of_markdown_whatever_they_span():
    lines = extract(page("report.html"), "markdown").splitlines()
    assert lines[0] == "# Pegelstände im März"
    assert "Meter über Null" in lines
    table = [line for line in lines if line.startswith("|")]
    assert table[:4] == [
        "| Ort | früh | spät |",
        "| --- | --- | --- |",
        "| Alte Mole | 3,1 | 0,4 |",
        r"| Speicher \| Ost | gesperrt |  |",
    ]
    assert "| innen |  |" in table
    assert 'colspan="2"' in extract(page("report.html"), "clean_html")


def test_rows_that_are_spanned_from_above_keep_their_columns():
    html = (
        "<table><tr><th>a<th>b<tr><td rowspan=2>z<td>1<tr><td>2"
        "<tr><td colspan=99999 rowspan=0>w<tr><td colspan=x>v</table>"
    )
    rows = extract(html, "markdown").splitlines()
    assert rows == ["| a | b |", "| --- | --- |", "| z | 1 |", "|  | 2 |", "| w |  |", "| v |  |"]
    html = "<table><tr><td>a<td>b<td rowspan=2>c<tr><td colspan=2>d<tr><td>e</table>"
    rows = extract(html, "markdown").splitlines()
    assert rows == ["| a | b | c |", "| --- | --- | --- |", "| d |  |  |", "| e |  |  |"]


@pytest.mark.parametrize("format", ["markdown", "distilled_html", "clean_html", "text"])
def test_every_script_and_sign_of_other_languages_comes_through(format):
    found = extract(page("languages.html"), format)
    for words in (
        "潮水每天来两次。",
        "يأتي المد مرتين",
        "घड़ी ज्वार गिनती है।",
        "Η παλίρροια",
        "🌊⚓👩🏽‍✈️",
        "🚢",
        "e\u0301",
    ):
        assert words in found


def test_the_direction_and_language_of_a_text_are_kept_in_clean_html():
    assert '<p lang="ar" dir="rtl">' in extract(page("languages.html"), "clean_html")


def test_broken_markup_is_mended_and_nothing_of_it_is_lost():
    text = extract(page("broken.html"), "text")
    for words in ("Unclosed tags", "Second", "out", "* three", "thrown out of the table"):
        assert words in text
    for words in (
        "cell",
        "second row",
        "second link",
        "5 < 6 && 7 > 2 & <script>alert(1)</script>",
    ):
        assert words in text
    assert text.endswith("after the end")
    assert title_of("<title>Unclosed & odd</title") == "Unclosed & odd</title"


def test_what_was_escaped_stays_escaped_in_html_and_markdown():
    assert "&lt;script&gt;alert(1)" in extract(page("broken.html"), "clean_html")
    assert "<script>alert(1)" not in extract(page("broken.html"), "markdown").replace(r"\<", "")


@pytest.mark.parametrize("format", ["markdown", "distilled_html", "clean_html", "text"])
def test_nothing_that_runs_or_is_hidden_is_extracted(format):
    found = extract(page("scripts.html"), format)
    assert "Visible" in found
    assert "a link that runs" in found
    shouted = re.findall(r"\b[A-Z]{4,}(?:-[A-Z]+)*\b", found)
    assert shouted == []


def test_labels_for_people_who_listen_are_kept_in_clean_html():
    clean = extract(page("scripts.html"), "clean_html")
    assert '<button type="button" aria-label="Reload the list">Reload</button>' in clean
    assert 'placeholder="Search" value="tides"' in clean
    assert "data-user" not in clean


def test_a_listing_is_not_mistaken_for_its_longest_entry():
    markdown = extract(page("listing.html"), "markdown", base_url=BASE)
    assert [f"/bench/{n})" in markdown for n in (1, 2, 3, 4)] == [True] * 4
    assert "Next page" not in markdown


def test_a_page_without_any_landmark_keeps_its_prose():
    for format in ("markdown", "distilled_html", "text"):
        found = extract(page("soup.html"), format)
        assert "no mercy" in found
        assert "This is the third of them" in found


@pytest.mark.parametrize("html", ["", "   ", "<!doctype html>", None])
@pytest.mark.parametrize("format", FORMATS)
def test_an_empty_page_gives_an_empty_text(format, html):
    html = page("empty.html") if html is None else html
    assert extract(html, format) == (html if format == "raw_html" else "")


@pytest.mark.parametrize("format", FORMATS)
def test_a_huge_page_is_extracted_whole(format):
    paragraph = "<p>Line {} of a long page, with commas, and <b>bold</b> words.</p>"
    html = "<main>" + "".join(paragraph.format(n) for n in range(1_500)) + "</main>"
    found = extract(html, format)
    assert "Line 0 of" in found
    assert "Line 1499 of" in found


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("opening", ["<div>", "<b>", "<ul><li>", "<blockquote>"])
def test_a_page_of_nothing_but_nesting_breaks_nothing(format, opening):
    assert "kernel" in extract(opening * 600 + "kernel", format)


@pytest.mark.parametrize("name", FILES)
def test_the_same_page_always_gives_the_same_content_and_asks_no_clock(name):
    html = page(name)
    before = [extract(html, format) for format in FORMATS]
    with fenced(strict=True):
        assert [extract(html, format) for format in FORMATS] == before


def test_addresses_that_nobody_can_read_stay_as_they_are():
    html = "<p><a href='http://[::1'>a</a> <a href='//[x'>b</a> <a href='c?d#e'>c</a></p>"
    found = extract(html, "distilled_html", base_url=BASE)
    assert 'href="http://[::1"' in found
    assert 'href="//[x"' in found
    assert 'href="https://site.example/a/b/c?d#e"' in found
    assert "](http://[::1)" in extract(html, "markdown", base_url=BASE)


@pytest.mark.parametrize(
    ("told", "whole"),
    [("/else/", "https://site.example/else/x"), ("//[", "https://site.example/a/b/x")],
)
def test_addresses_start_from_where_the_page_says_if_that_can_be_read(told, whole):
    html = f"<head><base href='{told}'></head><p><a href='x'>x</a></p>"
    found = extract(html, "markdown", base_url=BASE)
    assert found in (f"[x]({whole})", "[x](x)")
    assert (found == "[x](x)") is (told == "//[")


def test_no_soup_of_tags_whatsoever_breaks_a_format():
    letters = random.Random(11)
    tags = "p div b i a table tr td th ul ol li pre code svg math template select option main"
    tags += " article nav body html head title h1 blockquote dl dt form script style br frameset"
    bits = [f"<{tag}>" for tag in tags.split()] + [f"</{tag}>" for tag in tags.split()]
    bits += ["<td colspan=3 rowspan=2>", "<base href='//%%'>", "<a href='\ud800'>", "<img alt='|'>"]
    bits += ["\x00", "\ud83d", "🌊", "&#0;", "&", "<!--", "-->", "<![CDATA[", "text ", "*_`#|"]
    for _ in range(60):
        html = "".join(letters.choices(bits, k=40))
        for format in FORMATS:
            assert extract(html, format, base_url=BASE) == extract(html, format, base_url=BASE)
        outline(html)


def test_a_selector_narrows_each_format_to_its_first_element():
    html = page("manual.html")
    assert extract(html, "text", "h2") == "Install"
    assert extract(html, "raw_html", "h2#use") == '<h2 id="use">Use</h2>'
    assert extract(html, "clean_html", "kbd") == "<kbd>q</kbd>"
    assert extract(html, "distilled_html", "dl > dd:last-of-type") == "<dd>helps</dd>"
    assert extract(html, "markdown", "main > p code") == "`tide(h, m)`"
    assert extract(html, "markdown", "h2") == "## Install"
    assert extract(html, "markdown", "pre").startswith("```sh\n$ pkg")
    assert extract(html, "text", "pre.plain").splitlines()[1] == "\tindented with a tab"


def test_a_selector_that_is_wrong_or_fits_nothing_is_told_apart():
    with pytest.raises(SelectorError):
        extract(page("manual.html"), "text", "h2[")
    with pytest.raises(NothingSelected):
        extract(page("manual.html"), "text", "h6")
    assert matches(page("manual.html"), "h6") == []
    assert matches(page("manual.html"), "h2") == ["Install", "Use"]


def test_the_outline_has_what_is_seen_and_nothing_else():
    tags = [tag for tag, _ in outline(page("scripts.html"))]
    assert tags == ["p", "button", "input"]
