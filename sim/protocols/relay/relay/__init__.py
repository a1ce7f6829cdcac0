"""The relay's twin.

Start with ``endpoint``: which part deals with what. ``plan`` says what a relay is told,
``ingress`` what a frame must pass before it has an effect. What it holds are plain books
over explicit time, which send nothing and know no world: ``sessions``, ``work`` and its
queues, ``locks``, ``listening``, ``replay`` (nonces), ``owners`` of tabs. The behaviour:
``handshake``, ``commanding``, ``cancelling``, ``locking``, ``streaming`` (listeners and
streams of tests), ``farewell`` (how sessions end), ``errands`` (the relay's own commands),
``tokens``; all of them speak through the ``switchboard``.
"""
