"""The linear form: one sentence per step, for screen readers, pipes and diffs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sim.core import event as events
from tui.drawing.lines import harmless
from tui.language import Speech
from tui.session import Session

TELLS = {
    "frame": "{source} sends {target}: {words}",
    "again": "{source} sends again {target}: {words}",
    "call": "{source} asks {target}: {words}",
    "answer": "{source} tells {target}: {words}",
    "lost": "{source} sends in vain {target}: {words}",
    "link": "{source} connects to {target}: {words}",
}  # fmt: skip
ENGLISH = Speech()


def sentence(session: Session, step: int, speech: Speech = ENGLISH, *, judged: bool = True) -> str:
    """What happened, who asked for it, who waits, what broke (unless not ``judged``)."""
    row = session.diagram.row(step)
    head = speech("step {step}, {seconds} s: ").format(step=step, seconds=f"{row.at / 1e6:.3f}")
    parts = [head + _told(session, step, speech)]
    if row.refers >= 0:
        sent = row.arrow in ("frame", "again", "lost")
        verb = "sent at step {step}" if sent else "asked at step {step}"
        parts.append(speech(verb).format(step=row.refers))
    scene = session.scene(step)
    if scene is not None:
        waiting = [name for name, kind in session.lanes() if kind != "person" and scene.waits(name)]
        if waiting:
            parts.append(speech("{hosts} waiting").format(hosts=", ".join(waiting)))
    for violation in session.violations:
        if judged and violation.step == step:
            parts.append(speech("breaks {invariant}").format(invariant=violation.invariant))
    return harmless(speech("; ").join(parts))


def _told(session: Session, step: int, speech: Speech) -> str:
    row = session.diagram.row(step)
    event: Any = session.event(step)
    words = " ".join(speech(word) for word in (row.label, row.detail) if word)
    if isinstance(event, events.FaultInjected):
        return speech("fault: {words}").format(words=row.label)
    if row.source == row.target:
        return speech("{source}: {words}").format(source=row.source, words=words)
    if row.arrow == "link":
        words = row.detail
    template = TELLS.get(row.arrow, "{source} {target}: {words}")
    return speech(template).format(source=row.source, target=row.target, words=words)


def sentences(session: Session, *, every: bool = False, speech: Speech = ENGLISH) -> Iterator[str]:
    """The whole run: a heading, a sentence per shown step, the verdict."""
    header = session.trace.header
    rules = ", ".join(header.without)
    off = speech(", without {rules}").format(rules=rules) if rules else ""
    told = speech("{protocol} run {name}, seed {seed}")
    told = told.format(protocol=session.protocol, name=session.name, seed=header.seed)
    yield harmless(told + off)
    hosts = ", ".join(f"{name} ({kind})" for name, kind in session.lanes())
    yield harmless(speech("lanes: {hosts}").format(hosts=hosts))
    for step in session.diagram.forwards(0, every=every):
        yield sentence(session, step, speech)
    for violation in session.violations:
        words = f"{violation.invariant}: {session.told(violation.text)}"
        found = speech("finding at step {step}: {words}").format(step=violation.step, words=words)
        yield harmless(found)
    findings = len(session.violations)
    verdict = "{steps} steps, {findings} finding" + ("" if findings == 1 else "s")
    yield speech(verdict).format(steps=session.count, findings=findings)
