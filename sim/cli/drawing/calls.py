"""The words for calls between server, channel and people, for acts and for notes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim.cli.drawing import http_calls
from sim.cli.drawing.telling import Names
from sim.core.http import HttpRequest, Unreached

Words = tuple[str, str]
"""A label for the arrow and the detail beside it."""

OF_PEOPLE = ("say", "press", "remove", "reword", "authorize")
TO_CHANNEL = ("post", "edit", "delete", "react", "find")
FILE_OPS = {
    "create-file": "create",
    "read-file": "read",
    "write-file": "write",
    "rename-file": "rename",
    "remove-file": "remove",
}
"""What processes do with files, in a word each."""
TOLD_NOTES = (
    *("close-out-dropped", "reopen-refused", "unknown act", "toasted"),
    *("question.asked", "question.replied", "question.rejected"),
)
"""What hosts note of themselves and a reader of the diagram should know."""


def _kind(value: Any) -> str:
    return str(value.get("is", "")) if isinstance(value, Mapping) else ""


def is_of_person(request: Any) -> bool:
    """Whether a person's hand did it."""
    return _kind(request) in OF_PEOPLE


def is_http(request: Any) -> bool:
    """Whether it crosses a network, and its answer too."""
    return isinstance(request, HttpRequest) or _kind(request) == "http"


def unreached(reply: Any) -> str:
    """Why a request over HTTP got no response at all; "" where it got one."""
    if isinstance(reply, Unreached):
        return reply.why
    return str(reply.get("why")) if _kind(reply) == "unreached" else ""


def speaks_for_itself(act: Any) -> bool:
    """Whether what follows an act says it: the person's call, the puppet's frame."""
    return _kind(act) in (*OF_PEOPLE, "puppet-sends", "puppet-dials", "puppet-closes")


def asked(request: Any, names: Names) -> Words:
    """What a call asks for."""
    match _kind(request):
        case "post":
            role = "card" if request.get("role") == "card" else "post"
            return role, _look(request, names)
        case "edit":
            return f"edit {request['message']}", _look(request, names)
        case "delete":
            return f"delete {request['message']}", ""
        case "react":
            return f"react {request['message']}", str(request["emoji"])
        case "say" | "said":
            return "message", f'"{request["text"]}"'
        case "press" | "pressed":
            return "press", f"{request['button']} on {request['message']}"
        case "remove" | "removed":
            return "delete", str(request["message"])
        case "authorize":
            return "decline" if request.get("decline") else "authorize", request.get("team", "")
        case "signed-in":
            return "decline" if request.get("declined") else "authorize", str(request["user"])
        case "find":
            return "find", str(request["key"])
        case "reword":
            return f"edit {request['message']}", f'"{request["text"]}"'
        case "http":
            return http_calls.asked(request, lambda value: facts(value, names))
        case "":
            return "call", facts(request, names)
        case other:
            return other, _without_kind(request, names)


def _look(request: Mapping[str, Any], names: Names) -> str:
    """How the message will look: chip, text, buttons, files; and who wants it."""
    author = names.within(request.get("by") or "").partition(" on ")[0]
    parts = [request.get("state") or "", f"by {author}" if author else ""]
    parts.append(f'"{request.get("text", "")}"')
    parts += [f"[{button['label']}]" for button in request.get("buttons", ())]
    parts += [f"📎{name}" for name in request.get("files", ())]
    about = request.get("about")
    if about:
        parts.append(f"about {names(about)}")
    return " ".join(filter(None, parts))


def outcome(request: Any, reply: Any, names: Names) -> Words | None:
    """What came of a call; None where it goes without saying."""
    kind = _kind(reply)
    if kind == "refused":
        wait = reply.get("retry_after_us")
        later = f", retry after {wait / 1e6:g} s" if wait else ""
        return f"refused: {reply['code']}{later}", ""
    if unreached(reply):
        return None  # what the caller hears of it follows
    if isinstance(reply, Mapping) and reply.get("type") == "no-answer":
        return None  # a CallLost follows
    if _kind(request) == "http":
        return http_calls.outcome(reply, lambda value: facts(value, names))
    if _kind(request) not in TO_CHANNEL:
        return None
    return _done(request, reply)


def _done(request: Mapping[str, Any], reply: Mapping[str, Any]) -> Words:
    name = reply.get("message") or request.get("message", "")
    state = request.get("state")
    match _kind(request):
        case "post":
            return f"{name} posted", ""
        case "edit":
            return f"{name} changed", f"to {state}" if state else ""
        case "delete":
            return f"{name} deleted", ""
        case "find":
            return f"{name} found", ""
        case _:
            return f"{name} marked", ""


def act(value: Any, names: Names) -> Words:
    """What the diagram made somebody do."""
    match _kind(value):
        case "agent-progresses":
            return "agent works", f'"{value["text"]}"'
        case "agent-asks":
            return "agent asks", f'"{value["title"]}"'
        case "agent-ends":
            said = value.get("error") or value.get("text", "")
            files = " ".join(f"📎{file[0]}" for file in value.get("files", ()))
            return "agent ends", f'{value["status"]} "{said}" {files}'.rstrip()
        case "channel-fault":
            return "⚡ channel", _fault(value)
        case "":
            return "acts", facts(value, names)
        case other:
            return other, _without_kind(value, names)


def note(what: str, data: Any, names: Names) -> Words:
    """What a host notes of itself; of a channel in the words of the call that did it."""
    if not isinstance(data, Mapping):
        return what, facts(data, names)
    match what:
        case "applied":
            label, detail = asked(data.get("request"), names)
            shown = facts(_message(data.get("reply")), names)
            return (f"{label} {shown}" if label in ("post", "card") else label), detail
        case "said" | "pressed":
            return what, asked(data.get("event"), names)[1]
        case "toasted":
            toast = data.get("toast") or {}
            return "toast", f'{toast.get("person")} < "{toast.get("text")}"'
        case "log":
            return what, facts(data.get("text") or data, names)
    return what, facts(data, names)


def _message(reply: Any) -> Any:
    return reply.get("message", "") if isinstance(reply, Mapping) else ""


def _without_kind(value: Mapping[str, Any], names: Names) -> str:
    return facts({key: one for key, one in value.items() if key != "is"}, names)


def _fault(fault: Mapping[str, Any]) -> str:
    """How a channel will answer."""
    which = "call" if fault["op"] == "*" else fault["op"]
    span = f" {fault['for_us'] / 1e6:g} s" if fault.get("for_us") else ""
    every = f"every {which} from now on" if fault.get("always") else f"the next {which}"
    return f"{every}: {fault['outcome']}{span}"


def facts(data: Any, names: Names) -> str:
    """Any record in one line: what is empty is left out."""
    if isinstance(data, Mapping):
        told = (
            f"{key}={facts(value, names)}" for key, value in data.items() if value or value == 0
        )
        return " ".join(told)
    if isinstance(data, list | tuple):
        return "[" + ", ".join(facts(one, names) for one in data) + "]"
    return names.within(str(data))
