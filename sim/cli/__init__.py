"""The command line: ``hooktwin …`` and ``python -m sim …``.

One module per command, registered in ``app``. ``outcome`` turns errors into
one message and an exit code, ``terminal`` owns the streams (and lets no
control character through), ``drawing`` draws a run, ``report`` tells its
verdict, ``words`` looks up what a protocol knows. Nothing heavy is imported
before a command needs it: ``hooktwin --help`` must answer at once.
"""
