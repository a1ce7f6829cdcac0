"""Adapters of streams: responses of the built-in sites as shared objects.

An adapter reads the JSON of one response and gives objects with a ``kind``, which is
one of the protocol's seven (``SHARED_OBJECT_KINDS``).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

SharedObject: TypeAlias = dict[str, Any]
_Adapter: TypeAlias = Callable[[Mapping[str, Any], str], list[SharedObject]]


def shared_objects(adapter: str, body: bytes, self_user_id: str) -> list[SharedObject]:
    """What an adapter makes of a response's body; nothing where it understands nothing.

    ``self_user_id`` is who the subscriber is on that site.
    """
    read = _ADAPTERS.get(adapter)
    if read is None:
        return []
    try:
        found = json.loads(body)
    except ValueError:
        return []
    return read(found, self_user_id) if isinstance(found, dict) else []


def _chat(found: Mapping[str, Any], self_user_id: str) -> list[SharedObject]:
    return [
        {**event, "kind": f"chat.{event['kind']}", **_own(event, self_user_id)}
        for event in _objects(found, "events")
        if event.get("kind") in ("message", "typing", "participant", "message_deleted")
    ]


def _own(event: Mapping[str, Any], self_user_id: str) -> dict[str, bool]:
    """Whether an event is of the subscriber's own making, where that can be known."""
    if not self_user_id or "userId" not in event:
        return {}
    return {"fromSelf": event["userId"] == self_user_id}


def _news(found: Mapping[str, Any], self_user_id: str) -> list[SharedObject]:
    return [{**article, "kind": "content.article"} for article in _objects(found, "articles")]


def _posts(found: Mapping[str, Any], self_user_id: str) -> list[SharedObject]:
    posts = [{**post, "kind": "content.post"} for post in _objects(found, "posts")]
    comments = [{**one, "kind": "content.post_comment"} for one in _objects(found, "comments")]
    return posts + comments


def _objects(found: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    listed = found.get(name)
    return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []


_ADAPTERS: Final[Mapping[str, _Adapter]] = {"chat": _chat, "news": _news, "posts": _posts}
