"""Proving that the watchers of the rules can fail: storms, lessons, and the report of it.

``storm``      a world in bad weather, from one seed
``mutants``    storms with a mutant in them, until its invariant speaks up
``lessons``    what takes a desktop that breaks the protocol on purpose
``comparisons``  two runs that must look the same
``watchers``   who watches which row of the catalogue
``prove``      make every watcher complain
"""
