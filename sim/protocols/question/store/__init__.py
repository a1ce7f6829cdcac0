"""The pending store: a file that hook and listener share (``pending-store.js``).

``operations`` is what a process asks of a disk, ``file`` a host that is one, ``pending``
the client that both processes use, ``entry`` what it keeps.
"""
