"""The exceptions of the package."""

from __future__ import annotations


class Error(RuntimeError):
    """A call of the library failed; ``status`` is the library's own word for why.

    Statuses: ``invalid_argument``, ``mismatch`` (the ranks gave different arguments), ``unsupported``,
    ``out_of_memory``, ``mpi_failure``, ``backend_failure``, ``timed_out`` (other ranks did not make the same call
    within the plan's ``call_timeout``), ``corrupted`` (``verify`` found a wrong result), ``internal``. Errors of
    planning are raised on every rank.

    Example:
        >>> import shardfft
        >>> try:
        ...     shardfft.plan((8, 6), algorithm="magic")
        ... except shardfft.Error as error:
        ...     print(error.status)
        invalid_argument
    """

    def __init__(self, text: str, status: str = "internal") -> None:
        super().__init__(text)
        self.status = status


class ArgumentError(Error, ValueError):
    """An argument is wrong, or the ranks gave different ones; also a ``ValueError``.

    Example:
        >>> import shardfft
        >>> try:
        ...     shardfft.plan((8, 6), exchange="pigeons")
        ... except ValueError as error:
        ...     print(type(error).__name__)
        ArgumentError
    """

    def __init__(self, text: str, status: str = "invalid_argument") -> None:
        super().__init__(text, status)


def from_status(status: str, text: str) -> Error:
    """Give the exception that stands for a status of the library."""
    return ArgumentError(text, status) if status in ("invalid_argument", "mismatch") else Error(text, status)
