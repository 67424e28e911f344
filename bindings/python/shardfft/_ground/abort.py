"""The end of a job in which one rank fails: the others would wait for it for ever."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn

from .. import _core
from .telling import lines_of, teller

if TYPE_CHECKING:
    from mpi4py import MPI

#: Ranks that fail together all print why before the first of them ends the job.
_PATIENCE_S = 0.25
#: An error that all ranks raise is told by one of them, which ends the job; the others tell only if it does not.
_OTHERS_S = 2.0

_hook: Callable[..., None] | None = None  # the one that was installed
_process = os.getpid()


def _end(comm: MPI.Comm, text: str, status: int) -> NoReturn:
    sys.stdout.flush()
    print(f"{text.rstrip()}\n[rank {comm.rank}] ends the job", file=sys.stderr, flush=True)
    time.sleep(_PATIENCE_S)
    comm.Abort(status)
    raise AssertionError("MPI_Abort returned")


def _waiting(comm: MPI.Comm | None) -> MPI.Comm | None:
    """Give the ranks that may wait for this one, None for the world; not for a child of this process, which is none."""
    mpi = sys.modules.get("mpi4py.MPI")
    if mpi is None or os.getpid() != _process or not _core.mpi_running():
        return None
    ranks = mpi.COMM_WORLD if comm is None else comm
    return ranks if ranks.size > 1 else None


def _hook_of(ranks: MPI.Comm | None) -> Callable[..., None]:
    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        comm = _waiting(ranks)
        lines = lines_of(kind, error, trace)
        if comm is None:
            print("\n".join(lines), file=sys.stderr, flush=True)
            return
        if teller(error) not in (None, comm.rank):
            time.sleep(_OTHERS_S)
        _end(comm, "\n".join(f"[rank {comm.rank}] {line}" for line in lines), 1)

    return hook


def _exit_of(ranks: MPI.Comm | None) -> Callable[[Any], NoReturn]:
    class Exit(SystemExit):
        """Who asks for the status without a frame of Python is the interpreter, which then ends the process."""

        @property
        def code(self) -> Any:
            value = self.args[0] if self.args else None
            try:
                sys._getframe(1)
            except ValueError:
                # A hook that came later is the user's, who then decides about ends.
                comm = _waiting(ranks) if sys.excepthook is _hook else None
                if value not in (None, 0) and comm is not None:
                    _end(comm, f"[rank {comm.rank}] sys.exit({value!r})", value if isinstance(value, int) else 1)
            return value

        @code.setter
        def code(self, value: Any) -> None:
            self.args = (value,)

    Exit.__name__ = Exit.__qualname__ = "SystemExit"

    def exit(status: Any = None, /) -> NoReturn:
        """Exit the interpreter by raising SystemExit(status)."""
        # A thread ends quietly by SystemExit itself only; it does not end the process.
        raise Exit(status) if threading.current_thread() is threading.main_thread() else SystemExit(status)

    return exit


def abort_on_exception(comm: MPI.Comm | None = None) -> None:
    """End the whole job when this rank ends by an uncaught exception, Ctrl-C or ``sys.exit`` of a status other than 0.

    Prints the traceback with the rank, then calls ``MPI_Abort``: without it the other ranks wait for this one for ever.
    Other hooks of ``sys.excepthook`` are replaced. Scripts (``mpirun -n 4 python script.py``) need not call it:
    ``import shardfft`` does, unless the script has a hook of its own, runs interactively or on one rank.
    ``raise SystemExit`` is not seen. A job that is started by ``python -m mpi4py script.py`` ends too.

    Args:
        comm: its ranks end, if MPI can tell them apart; None is ``MPI.COMM_WORLD``.

    Example:
        >>> import shardfft
        >>> shardfft.abort_on_exception()  # doctest: +SKIP
    """
    if comm is not None:
        from mpi4py import MPI

        if not isinstance(comm, MPI.Comm):
            raise TypeError(f"comm must be an mpi4py communicator, not {type(comm).__name__}")
    _install(comm)


def _install(comm: MPI.Comm | None) -> None:
    global _hook
    _hook = sys.excepthook = _hook_of(comm)
    sys.exit = _exit_of(comm)


def _is_script() -> bool:
    """Whether the program is a file that Python was given; not a module, a prompt or a notebook."""
    main = sys.modules.get("__main__")
    interactive = hasattr(sys, "ps1") or sys.flags.interactive
    return not interactive and hasattr(main, "__file__") and getattr(main, "__spec__", None) is None


def install_for_scripts() -> None:
    """Do so for a script that has no hook of its own; MPI need not run yet."""
    if sys.excepthook is sys.__excepthook__ and _is_script():
        _install(None)
