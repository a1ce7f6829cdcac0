"""Schedules that the search has found, in which an oracle or a twin was wrong once."""

from __future__ import annotations

import pytest

from sim.explore.replaying import resolve
from sim.explore.trial import judged

MENDED = {
    "a claim's age was judged by another clock than that of who removed the entry": (
        "pressed-too-late//AwEHzqKe_ICOzhzJ"
    ),
    "a cleaning turn that the disk had failed was the last before the end of the run": (
        "pressed-too-late//AwEHbrcVnMCWsQIC"
    ),
    "an entry was gone, and the disk had not said so: nobody rejected its question": (
        "pressed-too-late//AwEHDnmepOyOei4"
    ),
    "a claim was written after its handler had given up waiting, and seemed to be nobody's": (
        "check-by-hand//AgE9egDkTexOiQ"
    ),
    "a claim that the disk carried out late was taken for somebody else's": (
        "double-tap//AwEP7vWLrkeuIEHwq--pARiDqMCEPaI"
    ),
    "a broken file was aside, and the disk had not said so: nobody told the chat": (
        "file-breaks-behind-the-hook//AwEfd3aCiexO6w"
    ),
    "a lease seemed to be lost by a refresh that came late, and had been given up": (
        "a-millisecond-too-old//AgED5ls77JUPhCkQisjkBtY"
    ),
    "an entry was written, and its file put aside before the buttons went out": (
        "file-breaks-behind-the-hook//AgEf8Z18pOmuKXA"
    ),
    "a lease seemed to be lost by an answer that never reached who had asked": (
        "list-fails//AwE_6gckbMCWsQIdZyzAlrECyugU1pLFB9W5aICVyweinvzAlrECYQ"
    ),
    "a message was refused when the hook had no time left to remove the entry": (
        "dismissed-at-the-desk//AwEH_rP1dlXEByRswJaxApD0hQcklg"
    ),
    "the disk died before a question that was closed elsewhere had left it": (
        "killed-at-work//AwED-04XVAYFuWM"
    ),
    "a lease could not be refreshed and was another's by the next poll": (
        "race-two-listeners//AiEB70FklKLzkgkRKkyausMEkjoMgpWZAzwyhMCWsQII"
    ),
    "a lease was refreshed too late, and the refresh was under way at the next poll": (
        "race-two-listeners//AgIB_-TUmICOzhz75_SA2sQJHueIwIQ95w"
    ),
    "the refresh before a poll failed, and the file said whose the lease was": (
        "race-two-listeners//AgMB_6CNkICOzhxZqqyAjs4cl6n8gNrECchN9MCWsQLh"
    ),
}


@pytest.mark.parametrize("token", MENDED.values(), ids=MENDED)
def test_a_mended_schedule_breaks_nothing(token: str) -> None:
    case, schedule = resolve(token)
    assert not judged(case, schedule).failed
