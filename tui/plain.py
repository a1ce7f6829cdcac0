"""The linear form: one sentence per step, for screen readers, pipes and diffs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sim.core import event as events
from tui.drawing.lines import harmless
from tui.session import Session

VERBS = {
    "frame": "sends", "again": "sends again", "call": "asks", "answer": "tells",
    "lost": "sends in vain", "link": "connects to", "fault": "", "mark": "",
}  # fmt: skip


def sentence(session: Session, step: int) -> str:
    """What happened, who asked for it, who waits, what broke."""
    row = session.diagram.row(step)
    event: Any = session.event(step)
    words = f"{row.label} {row.detail}".strip()
    if isinstance(event, events.FaultInjected):
        told = f"fault: {row.label}"
    elif row.source == row.target:
        told = f"{row.source}: {words}"
    elif row.arrow == "link":
        told = f"{row.source} connects to {row.target}: {row.detail}"
    else:
        told = f"{row.source} {VERBS[row.arrow]} {row.target}: {words}"
    parts = [f"step {step}, {row.at / 1e6:.3f} s: {told}"]
    if row.refers >= 0:
        verb = "sent" if row.arrow in ("frame", "again", "lost") else "asked"
        parts.append(f"{verb} at step {row.refers}")
    scene = session.scene(step)
    if scene is not None:
        waiting = [name for name, kind in session.lanes() if kind != "person" and scene.waits(name)]
        if waiting:
            parts.append(f"{', '.join(waiting)} waiting")
    parts += [f"breaks {v.invariant}" for v in session.violations if v.step == step]
    return harmless("; ".join(parts))


def sentences(session: Session, *, every: bool = False) -> Iterator[str]:
    """The whole run: a heading, a sentence per shown step, the verdict."""
    header = session.trace.header
    off = f", without {', '.join(header.without)}" if header.without else ""
    yield harmless(f"{session.protocol} run {session.name}, seed {header.seed}{off}")
    hosts = ", ".join(f"{name} ({kind})" for name, kind in session.lanes())
    yield harmless(f"lanes: {hosts}")
    for step in session.diagram.forwards(0, every=every):
        yield sentence(session, step)
    for violation in session.violations:
        told = f"{violation.invariant}: {session.told(violation.text)}"
        yield harmless(f"finding at step {violation.step}: {told}")
    findings = len(session.violations)
    yield f"{session.count} steps, {findings} finding{'' if findings == 1 else 's'}"
