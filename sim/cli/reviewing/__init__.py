"""``hooktwin review``: every scenario of a folder played, searched, and told on one page.

``review`` is the command, ``reviewing`` goes through the scenarios, ``reviewed`` is what is
known of each, ``coverage`` what all of them together went through. ``page``, ``markdown``,
``documents`` and ``screen`` tell it in four forms. Nothing here knows a protocol.
"""
