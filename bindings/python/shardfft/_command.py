"""The console command ``shardfft``."""

from __future__ import annotations

import importlib.util
import platform
import subprocess
import sys

_HARNESS = {
    "bench": "measure libraries beside each other",
    "report": "draw and tabulate results",
    "table": "print medians as text, Markdown or CSV",
    "compare": "compare two sets of results",
    "libraries": "list the libraries that can be measured here",
}


def _usage() -> str:
    lines = [
        "usage: shardfft COMMAND [OPTIONS]",
        "",
        "  info       versions, MPI libraries, and the names that plans accept",
    ]
    lines += [f"  {name:10} {what}" for name, what in _HARNESS.items()]
    return "\n".join(lines)


def _gpus() -> list[tuple[str, str]]:
    from . import _core

    support = _core.gpu_support()
    if not support:
        return [("GPUs", "this build has no support: -C cmake.define.SHARDFFT_GPU=CUDA gives it")]
    found = [("", f"{number}: {name}") for number, name in enumerate(_core.gpu_names())] or [("", "none found")]
    return [("GPUs", f"by {support}; exchanges {', '.join(_core.device_exchange_names())}"), *found]


def _info() -> int:
    import numpy

    from . import __version__, _core, _mpi

    lines = [("shardfft", __version__), ("Python", platform.python_version()), ("NumPy", numpy.__version__)]
    why: str | None = None
    try:
        import mpi4py
        from mpi4py import MPI

        why = _mpi.mismatch()
        lines += [("mpi4py", f"{mpi4py.__version__}, {_mpi._first_line(MPI.Get_library_version())}")]
    except (ImportError, RuntimeError) as error:
        why = f"mpi4py cannot be used: {error}"
    lines += [
        ("MPI", f"{_mpi._first_line(_core.mpi_loaded())}, built with {_core.mpi_compiled()}"),
        ("algorithms", ", ".join(_core.algorithm_names())),
        ("exchanges", ", ".join(_core.exchange_names())),
        ("local FFTs", ", ".join(_core.local_fft_names())),
        *_gpus(),
    ]
    for name, text in lines:
        print(f"{name:12}{text}")
    if why is not None:
        print(f"shardfft: {why}", file=sys.stderr)
        return 1
    return 0


def main(arguments: list[str] | None = None) -> int:
    """Run the command; give its exit status."""
    words = sys.argv[1:] if arguments is None else arguments
    if not words:
        print(_usage(), file=sys.stderr)
        return 2
    if words[0] in ("-h", "--help"):
        print(_usage())
        return 0
    if words[0] == "info":
        if len(words) > 1:
            print(f"shardfft: info takes no options: {words[1]}", file=sys.stderr)
            return 2
        return _info()
    if words[0] in _HARNESS:
        if importlib.util.find_spec("shardfft_bench") is None:
            print(
                f"shardfft: '{words[0]}' is part of the benchmark harness: pip install ./bench/harness", file=sys.stderr
            )
            return 1
        return subprocess.call([sys.executable, "-m", "shardfft_bench", *words])
    print(f"shardfft: unknown command '{words[0]}'\n{_usage()}", file=sys.stderr)
    return 2
