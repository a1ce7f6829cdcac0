"""Tales of connections, frames and folders."""

from __future__ import annotations

from typing import Any

from sim.core.event import ConnectionClosed
from sim.protocols.catalogue import Tales
from sim.protocols.hook.catalogue.tale import Tale

TALES = Tales(Tale)


@TALES.of("hello-comes-first", "HK-04")
def ping_before_hello(tale: Tale, bad: bool) -> None:
    tale.dial()
    if bad:
        tale.desktop("ping")
    tale.desktop("hello")


@TALES.of("hello-is-welcomed", "HK-05")
def hello_without_answer(tale: Tale, bad: bool) -> None:
    tale.dial()
    tale.desktop("hello", workspaces=["chat"], defaultWorkspace=None)
    if not bad:
        tale.server("welcome")


@TALES.of("hello-is-welcomed", "HK-55")
def welcome_to_a_default_that_is_not_listed(tale: Tale, bad: bool) -> None:
    tale.dial()
    tale.desktop("hello", workspaces=["chat"], defaultWorkspace="private" if bad else "chat")
    tale.server("welcome")


@TALES.of("tasks-wait-for-welcome", "HK-05")
def task_before_welcome(tale: Tale, bad: bool) -> None:
    tale.dial()
    tale.desktop("hello", workspaces=["chat"], defaultWorkspace=None)
    if not bad:
        tale.server("welcome")
    tale.dispatch()


def _malformed(tale: Tale, kind: str, bad: bool, **payload: Any) -> None:
    """The server drops a frame, or stores something because of it."""
    tale.connect()
    arrived = tale.desktop(kind, **payload)
    if bad:
        tale.save("S", "strange", 1, cause=arrived)


@TALES.of("server-drops-bad-frames", "HK-13", "HK-21")
def malformed_end_at_the_server(tale: Tale, bad: bool) -> None:
    _malformed(tale, "turn.end", bad, status="maybe")


@TALES.of("server-drops-bad-frames", "HK-24", "HK-34")
def unknown_type_closes_the_connection(tale: Tale, bad: bool) -> None:
    tale.connect()
    arrived = tale.desktop("turn.magic")
    if bad:
        facts = {"code": 1002, "reason": "", "by": "S"}
        tale.tell(ConnectionClosed, arrived, link=tale.link, host="S", peer="D", **facts)


@TALES.of("desktop-drops-bad-frames", "HK-13", "HK-21", "HK-24", "HK-34")
def malformed_dispatch_at_the_desktop(tale: Tale, bad: bool) -> None:
    tale.connect()
    arrived = tale.server("task.dispatch", prompt="")
    if bad:
        tale.desktop("task.ack", cause=arrived)


@TALES.of("server-frame-ids-are-unique", "HK-22")
def two_frames_with_one_id(tale: Tale, bad: bool) -> None:
    tale.connect()
    if bad:
        tale.frames -= 2
    tale.server("ping")
    tale.server("ping")
    if bad:
        tale.frames -= 1
    tale.server("ping")


@TALES.of("desktop-frame-ids-are-unique", "HK-22")
def two_frames_of_the_desktop_with_one_id(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.desktop("ping")
    if bad:
        tale.frames -= 1
    tale.desktop("ping")


@TALES.of("desktop-answers-pings", "HK-51")
def ping_of_the_server_without_pong(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.server("ping")
    if not bad:
        tale.desktop("pong")


@TALES.of("server-answers-pings", "HK-51")
def ping_of_the_desktop_without_pong(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.desktop("ping")
    if not bad:
        tale.server("pong")


@TALES.of("server-frames-pass-the-parser", "HK-58", "HK-203")
def dispatch_without_a_folder(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.dispatch(workspace=None if bad else "chat")


@TALES.of("desktop-frames-pass-the-parser", "HK-203", "HK-60")
def ack_with_a_reason_too_many(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.dispatch()
    tale.desktop("task.ack", result="queued", reason="invalid" if bad else None)


@TALES.of("desktop-frames-pass-the-parser", "HK-33", "HK-201")
def attachment_of_another_shape(tale: Tale, bad: bool) -> None:
    tale.connect()
    file = {"name": "a.png", "mimeType": "image/png", "dataBase64": "" if bad else "aA=="}
    tale.desktop("turn.end", attachments=[file])


@TALES.of("chat-is-first", "HK-48")
def chat_is_the_second_folder(tale: Tale, bad: bool) -> None:
    tale.connect(workspaces=["web", "chat"] if bad else ["chat", "web"])


@TALES.of("chat-is-first", "HK-56")
def default_whose_folder_is_gone(tale: Tale, bad: bool) -> None:
    tale.connect(workspaces=["chat"], defaultWorkspace="web" if bad else None)


@TALES.of("changes-are-announced", "HK-49")
def new_folder_without_a_hello(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.save("D", "workspaces", ("chat", "web", "docs"))
    if not bad:
        tale.desktop("hello", workspaces=["chat", "web", "docs"], defaultWorkspace=None)


@TALES.of("only-listed-folders", "HK-10")
def task_for_a_folder_that_was_never_offered(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.store()
    tale.dispatch(workspace="private" if bad else "web")


@TALES.of("only-listed-folders", "HK-50")
def task_for_a_folder_of_an_older_hello(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.store()
    tale.desktop("hello", workspaces=["chat"], defaultWorkspace=None)
    tale.server("welcome")
    tale.dispatch(workspace="web" if bad else "chat")


@TALES.of("folder-precedence", "HK-52", "HK-57")
def new_thread_without_a_default(tale: Tale, bad: bool) -> None:
    tale.connect()
    tale.store()
    tale.dispatch(workspace="web" if bad else "chat")


@TALES.of("folder-precedence", "HK-53")
def thread_that_moves(tale: Tale, bad: bool) -> None:
    tale.connect(defaultWorkspace="web")
    tale.store()
    tale.dispatch("R1", workspace="web")
    tale.store("R2")
    tale.dispatch("R2", workspace="chat" if bad else "web")


@TALES.of("no-question-for-a-folder", "HK-54")
def question_before_the_first_task_on_x(tale: Tale, bad: bool) -> None:
    tale.connect(lane="x")
    tale.store(lane="x")
    if bad:
        tale.server("query.request", kind="workspaces")
    tale.dispatch()


@TALES.of("no-question-for-a-folder", "HK-54")
def public_post_before_the_first_task_on_x(tale: Tale, bad: bool) -> None:
    tale.connect(lane="x")
    tale.store(state="WAITING", lane="x")
    if bad:
        tale.post("R1", "Which folder?")
    tale.dispatch()


@TALES.of("paths-stay-at-home", "HK-09")
def folder_named_by_its_path(tale: Tale, bad: bool) -> None:
    tale.connect(workspaces=["chat", "/disk/alice/web" if bad else "web"])
