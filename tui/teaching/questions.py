"""Questions that a trace answers: what does a host do now, what cannot come next, what becomes
of a frame, which promise breaks, what do people see.

Right answers are what has happened; wrong ones are what could have happened then, or what
happened elsewhere in the run. The same trace and seed give the same questions. Nothing
here knows a protocol.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from sim.channel.moments import MessageAt
from sim.core import event as events
from sim.core.event import Event
from sim.protocols import register
from sim.view.scene import Flight, Scene
from tui.language import Speech
from tui.session import Session
from tui.teaching import rows_about
from tui.teaching.looking import AHEAD, Ask, Looking
from tui.teaching.rows_about import Told

NOTHING = "nothing that anybody else could see"
NEAR = 200
"""Steps before and behind a question in which other answers are looked for."""

IDLE = "idle"
"""The kind of questions after which nothing happens: few of them are enough."""

DULL = frozenset({"ping", "pong"})
STATES = ("WORKING", "OK", "FAILED", "CANCELLED", "INTERRUPTED", "REJECTED", "QUEUED")
FATES = ("it arrives, once", "it never arrives", "it arrives twice")
FAULTS = {
    "cut-rst": "a reset drops what is under way",
    "cut-fin": "a connection that ends with fin delivers what was sent",
    "cut-silent": "the wire is dead and nobody is told: what was sent goes nowhere",
    "lose": "one frame was lost; the connection stays",
    "duplicate": "one frame arrives twice",
}
ARRIVALS = (events.FrameDelivered, events.CallApplied, events.CallAnswered)
Maker = Callable[[Looking, int], Ask | None]


def questions(session: Session, count: int, *, seed: int = 1, language: str = "en") -> list[Ask]:
    """At most so many questions about a run, in its order; fewer where it tells little."""
    looking = Looking(session, Speech(language), seed)
    steps, found = looking.steps(), dict[str, Ask]()
    rare = (made for step in steps for made in _made(looking, step, (_breaks, _fate)))
    _take(found, rare, max(count // 2, 1), count, [])
    often = (
        made
        for step in steps
        for made in _made(looking, step, looking.shuffled((_reaction, _cannot, _shown)))
    )
    spare: list[Ask] = []
    _take(found, often, count, max(count * 2 // 5, 1), spare)
    _take(found, spare, count, count, [])
    return sorted(found.values(), key=lambda one: (one.step, one.topic))


def _take(
    found: dict[str, Ask], asks: Iterable[Ask], until: int, each: int, spare: list[Ask]
) -> None:
    """Take questions until there are so many, and of one kind at most ``each``; what is
    more is ``spare``."""
    kinds: dict[str, int] = {}
    for one in asks:
        if len(found) >= until:
            return
        kind = one.topic.partition(" ")[0]
        if one.topic in found:
            continue
        if kinds.get(kind, 0) >= (1 + until // 8 if kind == IDLE else each):
            if kind != IDLE:
                spare.append(one)
            continue
        found[one.topic] = one
        kinds[kind] = kinds.get(kind, 0) + 1


def topic(*words: str) -> str:
    """What a question is about: its kind, and what makes it the same as another one."""
    return " ".join(words)


def _made(looking: Looking, step: int, makers: Iterable[Maker]) -> Iterator[Ask]:
    for make in makers:
        made = make(looking, step)
        if made is not None:
            yield made


# -- what does a host do about what it has got? -----------------------------------------------


def _reaction(looking: Looking, step: int) -> Ask | None:
    """A frame, a call or an answer has come to a host: what does it do at once?"""
    session, event = looking.session, looking.session.event(step)
    host, since = _receiver(looking, event)
    kind = session.kind_of(host) or ""
    seen = looking.what(step)
    if not host or kind == "person" or seen in DULL or not session.diagram.is_shown(event):
        return None
    mine = [one for one in looking.behind(step) if one.cause == since and _doer(one) == host]
    act = next((one for one in mine if looking.deed(one)), None)
    done = list(filter(None, map(looking.deed, mine)))
    known = _deeds_of(looking, kind, step)
    if not known:
        return None  # it never does anything
    nothing = looking.says(NOTHING)
    right = done[0] if done else nothing
    others = looking.shuffled(one for one in known if one not in done)
    speaks = any(known.values())
    what = looking.what(act.n) if act is not None else ""
    return looking.ask(
        step,
        looking.says("What does {host} do about it at once?", host=host),
        right,
        [*others[:2], nothing, *(_never(looking, host, right) if speaks else ())],
        [looking.sentence(act.n)] if act is not None else [],
        _told_of(looking, event, kind, what)
        or rows_about.of_reaction(session.protocol, kind, seen, what, session.name),
        topic("reaction" if done else IDLE, kind, seen, right),
    )


def _told_of(looking: Looking, event: Event, kind: str, done: str) -> list[Told]:
    """The row that the catalogue names for this: an answer is known by its request, too."""
    seen = looking.what(event.n)
    if isinstance(event, events.CallApplied):
        seen = f"{looking.what(event.call)} {seen}"
    return rows_about.of_known_reaction(looking.session.protocol, kind, seen, done)


def _receiver(looking: Looking, event: Event) -> tuple[str, int]:
    """The host to which something has come, and the event from which on it acts."""
    match event:
        case events.FrameDelivered():
            return event.receiver, event.n
        case events.CallIssued():
            return event.callee, event.n
        case events.CallApplied():
            for one in looking.behind(event.n):
                if isinstance(one, events.CallAnswered) and one.call == event.call:
                    return event.caller, one.n
    return "", -1


def _doer(event: Event) -> str:
    match event:
        case events.FrameSent():
            return event.sender
        case events.CallIssued():
            return event.caller
    return ""


def _deeds_of(looking: Looking, kind: str, step: int) -> dict[str, bool]:
    """What hosts of this kind do elsewhere, near this step, and whether it is a frame."""
    session, around = looking.session, step // NEAR
    known = looking.deeds.get((kind, around))
    if known is not None:
        return known
    found: dict[str, bool] = {}
    for n in range(max((around - 1) * NEAR, 0), min((around + 2) * NEAR, session.count)):
        event = session.event(n)
        if isinstance(event, events.FrameSent | events.CallIssued):
            other = session.kind_of(_doer(event)) == kind
            if other and looking.what(n) not in DULL:
                found.setdefault(looking.deed(event), isinstance(event, events.FrameSent))
    looking.deeds[kind, around] = found
    return found


def _never(looking: Looking, host: str, right: str) -> list[str]:
    """Frames that the protocol has, to another host of the run: plausible, but not here."""
    session = looking.session
    known = list(register.protocol(session.protocol).messages)
    others = [name for name, kind in session.lanes() if name != host and kind != "person"]
    if not others or not known:
        return []
    drawn = [known[looking.lots.between(0, len(known) - 1)] for _ in range(3)]
    made = [looking.says("it sends {to}: {what}", to=others[0], what=one) for one in drawn]
    return [one for one in made if one != right]


# -- what cannot come next? ---------------------------------------------------------------------


def _cannot(looking: Looking, step: int) -> Ask | None:
    """Several things are under way: which one of these cannot be the next to arrive?"""
    scene = looking.session.scene(step)
    heads = looking.heads(scene) if scene is not None else {}
    if scene is None or len(heads) < 2 or not _is_quiet(looking, step):
        return None
    n, why = _not_next(looking, scene, heads, step)
    heads = {k: flight for k, flight in heads.items() if _arrives(looking, k, step)}
    if n < 0:
        return None
    sent: Any = looking.session.event(n)
    right = looking.arrival(n, Flight(sent.sender, sent.receiver, ""))
    under_way = [looking.arrival(k, flight, step) for k, flight in heads.items()]
    if right in under_way:  # another one of the same name can
        return None
    since = "under way since step {step}: {what}"
    because = [looking.says(why), looking.sentence(n)]
    because += [looking.says(since, step=k, what=looking.what(k)) for k in heads]
    text = looking.says("Which of these cannot be the next to arrive?")
    about = topic("cannot", looking.what(n), str(len(heads) > 2))
    rows = _needed(looking, sent) if n > step else []
    return looking.ask(step, text, right, looking.shuffled(under_way), because, rows, about)


def _needed(looking: Looking, sent: Any) -> list[Told]:
    """The row that says what must have come before a frame is sent."""
    session = looking.session
    kind = session.kind_of(sent.sender) or ""
    return rows_about.of_reaction(
        session.protocol, kind, looking.what(sent.cause), looking.what(sent.n), session.name
    )


def _is_quiet(looking: Looking, step: int) -> bool:
    """Whether nobody sends anything more before something arrives."""
    for event in looking.behind(step):
        if isinstance(event, ARRIVALS):
            return True
        if isinstance(event, events.FrameSent | events.CallIssued):
            return False
    return False


def _arrives(looking: Looking, sent: int, step: int) -> bool:
    """Whether something that is under way gets where it is going, and nothing swallows it."""
    for event in looking.behind(step):
        if isinstance(event, ARRIVALS) and sent in (_sending(event), getattr(event, "call", -1)):
            return True
    return False


def _sending(event: Event) -> int:
    return event.sent if isinstance(event, events.FrameDelivered) else -1


def _not_next(looking: Looking, scene: Scene, heads: Collection[int], step: int) -> tuple[int, str]:
    """The number of a sending that cannot arrive next, and why; -1 where there is none."""
    for n in scene.frames:
        if n not in heads and _arrives(looking, n, step):
            return n, "a WebSocket keeps the order: it is behind another frame"
    for event in looking.behind(step):
        if not isinstance(event, events.FrameSent) or looking.what(event.n) in DULL:
            continue
        needs = event.cause > step and isinstance(looking.session.event(event.cause), ARRIVALS)
        if needs and _arrives(looking, event.n, event.n):
            return event.n, "it has not been sent yet: something else must arrive first"
    return -1, ""


# -- what becomes of a frame? ---------------------------------------------------------------------


def _fate(looking: Looking, step: int) -> Ask | None:
    """A fault has struck while a frame was under way."""
    event = looking.session.event(step)
    if not isinstance(event, events.FaultInjected) or step == 0:
        return None
    scene = looking.session.scene(step - 1)
    frames = scene.frames if scene is not None else {}
    mine = [n for n, flight in frames.items() if flight.link == event.target]
    if not mine:
        return None
    words = event.fault.split(" ")
    verb = f"{words[0]}-{words[-1]}" if words[0] == "cut" else words[0]
    if verb not in FAULTS:
        return None
    sent = next((n for n in mine if _is_named(looking.session.event(n), words)), mine[0])
    came = sum(_is_of(one, events.FrameDelivered, sent) for one in looking.behind(step))
    flight, what = frames[sent], looking.what(sent)
    text = looking.says(
        "What becomes of {what}, which {source} sent at step {step}?",
        what=what, source=flight.source, step=sent,
    )  # fmt: skip
    fates = [looking.says(one) for one in FATES]
    right = fates[0] if came == 1 else fates[1] if not came else fates[2]
    because = [looking.says(FAULTS[verb])]
    return looking.ask(step, text, right, fates, because, (), topic("fate", verb, what))


def _is_named(sent: Event, words: list[str]) -> bool:
    """Whether a fault names this frame: ``lose LINK S>D 3``."""
    if not isinstance(sent, events.FrameSent) or len(words) < 4:
        return False
    return [f"{sent.sender}>{sent.receiver}", str(sent.nth)] == words[2:4]


def _is_of(event: Event, kind: type[Event], sent: int) -> bool:
    return isinstance(event, kind) and getattr(event, "sent", -1) == sent


# -- which promise breaks? ------------------------------------------------------------------------


def _breaks(looking: Looking, step: int) -> Ask | None:
    """An invariant breaks in this step."""
    session = looking.session
    violation = next((one for one in session.violations if one.step == step), None)
    if violation is None:
        return None
    sentences = {one.name: one.sentence for one in session.record.invariants}
    also = {one.invariant for one in session.violations}
    others = [said for name, said in sentences.items() if name not in also]
    right = sentences.get(violation.invariant, violation.invariant)
    return looking.ask(
        step,
        looking.says("Which promise is broken here?"),
        right,
        looking.shuffled(others)[:3],
        [session.told(f"{violation.invariant}: {violation.text}")],
        rows_about.of_invariant(violation.invariant, session.protocol),
        topic("breaks", violation.invariant),
    )


# -- what do people see? --------------------------------------------------------------------------


def _shown(looking: Looking, step: int) -> Ask | None:
    """A message of a channel changes its state: into which? Asked where the reason arrives."""
    session = looking.session
    if not isinstance(session.event(step), events.CallApplied) or not session.know(step):
        return None
    asked = _reason(looking, step)
    before = {_name(one): one.now.state for one in session.chronicle.messages(step - 1)}
    for one in session.chronicle.messages(step):
        now, was = one.now.state, before.get(_name(one))
        if asked is not None and now in STATES and was not in (None, now):
            text = looking.says("What will a reader of the channel see because of it?")
            wrong = looking.shuffled(state for state in STATES if state != now)
            because = [looking.sentence(step)]
            return looking.ask(asked, text, now, wrong, because, (), topic("shown", str(was), now))
    return None


def _name(one: MessageAt) -> tuple[str, str]:
    return one.message.channel, one.message.id


def _reason(looking: Looking, step: int) -> int | None:
    """The arrival of a frame that led to a step."""
    for _ in range(AHEAD):
        step = looking.session.event(step).cause
        if step < 0:
            return None
        if isinstance(looking.session.event(step), events.FrameDelivered):
            return step
    return None
