"""Messages for users: errors with their own line, printed by one rank, and warnings at their own line."""

from __future__ import annotations

import linecache
import re
import sys
import traceback
import warnings
from pathlib import Path
from types import TracebackType
from typing import Any

_HERE = str(Path(__file__).parent.parent)
_RUNNERS = re.compile(
    r"<frozen runpy>|.*[/\\](runpy|mpi4py[/\\](run|__main__)|(IPython|ipykernel)[/\\].*)\.py"
)  # above a script: ``python -m mpi4py``; above a cell: the notebook's kernel
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


def users_line() -> str:
    """Name the line of the program that called this package."""
    frame = sys._getframe()
    while frame.f_back is not None and _ours(frame.f_code.co_filename):
        frame = frame.f_back
    file, number = frame.f_code.co_filename, frame.f_lineno
    return f"{Path(file).name}, line {number}: {linecache.getline(file, number).strip()}".rstrip(": ")


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


def tell_in_notebooks() -> None:
    """Let IPython show errors of this package as scripts do, unless the user handles errors there."""
    shell: Any = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is None or shell.custom_exceptions:
        return

    def show(shell: Any, kind: type[BaseException], error: Any, trace: Any, tb_offset: int | None = None) -> None:
        last = [frame for frame, _ in traceback.walk_tb(trace)][-1:]
        if last and _ours(last[0].f_code.co_filename):  # IPython asks errors for their own lines
            error._render_traceback_ = lambda *_: lines_of(kind, error, trace)
        shell.showtraceback((kind, error, trace), tb_offset=tb_offset)

    shell.set_custom_exc((Exception,), show)


def warn_of_copies(side: str) -> None:
    """Warn at the line that called a plan, unless this package itself did."""
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
