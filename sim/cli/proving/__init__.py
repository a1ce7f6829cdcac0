"""Proving that the watchers of the rules can fail: storms, lessons, and the report of it.

``gale``       how a storm of any protocol is played: a world in bad weather, from one seed
``making``     which twins play in it, with a mutant in them or without
``storm``      that of the hook protocol; ``lane_storm``, ``relay_storm``, ``question_storm``
``mutants``    storms with a mutant in them, until its invariant speaks up
``lessons``    what takes a desktop that breaks the protocol on purpose
``comparisons``  two runs that must look the same
``watchers``   who watches which row of the catalogue
``prove``      make every watcher complain
"""
