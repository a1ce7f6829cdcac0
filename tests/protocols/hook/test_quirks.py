"""Where Python and the protocol's home language see JSON differently."""

from __future__ import annotations

import json
import math
import unicodedata
from typing import Any

import pytest

from sim.protocols.hook import is_supported_image_mime, parse_hook_message
from sim.protocols.hook.predicates import is_alias, is_safe_https_url, is_telegram_group_id
from tests.protocols.hook.frames_for_tests import accepted, changed, fault_path, good, without


@pytest.mark.parametrize(
    ("type", "field"),
    [
        ("hello", "protocolVersion"),
        ("turn.delivery", "attempt"),
        ("turn.delivery", "retryAt"),
        ("task.ack", "queuePosition"),
        ("group.message", "sentAt"),
    ],
)
def test_booleans_are_no_numbers(type: str, field: str) -> None:
    assert fault_path(changed(type, **{field: True})) == f"{type}.{field}"


@pytest.mark.parametrize("value", [0, 1, 1.0, "true", None])
def test_numbers_are_no_booleans(value: object) -> None:
    assert fault_path(changed("lifecycle.preference", enabled=value)) is not None


@pytest.mark.parametrize("literal", ["0", "-0", "0.0", "-0.0", "3.0", "3e0", "1e300", "1e15"])
def test_integers_of_any_spelling_are_queue_positions(literal: str) -> None:
    text = json.dumps(changed("task.ack", queuePosition=7)).replace(": 7", f": {literal}")
    assert accepted(text)


@pytest.mark.parametrize("literal", ["0.5", "-1", "1e309", "true", '"1"'])
def test_other_values_are_no_queue_positions(literal: str) -> None:
    text = json.dumps(changed("task.ack", queuePosition=7)).replace(": 7", f": {literal}")
    assert fault_path(text) == "task.ack.queuePosition"


@pytest.mark.parametrize(
    ("literal", "fits"),
    [
        ("9007199254740991", True),
        ("9007199254740991.4", True),
        ("9007199254740992", False),
        ("9007199254740993", False),
        ("1e300", False),
        ("1" * 5000, False),
        ("0", False),
        ("0.99999999999999999", True),
    ],
)
def test_timestamps_are_positive_safe_integers(literal: str, fits: bool) -> None:
    text = json.dumps(changed("group.message", sentAt=77777)).replace("77777", literal)
    assert accepted(text) is fits


def test_huge_integers_become_doubles_and_then_infinity() -> None:
    text = json.dumps(changed("hello", protocolVersion=77777))
    for literal, number in (
        ("9007199254740993", 2**53),
        ("9" * 400, math.inf),
        ("1e309", math.inf),
    ):
        message = parse_hook_message(text.replace("77777", literal)).message
        assert message is not None
        assert message.wire["payload"]["protocolVersion"] == number


def test_a_decoded_object_may_hold_what_no_text_can() -> None:
    assert accepted(changed("hello", protocolVersion=math.nan))
    assert accepted(changed("hello", protocolVersion=10**5000))
    assert fault_path(changed("task.ack", queuePosition=10**400)) is not None
    assert fault_path(changed("turn.end", usage={"durationMs": math.nan})) is not None


@pytest.mark.parametrize("literal", ["NaN", "Infinity", "-Infinity", "undefined"])
def test_literals_that_are_no_json_are_refused(literal: str) -> None:
    text = json.dumps(changed("hello", protocolVersion=77777)).replace("77777", literal)
    assert fault_path(text) is None


def test_texts_are_measured_in_utf16_units() -> None:
    assert accepted(changed("group.message", text="😀" * 4096))
    assert fault_path(changed("group.message", text="😀" * 4096 + "a")) == "group.message.text"
    assert accepted(changed("group.message", fileNames=["😀" * 128]))
    assert fault_path(changed("group.message", fileNames=["😀" * 128 + "a"])) is not None


def test_the_first_unknown_key_is_named_in_javascript_order() -> None:
    assert fault_path(changed("bind.revoke", foo=1, **{"1": 2, "0": 3})) == "bind.revoke.0"
    assert fault_path(changed("bind.revoke", foo=1, **{"01": 2})) == "bind.revoke.foo"
    assert fault_path(changed("bind.revoke", foo=1, **{"4294967295": 2})) == "bind.revoke.foo"
    assert fault_path(changed("bind.revoke", foo=1, **{"4294967294": 2})) == (
        "bind.revoke.4294967294"
    )


