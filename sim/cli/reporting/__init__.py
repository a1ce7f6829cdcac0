"""``hooktwin report``: a run as a page that can be handed on, or as a picture or text.

``subject`` finds the run that is meant, and the one beside it (with the rule on, or
undisturbed); ``retold`` folds each once; ``content`` is all of it as JSON (``rows``,
``chunks``, ``messages``, ``minds``); ``html`` makes the page from that and from the files in
``page``, which run in the reader's browser; ``markdown``, ``mermaid`` and ``pdf`` are the
other forms. Nothing here knows a protocol.
"""
