"""Playing a scenario: the director, its threads, expectations and assertions.

``walk`` reads the diagram statement by statement, ``director`` waits for frames,
``directing`` carries out directives, ``checks`` judges assertions, ``stage`` is
what must be known of a protocol, ``result`` what comes out.
"""
