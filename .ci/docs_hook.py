"""What mkdocs asks: pages that are made at build time, and links that lead out of docs/.

Home and tutorial are the README, cut in two, so that nothing is said twice; the references are
made from the code (docs_reference.py). Mermaid blocks become pictures that hooktwin draws.
"""

import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]

TOUR = "## A tour of five minutes"
BEHIND = "## Where things are"
ROOT_PAGES = {
    "README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
}  # fmt: skip
LINK = re.compile(r"(?P<text>!?\[[^\]]*\])\((?P<to>[^)\s#]*)(?P<anchor>#[^)\s]*)?\)")


def on_startup(**_: Any) -> None:
    """mkdocs takes back what a hook adds to the path while it is loaded."""
    sys.path[:0] = [str(ROOT), str(ROOT / ".ci")]


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that no file of docs/ holds."""
    from docs_reference import pages

    made = {**_from_readme(), **_from_root(), **pages()}
    for name, content in made.items():
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Pictures in the place of Mermaid's blocks: no script is loaded to draw them."""
    from docs_reference import drawn

    return re.sub(
        r"^```mermaid\n(.*?)^```$", lambda found: drawn(found[1]), markdown, flags=re.M | re.S
    )


def _from_readme() -> dict[str, str]:
    text = (ROOT / "README.md").read_text("utf-8")
    before, _, rest = text.partition(TOUR)
    tour, _, after = rest.partition(BEHIND)
    anchors = set(re.findall(r"^#+ (.*)$", tour, re.M))
    home = _inside_docs(before + BEHIND + after, {_slug(one) for one in anchors})
    return {"index.md": home, "tutorial.md": _inside_docs("# Tutorial\n" + tour)}


def _from_root() -> dict[str, str]:
    names = ("CONTRIBUTING.md", "CHANGELOG.md")
    return {ROOT_PAGES[one]: _inside_docs((ROOT / one).read_text("utf-8")) for one in names}


def _inside_docs(text: str, in_tutorial: set[str] = frozenset()) -> str:  # type: ignore[assignment]
    """Links of a file in the root, as they are from within docs/."""

    def changed(found: re.Match[str]) -> str:
        to, anchor = found["to"], found["anchor"] or ""
        if not to and anchor[1:] in in_tutorial:
            to = "tutorial.md"
        to = ROOT_PAGES.get(to, to.removeprefix("docs/"))
        return f"{found['text']}({to}{anchor})"

    return LINK.sub(changed, text)


def _slug(title: str) -> str:
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", title).strip().lower())
