"""Random diagrams that our parser accepts, for us and for Mermaid."""

from __future__ import annotations

from collections.abc import Collection

from hypothesis import strategies as st

from sim.scenario.lexer import HIJACKING
from tests.scenario.accepted import ACCEPTED
from tests.scenario.refused import REFUSED_BY_MERMAID, REFUSED_BY_US

SEEDS = list(ACCEPTED.values())
SEEDS += [refused.text for refused in (REFUSED_BY_MERMAID | REFUSED_BY_US).values()]
# Pieces that mean something somewhere, to be put where they mean nothing.
SNIPPETS = [
    "->>", "-x", ":", "：", "%%", "%%{", "}%%", "@", '"', "\\", "(", ")", "[", "]", "{", "=", "~",
    ",", "|", "#", ";", "end", "alt", "R1", "\r", "\n", "\t", " ", "\u3000", "\u00a0", "é", "²",
    "\u017f", "\u212a", "\ud800", "\x00", "1e999", "9" * 25, "--", "..", "<=", "+", "always",
    "null", "wrap:", "as ", "---\n",
]  # fmt: skip

SIGNS = st.sampled_from(["->>", "-->>", "->", "-->", "-)", "--)"])
FRAMES = st.sampled_from(
    ["hello (workspaces)", "turn.end (ok, 结果)", 'turn.progress (text~"a, b: (c)")', "pong"]
)


def _is_prose(text: str) -> bool:
    """Words of the source are drawn, too, those that Mermaid has other plans with among them."""
    first = text.strip()[:1]
    return bool(first) and not first.islower() and first != "@" and not HIJACKING.search(text)


# What people write: any letters and signs except those that end a text for Mermaid.
PROSE = st.text(
    st.characters(
        codec="utf-8",
        exclude_categories=["Cc", "Cs", "Zl", "Zp"],
        exclude_characters="#;%/\ufeff",
    ),
    min_size=1,
    max_size=30,
).filter(_is_prose)
# Never a bare number, which would count rounds of a loop.
LABEL = PROSE.map("(~) {}".format) | st.just("")
INDENT = st.sampled_from(["", "  ", "\t", "    "])
DIRECTIVES = st.sampled_from(
    ["@after 3s", "@settle", "@cut D rst", "@count posts <=1", '@never "evil, (very)"', "@heal D"]
)
BLOCKS = ("opt", "alt", "par", "loop", "critical", "rect", "break")
BRANCH = {"alt": "else", "par": "and", "critical": "option"}


@st.composite
def statements(draw: st.DrawFn) -> str:
    """One line."""
    sign, frame, prose = draw(SIGNS), draw(FRAMES), draw(PROSE)
    directive = draw(DIRECTIVES)
    return draw(
        st.sampled_from(
            [
                f"D{sign}S: {frame}",
                f"D{sign}S:{frame}",
                f"D-xS: {frame}",
                f"U{sign}IM:{prose}",
                f"IM{sign}S : {prose}",
                f"S{sign}IM: {prose}",
                f"D {sign} D: {prose}",
                f"D{sign}+S: {frame}\nS{sign}-D: welcome",
                f"activate D\ndeactivate D\nNote over D,S: {prose}",
                f"Note left of IM:{prose}",
                f"%% {directive}",
                f"%% {prose.replace('@', '')}",  # "%%{" would begin a directive of Mermaid's
                f"Note over S: {directive}",
                "",
            ]
        )
    )


@st.composite
def bodies(draw: st.DrawFn, depth: int = 3) -> list[str]:
    """Some lines, with blocks in them."""
    lines: list[str] = []
    for _ in range(draw(st.integers(0, 4))):
        if depth and draw(st.booleans()):
            block = draw(st.sampled_from(BLOCKS))
            label = "rgb(1, 2, 3)" if block == "rect" else draw(LABEL)
            lines += [f"{block} {label}", *draw(bodies(depth=depth - 1))]
            if block in BRANCH:
                for _ in range(draw(st.integers(0, 2))):
                    lines += [f"{BRANCH[block]} {draw(PROSE)}", *draw(bodies(depth=depth - 1))]
            lines.append("end")
        else:
            lines += [draw(INDENT) + line for line in draw(statements()).split("\n")]
    return lines


@st.composite
def damaged(draw: st.DrawFn, seeds: Collection[str] = tuple(SEEDS), most: int = 3) -> str:
    """A diagram with some pieces cut out and others put in."""
    text = draw(st.sampled_from(sorted(seeds)))
    for _ in range(draw(st.integers(1, most))):
        at = draw(st.integers(0, len(text)))
        inserted = draw(st.sampled_from(SNIPPETS) | st.text(max_size=3))
        text = text[:at] + inserted + text[at + draw(st.integers(0, 6)) :]
    return text


@st.composite
def diagrams(draw: st.DrawFn) -> str:
    """A whole diagram."""
    label = draw(PROSE)
    head = [
        "sequenceDiagram",
        f"actor U as {label}",
        "participant IM as Slack",
        f"participant S as {draw(st.sampled_from(['server', 'hook server']))}",
        "participant D as 桌面",
    ]
    return "\n".join([*head, *draw(bodies())]) + draw(st.sampled_from(["", "\n"]))
