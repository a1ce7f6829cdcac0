"""What chat channels have in common, whatever protocol writes to them.

``api`` is the vocabulary of calls (a bot's API, a channel's events, a
person's hands), ``history`` folds a trace into what a reader sees,
``recorded`` gives values of trace files their types back. ``services`` are
those there are. ``accounts``, ``faults`` and ``pace`` are what hosts of channels are made of.
"""
