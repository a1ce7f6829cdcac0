"""What came of a run that was changed, in sentences."""

from __future__ import annotations

from tui.language import Speech
from tui.session import Session

HOLDS = "it holds: nothing broke"
MOST = 2
"""Lines of the diagram that did not come true, of which one is told."""


def verdict(session: Session, speech: Speech) -> list[str]:
    """Every promise that was broken, and the first lines that did not come true."""
    failures = session.result.failures if session.result is not None else ()
    if not session.violations and not failures:
        return [speech(HOLDS)]
    said = [
        speech("it breaks: {invariant}: {text}").format(
            invariant=one.invariant, text=session.told(one.text)
        )
        for one in session.violations
    ]
    for failure in failures[:MOST]:
        told = f"{failure.expected}: {failure.happened}"
        said.append(speech("line {line}: {told}").format(line=failure.line, told=told))
    return said
