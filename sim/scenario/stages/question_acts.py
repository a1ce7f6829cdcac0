"""Acts as JSON, as ``@act HOST {…}`` writes them in a recorded scenario."""

from __future__ import annotations

from typing import Any

from sim.channel import api
from sim.core.errors import UsageError
from sim.protocols.question import acts
from sim.protocols.question.chronicle_reading import answer_of, request_of
from sim.protocols.question.constants import HOOK, LISTENER, OPENCODE, STORE, TELEGRAM
from sim.scenario.playing.puppet import PuppetAct
from sim.scenario.stages.question_puppets import PuppetAnswers, PuppetAsks
from sim.scenario.stages.recorded import act_of

_OF_PEOPLE = api.Say | api.Press | api.Remove | api.Reword
_KINDS: dict[str, Any] = {
    "person": _OF_PEOPLE,
    TELEGRAM: _OF_PEOPLE | api.ChannelFault | PuppetAnswers,
    OPENCODE: acts.RunTool
    | acts.Ask
    | acts.AnswerHere
    | acts.DismissHere
    | acts.AbortTool
    | PuppetAsks
    | PuppetAnswers,
    HOOK: PuppetAsks | PuppetAnswers,
    LISTENER: PuppetAsks | PuppetAnswers,
    STORE: acts.BreakStore
    | acts.TearNextWrite
    | acts.LeaveLock
    | acts.RemoveLock
    | acts.PutEntry
    | acts.DenyStore,
}


def read_act(kind: str, act: Any, is_puppet: bool) -> Any:
    """The act that a JSON object describes; None: this twin does that by itself.

    Raises UsageError saying what is wrong.
    """
    made = act_of(_KINDS, kind, act)
    if isinstance(made, PuppetAct) != is_puppet:
        if is_puppet:
            raise UsageError(
                f"@act: a puppet cannot do this; its arrows say all that a {kind} does"
            )
        return None
    if isinstance(made, PuppetAsks):
        return PuppetAsks(made.peer, request_of(made.request))
    if isinstance(made, PuppetAnswers):
        return PuppetAnswers(made.peer, answer_of(made.reply), made.to)
    return made
