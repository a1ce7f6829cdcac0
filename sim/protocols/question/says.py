"""What requests, answers and notes of a question run say: (name, fields) for the words.

Everything is read from decoded values, as live objects and as files of traces have them;
nothing is trusted: what cannot be read says less.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import unquote

import msgspec

from sim.core.http import HttpRequest, HttpResponse, Unreached
from sim.core.op import NoAnswer
from sim.protocols.question import words
from sim.protocols.question.before import BeforeTool, HookReturned

Fields = dict[str, Any]
Says = tuple[str, Fields]

_BOT: Final = "/bot"
_METHODS: Final = {name.lower(): name for name in words.METHODS}
_CLOSES: Final = {"reply": words.REPLY, "reject": words.REJECT}


def of_request(request: Any) -> Says | None:
    """What a request says; None for one that has no name (an operation of a disk)."""
    if isinstance(request, BeforeTool):
        return words.BEFORE, _before(request)
    if not isinstance(request, HttpRequest):
        return None
    if request.path.startswith(_BOT):
        return _of_bot(request)
    asked: Fields = dict(request.query)
    match request.method, [unquote(part) for part in request.path.split("/")[1:]]:
        case "GET", ["question"]:
            return words.LIST, asked
        case "GET", ["session"]:
            return words.SESSIONS, asked
        case "POST", ["question", id, "reply" | "reject" as how]:
            body = request.body if isinstance(request.body, Mapping) else {}
            return _CLOSES[how], {**asked, "requestID": id, "id": id, **body}
    return None


def _before(request: BeforeTool) -> Fields:
    said: Fields = {
        "tool": request.tool,
        "sessionID": request.session,
        "callID": request.call,
        "directory": request.directory,
        "args": request.args,
    }
    questions = request.args.get("questions") if isinstance(request.args, Mapping) else None
    first = questions[0] if isinstance(questions, list | tuple) and questions else None
    return {**said, **asked_in(first)}


def asked_in(question: Any) -> Fields:
    """The text, header and labels of one question, as far as it has them."""
    if not isinstance(question, Mapping):
        return {}
    found = {name: question[name] for name in ("question", "header") if name in question}
    options = question.get("options")
    if isinstance(options, list | tuple):
        found["options"] = [one.get("label") for one in options if isinstance(one, Mapping)]
    return found


def _of_bot(request: HttpRequest) -> Says | None:
    name = _METHODS.get(request.path.rpartition("/")[2].lower())
    if name is None:
        return None
    said: Fields = dict(request.query)
    if isinstance(request.body, Mapping):
        said |= request.body
    return name, {**said, **_markup(said.get("reply_markup"))}


def _markup(markup: Any) -> Fields:
    """What hangs below a message: labels and data of its buttons, the demand for a reply."""
    if isinstance(markup, str):
        try:
            markup = msgspec.json.decode(markup)
        except (msgspec.DecodeError, RecursionError):
            return {}
    if not isinstance(markup, Mapping):
        return {}
    if markup.get("force_reply") is True:
        return {"force_reply": True}
    keys = [key for row in _rows(markup.get("inline_keyboard")) for key in _rows(row)]
    keys = [key for key in keys if isinstance(key, Mapping)]
    return {
        "buttons": [key.get("text") for key in keys],
        "data": [key.get("callback_data") for key in keys],
    }


def _rows(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []


def of_answer(request: Any, reply: Any) -> Iterator[Says]:
    """What an answer says; that of getUpdates says every update, too."""
    if isinstance(reply, HookReturned):
        yield words.RETURNED, {"threw": reply.threw}
    if of_request(request) is None or not isinstance(request, HttpRequest):
        return
    if isinstance(reply, NoAnswer):
        yield words.NO_ANSWER, {}
    elif isinstance(reply, Unreached):
        yield reply.why, {}
    elif isinstance(reply, HttpResponse):
        yield str(reply.status), {"status": reply.status, **_told(reply.body)}
        yield from _updates(reply.body)


def _told(body: Any) -> Fields:
    """The body, and what a reader looks for in it: the first item of a list, a result."""
    said: Fields = {"body": body}
    if isinstance(body, list | tuple):
        said |= {"count": len(body), "items": list(body)}
        body = body[0] if body else None
    if isinstance(body, Mapping):
        result = body.get("result")
        said |= body
        said |= result if isinstance(result, Mapping) else {}
    return said


def _updates(body: Any) -> Iterator[Says]:
    result = body.get("result") if isinstance(body, Mapping) else None
    for update in _rows(result):
        if not isinstance(update, Mapping):
            continue
        for kind in words.UPDATES:
            content = update.get(kind)
            if isinstance(content, Mapping):
                yield kind, _of_update(update, content)


def _of_update(update: Mapping[str, Any], content: Mapping[str, Any]) -> Fields:
    said: Fields = {**content, "update_id": update.get("update_id")}
    sender, quoted = content.get("from"), content.get("reply_to_message")
    if isinstance(sender, Mapping):
        said["person"] = sender.get("first_name")
    if isinstance(quoted, Mapping):
        said["replyTo"] = quoted.get("message_id")
    return said


def of_note(what: str, data: Any) -> Says | None:
    """What a note of OpenCode, hook or listener says; None for one that has no name."""
    if not isinstance(data, Mapping):
        return None
    if what == "tool":
        state = str(data.get("tool_state"))
        return (state, dict(data)) if state in words.TOOL_STATES else None
    return (what, dict(data)) if what in words.SAYINGS else None


def of_change(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Says]:
    """What became of the entries of the store between two of its contents."""
    for name in before:
        if name not in after:
            yield words.DELETE, _entry(name, before[name])
    for name, entry in after.items():
        if name not in before:
            yield words.SET, _entry(name, entry)
        elif entry != before[name]:
            yield words.UPDATE, _entry(name, entry)


def _entry(name: str, entry: Any) -> Fields:
    return {"uniqueId": name, **(entry if isinstance(entry, Mapping) else {})}


def told(plain: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """What people are told of a request as a trace has it; "" for one that has no name."""
    for cls in (HttpRequest, BeforeTool):
        if plain.get("is") == cls.__struct_config__.tag:
            try:
                said = of_request(msgspec.convert(plain, cls))
            except msgspec.ValidationError:
                continue
            if said is not None:
                return said
    return "", {}
