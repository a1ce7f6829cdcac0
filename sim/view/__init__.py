"""Pure folds of a trace, shared by the terminal UI, reports and tests.

- ``tracefile``  a trace as bytes (a mapped file, or a run that just ended): each event
  is decoded when somebody asks for it, and found by its number without an index.
- ``columns``    the index that is read in slices meanwhile: kind, time, host, link, type.
- ``scene``      who is up, which connections are open, what is in flight; ``snapshots``
  writes it into trace files every 1,000 events.
- ``seek``       the scene at any step, backwards and forwards.
- ``timeline``   events, faults and findings per column of a screen.
- ``filters``    the filter language: a parser with columns of errors, and a predicate.
- ``diagram``    one row per step: from whom, to whom, how the arrow looks.
- ``diff``       where two traces part, and which steps stand beside each other.

Nothing here knows a protocol, a driver or a screen: words come from outside.
"""
