"""The end of a job in which one rank fails: the others would wait for it for ever."""

from __future__ import annotations

import os
import sys
import threading
import time
import traceback
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn

from . import _core

if TYPE_CHECKING:
    from mpi4py import MPI

#: Ranks that fail together all print why before the first of them ends the job.
_PATIENCE_S = 0.25

_installed = False
_process = os.getpid()


def _end(comm: MPI.Comm, text: str, status: int) -> NoReturn:
    sys.stdout.flush()
    print(f"{text.rstrip()}\n[rank {comm.rank}] ends the job", file=sys.stderr, flush=True)
    time.sleep(_PATIENCE_S)
    comm.Abort(status)
    raise AssertionError("MPI_Abort returned")


def _runs(comm: MPI.Comm) -> bool:
    """Whether others may wait: not for a child of this process, which is no rank."""
    return os.getpid() == _process and _core.mpi_running() and comm.size > 1


def _hook(comm: MPI.Comm, before: Callable[..., Any]) -> Callable[..., None]:
    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if not _runs(comm):
            before(kind, error, trace)
            return
        lines = "".join(traceback.format_exception(kind, error, trace)).splitlines()
        _end(comm, "\n".join(f"[rank {comm.rank}] {line}" for line in lines), 1)

    return hook


def _exit_of(comm: MPI.Comm) -> Callable[[Any], NoReturn]:
    class Exit(SystemExit):
        """Who asks for the status without a frame of Python is the interpreter, which then ends the process."""

        @property
        def code(self) -> Any:
            value = self.args[0] if self.args else None
            try:
                sys._getframe(1)
            except ValueError:
                if value not in (None, 0) and _runs(comm):
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
    Other hooks of ``sys.excepthook`` are replaced. Scripts (``mpirun -n 4 python script.py``) need not call it: the
    first use of a communicator does, unless the script has a hook of its own, runs interactively or on one rank.
    ``raise SystemExit`` is not seen. A job that is started by ``python -m mpi4py script.py`` ends too.

    Args:
        comm: whose ranks to end, where MPI can tell; None is ``MPI.COMM_WORLD``.
    """
    global _installed
    from mpi4py import MPI

    world = MPI.COMM_WORLD if comm is None else comm
    if not isinstance(world, MPI.Comm):
        raise TypeError(f"comm must be an mpi4py communicator, not {type(world).__name__}")
    if _installed:
        return
    _installed = True
    sys.excepthook = _hook(world, sys.__excepthook__)
    sys.exit = _exit_of(world)


def _is_script() -> bool:
    """Whether the program is a file that Python was given; not a module, a prompt or a notebook."""
    main = sys.modules.get("__main__")
    interactive = hasattr(sys, "ps1") or sys.flags.interactive
    return not interactive and hasattr(main, "__file__") and getattr(main, "__spec__", None) is None


def install_for_scripts() -> None:
    """Do so for a script on several ranks that has no hook of its own."""
    from mpi4py import MPI

    if sys.excepthook is sys.__excepthook__ and _is_script() and _core.mpi_running() and MPI.COMM_WORLD.size > 1:
        abort_on_exception()
