"""The one exception that the command line turns into a sentence and an exit code."""


class BenchError(Exception):
    """The user's mistake or a broken input file, said in one sentence."""
