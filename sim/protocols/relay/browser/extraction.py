"""What can be taken out of a page's HTML: five formats, selections, an outline.

With :mod:`.tables` the only module that knows the HTML library (turbohtml). It parses
as browsers do, so broken markup is mended the same way everywhere. All of it is a pure
function of the HTML: nothing is fetched, no script runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from urllib.parse import urljoin

import turbohtml
from turbohtml import Comment, Document, Element, Markdown, Node

from sim.protocols.relay.browser.tables import square_tables

FORMATS: Final = ("markdown", "distilled_html", "clean_html", "raw_html", "text")
_FOR_READERS: Final = ("markdown", "distilled_html")

_UNSEEN: Final = (
    "script, style, noscript, template, link, meta, iframe, object, embed, [hidden], "
    '[style*="display:none" i], [style*="display: none" i]'
)
_AROUND_THE_TEXT: Final = (
    "nav, aside, footer, dialog, [role=navigation], [role=banner], [role=complementary], "
    "[role=contentinfo], [role=search]"
)
_MARKDOWN: Final = Markdown(tables=Markdown.Tables(cell_blocks="text"))
_LANDMARKS: Final = ("article", "main, [role=main]")
_SECTIONS: Final = ("div", "section", "article", "main", "table", "td", "body")
_LEAST_SHARE: Final = 1 / 3
"""A part with less of the page's text than this is not what the page is about."""

_SEMANTIC: Final = frozenset(
    {
        "abbr",
        "action",
        "alt",
        "cite",
        "colspan",
        "content",
        "datetime",
        "dir",
        "disabled",
        "for",
        "headers",
        "href",
        "hreflang",
        "id",
        "itemprop",
        "itemscope",
        "itemtype",
        "label",
        "lang",
        "media",
        "method",
        "name",
        "open",
        "placeholder",
        "rel",
        "required",
        "role",
        "rowspan",
        "scope",
        "selected",
        "span",
        "src",
        "srcset",
        "start",
        "summary",
        "title",
        "type",
        "value",
    }
)
_ADDRESSES: Final = ("href", "src", "action")
_UNSAFE_SCHEMES: Final = ("javascript:", "vbscript:", "data:text/html")
_BLOCKS: Final = "h1, h2, h3, h4, h5, h6, p, li, pre, tr, img, blockquote, input, button"


class SelectorError(ValueError):
    """The text is no CSS selector."""


class NothingSelected(LookupError):
    """The page has no element that the selector fits."""


def extract(html: str, format: str, selector: str = "", base_url: str = "") -> str:
    """The page, or the first element that ``selector`` fits, in one of :data:`FORMATS`.

    ``raw_html`` is the HTML as it was sent (with a selector: that element as the
    browser understood it). With ``base_url``, where the page stands, what is meant for
    readers (markdown and distilled_html) has whole addresses. Raises SelectorError,
    NothingSelected, and KeyError for an unknown format.
    """
    writer = _WRITERS[format]
    if format == "raw_html" and not selector:
        return html
    document = turbohtml.parse(html)
    if base_url and format in _FOR_READERS:
        _make_whole(document, base_url)
    return writer(_selected(document, selector) if selector else document)


def records(html: str, rows: str, fields: Mapping[str, str]) -> list[dict[str, str]]:
    """One record for each element that ``rows`` fits.

    A field is ``selector`` for the text of the first fitting element, or
    ``selector@attribute``; an empty selector is the row itself. What is not there is "".
    """
    return [
        {name: _value(row, place) for name, place in fields.items()}
        for row in turbohtml.parse(html).select(rows)
    ]


def matches(html: str, selector: str) -> list[str]:
    """The texts of all elements that a selector fits. Raises SelectorError."""
    return [_words(one) for one in _chosen(turbohtml.parse(html), selector)]


def title_of(html: str) -> str:
    """What the page calls itself."""
    found = turbohtml.parse(html).select_one("title")
    return "" if found is None else _words(found)


def outline(html: str) -> list[tuple[str, int]]:
    """Tag and number of characters of each block that a person sees, from top to bottom."""
    document = _without_the_unseen(turbohtml.parse(html))
    return [(block.tag, len(_words(block))) for block in document.select(_BLOCKS)]


def _make_whole(document: Document, base_url: str) -> None:
    """Write relative addresses out; what cannot be read as an address stays as it is."""
    told = document.select_one("base[href]")
    base = base_url if told is None else _joined(base_url, told.attr("href") or "")
    document.rewrite_links(lambda address: _joined(base, address))


