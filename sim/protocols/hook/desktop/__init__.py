"""The desktop's side of the hook protocol: the twin of a desktop client.

``Desktop`` (in ``actor``) routes; the work is done by small modules of
functions over one ``Desk`` (state and writing frames):

``intake``         which frames may have an effect
``connection``     dial, hello, welcome, heartbeat, backoff, standby
``admission``      task.dispatch → task.ack, cancel
``sessions``       which session a task runs in; archive
``turns``          an ordinary task's run and its end
``progress``       throttled snapshots
``interactions``   cards
``results``        what the agent hands over → turn.end
``outbox``         buffer, replay; ``ledger`` the durable rows, ``delivery`` receipts
``registrations``  which failed rounds may be continued
``continuation``   turns started on the desktop; turn.reopen
``queries``        lists for the server's pickers
``agent``          the scripted agent and the person
``operate``        frames that a person or a tool causes; ``asks`` what is unanswered
``slack_binding``, ``provider_binding``   accounts; ``ties`` what is known of them
``preferences``, ``behavior``, ``tools``, ``lifecycle``   what they set and use
``group_window``   what was said in groups, for prompts
``records``        what is kept, ``settings`` the numbers
"""

from __future__ import annotations

from sim.protocols.hook.desktop.actor import Desktop
from sim.protocols.hook.desktop.settings import LANE_FEATURES, DesktopConfig, DesktopSettings

__all__ = ["LANE_FEATURES", "Desktop", "DesktopConfig", "DesktopSettings"]
