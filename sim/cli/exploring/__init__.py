"""The commands of the search: ``explore`` finds races, ``replay`` shows them again,
``mutants`` measures what would be noticed.

``explore``    the command, and what it does with several scenarios
``wish``       how a search is wanted, and the command line that repeats it
``searching``  one scenario's search, from the first try to explained findings
``watching``   progress on stderr
``telling``    what was found, for a person
``chain``      the causal chain of a broken step
``curve``      blame, drawn with blocks
``documents``  what was found, as JSON
``junit``, ``sarif``  the same for machines that run tests and review code
``replay``     the command
``playing``    one schedule played, by any driver
``mutants``    the command
``score``      how many mutants are noticed, within a time
"""
