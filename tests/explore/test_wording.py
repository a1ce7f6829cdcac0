"""Names of schedules are told in the words of whoever reads a report."""

import pytest

from sim.explore.wording import says
from sim.world.helm import Step


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (
            Step("deliver D.slack#1 D>S hello", "until apply S.said IM ~2"),
            "D's hello on D.slack#1 reaches S only after IM's 2nd message event reaches S",
        ),
        (
            Step("finish S.pressed IM", "late 1500000us"),
            "IM learns that S took IM's press event 1.5 s late",
        ),
        (
            Step("finish IM.edit S ~2", "late 0us"),
            "the answer to S's 2nd edit in IM arrives, and others may come first",
        ),
        (
            Step("deliver D.slack#1 D>S turn.progress ~3 @S.on_frame/1", "until start"),
            "S goes on with D's 3rd turn.progress on D.slack#1 (held after op 1) "
            "only after the run starts",
        ),
        (
            Step("start", "lose deliver D.slack#1 D>S task.ack ~2"),
            "after the run starts: the loss of D's 2nd task.ack on D.slack#1",
        ),
        (
            Step("start", "delay deliver D.slack#1 D>S pong again 250000us"),
            "after the run starts: a delay of 0.25 s for the copy of D's pong on D.slack#1",
        ),
        (
            Step("apply TG.press U", "until apply TG.POST:/bot77:secret/sendMessage H ~2"),
            "U's press in TG is carried out only after H's 2nd sendMessage in TG is carried out",
        ),
        (
            Step("start", "http apply OC.POST:/question/*/reply L broken"),
            "after the run starts: L's POST /question/*/reply in OC "
            "applied, and its connection broken",
        ),
        (Step("line 0", "late 2000000us"), "the diagram begins 2 s late"),
    ],
)
def test_a_step_is_told_in_words(step: Step, words: str) -> None:
    assert says(step) == words
