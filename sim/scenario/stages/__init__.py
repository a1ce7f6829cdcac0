"""One stage per protocol: who stands in the world and who must do what.

``hook`` plays the hook protocol; ``hook_ledger`` keeps count of its tasks,
``hook_prompts`` turns arrows into acts of agents, ``hook_compose`` completes the
frames of puppets. ``casting``, ``connected`` and ``recorded`` are for all protocols.
"""
