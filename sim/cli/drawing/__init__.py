"""A run as a sequence diagram.

``rows`` says which events are worth a row and what stands in it (``telling``:
which fields of a frame), ``layout`` where the lifelines stand, ``shorten``
what is left out of a long run; ``screen`` paints the rows for a terminal,
``svg`` as a picture.
"""
