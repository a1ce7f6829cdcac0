"""Outside programs in a world: real desktops, real servers, and what stands between them.

- ``outsider``    the actor that stands in the world for a program outside of it.
- ``gateway``     sockets and connections: what arrives is recorded, what the twin sends goes out.
- ``outbox``      what waits to be written to one socket, within bounds.
- ``recording``   the trace file that grows while the run goes; ``tail``: the newest in memory.
- ``secrets``     tokens that were shown, which nothing repeats.
- ``roll``        devices become hosts, connections get names.
- ``stage``       scenarios whose desktops are outside programs; who is whose device.
- ``misses``      frames that came instead of those that a diagram waits for.
- ``doors``       the listening side: one URL path per channel, tokens, HTTP answers;
  ``gate``: shut while the server is dead.
- ``serving``     ``hooktwin serve``; ``connecting``: ``hooktwin connect``; ``holding``: what
  both do from their beginning to their end.
- ``control``     HTTP and JSON; ``commands``: what can be done there, in the words of ``meaning``;
  ``routes``: what can be read.
- ``question_…``, ``served``, ``http_door``  a served OpenCode and Telegram: two HTTP servers;
  ``calling``: requests come into a world, ``outlet``: calls leave it.
- ``bridge…``, ``bridging``  ``hooktwin bridge``; ``disk``: its pending file.
- ``proxy…``      ``hooktwin proxy``.
"""
