"""Wisdom: ways of plans that were measured once, as text."""

from __future__ import annotations

from .. import _core


def export_wisdom() -> str:
    """Give all that this process measured for its plans, or was told: a document of JSON.

    Rank 0 of a plan's communicator has it.

    Example:
        >>> import shardfft
        >>> text = shardfft.export_wisdom()
        >>> shardfft.import_wisdom(text) >= 0
        True
    """
    return _core.export_wisdom()


def import_wisdom(text: str) -> int:
    """Let plans of this process look into such a text before they read a file; give how many entries were new.

    Raises:
        ArgumentError: if ``export_wisdom`` did not make the text, or another version of its format.

    Example:
        >>> import shardfft
        >>> shardfft.import_wisdom(shardfft.export_wisdom())
        0
    """
    return _core.import_wisdom(text)


def forget_wisdom() -> None:
    """Forget all that this process measured or was told; files stay.

    Example:
        >>> import shardfft
        >>> shardfft.forget_wisdom()
        >>> "problem" in shardfft.export_wisdom()
        False
    """
    _core.forget_wisdom()
