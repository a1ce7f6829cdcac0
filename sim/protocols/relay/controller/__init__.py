"""The controller's side of the relay protocol: the twin of a client program.

``Controller`` (in ``actor``) routes; the work is done by modules of functions over one
``Desk`` (its state):

``calls``    what was asked for: sent, awaited, ended once, perhaps sent again
``locks``    the tabs that it holds
``streams``  the listeners that it has turned on
``records``  what is kept in mind; ``plan`` what a controller is told
"""

from __future__ import annotations

from sim.protocols.relay.controller.actor import Controller
from sim.protocols.relay.controller.plan import ControllerPlan
from sim.protocols.relay.controller.records import Outcome

__all__ = ["Controller", "ControllerPlan", "Outcome"]