def test_unknown_keys_are_spliced_into_the_path_as_they_are() -> None:
    assert fault_path(changed("bind.revoke", **{"a b": 1})) == "bind.revoke.a b"
    assert fault_path(changed("bind.revoke", **{"": 1})) == "bind.revoke."
    frame = good("turn.delivery")
    frame["payload"]["error"]["键"] = 1
    assert fault_path(frame) == "turn.delivery.error.键"


def test_group_entries_are_checked_in_javascript_order() -> None:
    groups = {"-5": "never", "7": "always"}
    frame = changed("provider.behavior.state", groupActivation=groups)
    assert fault_path(frame) == "provider.behavior.state.groupActivation"
    frame = changed("provider.behavior.state", groupActivation={"-5": "never"})
    assert fault_path(frame) == "provider.behavior.state.groupActivation[-5]"


@pytest.mark.parametrize(
    "id", ["1\n", "१", "+1", "01", "0", "", " 1", "4503599627370496", "9" * 5000, "1_0"]
)
def test_ids_are_canonical_decimals_of_ascii_digits(id: str) -> None:
    author = {"name": "Bob", "id": id}
    assert fault_path(changed("group.message", author=author)) == "group.message.author.id"
    assert not is_telegram_group_id("-" + id)


@pytest.mark.parametrize("name", ["bob\n", "böb", "ſ", "a" * 33, "", "a-b"])
def test_user_names_are_ascii(name: str) -> None:
    author = {"name": "Bob", "username": name}
    assert fault_path(changed("group.message", author=author)) == "group.message.author.username"


OPTIONAL_AND_NEVER_NULL = [
    ("hello", "features"),
    ("hello", "lifecycleAnnouncement"),
    ("task.dispatch", "options"),
    ("task.dispatch", "attachments"),
    ("task.dispatch", "source"),
    ("bind.start", "email"),
    ("bind.revoke", "pendingOnly"),
    ("tool.request", "args"),
    ("group.message", "recipient"),
    ("group.message", "fileNames"),
    ("provider.behavior.set", "groupActivation"),
]


@pytest.mark.parametrize(("type", "field"), OPTIONAL_AND_NEVER_NULL)
def test_null_is_not_absence(type: str, field: str) -> None:
    assert fault_path(changed(type, **{field: None})) == f"{type}.{field}"
    frame = good(type)
    frame["payload"].pop(field, None)
    assert accepted(frame)


@pytest.mark.parametrize(
    ("type", "field"),
    [
        ("hello", "defaultWorkspace"),
        ("bind.start", "teamId"),
        ("tool.response", "error"),
        ("provider.bind.start", "scopeId"),
        ("provider.behavior.set", "emojiReactions"),
    ],
)
def test_some_optional_fields_may_be_null_as_well(type: str, field: str) -> None:
    assert accepted(changed(type, **{field: None}))


@pytest.mark.parametrize("field", ["reason", "sessionId", "queuePosition"])
def test_a_field_that_must_be_null_must_be_there(field: str) -> None:
    payload = {"result": "rejected", "reason": "disabled", "sessionId": None, "queuePosition": None}
    frame = changed("task.ack", **payload)
    assert accepted(frame)
    del frame["payload"][field]
    assert fault_path(frame) == f"task.ack.{field}"


def test_strings_are_compared_by_code_unit() -> None:
    composed = "é"
    decomposed = unicodedata.normalize("NFD", composed)
    frame = changed("hello", workspaces=[composed], defaultWorkspace=decomposed)
    assert fault_path(frame) == "hello.defaultWorkspace"
    assert accepted(changed("turn.reopen", requestId="R", reopenOf="r"))
    assert accepted(changed("hello", workspaces=["\ud800"], defaultWorkspace="\ud800"))


def test_a_surrogate_pair_is_one_character_however_it_is_spelled() -> None:
    head = '{"v":1,"type":"turn.reopen","id":"i","ts":1,"payload":{"requestId":"'
    tail = '","reopenOf":"😀","externalKey":"k","sessionId":null,"reason":"x"}}'
    for spelling in ("😀", r"\ud83d\ude00", "\ud83d\ude00", "\ud83d\\ude00", "\\ud83d\ude00"):
        assert fault_path(head + spelling + tail) == "turn.reopen.requestId"
    assert accepted(head + r"\ud83d" + tail)


def test_list_faults_are_reported_at_the_list_or_the_item() -> None:
    assert fault_path(changed("welcome", features=["a", ""])) == "welcome.features"
    assert fault_path(changed("bind.state", bindings=[{}])) == "bind.state.bindings[0].teamId"
    assert fault_path(changed("group.message", author=[])) == "group.message.author.name"


