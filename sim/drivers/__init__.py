"""Who suspends handlers: our own step kernel, Trio in virtual time, or real sockets.

A world moves nothing by itself: a driver fires its items and moves the handlers
in ``world.ready``. All drivers have one interface (``driver.py``):

* ``step.py``: StepDriver, a bare loop. For searches.
* ``trio_turnstile.py``: TrioDriver, a Trio task per handler, one at a time, on
  ``virtual_clock.py``. For every run that a person starts. The same digest.
  ``trio_host.py`` lets a user's Trio program stand in the world as a host,
  ``trio_guests.py`` runs its tasks, ``trio_determinism.py`` makes Trio's
  scheduler repeatable meanwhile.
* ``live.py``: LiveDriver, wall clock and real WebSockets. ``websocket.py`` is
  the only module that knows trio-websocket.

``codec.py`` stands between texts (sockets, users' hosts) and frames (actors).
"""
