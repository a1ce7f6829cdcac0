"""Tales of receipts: how far a result has come (§5 delivery)."""

from __future__ import annotations

from typing import Any

from sim.protocols.catalogue import Tales
from sim.protocols.hook.catalogue.tale import Tale
from sim.protocols.hook.server.stored import Final, ReceiptRow

TALES = Tales(Tale)
DELIVERY = "turn-delivery-v1"
STATES: dict[str, dict[str, Any]] = {
    "accepted": {"state": "accepted", "attempt": 0, "retryAt": None, "error": None},
    "delivered": {"state": "delivered", "attempt": 1, "retryAt": None, "error": None},
}


def _says(tale: Tale, state: str, request: str = "R1", **more: Any) -> None:
    tale.server("turn.delivery", requestId=request, **{**STATES[state], **more})


def _ended(tale: Tale, *, stored: bool = True) -> None:
    """A task whose end has arrived."""
    tale.connect(features=(DELIVERY, "turn-reopen-v1"))
    tale.task()
    tale.end()
    if stored:
        receipt = ReceiptRow("ACCEPTED", 0)
        tale.store("R1", "ENDED", final=Final("done", "OK"), receipt=receipt)


@TALES.of("accepted-means-stored", "HK-73", "HK-74")
def accepted_and_not_stored(tale: Tale, bad: bool) -> None:
    _ended(tale, stored=not bad)
    _says(tale, "accepted")


@TALES.of("delivered-means-published", "HK-79")
def delivered_and_not_shown(tale: Tale, bad: bool) -> None:
    _ended(tale)
    if not bad:
        tale.edit("R1", "done", "OK")
    _says(tale, "delivered")


@TALES.of("receipts-go-forward", "HK-80", "HK-76")
def delivered_and_then_accepted(tale: Tale, bad: bool) -> None:
    _ended(tale)
    tale.edit("R1", "done", "OK")
    _says(tale, "delivered")
    _says(tale, "accepted" if bad else "delivered")


@TALES.of("receipts-go-forward", "HK-83")
def attempts_that_fall(tale: Tale, bad: bool) -> None:
    _ended(tale)
    tale.edit("R1", "done", "OK")
    _says(tale, "delivered", attempt=3)
    _says(tale, "delivered", attempt=2 if bad else 3)


@TALES.of("receipts-are-safe", "HK-81")
def answer_of_the_channel_in_a_receipt(tale: Tale, bad: bool) -> None:
    _ended(tale)
    text = "<html>token=abc" if bad else "the channel asked for patience"
    error = {"code": "rate_limited", "message": text, "retryable": True}
    tale.server("turn.delivery", requestId="R1", state="retrying", attempt=1, error=error)


@TALES.of("no-receipts-for-rounds", "HK-84")
def receipt_for_a_round(tale: Tale, bad: bool) -> None:
    _ended(tale)
    tale.reopen("5b1f0d3e-8a2c-4f6b-9d7e-1a2b3c4d5e6f")
    _says(tale, "accepted", "5b1f0d3e-8a2c-4f6b-9d7e-1a2b3c4d5e6f" if bad else "R1")