def _joined(base: str, address: str) -> str:
    try:
        return urljoin(base, address)
    except ValueError:
        return address


def _words(node: Node) -> str:
    return " ".join(node.text.split())


def _chosen(document: Document, selector: str) -> list[Element]:
    try:
        return document.select(selector)
    except ValueError as error:
        raise SelectorError(str(error)) from error


def _selected(document: Document, selector: str) -> Element:
    found = _chosen(document, selector)
    if not found:
        raise NothingSelected(f"no element fits the selector {selector!r}")
    return found[0]


def _value(row: Element, place: str) -> str:
    selector, _, attribute = place.partition("@")
    found = row.select_one(selector) if selector else row
    if found is None:
        return ""
    return (found.attr(attribute) or "") if attribute else _words(found)


def _without_the_unseen(node: Node) -> Node:
    """Drops what no reader sees, and addresses that would run a script."""
    for one in node.select(_UNSEEN):
        one.decompose()
    for element in node.iter_elements(include_self=True):
        for name in _ADDRESSES:
            if _runs(element.attr(name) or ""):
                del element.attrs[name]
    return node


def _body(node: Node) -> Node:
    """What stands in the body of a document; an element is taken as it is."""
    if not isinstance(node, Document):
        return node
    return node.select_one("body") or node


def _main(node: Node) -> Node:
    """The part that a reader came for; all that is seen where no part stands out.

    A landmark that the author has set once goes before the library's guess. Either
    must hold a good share of the text: of twenty posts, the longest is not the page.
    """
    _without_the_unseen(node)
    if not isinstance(node, Document):
        return node
    body = _body(node)
    for one in body.select(_AROUND_THE_TEXT):
        one.decompose()
    found = [body.select(landmark) for landmark in _LANDMARKS]
    parts = [*(one[0] for one in found if len(one) == 1), _guessed(node)]
    least = len(_words(body)) * _LEAST_SHARE
    for part in parts:
        if part is not None and len(_words(part)) >= least:
            return part
    return body


def _guessed(document: Document) -> Node | None:
    """What the library takes for the main part; never a mere phrase within a line."""
    part: Node | None = document.main_content()
    while isinstance(part, Element) and part.tag not in _SECTIONS:
        part = part.parent
    return part


def _clean(node: Node) -> Node:
    """Without scripts, styles and comments; of the attributes those that mean something."""
    _without_the_unseen(node)
    comments = [one for one in node.descendants if isinstance(one, Comment)]
    for comment in comments:
        comment.extract()
    for element in node.iter_elements(include_self=True):
        for name in list(element.attrs):
            if not _is_kept(name, element.attr(name) or ""):
                del element.attrs[name]
    return node


def _is_kept(name: str, value: str) -> bool:
    if name == "class":  # the language of a block of code stands there
        return value.startswith("language-")
    return name in _SEMANTIC or name.startswith("aria-")


def _runs(address: str) -> bool:
    """Whether an address is a script; browsers overlook white space and control signs in it."""
    bare = "".join(sign for sign in address if sign > " ").lower()
    return bare.startswith(_UNSAFE_SCHEMES)


def _inner_or_whole(node: Node) -> str:
    """The HTML within a body, or a whole element."""
    is_body = isinstance(node, Element) and node.tag == "body"
    return node.serialize(inner=is_body).strip()


def _markdown(node: Node) -> str:
    part = _main(node)
    square_tables(part)
    return _enclosed(part).to_markdown(_MARKDOWN).strip()


def _distilled_html(node: Node) -> str:
    return _inner_or_whole(_clean(_main(node)))


def _clean_html(node: Node) -> str:
    return _inner_or_whole(_body(_clean(node)))


def _raw_html(node: Node) -> str:
    return node.serialize()


def _text(node: Node) -> str:
    return _enclosed(_body(_without_the_unseen(node))).to_text().strip()


def _enclosed(node: Node) -> Node:
    """Something around an element: the library writes what is in a node, not the node itself."""
    if not isinstance(node, Element) or node.tag == "body":
        return node
    return node.wrap(Element("div"))


_WRITERS: Final = dict(
    zip(FORMATS, (_markdown, _distilled_html, _clean_html, _raw_html, _text), strict=True)
)
