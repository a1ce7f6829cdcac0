"""Names of schedules in words: ``finish IM.edit S ~2`` is "the answer to S's 2nd edit in IM"."""

from __future__ import annotations

from sim.world.helm import LATE, UNTIL, Step

_NTH = {1: "1st", 2: "2nd", 3: "3rd"}


def happens(name: str) -> str:
    """A thing that happens, as a clause: "S's 2nd edit is applied in IM"."""
    plain, nth = _numbered(name)
    if " @" in plain:
        return _goes_on(name)
    words = plain.split(" ")
    match words:
        case ["deliver", link, direction, type_, *again]:
            sender, _, receiver = direction.partition(">")
            copy = "the copy of " if again else ""
            return f"{copy}{sender}'s {_nth(nth)}{type_} on {link} reaches {receiver}"
        case ["close", link, direction]:
            return f"{direction.partition('>')[2]} learns that {link} is closed"
        case ["dial" | "accept", link]:
            return f"{link} is {'dialled' if words[0] == 'dial' else 'accepted'}"
        case ["apply", api, caller]:
            return f"{caller}'s {_nth(nth)}{_call(api)} is carried out"
        case ["finish", api, caller]:
            return f"the answer to {caller}'s {_nth(nth)}{_call(api)} arrives"
        case ["give", "up", *rest]:
            return f"the wait for {' '.join(rest)} ends"
        case ["fire", host, *kind]:
            return f"{host}'s {_nth(nth)}timer {' '.join(kind).rsplit(' ', 1)[0]} fires"
        case ["wake", handler, *_]:
            return f"{handler} wakes up" + (f" for the {_nth(nth)}time" if nth > 1 else "")
        case ["restart", host]:
            return f"{host} comes back"
        case ["line", number, "gives", "up"]:
            return f"line {number} of the diagram waits no longer"
        case ["line", number, *_]:
            return f"line {number} of the diagram is carried out"
        case ["start"]:
            return "the run starts"
        case _:
            return name


def _numbered(name: str) -> tuple[str, int]:
    plain, mark, number = name.rpartition(" ~")
    return (plain, int(number)) if mark and number.isdigit() else (name, 1)


def _nth(nth: int) -> str:
    return f"{_NTH.get(nth, f'{nth}th')} " if nth > 1 else ""


def _call(api: str) -> str:
    where, _, op = api.partition(".")
    return f"{op} in {where}"


def _goes_on(name: str) -> str:
    began, _, handler = name.rpartition(" @")
    host, _, rest = handler.partition(".")
    op = rest.rpartition("/")[2]
    return f"{host} goes on after op {op} of what it does when {happens(began)}"


def fault(name: str) -> str:
    """A fault as a clause: "the cut of D.slack#1 (rst)"."""
    words = name.split(" ")
    match words:
        case ["cut", link, how]:
            return f"the cut of {link} ({how})"
        case ["crash", host]:
            return f"the crash of {host}"
        case ["lose", *what]:
            return f"the loss of the frame ({' '.join(what)})"
        case ["delay", *what, by]:
            seconds = int(by.removesuffix("us")) / 1_000_000
            return f"a delay of {seconds:g} s for the frame ({' '.join(what)})"
        case ["duplicate", *what]:
            return f"the second copy of the frame ({' '.join(what)})"
        case ["channel", channel, op, outcome]:
            return f"{channel} answering the next {op} with {outcome}"
        case _:
            return name


def says(step: Step) -> str:
    """A step as a sentence without its full stop."""
    if step.is_fault:
        return f"after {happens(step.at)}: {fault(step.do)}"
    if step.do.startswith(LATE):
        by_us = int(step.do[len(LATE) :].removesuffix("us"))
        if not by_us:
            return f"{happens(step.at)}, and others may come first"
        return f"{happens(step.at)} {by_us / 1_000_000:g} s late"
    return f"{happens(step.at)} only after {happens(step.do[len(UNTIL) :])}"
