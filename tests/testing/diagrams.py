"""Small diagrams for the projects of the plugin's tests."""

from sim.scenario.load import shipped_scenarios

HOLDS = """\
sequenceDiagram
    actor U as Alice
    participant IM as Slack
    participant S as hook server
    participant D as desktop
    U->>IM: message "Write the report"
    S->>D: task.dispatch (requestId=R1)
    D->>S: turn.end (ok, requestId=R1, finalText="Here it is.")
    %% @final R1 OK "Here it is."
"""
# Line 9 does not come true.
FAILS = HOLDS.replace('OK "Here it is."', 'OK "Here it was."')
# Line 8, column 12.
MISTYPED = HOLDS.replace("turn.end", "turn.edn")
# Parses, and cannot be played: line 10 stands before no frame.
UNPLAYABLE = HOLDS + "    %% @lose next\n"
MARKDOWN = f"# A report\n\nAs it goes:\n\n```mermaid\n{HOLDS}```\n"
FLOWCHART = "# Parts\n\n```mermaid\nflowchart LR\n    a --> b\n```\n"
UNCLOSED = f"# A report\n\n```mermaid\n{HOLDS}"


def with_a_race() -> str:
    """The shipped race with its rule off, and the breach that the file announces."""
    (path,) = shipped_scenarios()["reopen-teardown"]
    announced = ["%% @rule -ownership-at-write", "%% @violates close-out-respects-owner"]
    lines = path.read_text(encoding="utf-8").splitlines()
    # Without the rule nobody can see the newer round any more.
    kept = [line for line in lines[1:] if "@expect R1 WORKING" not in line]
    return "\n".join([lines[0], *announced, *kept, ""])
