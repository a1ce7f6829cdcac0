"""``hooktwin explain completed``: a name that only arrows of diagrams have."""

from __future__ import annotations

from typing import Any


def saying_of(word: str, protocol: str | None = None) -> dict[str, Any] | None:
    """What may be said on an arrow of that name; None where no protocol has it, or where it
    has a declaration that says more."""
    from sim.cli import words
    from sim.protocols.played import PLAYED, played

    for name in PLAYED if protocol is None else (protocol,):
        spoken = played(name).words
        if word in spoken.frame_types() and word not in words.declared(name):
            return {
                "kind": "arrow",
                "name": word,
                "protocol": name,
                "direction": spoken.direction(word),
                "fields": list(spoken.fields(word)),
                "values": {key: list(one) for key, one in spoken.enum_values(word).items()},
            }
    return None


def lines_of(saying: dict[str, Any]) -> list[str]:
    """The same for people."""
    ways = saying["direction"].replace(">", " → ").replace("|", ", ")
    lines = [f"{saying['name']}   {ways}", f"An arrow of {saying['protocol']} diagrams."]
    if saying["fields"]:
        lines.append(f"items: {', '.join(saying['fields'])}")
    lines += [f"{field}: {', '.join(values)}" for field, values in saying["values"].items()]
    return lines
