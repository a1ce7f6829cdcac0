"""Rows that neither a frame nor a trace can show: the code itself is put to the test.

A trial asks the same question of two subjects, the one that is shipped and one
that is wrong on purpose: the first must pass, the second must not.
"""

from __future__ import annotations

from typing import Any, Final

from sim.protocols.catalogue import Subject, Trial
from sim.protocols.relay.browser import Browser, Done, Order, perform
from sim.protocols.relay.browser.web import built_in_web
from sim.protocols.relay.catalogue.frame_tables import WHEN_MS
from sim.protocols.relay.frames import DECLARED, MESSAGES
from sim.protocols.relay.parse import parse_relay_message, serialize_relay_message
from sim.wire.result import Refused

GET_POSTS: Final = {"site": "reddit.com", "command": "getPosts"}


def _tolerates_more(parse: Subject) -> str:
    """Every kind of frame passes with fields that are not declared, in the envelope and within."""
    for kind, cls in DECLARED.items():
        wire = cls.enclose("f-1", WHEN_MS, {**cls.EXAMPLE, "ofNextYear": {"n": 1}})
        verdict = parse({**wire, "traceId": "t"})
        if not verdict.ok:
            return f"{kind} with a field more is refused: {verdict.error}"
    return ""


def _strict(wire: Any) -> Any:
    """A parser that knows all fields there will ever be."""
    verdict = parse_relay_message(wire)
    return Refused("envelope.traceId is unknown", "envelope.traceId") if verdict.ok else verdict


def _keeps_more(write: Subject) -> str:
    """What is handed on still has the fields that nobody here knows."""
    for kind, cls in MESSAGES.items():
        wire = {**cls.enclose("f-1", WHEN_MS, {**cls.EXAMPLE, "ofNextYear": 1}), "traceId": "t"}
        verdict = parse_relay_message(wire)
        assert verdict.message is not None
        again = parse_relay_message(write(verdict.message))
        if not again.ok or again.message is None or again.message.wire != wire:
            return f"{kind} loses what is not declared"
    return ""


def _tidied(message: Any) -> str:
    """A writer that writes what is declared only."""
    wire = {**message.wire, "payload": message.body.to_wire()}
    return serialize_relay_message({n: v for n, v in wire.items() if n != "traceId"})


def _alias(done: Subject) -> str:
    """command.reddit_posts finds what command.run with site and command finds."""
    for inputs in ({}, {"minReturnedPosts": 60}):
        run = done(("command.run", {**GET_POSTS, "input": inputs}))
        old = done(("command.reddit_posts", {"input": inputs}))
        if run != old:
            return f"the old name finds something else for {inputs}"
    return ""


def _done(asked: tuple[str, dict[str, Any]]) -> Any:
    """What a fresh browser makes of an action and its payload."""
    action, payload = asked
    outcome = perform(Browser(built_in_web()), Order(action, payload, "", "k", "T", WHEN_MS))
    return outcome.data if isinstance(outcome, Done) else outcome


def _forgetful(asked: tuple[str, dict[str, Any]]) -> Any:
    """A browser that drops the input of the old name."""
    action, payload = asked
    return _done((action, {} if action == "command.reddit_posts" else payload))


TRIALS: Final = (
    Trial("OT-64", "fields of next year pass", "it is about frames that nobody writes yet",
          _tolerates_more, parse_relay_message, _strict),
    Trial("OT-64", "fields of next year are handed on", "it is about frames that nobody writes yet",
          _keeps_more, serialize_relay_message, _tidied),
    Trial("OT-36", "the old name is the same command", "two outcomes are compared",
          _alias, _done, _forgetful),
)  # fmt: skip
