"""``hooktwin export``: what other tools read.

``group`` has the commands. Of the declarations: ``asyncapi`` (a protocol of frames), ``openapi``
(one of requests), JSON Schema (``sim.wire.schema``), with ``components`` for what they share. Of
a run: ``perfetto`` (a trace of ``activities``), and ``capture`` (what crossed, as packets: it
speaks ``websocket`` and HTTP over ``packets``, written by ``pcapng``). ``runs`` finds the run
that is meant.
"""
