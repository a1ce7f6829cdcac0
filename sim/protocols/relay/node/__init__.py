"""The node's side of the relay protocol: the twin of a browser that takes commands.

``Node`` (in ``actor``) routes; the work is done by modules of functions over one
``Bench`` (state, and writing answers):

``jobs``       a command from its arrival to its one terminal frame; cancel
``listening``  updates of subscriptions, progress
``ledger``     commands that must not run twice
``keeping``    what outlives the process; ``records`` its rows
``person``     who sits at the browser, and what befalls it
``plan``       what a node is told
"""

from __future__ import annotations

from sim.protocols.relay.node.actor import Node
from sim.protocols.relay.node.plan import NodePlan

__all__ = ["Node", "NodePlan"]
