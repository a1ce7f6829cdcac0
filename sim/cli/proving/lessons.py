"""Short stories with a side that breaks the protocol on purpose; only the other one is judged.

No storm has such a side, so a mutant that needs one names its lesson, or its rule
is the lesson's name. The file of the same name would be a scenario; these are kept
here because without their rule they must fail.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sim.scenario.playing.result import Result

_CAST = """sequenceDiagram
    actor U as Alice
    participant IM as Slack
    participant S as hook server
    participant D as desktop
"""

_FAILED = """    %% @puppet D handshake pong
    U->>IM: message "Fix it"
    S->>D: task.dispatch (requestId=R1)
    D->>S: task.ack (accepted, requestId=R1)
    D->>S: turn.end (error, requestId=R1, errorMessage="e1")
    %% @settle
"""

LESSONS = {
    "colliding-reopen": _CAST
    + _FAILED
    + """    U->>IM: message "Another"
    S->>D: task.dispatch (requestId=R2)
    D->>S: task.ack (accepted, requestId=R2)
    D->>S: turn.reopen (requestId=R2, reopenOf=R1)
    D->>S: turn.progress (requestId=R2, text="of the wrong task")
    %% @settle
""",
    "foreign-frames": """sequenceDiagram
    actor U as Alice
    actor B as Bob
    participant IM as Slack
    participant S as hook server
    participant D as desktop
    participant D2 as desktop
    %% @puppet D handshake pong
    %% @puppet D2 handshake pong
    U->>IM: message "Mine"
    S->>D: task.dispatch (requestId=R1)
    D->>S: task.ack (accepted, requestId=R1)
    D2->>S: turn.progress (requestId=R1, text="not yours")
    %% @settle
""",
    "reopened-after-a-cut": _CAST
    + _FAILED
    + """    D->>S: turn.reopen (requestId=K1, reopenOf=R1)
    %% @channel edit latency 3s
    D->>S: turn.progress (requestId=K1, text="p")
    %% @cut D rst
    %% @reconnect D
    D->>S: turn.reopen (requestId=K2, reopenOf=R1)
    D->>S: turn.end (ok, requestId=K2, finalText="the answer")
    %% @settle
""",
    "late-answer": _CAST
    + """    %% @puppet D handshake pong
    U->>IM: message "/bind"
    S->>D: query.request (queryId=Q1, kind="workspaces")
    %% @after 12s
    U->>IM: message "/bind"
    S->>D: query.request (queryId=Q2, kind="workspaces")
    D->>S: query.response (queryId=Q1, kind="workspaces", ok=true, error=null, workspaces=["web"])
    %% @settle
""",
    "half-open-session": _CAST
    + _FAILED
    + """    D->>S: turn.reopen (requestId=K1, reopenOf=R1)
    D->>S: turn.progress (requestId=K1, text="p")
    %% @settle
    %% @cut D silent
    %% @reconnect D
    %% @after 3m
""",
    "slow-event": _CAST
    + """    %% @puppet D handshake pong
    %% @act IM {"is":"channel-fault","op":"event","outcome":"repeated","for_us":20000000}
    U->>IM: message "Once"
    S->>D: task.dispatch (requestId=R1)
    D->>S: turn.end (ok, requestId=R1, finalText="done")
    %% @after 40s
""",
    "prefs-time-out": """sequenceDiagram
    participant S as hook server
    participant D as desktop
    %% @puppet S handshake pong
    D->>S: hello
    S->>D: welcome
    D->>S: prefs.get
    %% @after 200s
""",
}


def lesson(name: str, *without: str) -> Result:
    """Tell a lesson, with some rules off."""
    from sim.play import play, vocabularies
    from sim.scenario.parse import parse_scenario

    return play(
        parse_scenario(LESSONS[name], f"{name}.mmd", vocabularies()), without=without, driver="step"
    )
