"""Inputs that cannot be used, and what each message must say."""

from __future__ import annotations

from attrs import frozen

HEAD = b"sequenceDiagram\n    participant D as desktop\n    participant S as hook server\n"


@frozen
class Bad:
    """A scenario file and words that the one message about it contains."""

    name: str
    content: bytes
    says: tuple[str, ...]


BAD_SCENARIOS = (
    Bad("empty", b"", (":1:1", "empty")),
    Bad("blank", b" \n\n", ("empty",)),
    Bad("binary", b"\x7fELF\0\0\1", ("binary",)),
    Bad("not UTF-8", HEAD + b"    D->>S: hello %\xff\xfe\n", (":4", "UTF-8")),
    Bad("another diagram", b"flowchart TD\n    A --> B\n", (":1", "sequenceDiagram")),
    Bad("unknown participant", HEAD + b"    %% @cut Q rst\n", (":4:", "Q", "D")),
    Bad("unknown frame", HEAD + b"    D->>S: turn.edn (ok)\n", (":4:12", "turn.edn", "turn.end")),
    Bad(
        "unknown field",
        HEAD + b"    D->>S: turn.end (finalTxt)\n",
        (":4:", "finalTxt", "finalText"),
    ),
    Bad("unknown directive", HEAD + b"    %% @explode D\n", (":4:", "explode")),
    Bad("unknown rule", HEAD + b"    %% @rule -owner-chek\n", (":4:", "owner-chek", "owner-check")),
    Bad("unclosed block", HEAD + b"    par one\n    D->>S: hello\n", ("par", "end")),
    Bad("unknown kind", b"sequenceDiagram\n    participant Foo\n    Foo->>Foo: x\n", ("Foo",)),
)

BAD_TRACES = (
    Bad("empty", b"", (":1", "no hooktwin trace")),
    Bad("a scenario", HEAD, (":1", "no hooktwin trace")),
    Bad(
        "another version",
        b'{"hooktwin":99,"scenario":"x"}\n',
        (":1", "99", "run the scenario again"),
    ),
    Bad("binary", b"\x7fELF\2\1\1\0\xff\n", (":1", "no hooktwin trace")),
    Bad("damaged event", b'{"hooktwin":1}\n{"kind":"Nonsense"}\n{}\n', (":2", "no event")),
)
