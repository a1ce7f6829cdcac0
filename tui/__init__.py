"""The terminal UI: frames, channels, hosts and findings of a run, at any of its steps.

- ``command``   ``python -m tui`` and ``hooktwin tui``: what is opened, and how.
- ``app``       the application; ``keys`` is the table of all keys, ``themes`` and
  ``language`` the looks and the words.
- ``session``   one run that is open: its trace, its views, its findings. No Textual.
- ``branches``  the runs that a person made of one run.
- ``feeds``     the only place with threads and drivers: runs, and the world at a step.
- ``drawing``   lines of text with roles, made of views. No Textual either.
- ``widgets``   what draws those lines; ``screens`` what is where.
- ``plain``     one sentence per step; ``shot`` pictures of screens; ``serve`` a browser.

All thinking about traces is in ``sim.view``; here it is only drawn.
"""
