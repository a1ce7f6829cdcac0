"""hooktwin: a deterministic simulator of chat-to-desktop protocols. Start here.

From the bottom to the top; each folder imports only from those above it in
this list:

- ``core``       what may be asked for (``op``), what has happened (``event``), traces,
  invariants, rules, transition tables, entropy. Knows no protocol and no event loop.
- ``wire``       declarations of messages, and the validators that are made from them.
- ``world``      hosts, connections, calls, timers, faults, virtual time: ``world.enabled()``
  says what can happen next, ``world.apply(choice)`` lets it happen.
- ``channel``    what a bot's server and a chat channel say to each other, and what a
  reader of the channel sees (``history``).
- ``view``       folds of a trace, shared by the terminal UI, reports and tests.
- ``protocols``  one folder per protocol, each with the same file names: ``frames`` (is this
  field legal?), ``machine`` (is this frame legal now?), ``rules``, ``invariants``, endpoints.
- ``hosts``      what stands in a world: server, desktop, person, channel.
- ``drivers``    who moves the handlers: ``step`` (search), ``trio`` (runs), ``live`` (sockets).
- ``scenario``   sequence diagrams: parsed, played, written back.
- ``play``       the facade: ``play(load("typical"))`` gives a ``Result``.
- ``check``      logs of real programs: wire faults, broken rules, diagrams of them.
- ``live``       outside programs in a world: ``serve``, ``connect``, ``proxy``, their control.
- ``explore``    the search: find, shrink, explain and replay races.
- ``testing``    for the tests of users: a pytest plugin, a state machine, strategies.
- ``cli``        the command line (``python -m sim`` and ``hooktwin`` are the same), the
  drawing of runs, the verdict, reports as pages.

To see one handler run, read ``core/actor.py``, ``world/perform.py`` and
``world/world.py`` in this order; to see one scenario run, ``play.py`` and
``scenario/playing/play.py``.
"""

__version__ = "0.1.0"
