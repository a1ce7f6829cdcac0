"""Names of schedules in words: ``finish IM.edit S ~2`` is "the answer to S's 2nd edit in IM"."""

from __future__ import annotations

from sim.world.helm import LATE, UNTIL, Step

# What a channel tells a server: requests in form, events in meaning.
_EVENTS = {"said": "message event", "pressed": "press event"}

# What becomes of an HTTP request.
_HTTP = {
    "refused": "refused by the network",
    "reset": "broken before it was applied",
    "lost": "lost on its way",
    "broken": "applied, and its connection broken",
    "unanswered": "applied, and its answer lost",
}

_NTH = {1: "1st", 2: "2nd", 3: "3rd"}


def happens(name: str) -> str:
    """A thing that happens, as a clause: "S's 2nd edit is applied in IM"."""
    plain, nth = _numbered(name)
    if " @" in plain:
        return _goes_on(name)
    words = plain.split(" ")
    match words:
        case ["deliver", _, direction, _, *_]:
            return f"{_frame(words, nth)} reaches {direction.partition('>')[2]}"
        case ["close", link, direction]:
            return f"{direction.partition('>')[2]} learns that {link} is closed"
        case ["dial" | "accept", link]:
            return f"{link} is {'dialled' if words[0] == 'dial' else 'accepted'}"
        case ["apply", api, caller] if _op(api) in _EVENTS:
            return f"{_call(api, caller, nth)} reaches {_host(api)}"
        case ["apply", api, caller]:
            return f"{_call(api, caller, nth)} is carried out"
        case ["finish", api, caller] if _op(api) in _EVENTS:
            return f"{caller} learns that {_host(api)} took {_call(api, caller, nth)}"
        case ["finish", api, caller]:
            return f"the answer to {_call(api, caller, nth)} arrives"
        case ["give", "up", *rest]:
            return f"the wait for {' '.join(rest)} ends"
        case ["fire", host, *kind]:
            return f"{host}'s {_nth(nth)}timer {' '.join(kind).rsplit(' ', 1)[0]} fires"
        case ["wake", handler, *_]:
            host, _, what = handler.partition(".")
            again = f" for the {_nth(nth)}time" if nth > 1 else ""
            return f"{host} wakes up in {what}{again}"
        case ["restart", host]:
            return f"{host} comes back"
        case ["line", number, *rest]:
            return _line(number, rest)
        case ["start"]:
            return "the run starts"
        case _:
            return name


def _line(number: str, rest: list[str]) -> str:
    if number == "0":
        return "the diagram begins"
    does = "waits no longer" if rest == ["gives", "up"] else "is carried out"
    return f"line {number} of the diagram {does}"


def _numbered(name: str) -> tuple[str, int]:
    plain, mark, number = name.rpartition(" ~")
    return (plain, int(number)) if mark and number.isdigit() else (name, 1)


def _nth(nth: int) -> str:
    return f"{_NTH.get(nth, f'{nth}th')} " if nth > 1 else ""


def _frame(words: list[str], nth: int) -> str:
    """``deliver D.slack#1 D>S hello again``, as a thing."""
    _, link, direction, type_, *again = words
    copy = "the copy of " if again else ""
    return f"{copy}{direction.partition('>')[0]}'s {_nth(nth)}{type_} on {link}"


def _flight(name: str) -> str:
    """A frame that a fault strikes."""
    plain, nth = _numbered(name)
    words = plain.split(" ")
    is_frame = len(words) >= 4 and words[0] == "deliver"
    return _frame(words, nth) if is_frame else f"the frame ({name})"


def _host(api: str) -> str:
    return api.partition(".")[0]


def _op(api: str) -> str:
    """What is asked for; of a bot's method, whose path has a token in it, the name."""
    op = api.partition(".")[2]
    method, is_http, path = op.partition(":")
    if not is_http or not path.startswith("/"):
        return op
    return path.rpartition("/")[2] if path.startswith("/bot") else f"{method} {path}"


def _call(api: str, caller: str, nth: int) -> str:
    """The request of one host to another, as a thing."""
    if _op(api) in _EVENTS:
        return f"{caller}'s {_nth(nth)}{_EVENTS[_op(api)]}"
    return f"{caller}'s {_nth(nth)}{_op(api)} in {_host(api)}"


def _goes_on(name: str) -> str:
    """A handler that may be held at one of its ops."""
    began, _, handler = name.rpartition(" @")
    host, _, rest = handler.partition(".")
    op = rest.rpartition("/")[2]
    plain, nth = _numbered(began)
    match plain.split(" "):
        case ["deliver", _, _, _, *_] as words:
            what = _frame(words, nth)
        case ["apply", api, caller]:
            what = _call(api, caller, nth)
        case ["fire", _, *kind]:
            what = f"its {_nth(nth)}timer {' '.join(kind).rsplit(' ', 1)[0]}"
        case _:
            what = f"what it does when {happens(began)}"
    return f"{host} goes on with {what} (held after op {op})"


def fault(name: str) -> str:
    """A fault as a clause: "the cut of D.slack#1 (rst)"."""
    words = name.split(" ")
    match words:
        case ["cut", link, how]:
            return f"the cut of {link} ({how})"
        case ["crash", host]:
            return f"the crash of {host}"
        case ["lose", *what]:
            return f"the loss of {_flight(' '.join(what))}"
        case ["delay", *what, by]:
            seconds = int(by.removesuffix("us")) / 1_000_000
            return f"a delay of {seconds:g} s for {_flight(' '.join(what))}"
        case ["duplicate", *what]:
            return f"the second copy of {_flight(' '.join(what))}"
        case ["http", *what, outcome] if what[0] == "apply":
            plain, nth = _numbered(" ".join(what))
            _, api, caller = plain.split(" ")
            return f"{_call(api, caller, nth)} {_befalls(outcome)}"
        case ["channel", channel, op, outcome]:
            return f"{channel} answering the next {op} with {outcome}"
        case _:
            return name


def _befalls(outcome: str) -> str:
    if outcome.endswith("us"):
        return f"{int(outcome.removesuffix('us')) / 1_000_000:g} s late"
    return _HTTP.get(outcome, f"answered {outcome} at once")


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
