"""Commands that meet real programs: ``serve``, ``connect``, ``proxy``."""
