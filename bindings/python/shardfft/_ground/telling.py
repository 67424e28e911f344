"""What users are told: errors with their own line, told by one rank, and warnings at their own line."""

from __future__ import annotations

import re
import sys
import traceback
import warnings
from pathlib import Path
from types import TracebackType

_HERE = str(Path(__file__).parent.parent)
_RUNNERS = re.compile(
    r"<frozen runpy>|.*[/\\](runpy|mpi4py[/\\](run|__main__))\.py"
)  # above a script: ``python -m mpi4py``
_OF_RANK = re.compile(r"\[rank (\d+)\]$")
_TELLER = "_shardfft_teller"


def told_by(error: Exception, rank: int | None) -> Exception:
    """Note which rank tells of an error that all ranks raise."""
    setattr(error, _TELLER, rank)
    return error


def teller(error: BaseException) -> int | None:
    """Give the rank that tells of an error that all ranks raise; None for any other error."""
    known = getattr(error, _TELLER, None)
    named = _OF_RANK.search(str(error))
    return known if known is not None or named is None else int(named[1])


def _ours(file: str) -> bool:
    return file.startswith(_HERE)


def lines_of(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> list[str]:
    """Tell of an error: one that this package raised by its sentence, and then by the user's lines."""
    frames = [(frame, number) for frame, number in traceback.walk_tb(trace)]
    if not frames or not _ours(frames[-1][0].f_code.co_filename):
        return "".join(traceback.format_exception(kind, error, trace)).splitlines()
    while frames and _ours(frames[-1][0].f_code.co_filename):
        frames.pop()
    while frames and _RUNNERS.fullmatch(frames[0][0].f_code.co_filename):
        frames.pop(0)
    stack = traceback.StackSummary.extract(iter(frames))
    sentence = "".join(traceback.format_exception_only(kind, error)).splitlines()
    return [*sentence, *"".join(stack.format()).splitlines()]


def warn_of_copies(side: str) -> None:
    """Warn at the line that called a plan; not where this package itself did."""
    level, frame = 1, sys._getframe()
    callers = []
    while frame.f_back is not None and _ours(frame.f_code.co_filename):
        callers.append(Path(frame.f_code.co_filename).stem)
        frame, level = frame.f_back, level + 1
    if set(callers) <= {"telling", "side", "call", "plan"}:
        warnings.warn(
            f"each call copies its array first, as its memory order or byte order is not that of {side}.empty(); "
            f"{side}.asarray(x) copies once",
            RuntimeWarning,
            stacklevel=level,
        )
