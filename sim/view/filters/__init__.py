"""The filter language: one text for lists, the diagram, breakpoints and export.

``type:turn.* & link:D.slack#1 & !ok``. Fields (:data:`~sim.view.filters.terms.FIELDS`)
take globs, ``re:/…/``, ``a|b``-free comparisons (``t>4.1``, ``size<=200``) and
ranges (``step:10..20``); ``&``, ``|``, ``!`` and parentheses join; a bare word or a
quoted text matches what is visible of a step; ``@cursor @marked @causes @branch``
name sets of steps. An empty filter lets everything through.
"""

from sim.view.filters.facts import Facts, Lookup
from sim.view.filters.parse import FilterError, complete, parse_filter
from sim.view.filters.terms import FIELDS, SELECTORS, Filter

__all__ = [
    "FIELDS",
    "SELECTORS",
    "Facts",
    "Filter",
    "FilterError",
    "Lookup",
    "complete",
    "parse_filter",
]