def test_a_query_that_failed_may_carry_garbage() -> None:
    frame = changed("query.response", ok=False, error="no", sessions=5, agents={})
    message = parse_hook_message(frame).message
    assert message is not None
    assert message.body.to_wire()["sessions"] == 5
    assert fault_path(changed("query.response", ok=False, error="")) == "query.response.error"


@pytest.mark.parametrize("kind", ["workspaces", "models"])
def test_a_good_answer_carries_the_list_of_its_kind(kind: str) -> None:
    field = "agents" if kind == "models" else kind
    assert fault_path(changed("query.response", kind=kind)) == f"query.response.{field}"
    assert accepted(changed("query.response", kind=kind, sessions=5, **{field: []}))


def test_uniqueness_is_checked_before_the_rest_of_an_item() -> None:
    button: dict[str, Any] = {"id": "a", "label": "A", "style": "default"}
    frame = changed("interaction.request", buttons=[button, {"id": "a"}])
    assert fault_path(frame) == "interaction.request.buttons[1].id"
    frame = changed("interaction.request", buttons=[button, {"id": "a|b"}])
    assert fault_path(frame) == "interaction.request.buttons[1].id"
    assert fault_path(changed("interaction.request", buttons=[])) == "interaction.request.buttons"


def test_a_provider_preference_has_no_team_not_even_a_null_one() -> None:
    row = dict.fromkeys(("model", "effort", "agentKind", "permissionMode"))
    frame = changed("provider.prefs.state", bound=True, prefs=[{"workspace": "w", **row}])
    assert accepted(frame)
    frame["payload"]["prefs"][0]["teamId"] = None
    assert fault_path(frame) == "provider.prefs.state.prefs[0].teamId"


def test_whole_payload_faults_have_the_type_alone_as_path() -> None:
    assert fault_path(changed("group.message", text="")) == "group.message"
    assert fault_path(changed("provider.prefs.get", scopeId="s")) == "provider.prefs.get"
    bare = without("provider.behavior.set", "emojiReactions", "replyQuoteDm", "groupActivation")
    assert fault_path(bare) == "provider.behavior.set"
    assert fault_path(changed("provider.behavior.state", bound=False, emojiReactions="off")) == (
        "provider.behavior.state"
    )


@pytest.mark.parametrize("path", ["/x", "\\x", "c:/x", "C:\\x", "file:x", "FILE:///x"])
def test_absolute_paths_are_no_aliases(path: str) -> None:
    assert not is_alias(path)
    frame = changed("provider.prefs.set", workspace=path)
    assert fault_path(frame) == "provider.prefs.set.workspace"
    assert accepted(changed("prefs.set", workspace=path))


@pytest.mark.parametrize(
    "alias", ["c:x", "c:", "~/x", "./x", "../x", " /x", "1:/x", "Å:/x", "fıle:x", "xfile:"]
)
def test_anything_else_is_an_alias(alias: str) -> None:
    assert is_alias(alias)


@pytest.mark.parametrize(
    "url",
    [
        "https:x",
        "https:\\\\x",
        "\x00 https://h \x1f",
        "ht\ntps://a\tb.com",
        "https://t.me\\@evil",
        "https://:@h",
        "https://h:",
        "https://h:00443",
        "https://１.1",
        "https://0x7f.1",
        "https://[::1]",
        "https://h/\ud800",
        "https://" + "a" * 300,
    ],
)
def test_urls_are_read_as_browsers_read_them(url: str) -> None:
    assert is_safe_https_url(url)


@pytest.mark.parametrize(
    "url",
    [
        "http://h",
        "//h",
        "https://",
        "https:///",
        "https://u@h",
        "https://:p@h",
        "https://h:65536",
        "https://a b",
        "https://a.1",
        "https://1.2.3.256",
        "https://[::1%25eth0]",
        "\u00a0https://h",
        "https://%40h",
        "https://\u00ad",
        "https://\ud800",
        "",
    ],
)
def test_unsafe_urls_are_refused(url: str) -> None:
    assert not is_safe_https_url(url)
    frame = changed("provider.bind.update", connectUrl=url)
    assert fault_path(frame) == "provider.bind.update.connectUrl"


@pytest.mark.parametrize(
    ("mime", "supported"),
    [
        ("image/png", True),
        (" IMAGE/JPG\ufeff", True),
        ("\u00a0image/webp\u2029", True),
        ("image/gif\x85", False),
        ("\x1cimage/gif", False),
        ("\u200bimage/gif", False),
        ("image/png;q=1", False),
        ("image/svg+xml", False),
        ("", False),
        (None, False),
    ],
)
def test_image_types_are_trimmed_and_folded_first(mime: object, supported: bool) -> None:
    assert is_supported_image_mime(mime) is supported
